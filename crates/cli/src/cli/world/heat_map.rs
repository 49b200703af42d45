//! A heat map in the terminal.

use tiltyard::bandit::Arm;
use tiltyard::lab::figure::{HeatMap, Rgb};

use crate::printer::{Colours, Screen};

/// A taller picture would scroll off the screen.
const MOST_LINES: usize = 40;

/// Without colours: from "the row loses" to "the row wins".
const SHADES: [char; 5] = [' ', '\u{2591}', '\u{2592}', '\u{2593}', '\u{2588}'];

/// The upper half of a cell.
const UPPER: char = '\u{2580}';

/// Longer names of rows are shortened.
const LONGEST_NAME: usize = 20;

/// The lines of a picture that fits the screen, and a legend.
pub(super) fn lines(map: &HeatMap<'_>, screen: Screen, name: impl Fn(Arm) -> String) -> Vec<String> {
    let n_arms = map.order().len();
    let names: Vec<String> = map.order().iter().map(|&arm| cut(&name(arm))).collect();
    let margin = names.iter().map(|name| name.chars().count()).max().unwrap_or_default() + 1;
    let wide = n_arms <= MOST_LINES && margin + 2 * n_arms <= screen.width;
    let mut lines = if wide {
        named(map, screen.colours, &names, margin)
    } else if screen.colours == Colours::None {
        blocks(map, n_arms.min(screen.width / 2).clamp(1, MOST_LINES))
    } else {
        half_blocks(map, n_arms.min(screen.width).clamp(1, 2 * MOST_LINES), screen.colours)
    };
    lines.push(String::new());
    lines.push(legend(map, screen.colours));
    lines
}

/// One line and two columns per arm, with names for the rows. The columns have names too if these
/// fit into two characters.
fn named(map: &HeatMap<'_>, colours: Colours, names: &[String], margin: usize) -> Vec<String> {
    let mut lines = Vec::new();
    if names.iter().all(|name| name.chars().count() <= 2) {
        let header: Vec<String> = names.iter().map(|name| format!("{name:>2}")).collect();
        lines.push(format!("{}{}", " ".repeat(margin), header.concat()));
    }
    let cells = map.averaged(names.len());
    for (name, row) in names.iter().zip(cells.chunks_exact(names.len())) {
        lines.push(format!("{name:<margin$}{}", double(map, row, colours)));
    }
    lines
}

/// Without colours or names: one line and two columns for each of about `n` groups of arms.
fn blocks(map: &HeatMap<'_>, n: usize) -> Vec<String> {
    let cells = map.averaged(even_parts(map.order().len(), n));
    let n = cells.len().isqrt();
    cells.chunks_exact(n).map(|row| double(map, row, Colours::None)).collect()
}

/// Half a line and one column for each of about `n` groups of arms, which is about square on most
/// screens.
fn half_blocks(map: &HeatMap<'_>, n: usize, colours: Colours) -> Vec<String> {
    let cells = map.averaged(even_parts(map.order().len(), n));
    let n = cells.len().isqrt();
    let colour = |p: f64| HeatMap::colour(map.tone(p));
    let mut lines = Vec::new();
    for pair in cells.chunks(2 * n) {
        let (upper, lower) = pair.split_at(n);
        let mut line = Line::new(colours);
        for (column, &p) in upper.iter().enumerate() {
            line.put(UPPER, Some(colour(p)), lower.get(column).map(|&p| colour(p)));
        }
        lines.push(line.finish());
    }
    lines
}

/// The number of groups, at most `most`, that all have the same size except the last one. Groups of
/// different sizes would show as stripes.
fn even_parts(n_arms: usize, most: usize) -> usize {
    n_arms.div_ceil(n_arms.div_ceil(most))
}

/// A row of cells, each two columns wide.
fn double(map: &HeatMap<'_>, row: &[f64], colours: Colours) -> String {
    let mut line = Line::new(colours);
    for &p in row {
        let tone = map.tone(p);
        for _ in 0..2 {
            if colours == Colours::None {
                line.put(shaded(tone), None, None);
            } else {
                line.put(' ', None, Some(HeatMap::colour(tone)));
            }
        }
    }
    line.finish()
}

fn shaded(tone: f64) -> char {
    // Rounds the absolute value, so that a duel and its mirror image get symmetric shades.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a tone is from -1 to 1")]
    let steps = (tone.abs() * 2.0).round() as usize;
    SHADES[if tone < 0.0 { 2 - steps } else { 2 + steps }]
}

fn legend(map: &HeatMap<'_>, colours: Colours) -> String {
    let steps = if colours == Colours::None { SHADES.len() } else { 17 };
    let values: Vec<f64> =
        (0..steps).map(|i| 0.5 + map.reach() * (2.0 * i as f64 / (steps - 1) as f64 - 1.0)).collect();
    let (low, high) = (0.5 - map.reach(), 0.5 + map.reach());
    format!("row loses, {low:.2} {} {high:.2}, row wins", double(map, &values, colours))
}

