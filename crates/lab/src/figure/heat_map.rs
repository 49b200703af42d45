//! A matrix as a heat map: one cell per pair, with rows and columns in the order of Borda scores.

use core::fmt::Write as _;

use tiltyard_bandit::Arm;
use tiltyard_bandit::matrix::{Diagonal, PreferenceMatrix};

use super::svg::{Escaped, Px, Svg};
use super::theme::{self, Rgb};

/// A matrix with its arms sorted by Borda score, ready to be drawn.
#[derive(Debug, Clone)]
pub struct HeatMap<'a> {
    matrix: &'a PreferenceMatrix,
    order: Vec<Arm>,
    names: Vec<String>,
    reach: f64,
}

/// The number of shades, which is odd so that one of them is 1/2.
const SHADES: usize = 33;

/// The largest number of cells in a row. Browsers are slow with larger files, so larger matrices
/// are averaged.
const MOST_CELLS: usize = 200;

impl<'a> HeatMap<'a> {
    /// The heat map of a matrix whose arms have these names.
    pub fn new(matrix: &'a PreferenceMatrix, name: impl FnMut(Arm) -> String) -> Self {
        let borda = matrix.borda(Diagonal::Included);
        let mut order: Vec<Arm> = Arm::all(matrix.n_arms()).collect();
        order.sort_by(|a, b| borda[b.index()].total_cmp(&borda[a.index()]));
        let largest =
            order.iter().flat_map(|&arm| matrix.row(arm)).fold(0.0, |largest, p| (p - 0.5).max(largest));
        Self {
            matrix,
            order,
            names: Arm::all(matrix.n_arms()).map(name).collect(),
            // Rounded up to a multiple of 0.05, so that people can read the ends of the scale.
            reach: ((largest * 20.0 - 1e-6).ceil() / 20.0).clamp(0.05, 0.5),
        }
    }

    /// The arms, by decreasing Borda score.
    pub fn order(&self) -> &[Arm] {
        &self.order
    }

    /// The distance of the ends of the scale from 1/2.
    pub fn reach(&self) -> f64 {
        self.reach
    }

    /// The matrix as `n` by `n` cells, row by row. Each cell is the mean of the entries that it
    /// covers.
    ///
    /// # Panics
    ///
    /// If `n` is 0 or larger than the number of arms.
    pub fn averaged(&self, n: usize) -> Vec<f64> {
        let n_arms = self.order.len();
        assert!((1..=n_arms).contains(&n), "{n_arms} arms cannot be drawn as {n} cells");
        let part = |i: usize| &self.order[i * n_arms / n..(i + 1) * n_arms / n];
        let mut cells = Vec::with_capacity(n * n);
        for rows in (0..n).map(part) {
            for columns in (0..n).map(part) {
                let sum: f64 = rows
                    .iter()
                    .map(|&row| columns.iter().map(|&column| self.matrix.get(row, column)).sum::<f64>())
                    .sum();
                cells.push(sum / (rows.len() * columns.len()) as f64);
            }
        }
        cells
    }

    /// The position of a probability on the scale: -1 at the lower end, 0 for 1/2, 1 at the upper
    /// end.
    pub fn tone(&self, p: f64) -> f64 {
        ((p - 0.5) / self.reach).clamp(-1.0, 1.0)
    }

    /// The colour of a tone on white: blue if the row wins, orange if it loses. Everyone can tell
    /// the two apart, and both differ from the colour of 1/2 by the same lightness.
    pub fn colour(tone: f64) -> Rgb {
        shade(
            tone,
            Rgb(246, 246, 246),
            [Rgb(120, 174, 214), Rgb(8, 69, 138)],
            [Rgb(243, 178, 98), Rgb(148, 68, 0)],
        )
    }

    /// The colour of a tone on black.
    fn colour_on_black(tone: f64) -> Rgb {
        shade(
            tone,
            Rgb(38, 42, 48),
            [Rgb(48, 112, 168), Rgb(158, 207, 255)],
            [Rgb(166, 98, 20), Rgb(255, 208, 140)],
        )
    }

