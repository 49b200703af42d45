//! An adversary that flips outcomes.
//!
//! The adversary changes the answer itself, so it is part of the world and not of the delivery. It
//! is a suffix of a matrix's name and comes before the suffixes for delivery, as in
//! `arxiv6+corrupted:flips=1000+delayed:rounds=50`. Regret is still measured against the true
//! matrix and shows how well a policy learns despite the flips.

use core::fmt;

use rand::{Rng, RngExt};
use tiltyard_bandit::params::{Context, Params};
use tiltyard_bandit::spec::Spec;
use tiltyard_bandit::{Arm, Outcome};

use crate::builtin::WorldError;
use crate::delivery::wrapper::{Effect, Wrapper, name_at, pluses};
use crate::matrix_world::{MatrixWorld, true_to};
use crate::param::{Choice, Number, choice, number};
use crate::world::{RunState, World};

const FLIPS: Number = number!("flips" = 100 whole [0, 9e15], "largest number of outcomes to flip");
const WHEN: Choice<Strategy> = choice!("when":
    "early" => Strategy::Early, "start" => Strategy::Start, "random" => Strategy::Random;
    "early: the first duels that the best arm wins; start: the first rounds, any pair; random: rounds drawn at random, any pair");

pub(crate) static WRAPPER: Wrapper = Wrapper {
    name: "corrupted",
    title: "an adversary flips outcomes of a matrix; regret is still measured against the true matrix",
    params: &[FLIPS.doc, WHEN.doc],
    effect: Effect::Answers,
};

/// How many outcomes an adversary flips, and which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Corruption {
    /// The largest number of flips in a run.
    pub flips: u64,
    /// Which outcomes are flipped.
    pub strategy: Strategy,
    /// The length of a run. [`Strategy::Random`] draws from these rounds.
    pub rounds: u64,
}

/// Which outcomes are flipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strategy {
    /// The first duels that the best arm wins against another arm. It loses all of these duels
    /// until the flips are used up. The adversary sees each duel with its outcome and spends flips
    /// on nothing else, so a few go a long way: they last until the policy has tried the arm at
    /// least that often.
    #[default]
    Early,
    /// The first rounds, for any pair. There the matrix is reversed, and the worst arm looks best.
    /// A policy with a guarantee against adversaries loses by it at most twice the gaps of those
    /// rounds.
    Start,
    /// Rounds drawn in advance, all equally likely, for any pair. A flip is wasted in a duel of an
    /// arm with itself.
    Random,
}

impl Corruption {
    /// Splits the text that names a world into the world and its corruption, if there is any:
    /// `arxiv6+corrupted:flips=10` is `arxiv6`, corrupted. `rounds` is the length of a run, the T
    /// of parameters.
    ///
    /// # Errors
    ///
    /// If a parameter is invalid.
    pub fn split(text: &str, rounds: u64) -> Result<(&str, Option<Self>), WorldError> {
        let (world, suffix) = part(text);
        let Some(suffix) = suffix else { return Ok((world, None)) };
        let spec: Spec = suffix.parse()?;
        let mut params = Params::new(&spec, Context { n_arms: 1, horizon: Some(rounds) }, &[WRAPPER.params])?;
        let flips = FLIPS.whole(&mut params)?;
        let strategy = WHEN.read(&mut params)?;
        params.finish()?;
        Ok((world, Some(Self { flips, strategy, rounds })))
    }
}

/// The text before the corruption, and the text of the corruption without its plus.
pub(crate) fn part(text: &str) -> (&str, Option<&str>) {
    match pluses(text).find(|&at| name_at(text, at) == WRAPPER.name) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    }
}

impl fmt::Display for Corruption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.strategy {
            Strategy::Early => {
                write!(f, "the first {} duels that the best arm wins are flipped", self.flips)
            }
            Strategy::Start => write!(f, "the outcomes of the first {} rounds are flipped", self.flips),
            Strategy::Random => {
                write!(f, "{} outcomes are flipped, in rounds drawn at random", self.flips.min(self.rounds))
            }
        }
    }
}

/// A matrix world with an adversary that flips some of its answers.
#[derive(Debug, Clone, PartialEq)]
pub struct CorruptedWorld {
    world: MatrixWorld,
    corruption: Corruption,
}

impl CorruptedWorld {
    /// Adds an adversary to a matrix world.
    pub fn new(world: MatrixWorld, corruption: Corruption) -> Self {
        Self { world, corruption }
    }

