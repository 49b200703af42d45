//! The heat map of pairwise results.

use core::fmt::Write as _;

use super::{Canvas, Escaped, Px, short};

/// The votes on a pair, from the viewpoint of the row's arm.
#[derive(Debug, Clone, Copy)]
pub(in crate::pages) struct Cell {
    pub(in crate::pages) votes: u64,
    /// The share of votes for the row's arm; a tie counts as half a vote.
    pub(in crate::pages) rate: f64,
}

/// A heat map of all arms against all arms.
pub(in crate::pages) struct HeatMap<'a> {
    /// The names of the arms, best first.
    pub(in crate::pages) names: Vec<&'a str>,
    /// The cells, row by row; nothing for a pair without votes.
    pub(in crate::pages) cells: Vec<Option<Cell>>,
}

/// With at most this many arms, numbers are written into the cells.
const MOST_WRITTEN: usize = 12;

/// The number of colours. The middle one is for equally good arms.
const COLOURS: usize = 11;

impl HeatMap<'_> {
    fn cell(&self, row: usize, column: usize) -> Option<Cell> {
        self.cells[row * self.names.len() + column]
    }

    pub(in crate::pages) fn draw(&self) -> Canvas {
        let n_arms = self.names.len();
        let (left, top) = (178.0, 22.0);
        let side = if n_arms <= MOST_WRITTEN { 44.0 } else { (720.0 - left - 8.0) / n_arms as f64 };
        let side = f64::min(side, 44.0);
        let height = f64::min(side, 34.0);
        let mut canvas = Canvas::new(720.0, top + height * n_arms as f64 + 34.0);
        let text_size = if n_arms <= 30 { "" } else { " class=\"tiny\"" };
        for (place, name) in self.names.iter().enumerate() {
            let (x, y) = (left + side * (place as f64 + 0.5), top + height * (place as f64 + 0.5));
            canvas.draw(format_args!(
                "<text{text_size} x=\"{}\" y=\"16\" text-anchor=\"middle\">{number}</text>\
                 <text{text_size} x=\"{}\" y=\"{}\" text-anchor=\"end\">{} {number}</text>",
                Px(x),
                Px(left - 6.0),
                Px(y + 4.0),
                Escaped(&short(name, 20)),
                number = place + 1,
            ));
        }
        let mut paths = vec![String::new(); COLOURS];
        for row in 0..n_arms {
            for column in 0..n_arms {
                let Some(cell) = self.cell(row, column) else { continue };
                let (x, y) = (left + side * column as f64, top + height * row as f64);
                let (wide, high) = (Px(side - 1.0), Px(height - 1.0));
                let path = &mut paths[colour(cell.rate)];
                write!(path, "M{} {}h{wide}v{high}h-{wide}z", Px(x), Px(y))
                    .expect("writing to a string cannot fail");
            }
        }
        for (colour, path) in paths.iter().enumerate().filter(|(_, path)| !path.is_empty()) {
            canvas.draw(format_args!("<path class=\"h{colour}\" d=\"{path}\"/>"));
        }
        if n_arms <= MOST_WRITTEN {
            self.write(&mut canvas, left, top, side, height);
        }
        legend(&mut canvas, left, top + height * n_arms as f64 + 12.0);
        canvas
    }

    /// Writes the rate and the count into each cell.
    fn write(&self, canvas: &mut Canvas, left: f64, top: f64, side: f64, height: f64) {
        for row in 0..self.names.len() {
            for column in 0..self.names.len() {
                let Some(cell) = self.cell(row, column) else { continue };
                let (x, y) = (left + side * (column as f64 + 0.5), top + height * (row as f64 + 0.5));
                let class = if (2..=8).contains(&colour(cell.rate)) { "in" } else { "in pale" };
                canvas.draw(format_args!(
                    "<text class=\"{class}\" x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{:.0} %</text>\
                     <text class=\"{class} tiny\" x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                    Px(y - 1.0),
                    cell.rate * 100.0,
                    Px(y + 11.0),
                    count(cell.votes),
                    x = Px(x - 0.5),
                ));
            }
        }
    }

    /// The data for the script that describes the cell under the pointer: for each pair above the
    /// diagonal, the votes and the share in thousandths.
    pub(in crate::pages) fn data(&self) -> String {
        let mut text = String::new();
        for row in 0..self.names.len() {
            for column in row + 1..self.names.len() {
                if let Some(cell) = self.cell(row, column) {
                    let _ = write!(text, "{},{:.0}", cell.votes, cell.rate * 1000.0);
                }
                text.push(';');
            }
        }
        text
    }
}

/// The legend of the colours.
fn legend(canvas: &mut Canvas, left: f64, y: f64) {
    for colour in 0..COLOURS {
        canvas.draw(format_args!(
            "<rect class=\"h{colour}\" x=\"{}\" y=\"{}\" width=\"18\" height=\"12\"/>",
            Px(left + 18.0 * colour as f64),
            Px(y)
        ));
    }
    canvas.draw(format_args!(
        "<text x=\"{}\" y=\"{y}\" text-anchor=\"end\">loses</text><text x=\"{}\" y=\"{y}\">wins</text>",
        Px(left - 6.0),
        Px(left + 18.0 * COLOURS as f64 + 6.0),
        y = Px(y + 11.0),
    ));
}

/// The colour of a rate.
fn colour(rate: f64) -> usize {
    // Only a rate of exactly one half has the middle colour.
    if (rate - 0.5).abs() < 1e-9 {
        return COLOURS / 2;
    }
    let steps = (COLOURS / 2) as f64;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is from 1 to 5")]
    let away = libm::ceil((rate - 0.5).abs() * 2.0 * steps).clamp(1.0, steps) as usize;
    if rate > 0.5 { COLOURS / 2 + away } else { COLOURS / 2 - away }
}

/// A count in few characters.
fn count(votes: u64) -> String {
    match votes {
        0..10_000 => votes.to_string(),
        10_000..1_000_000 => format!("{}k", votes / 1000),
        _ => format!("{:.1}M", votes as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_colours() {
        for (rate, expected) in [(0.0, 0), (0.499, 4), (0.5, 5), (0.501, 6), (0.6, 6), (0.61, 7), (1.0, 10)] {
            assert_eq!(colour(rate), expected, "{rate}");
        }
    }

    #[test]
    fn trace_data_of_pairs() {
        let cell = |votes, rate| Some(Cell { votes, rate });
        let cells =
            vec![None, cell(10, 0.6), None, cell(10, 0.4), None, cell(3, 0.0), None, cell(3, 1.0), None];
        assert_eq!(HeatMap { names: vec!["a", "b", "c"], cells }.data(), "10,600;;3,0;");
    }
}