    /// The heat map as SVG, with a title and a line below it.
    pub fn to_svg(&self, title: &str, subtitle: &str) -> String {
        let n_arms = self.order.len();
        let n = if n_arms <= MOST_CELLS { n_arms } else { n_arms.div_ceil(n_arms.div_ceil(MOST_CELLS)) };
        let cell = (560.0 / n as f64).clamp(2.8, 44.0);
        let side = cell * n as f64;
        // Names are written if a line of text is no higher than a cell.
        let type_size = (cell * 0.8).clamp(7.5, 12.0);
        let named = n == n_arms && type_size <= cell;
        let labels: Vec<String> = self.order.iter().map(|arm| shortened(&self.names[arm.index()])).collect();
        let widest = labels.iter().map(|label| label.chars().count()).max().unwrap_or_default() as f64;
        let margin = if named { (widest * type_size * 0.62 + 10.0).max(24.0) } else { 44.0 };
        // Column names run upwards if they are too wide for a cell.
        let upright = named && widest * type_size * 0.62 > cell - 3.0;
        let head = 62.0;
        let above = if upright { margin } else { 22.0 };
        let (left, top) = (margin + 22.0, head + above + 18.0);
        let (width, height) = ((left + side + 110.0).max(420.0), (top + side + 24.0).max(top + 190.0));

        let mut svg = Svg::new(width, height, title, subtitle);
        svg.put(format_args!("<style>{}</style>", style_sheet()));
        svg.put(format_args!("<rect {} width=\"{}\" height=\"{}\"/>", theme::PAPER, Px(width), Px(height)));
        svg.put(format_args!(
            "<text {} x=\"16\" y=\"26\" font-size=\"16\" font-weight=\"600\">{}</text>",
            theme::INK,
            Escaped(title)
        ));
        svg.put(format_args!(
            "<text {} x=\"16\" y=\"45\" font-size=\"12\">{}</text>",
            theme::SOFT,
            Escaped(subtitle)
        ));

        let middle = top + side / 2.0;
        svg.put(format_args!(
            "<text {} x=\"{}\" y=\"{}\" font-size=\"12\" text-anchor=\"middle\">... beats this arm</text>",
            theme::SOFT,
            Px(left + side / 2.0),
            Px(head + 10.0)
        ));
        svg.put(format_args!(
            "<text {} transform=\"translate(16 {}) rotate(-90)\" font-size=\"12\" text-anchor=\"middle\">\
             chance that this arm ...</text>",
            theme::SOFT,
            Px(middle)
        ));
        if named {
            self.put_names(&mut svg, &labels, (left, top, cell, type_size), upright);
        } else {
            put_ranks(&mut svg, n_arms, left, top, side);
        }
        self.put_cells(&mut svg, n, left, top, cell);
        self.put_scale(&mut svg, left + side + 24.0, top);
        if n < n_arms {
            svg.put(format_args!(
                "<text {} x=\"{}\" y=\"{}\" font-size=\"11\">each cell is the mean of about {m} by {m} pairs</text>",
                theme::SOFT,
                Px(left),
                Px(top + side + 16.0),
                m = n_arms.div_ceil(n)
            ));
        }
        svg.finish()
    }

    fn put_names(
        &self,
        svg: &mut Svg,
        labels: &[String],
        (left, top, cell, size): (f64, f64, f64, f64),
        upright: bool,
    ) {
        let winner = self.matrix.condorcet_winner();
        svg.put(format_args!("<g {} font-size=\"{}\">", theme::INK, Px(size)));
        for (i, (arm, label)) in self.order.iter().zip(labels).enumerate() {
            let weight = if winner == Some(*arm) { " font-weight=\"700\"" } else { "" };
            let centre = (i as f64 + 0.5) * cell;
            let label = Escaped(label);
            svg.put(format_args!(
                "<text x=\"{}\" y=\"{}\" text-anchor=\"end\"{weight}>{label}</text>",
                Px(left - 6.0),
                Px(top + centre + size * 0.35)
            ));
            if upright {
                svg.put(format_args!(
                    "<text transform=\"translate({} {}) rotate(-90)\"{weight}>{label}</text>",
                    Px(left + centre + size * 0.35),
                    Px(top - 6.0)
                ));
            } else {
                svg.put(format_args!(
                    "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\"{weight}>{label}</text>",
                    Px(left + centre),
                    Px(top - 6.0)
                ));
            }
        }
        svg.put("</g>");
    }