fn cut(name: &str) -> String {
    if name.chars().count() <= LONGEST_NAME {
        return name.to_owned();
    }
    name.chars().take(LONGEST_NAME - 1).chain(['\u{2026}']).collect()
}

/// A line of coloured characters. It sets a colour only where the colour changes.
struct Line {
    text: String,
    colours: Colours,
    now: (Option<Rgb>, Option<Rgb>),
}

impl Line {
    fn new(colours: Colours) -> Self {
        Self { text: String::new(), colours, now: (None, None) }
    }

    fn put(&mut self, character: char, ink: Option<Rgb>, paper: Option<Rgb>) {
        if self.now.0 != ink {
            self.text.push_str(&self.colours.escape(38, ink));
        }
        if self.now.1 != paper {
            self.text.push_str(&self.colours.escape(48, paper));
        }
        self.now = (ink, paper);
        self.text.push(character);
    }

    fn finish(mut self) -> String {
        if self.now != (None, None) {
            self.text.push_str("\u{1b}[0m");
        }
        self.text
    }
}

impl Colours {
    /// The escape sequence that sets the ink (38) or the paper (48) to a colour, or back to the
    /// terminal's default.
    fn escape(self, layer: u8, colour: Option<Rgb>) -> String {
        match (self, colour) {
            (Self::None, _) => String::new(),
            (_, None) => format!("\u{1b}[{}m", layer + 1),
            (Self::True, Some(Rgb(red, green, blue))) => format!("\u{1b}[{layer};2;{red};{green};{blue}m"),
            (Self::Table, Some(colour)) => format!("\u{1b}[{layer};5;{}m", table_entry(colour)),
        }
    }
}

/// The nearest colour in the terminal's table of 256. Entries 16..232 are a cube with six levels
/// per side: 0, 95, 135, 175, 215, 255. Entries 232..256 are greys from 8 in steps of 10. The first
/// 16 entries are not used, because users can change them.
fn table_entry(Rgb(red, green, blue): Rgb) -> u8 {
    let distance = |at: [u8; 3]| -> u32 {
        [red, green, blue].into_iter().zip(at).map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).sum()
    };
    let step = |i: u8| if i == 0 { 0 } else { 55 + 40 * i };
    let cube = (0..216_u8).map(|i| (16 + i, [step(i / 36), step(i / 6 % 6), step(i % 6)]));
    let greys = (0..24_u8).map(|i| (232 + i, [8 + 10 * i; 3]));
    let nearest = cube.chain(greys).min_by_key(|&(_, colour)| distance(colour));
    nearest.expect("the table is not empty").0
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiltyard::bandit::matrix::builtin;

    fn drawn(n_arms: usize, width: usize, colours: Colours) -> Vec<String> {
        let matrix = builtin::savage(n_arms).unwrap();
        let map = HeatMap::new(&matrix, |arm| arm.to_string());
        lines(&map, Screen { width, colours }, |arm| arm.to_string())
    }

    #[test]
    fn trace_table_of_256_colours() {
        assert_eq!(table_entry(Rgb(0, 0, 0)), 16);
        assert_eq!(table_entry(Rgb(255, 255, 255)), 231);
        assert_eq!(table_entry(Rgb(95, 135, 175)), 16 + 36 + 12 + 3);
        assert_eq!(table_entry(Rgb(39, 38, 37)), 235);
    }

    /// Savage-3 is 0.5 0.83 1, 0.17 0.5 1, 0 0 0.5.
    #[test]
    fn trace_three_arms() {
        let plain = drawn(3, 80, Colours::None);
        assert_eq!(plain[..4], ["   0 1 2", "0 ▒▒▓▓██", "1 ░░▒▒██", "2     ▒▒"]);
        assert_eq!(plain[5], "row loses, 0.00   ░░▒▒▓▓██ 1.00, row wins");
        let coloured = drawn(3, 80, Colours::True);
        assert!(coloured[3].starts_with("2 \u{1b}[48;2;148;68;0m    \u{1b}[48;2;246;246;246m  \u{1b}[0m"));
    }

    /// 100 arms do not fit into 70 columns. Each cell shows two arms, and each character shows two
    /// cells, one above the other.
    #[test]
    fn trace_large_matrices_are_averaged() {
        let coloured = drawn(100, 70, Colours::Table);
        assert_eq!(coloured.len(), 25 + 2);
        assert_eq!(coloured[0].matches(UPPER).count(), 50);
        let plain = drawn(100, 70, Colours::None);
        assert_eq!(plain.len(), 34 + 2);
        assert_eq!(plain[0].chars().count(), 68);
        // Even the narrowest screen gets one cell.
        assert_eq!(drawn(100, 1, Colours::None)[0].chars().count(), 2);
    }
}