    /// Whether the adversary, with `left_over` flips left, flips this outcome.
    fn falls<R: Rng + ?Sized>(
        &self,
        left_over: u64,
        round: u64,
        (left, right): (Arm, Arm),
        outcome: Outcome,
        rng: &mut R,
    ) -> bool {
        match self.corruption.strategy {
            Strategy::Early => {
                let best = self.world.best().arm;
                let score = outcome.score();
                left != right && (left == best && score > 0.0 || right == best && score < 0.0)
            }
            Strategy::Start => round <= self.corruption.flips,
            Strategy::Random => {
                // Each remaining round is equally likely to get one of the remaining flips, so all
                // flips are used by the end of the run.
                let rounds = (self.corruption.rounds + 1).saturating_sub(round);
                rng.random::<f64>() * (rounds as f64) < left_over.min(rounds) as f64
            }
        }
    }
}

impl World for CorruptedWorld {
    true_to!(world);

    fn start(&self) -> RunState {
        RunState { flips_left: self.corruption.flips, ..RunState::default() }
    }

    #[inline]
    fn duel<R: Rng + ?Sized>(
        &self,
        state: &mut RunState,
        round: u64,
        left: Arm,
        right: Arm,
        rng: &mut R,
    ) -> Option<Outcome> {
        let outcome = self.world.duel(state, round, left, right, rng)?;
        if state.flips_left > 0 && self.falls(state.flips_left, round, (left, right), outcome, rng) {
            state.flips_left -= 1;
            return Some(outcome.flipped());
        }
        Some(outcome)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Regret;
    use tiltyard_bandit::Stream;
    use tiltyard_bandit::matrix::{PreferenceMatrix, builtin};

    const ROUNDS: u64 = 1000;

    fn split(text: &str) -> (&str, Option<(u64, Strategy)>) {
        let (world, corruption) = Corruption::split(text, ROUNDS).unwrap();
        (world, corruption.map(|it| (it.flips, it.strategy)))
    }

    #[test]
    fn trace_worlds_and_corruption_part() {
        assert_eq!(split("arxiv6"), ("arxiv6", None));
        assert_eq!(split("arxiv6+corrupted"), ("arxiv6", Some((100, Strategy::Early))));
        assert_eq!(split("a+b.csv+corrupted:flips=T/10+5"), ("a+b.csv", Some((105, Strategy::Early))));
        assert_eq!(split("m+corrupted:when=random,flips=7"), ("m", Some((7, Strategy::Random))));
        assert_eq!(split("dir+corrupted.d/m.csv"), ("dir+corrupted.d/m.csv", None));
        for (text, wanted) in [
            ("x+corrupted:flips=-1", "`flips` is -1, but must lie in [0, 9000000000000000]"),
            ("x+corrupted:flips=0.5", "`flips` is 0.5, but must be a whole number"),
            ("x+corrupted:flip=1", "`corrupted` has no parameter `flip`"),
            ("x+corrupted:when=late", "`when=late`: `when` is one of early, start, random"),
        ] {
            assert_eq!(Corruption::split(text, ROUNDS).unwrap_err().to_string(), wanted);
        }
    }

    #[test]
    fn trace_in_words() {
        let words = |text| Corruption::split(text, ROUNDS).unwrap().1.unwrap().to_string();
        assert_eq!(words("x+corrupted:flips=7"), "the first 7 duels that the best arm wins are flipped");
        assert_eq!(words("x+corrupted:flips=7,when=start"), "the outcomes of the first 7 rounds are flipped");
        assert_eq!(
            words("x+corrupted:flips=7,when=random"),
            "7 outcomes are flipped, in rounds drawn at random"
        );
    }

    /// Arm 0 always beats arm 1, which always beats arm 2. With two flips, the first two wins of
    /// arm 0 become losses, on either side. Duels between the other arms, and of arm 0 with itself,
    /// use no flips.
    #[test]
    fn trace_the_first_wins_of_the_best_arm_are_flipped() {
        let matrix =
            PreferenceMatrix::from_rows(&[[0.5, 1.0, 1.0], [0.0, 0.5, 1.0], [0.0, 0.0, 0.5]]).unwrap();
        let corruption = Corruption { flips: 2, strategy: Strategy::Early, rounds: ROUNDS };
        let world = CorruptedWorld::new(MatrixWorld::new(matrix), corruption);
        let mut rng = Stream::new(1).rng();
        let mut state = world.start();
        let mut duel =
            |left, right| world.duel(&mut state, 1, Arm::new(left), Arm::new(right), &mut rng).unwrap();
        duel(0, 0);
        duel(0, 0);
        assert_eq!(duel(1, 2), Outcome::WIN);
        assert_eq!(duel(0, 1), Outcome::LOSS);
        assert_eq!(duel(2, 1), Outcome::LOSS);
        assert_eq!(duel(2, 0), Outcome::WIN);
        assert_eq!(duel(0, 1), Outcome::WIN);
        assert_eq!(duel(2, 0), Outcome::LOSS);
        // The next run has its own flips.
        assert_eq!(world.start().flips_left, 2);
    }

    /// Arm 0 always beats arm 1, except in the first three rounds.
    #[test]
    fn trace_the_first_rounds_are_flipped() {
        let certain = PreferenceMatrix::from_rows(&[[0.5, 1.0], [0.0, 0.5]]).unwrap();
        let corruption = Corruption { flips: 3, strategy: Strategy::Start, rounds: ROUNDS };
        let world = CorruptedWorld::new(MatrixWorld::new(certain), corruption);
        let (mut rng, mut state) = (Stream::new(1).rng(), world.start());
        let mut first = |round| world.duel(&mut state, round, Arm::new(0), Arm::new(1), &mut rng).unwrap();
        let (win, loss) = (Outcome::WIN, Outcome::LOSS);
        assert_eq!([1, 2, 3, 4, 5].map(&mut first), [loss, loss, loss, win, win]);
    }

    /// All flips are used if the run is long enough, and each round is equally likely to be
    /// flipped. In 2,000 runs of 4 rounds and 1 flip, each round is flipped 500 times on average,
    /// with a standard deviation of sqrt(2000 * 3/16) = 19.4. Five of these are allowed.
    #[test]
    fn stat_random_flips_are_all_used_and_uniform() {
        let certain = PreferenceMatrix::from_rows(&[[0.5, 1.0], [0.0, 0.5]]).unwrap();
        let flipped = |flips, rounds, seed| {
            let corruption = Corruption { flips, strategy: Strategy::Random, rounds };
            let world = CorruptedWorld::new(MatrixWorld::new(certain.clone()), corruption);
            let (mut rng, mut state) = (Stream::new(seed).rng(), world.start());
            let lost = |round: &u64| {
                world.duel(&mut state, *round, Arm::new(0), Arm::new(1), &mut rng) == Some(Outcome::LOSS)
            };
            (1..=rounds).filter(lost).collect::<Vec<_>>()
        };
        for (flips, expected) in [(0, 0), (1, 1), (17, 17), (100, 100), (101, 100), (5000, 100)] {
            assert_eq!(flipped(flips, 100, 3).len(), expected, "{flips} flips");
        }
        let mut counts = [0.0; 4];
        (0..2000).for_each(|seed| counts[usize::try_from(flipped(1, 4, seed)[0] - 1).unwrap()] += 1.0);
        assert!(counts.iter().all(|count: &f64| (count - 500.0).abs() < 97.0), "{counts:?}");
    }

    /// The corruption does not change the regret, and with 0 flips it changes no outcome.
    #[test]
    fn law_the_truth_stays() {
        let plain = MatrixWorld::new(builtin::arxiv6());
        for strategy in [Strategy::Early, Strategy::Start, Strategy::Random] {
            let with =
                |flips| CorruptedWorld::new(plain.clone(), Corruption { flips, strategy, rounds: ROUNDS });
            let corrupted = with(500);
            assert_eq!((corrupted.best(), corrupted.matrix()), (plain.best(), plain.matrix()));
            let regret = Regret::CONDORCET;
            assert_eq!(corrupted.gaps(regret), plain.gaps(regret));
            let none = with(0);
            let (mut one, mut two) = (Stream::new(5).rng(), Stream::new(5).rng());
            let mut state = none.start();
            for round in 1..=200 {
                let (left, right) = (Arm::new(0), Arm::new(1 + usize::from(round % 2 == 0)));
                assert_eq!(
                    none.duel(&mut state, round, left, right, &mut one),
                    plain.duel(&mut RunState::default(), round, left, right, &mut two)
                );
            }
        }
    }
}
