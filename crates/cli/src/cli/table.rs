//! Tables for people.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

/// A table with a header. `new` aligns the first and the last column to the left and the columns
/// between them, which are numbers, to the right.
pub(super) struct Rows(Table);

impl Rows {
    pub(super) fn new(header: Vec<String>) -> Self {
        let n_columns = header.len();
        let mut rows = Self::words(header);
        for (i, column) in rows.0.column_iter_mut().enumerate() {
            if 0 < i && i + 1 < n_columns {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        rows
    }

    /// A table with `n_numbers` columns aligned to the right, and then words. Names may be long and
    /// come last, so that the numbers stay aligned.
    pub(super) fn numbers(n_numbers: usize, header: &[&str]) -> Self {
        let mut rows = Self::words(header.iter().map(|&title| title.to_owned()).collect());
        for column in rows.0.column_iter_mut().take(n_numbers) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        rows
    }

    /// A table with all columns aligned to the left.
    pub(super) fn words(header: Vec<String>) -> Self {
        let mut table = Table::new();
        table
            .load_style(presets::NOTHING)
            .set_content_arrangement(ContentArrangement::Disabled)
            .set_header(header);
        for column in table.column_iter_mut() {
            column.set_padding((0, 2));
        }
        Self(table)
    }

    pub(super) fn push(&mut self, row: Vec<String>) {
        self.0.add_row(row);
    }

    pub(super) fn lines(&self) -> Vec<String> {
        self.0.lines().map(|line| line.trim_end().to_owned()).collect()
    }
}

/// A number with one decimal, or none if it is large.
pub(super) fn round(value: f64) -> String {
    if value.abs() >= 999.5 { format!("{value:.0}") } else { format!("{value:.1}") }
}

/// A standard error with about two digits.
pub(super) fn round_error(value: f64) -> String {
    if value >= 9.95 { format!("{value:.0}") } else { format!("{value:.1}") }
}

/// A bar for a share of the largest value, in eighths of a cell.
pub(super) fn bar(share: f64) -> String {
    const CELLS: f64 = 24.0;
    const PARTS: [&str; 8] =
        ["", "\u{258f}", "\u{258e}", "\u{258d}", "\u{258c}", "\u{258b}", "\u{258a}", "\u{2589}"];
    if !(share > 0.0 && share <= 1.0) {
        return String::new();
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 8 times the cells")]
    let eighths = (share * CELLS * 8.0).round() as usize;
    format!("{}{}", "\u{2588}".repeat(eighths / 8), PARTS[eighths % 8])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_bars() {
        assert_eq!(bar(1.0).chars().count(), 24);
        assert_eq!(bar(1.0 / 24.0), "\u{2588}");
        assert_eq!(bar(1.5 / 24.0), "\u{2588}\u{258c}");
        assert_eq!(bar(0.0), "");
        assert_eq!(bar(f64::NAN), "");
        assert_eq!(bar(-1.0), "");
    }
}
