//! The legend: one entry per name, outside all panels.

use super::style::StyleId;
use super::{Figure, Kind};

/// The sample in front of a name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Sample {
    Curve(StyleId, Kind),
    /// The reference with this number in its panel.
    Reference(usize),
}

/// One entry of a legend.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LegendEntry {
    pub(super) label: String,
    pub(super) sample: Sample,
}

/// The entries of a figure: curves, then references, each in the order of first appearance. If two
/// names share a style, one of them gets another style, once for all panels.
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
        // A colour has twenty looks. A figure with more names has other problems.
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

/// The places of the entries of a legend: columns of one width, filled row by row.
pub(super) struct Grid {
    pub(super) columns: usize,
    pub(super) column_width: f64,
    pub(super) height: f64,
}

/// The length of the sample in front of a name.
pub(super) const SAMPLE: f64 = 26.0;

/// The height of a row.
pub(super) const ROW: f64 = 18.0;

/// The font size.
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
        // The rows that are needed, filled evenly.
        let rows = entries.len().div_ceil(columns);
        let columns = if rows == 0 { 1 } else { entries.len().div_ceil(rows) };
        Self { columns, column_width, height: rows as f64 * ROW }
    }

    /// The left end and the middle of an entry's line.
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

/// The approximate width of a text. It is an upper estimate for mixed text in DejaVu Sans, which is
/// wider than the other fonts in the list.
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

    /// A colour has 20 looks, because markers and dash patterns together repeat after 20. A
    /// repeated name is not a new entry.
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

    /// Five entries, two of which fit side by side, make three rows, filled evenly.
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