    fn put_cells(&self, svg: &mut Svg, n: usize, left: f64, top: f64, cell: f64) {
        svg.put("<g shape-rendering=\"crispEdges\">");
        let exact = n == self.order.len();
        for (i, row) in self.averaged(n).chunks_exact(n).enumerate() {
            let mut line = format!("<g transform=\"translate({} {})\">", Px(left), Px(top + i as f64 * cell));
            for (j, &p) in row.iter().enumerate() {
                let (x, size) = (Px(j as f64 * cell), Px(cell));
                let class = nearest_shade(self.tone(p));
                let rect =
                    format_args!("<rect class=\"ty-h{class}\" x=\"{x}\" width=\"{size}\" height=\"{size}\"");
                if exact {
                    let [row, column] = [i, j].map(|k| Escaped(&self.names[self.order[k].index()]));
                    write!(line, "{rect}><title>{row} beats {column}: {p:.4}</title></rect>")
                } else {
                    write!(line, "{rect}/>")
                }
                .expect("writing to a string cannot fail");
            }
            svg.put(format_args!("{line}</g>"));
        }
        svg.put("</g>");
    }

    /// The legend: the shades from one end of the scale to the other.
    fn put_scale(&self, svg: &mut Svg, x: f64, top: f64) {
        const STEP: f64 = 4.5;
        svg.put("<g shape-rendering=\"crispEdges\">");
        for i in 0..SHADES {
            let y = top + (SHADES - 1 - i) as f64 * STEP;
            svg.put(format_args!(
                "<rect class=\"ty-h{i}\" x=\"{}\" y=\"{}\" width=\"14\" height=\"{}\"/>",
                Px(x),
                Px(y),
                Px(STEP)
            ));
        }
        svg.put("</g>");
        svg.put(format_args!("<g {} font-size=\"11\">", theme::INK));
        for (share, what) in [(0.0, " wins"), (0.25, ""), (0.5, " even"), (0.75, ""), (1.0, " loses")] {
            let p = 0.5 + self.reach * (1.0 - 2.0 * share);
            let y = top + share * STEP * SHADES as f64;
            svg.put(format_args!("<text x=\"{}\" y=\"{}\">{p:.3}{what}</text>", Px(x + 20.0), Px(y + 4.0)));
        }
        svg.put("</g>");
    }
}

/// Ranks along both axes, for matrices without room for names.
fn put_ranks(svg: &mut Svg, n_arms: usize, left: f64, top: f64, side: f64) {
    let step =
        [5, 10, 20, 25, 50, 100, 200, 250, 500].into_iter().find(|step| n_arms / step <= 8).unwrap_or(1000);
    svg.put(format_args!("<g {} font-size=\"11\">", theme::SOFT));
    for rank in std::iter::once(1).chain((1..).map(|i| i * step)).take_while(|&rank| rank <= n_arms) {
        let at = (rank as f64 - 0.5) / n_arms as f64 * side;
        svg.put(format_args!(
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{rank}</text>",
            Px(left - 6.0),
            Px(top + at + 4.0)
        ));
        svg.put(format_args!(
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{rank}</text>",
            Px(left + at),
            Px(top - 6.0)
        ));
    }
    svg.put("</g>");
    svg.put(format_args!(
        "<text {} x=\"{}\" y=\"{}\" font-size=\"11\" text-anchor=\"end\">ranks by Borda score</text>",
        theme::SOFT,
        Px(left + side),
        Px(top + side + 16.0)
    ));
}

/// The index of the shade of a tone. A win is never drawn as a tie, however narrow it is.
fn nearest_shade(tone: f64) -> usize {
    const EVEN: usize = SHADES / 2;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a tone is from -1 to 1")]
    let steps = (tone.abs() * EVEN as f64).round() as usize;
    let steps = steps.max(usize::from(tone.abs() > 1e-9));
    if tone < 0.0 { EVEN - steps } else { EVEN + steps }
}

/// The tone of a shade.
fn tone_of(shade: usize) -> f64 {
    2.0 * shade as f64 / (SHADES - 1) as f64 - 1.0
}

