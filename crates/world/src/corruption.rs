//! An adversary that flips outcomes.
//!
//! It sits between the truth and the answer, so it is part of the world and not of the delivery: a
//! suffix of a matrix's name, before all those that say how answers travel, as in
//! `arxiv6+corrupted:flips=1000+delayed:rounds=50`. The truth that regret is measured by stays that
//! of the matrix: what is asked is how much of it a policy still finds.

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

const FLIPS: Number = number!("flips" = 100 whole [0, 9e15], "how many outcomes, at most");
const WHEN: Choice<Strategy> = choice!("when":
    "early" => Strategy::Early, "start" => Strategy::Start, "random" => Strategy::Random;
    "the first duels that the best arm wins; the first rounds, or rounds drawn at random, whatever is dueled there");

pub(crate) static WRAPPER: Wrapper = Wrapper {
    name: "corrupted",
    title: "an adversary flips outcomes of a matrix; the regret is still that of the matrix",
    params: &[FLIPS.doc, WHEN.doc],
    effect: Effect::Answers,
};

/// How many outcomes an adversary flips, and which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Corruption {
    /// How many, at most.
    pub flips: u64,
    /// Which.
    pub strategy: Strategy,
    /// The length of a run, over which rounds are drawn.
    pub rounds: u64,
}

/// Which outcomes are flipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strategy {
    /// The first duels that the best arm wins against another: it loses all of them until the flips
    /// are used up. The adversary sees the duel and its outcome, and pays for nothing else, so that
    /// few flips go a long way: they are used up no sooner than the policy has tried the arm so
    /// often.
    #[default]
    Early,
    /// The first rounds, whatever is dueled there: the matrix turned round, in which the worst arm
    /// is the best. A policy with a guarantee against adversaries loses no more by it than twice
    /// the gaps of those rounds.
    Start,
    /// Rounds drawn beforehand, all alike: whatever is dueled there. In a duel of an arm with
    /// itself a flip is wasted.
    Random,
}

impl Corruption {
    /// Parts the text that names a world from its corruption, if there is any:
    /// `arxiv6+corrupted:flips=10` is `arxiv6`, corrupted. `rounds` is the length of a run, the T
    /// of parameters.
    ///
    /// # Errors
    ///
    /// If a parameter is refused.
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

/// The text before the corruption, and the corruption's own without its plus.
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

/// The world of a matrix, some of whose answers are flipped.
#[derive(Debug, Clone, PartialEq)]
pub struct CorruptedWorld {
    world: MatrixWorld,
    corruption: Corruption,
}

impl CorruptedWorld {
    /// A matrix, corrupted.
    pub fn new(world: MatrixWorld, corruption: Corruption) -> Self {
        Self { world, corruption }
    }

    /// Whether the adversary flips this outcome, of those that are left to it.
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
                // Of the rounds that are left each is as likely as any other to hold one of the
                // flips that are left, so that all are used in the end.
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

    /// Arm 0 always beats arm 1, which always beats arm 2. With two flips the first two wins of arm
    /// 0, from whichever side, are losses; duels of the others and of arm 0 with itself cost the
    /// adversary nothing.
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
        // The next run is corrupted anew.
        assert_eq!(world.start().flips_left, 2);
    }

    /// Arm 0 always beats arm 1, but not in the first three rounds.
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

    /// Exactly so many rounds of a run are flipped at random, however many they are; and each with
    /// the same chance: in 2,000 runs of 4 rounds and 1 flip each round is flipped 500 times, with
    /// a standard deviation of sqrt(2000 * 3/16) = 19.4, of which five are allowed.
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

    /// What regret is measured by is not corrupted, and without flips nothing is.
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
