//! The legend: one entry for each name, outside of all panels.

use super::style::StyleId;
use super::{Figure, Kind};

/// What stands for a name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Sample {
    /// A curve.
    Curve(StyleId, Kind),
    /// The reference of this number in its panel.
    Reference(usize),
}

/// One line of a legend.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LegendEntry {
    pub(super) label: String,
    pub(super) sample: Sample,
}

/// The entries of a figure: curves, then references, each in the order in which they first appear.
/// Two names with one look are told apart here, once for all panels.
pub(super) fn entries(figure: &Figure) -> Vec<LegendEntry> {
    let mut entries: Vec<LegendEntry> = Vec::new();
    for curve in figure.panels.iter().flat_map(|panel| &panel.curves) {
        if entries.iter().any(|entry| entry.label == curve.label) {
            continue;
        }
        let taken = |style: StyleId| {
            entries.iter().any(|entry| matches!(entry.sample, Sample::Curve(other, _) if other == style))
        };
        let mut style = curve.style;
        // Twenty looks of one colour: more names than that have other troubles.
        for _ in 0..20 {
            if !taken(style) {
                break;
            }
            style = style.other();
        }
        entries.push(LegendEntry { label: curve.label.clone(), sample: Sample::Curve(style, curve.kind) });
    }
    for panel in &figure.panels {
        for (i, reference) in panel.references.iter().enumerate() {
            if !entries.iter().any(|entry| entry.label == reference.label) {
                entries.push(LegendEntry { label: reference.label.clone(), sample: Sample::Reference(i) });
            }
        }
    }
    entries
}

/// Where the entries of a legend stand: in columns of one width, filled row by row.
pub(super) struct Grid {
    pub(super) columns: usize,
    pub(super) column_width: f64,
    pub(super) height: f64,
}

/// Length of the sample before a name.
pub(super) const SAMPLE: f64 = 26.0;

/// Height of a row.
pub(super) const ROW: f64 = 18.0;

/// Size of the type.
pub(super) const TYPE: f64 = 11.5;

/// Names longer than this are cut.
const LONGEST: usize = 48;

impl Grid {
    pub(super) fn of(entries: &[LegendEntry], width: f64) -> Self {
        let widest = entries.iter().map(|entry| text_width(&cut(&entry.label), TYPE)).fold(0.0, f64::max);
        let column_width = SAMPLE + 6.0 + widest + 18.0;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few columns")]
        let columns = ((width + 18.0) / column_width).max(1.0) as usize;
        let columns = columns.min(entries.len().max(1));
        // The rows that are needed, evenly filled.
        let rows = entries.len().div_ceil(columns);
        let columns = if rows == 0 { 1 } else { entries.len().div_ceil(rows) };
        Self { columns, column_width, height: rows as f64 * ROW }
    }

    /// Left end and middle of the line of an entry.
    pub(super) fn place(&self, i: usize) -> (f64, f64) {
        ((i % self.columns) as f64 * self.column_width, (i / self.columns) as f64 * ROW + ROW / 2.0)
    }
}

/// A name short enough for the legend.
pub(super) fn cut(label: &str) -> String {
    if label.chars().count() <= LONGEST {
        return label.to_owned();
    }
    label.chars().take(LONGEST - 1).chain(['\u{2026}']).collect()
}

/// About how wide a text is: an upper estimate for mixed text in DejaVu Sans, which is wider than
/// the others in the list.
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    text.chars()
        .map(|c| match c {
            'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | ' ' | '(' | ')' | 'f' | 't' | 'r' => 0.40,
            'm' | 'w' | 'M' | 'W' | '=' | '+' | '\u{2026}' => 0.92,
            'A'..='Z' => 0.70,
            _ => 0.63,
        })
        .sum::<f64>()
        * size
}

#[cfg(test)]
mod tests {
    use super::super::{Axis, Curve, Panel};
    use super::*;

    /// A colour has as many looks as markers and dash patterns have turns in common: 20. A name
    /// that comes again is no new entry.
    #[test]
    fn trace_twenty_names_of_one_style_look_different() {
        let mut panel = Panel::new("", Axis::linear(""), Axis::linear(""));
        panel.curves =
            (0..20).map(|i| Curve::line(&i.to_string(), StyleId::nth(0), Vec::new(), Vec::new())).collect();
        let figure = Figure { panels: vec![panel.clone(), panel], ..Figure::default() };
        let entries = entries(&figure);
        let mut styles: Vec<StyleId> = entries
            .iter()
            .map(|entry| match entry.sample {
                Sample::Curve(style, _) => style,
                Sample::Reference(_) => unreachable!("there are none"),
            })
            .collect();
        assert_eq!(styles.len(), 20);
        styles.sort();
        styles.dedup();
        assert_eq!(styles.len(), 20);
    }

    /// Five entries of which two fit beside each other: three rows, filled evenly.
    #[test]
    fn trace_a_legend_is_filled_row_by_row() {
        let entry = |label: &str| LegendEntry { label: label.to_owned(), sample: Sample::Reference(0) };
        let entries: Vec<LegendEntry> = ["a", "b", "c", "d", "e"].map(entry).to_vec();
        let one = Grid::of(&entries[..1], 1000.0).column_width;
        let grid = Grid::of(&entries, 2.5 * one);
        assert_eq!(grid.columns, 2);
        assert!((grid.height - 3.0 * ROW).abs() < 1e-9);
        assert!((grid.place(3).0 - one).abs() < 1e-9 && (grid.place(3).1 - 1.5 * ROW).abs() < 1e-9);
        assert!(cut(&"x".repeat(100)).chars().count() == LONGEST);
    }
}