/// Blends the colour of 1/2 over a middle colour into an end colour, on either side.
fn shade(tone: f64, even: Rgb, wins: [Rgb; 2], loses: [Rgb; 2]) -> Rgb {
    let [middle, end] = if tone >= 0.0 { wins } else { loses };
    let size = tone.abs();
    if size < 0.5 { even.towards(middle, 2.0 * size) } else { middle.towards(end, 2.0 * size - 1.0) }
}

fn style_sheet() -> String {
    let rules = |colour: fn(f64) -> Rgb| {
        (0..SHADES).map(|i| format!(".ty-h{i}{{fill:{}}}", colour(tone_of(i)))).collect::<Vec<_>>().concat()
    };
    let dark = format!("{}{}", theme::DARK, rules(HeatMap::colour_on_black));
    format!("{}{}", rules(HeatMap::colour), theme::dark_rules(&dark))
}

/// A name short enough for an axis.
fn shortened(name: &str) -> String {
    const MOST: usize = 22;
    if name.chars().count() <= MOST {
        return name.to_owned();
    }
    name.chars().take(MOST - 1).chain(['\u{2026}']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiltyard_bandit::matrix::builtin;

    #[test]
    fn trace_rows_are_sorted_and_the_scale_reaches_the_largest_gap() {
        let bvs = builtin::bvs(4).unwrap();
        let map = HeatMap::new(&bvs, |arm| arm.to_string());
        assert_eq!(map.order().iter().map(|arm| arm.index()).collect::<Vec<_>>(), [1, 0, 2, 3]);
        assert!((map.reach() - 0.5).abs() < 1e-12);
        // The largest gap of arXiv-6 is 0.11, of arithmetic-8 0.35.
        let (arxiv, arithmetic) = (builtin::arxiv6(), builtin::arithmetic8());
        assert!((HeatMap::new(&arxiv, |arm| arm.to_string()).reach() - 0.15).abs() < 1e-12);
        assert!((HeatMap::new(&arithmetic, |arm| arm.to_string()).reach() - 0.35).abs() < 1e-12);
    }

    /// Three arms in two cells: the first cell holds one arm, the second two.
    #[test]
    fn trace_cells_are_means() {
        let rows = [[0.5, 0.7, 0.9], [0.3, 0.5, 0.6], [0.1, 0.4, 0.5]];
        let matrix = PreferenceMatrix::from_rows(&rows).unwrap();
        let map = HeatMap::new(&matrix, |arm| arm.to_string());
        let expected = [0.5, 0.8, 0.2, 0.5];
        for (got, expected) in map.averaged(2).into_iter().zip(expected) {
            assert!((got - expected).abs() < 1e-12, "{got} instead of {expected}");
        }
        assert!((map.averaged(1)[0] - 0.5).abs() < 1e-12);
    }

    #[test]
    fn trace_the_ends_of_the_scale() {
        assert_eq!([-1.0, -0.01, 0.0, 0.01, 1.0].map(nearest_shade), [0, 15, 16, 17, 32]);
        assert_eq!(HeatMap::colour(0.0), Rgb(246, 246, 246));
        assert_eq!(HeatMap::colour(1.0).to_string(), "#08458a");
    }

    /// Cells of a small matrix have titles, names are escaped, and a large matrix is averaged.
    #[test]
    fn trace_what_a_picture_holds() {
        let cyclic = builtin::cyclic4();
        let picture = HeatMap::new(&cyclic, |arm| format!("<{arm}>")).to_svg("a & b", "four");
        assert_eq!(picture.matches("<rect class=\"ty-h").count(), 16 + SHADES);
        assert!(picture.contains("<title>&lt;1&gt; beats &lt;2&gt;: 0.9000</title>"), "{picture}");
        assert!(picture.contains("<title>a &amp; b</title>"), "{picture}");

        let large = builtin::savage(401).unwrap();
        let picture = HeatMap::new(&large, |arm| arm.to_string()).to_svg("savage401", "");
        assert_eq!(picture.matches("<rect class=\"ty-h").count(), 134 * 134 + SHADES);
        assert!(picture.contains("mean of about 3 by 3 pairs"), "{picture}");
    }
}
