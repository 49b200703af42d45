//! All possible random choices: the code under test runs once for each path through its choices.

use super::Dice;

/// A path of choices. Choices beyond its end take the first possible turn.
#[derive(Debug, Default)]
struct Path {
    /// For each choice: the turn taken, and the probabilities of all turns.
    choices: Vec<(usize, Vec<f64>)>,
    at: usize,
}

/// Runs `draw` for every sequence of random choices, and passes each result with its probability to
/// `see`.
pub(crate) fn every_draw<T>(mut draw: impl FnMut(&mut AllDice) -> T, mut see: impl FnMut(f64, T)) {
    let mut dice = AllDice(Path::default());
    loop {
        dice.0.at = 0;
        let result = draw(&mut dice);
        let probability = dice.0.choices.iter().map(|(turn, turns)| turns[*turn]).product();
        see(probability, result);
        if !dice.0.advance() {
            return;
        }
    }
}

/// Dice that fall in every possible way, one after another.
pub(crate) struct AllDice(Path);

impl Path {
    fn choose(&mut self, turns: impl FnOnce() -> Vec<f64>) -> usize {
        if self.at == self.choices.len() {
            let turns = turns();
            let first = possible(&turns, 0).expect("at least one turn is possible");
            self.choices.push((first, turns));
        }
        self.at += 1;
        self.choices[self.at - 1].0
    }

    /// Moves to the next path; false after the last one.
    fn advance(&mut self) -> bool {
        while let Some((turn, turns)) = self.choices.pop() {
            if let Some(next) = possible(&turns, turn + 1) {
                self.choices.push((next, turns));
                return true;
            }
        }
        false
    }
}

fn possible(turns: &[f64], from: usize) -> Option<usize> {
    (from..turns.len()).find(|&turn| turns[turn] > 0.0)
}

impl Dice for AllDice {
    fn coin(&mut self) -> bool {
        self.0.choose(|| vec![0.5; 2]) == 1
    }

    fn weighted(&mut self, weights: &[f64], total: f64) -> usize {
        let sum: f64 = weights.iter().sum();
        assert!((sum - total).abs() <= 1e-9 * sum, "the total is {total}, but the weights add up to {sum}");
        self.0.choose(|| weights.iter().map(|weight| weight / sum).collect())
    }
}

#[test]
fn trace_two_coins_and_a_die() {
    let mut seen = Vec::new();
    let draw = |dice: &mut AllDice| {
        (dice.coin(), if dice.coin() { dice.weighted(&[3.0, 0.0, 1.0], 4.0) } else { 9 })
    };
    every_draw(draw, |probability, result| seen.push((probability.to_string(), result)));
    let half = [("0.25", 9), ("0.1875", 0), ("0.0625", 2)];
    let expected: Vec<_> =
        [false, true].iter().flat_map(|&c| half.map(|(p, r)| (p.to_owned(), (c, r)))).collect();
    assert_eq!(seen, expected);
}
