//! Logged votes as a world.
//!
//! A logged vote on the same two arms answers a duel. Without such a vote the duel stays
//! unanswered; nothing is invented. A vote on (a, b) also answers a duel of (b, a), with the
//! outcome flipped. A vote against both arms is a tie. A duel of an arm with itself is a tie by
//! definition and uses no vote.
//!
//! In mode `once` each vote answers at most one duel of a run. The run's generator draws the order
//! in which the votes of a pair answer; it is not the order of the log. In mode `bootstrap` each
//! answer is drawn from all votes of the pair. A vote that is drawn again counts as *repeated* in
//! the [`VoteSupply`](crate::VoteSupply).
//!
//! Regret is measured with the matrix of the votes: P = (wins + ties/2) / n without smoothing, and
//! 1/2 for pairs that were never compared. Weights are not used, because a vote is either drawn or
//! not.

use rand::{Rng, RngExt};
use tiltyard_bandit::matrix::PreferenceMatrix;
use tiltyard_bandit::params::Param;
use tiltyard_bandit::spec::Spec;
use tiltyard_bandit::{Arm, Outcome};

use crate::any_world::AnyWorld;
use crate::builtin::WorldError;
use crate::family::{Build, Family};
use crate::matrix_file;
use crate::matrix_world::{MatrixWorld, true_to};
use crate::param::{Choice, choice};
use crate::votes::{Votes, by_pair, pair_of, read_votes};
use crate::world::{RunState, World};

const MODE: Choice<Mode> = choice!("mode":
    "once" => Mode::Once, "bootstrap" => Mode::Bootstrap;
    "once: each vote answers at most once in a run; bootstrap: a vote may answer again");

pub(crate) static FAMILY: Family = Family {
    name: "replay",
    title: "logged votes: each vote answers one duel, and a duel without a vote left stays unanswered",
    provenance: "a file of votes",
    n_arms: None,
    params: &[
        Param {
            key: "file",
            default: "none",
            legal: "a path without commas",
            meaning: "the votes, in CSV or JSON",
        },
        MODE.doc,
    ],
    needs_file: true,
    build: Build::World(build),
};

fn build(spec: &Spec, rounds: u64) -> Result<AnyWorld, WorldError> {
    let mut params = FAMILY.read(spec, rounds)?;
    let mode = MODE.read(&mut params)?;
    let path = params.text("file").ok_or(WorldError::NoVotesFile)?;
    params.finish()?;
    let world = ReplayWorld::new(&read_votes(&[path])?, mode)
        .map_err(|error| WorldError::Replay { file: path.to_owned(), error })?;
    Ok(world.into())
}

/// How often a vote may answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// At most once in a run.
    #[default]
    Once,
    /// As often as it is drawn.
    Bootstrap,
}

/// A world that replays logged votes.
#[derive(Debug, Clone)]
pub struct ReplayWorld {
    mode: Mode,
    /// The matrix of the votes, with the arms' names.
    truth: MatrixWorld,
    /// The pairs that were compared, in ascending order.
    pairs: Vec<(Arm, Arm)>,
    /// The index of the first vote of each pair, and the number of votes at the end.
    starts: Vec<u32>,
    /// The outcomes for the arm with the lower number, pair after pair, in the order of the log.
    outcomes: Vec<Outcome>,
}

/// The votes that a run has drawn.
#[derive(Debug, Clone, Default)]
pub(crate) struct DrawnVotes {
    /// The votes, pair after pair, used votes first. Empty in mode `bootstrap`.
    order: Vec<u32>,
    /// The number of used votes of each pair.
    used: Vec<u32>,
    /// Whether each vote has been drawn.
    drawn: Vec<bool>,
}

impl ReplayWorld {
    /// A world that replays these votes.
    ///
    /// # Errors
    ///
    /// If there are no votes, or too many arms.
    pub fn new(votes: &Votes, mode: Mode) -> Result<Self, ReplayError> {
        if votes.votes().is_empty() {
            return Err(ReplayError::NoVotes);
        }
        let n_arms = votes.n_arms();
        if n_arms > matrix_file::MAX_ARMS {
            return Err(ReplayError::TooManyArms { n_arms });
        }
        let (mut pairs, mut starts) = (Vec::new(), Vec::new());
        let mut outcomes = Vec::with_capacity(votes.votes().len());
        for (at, &index) in (0u32..).zip(&by_pair(votes.votes())) {
            let vote = &votes.votes()[index as usize];
            let pair = pair_of(vote);
            if pairs.last() != Some(&pair) {
                pairs.push(pair);
                starts.push(at);
            }
            let outcome = vote.verdict.outcome();
            outcomes.push(if vote.left == pair.0 { outcome } else { outcome.flipped() });
        }
        starts.push(u32::try_from(outcomes.len()).expect("fewer votes than MAX_VOTES"));
        let mut world = Self { mode, truth: MatrixWorld::new(one_arm()), pairs, starts, outcomes };
        let mut next = 0;
        let matrix = PreferenceMatrix::from_fn(n_arms, |low, high| {
            // `from_fn` asks for the pairs in ascending order.
            if world.pairs.get(next) != Some(&(low, high)) {
                return 0.5;
            }
            let outcomes = world.of_pair(next);
            next += 1;
            let sum: f64 = outcomes.iter().map(|outcome| outcome.reward()).sum();
            (sum / outcomes.len() as f64).clamp(0.0, 1.0)
        });
        let matrix = matrix.expect("means of rewards are probabilities");
        world.truth = MatrixWorld::new(matrix).with_names(votes.names().to_vec());
        Ok(world)
    }

    /// The number of votes.
    pub fn n_votes(&self) -> usize {
        self.outcomes.len()
    }

    fn of_pair(&self, pair: usize) -> &[Outcome] {
        &self.outcomes[self.starts[pair] as usize..self.starts[pair + 1] as usize]
    }

    /// Draws a vote of a pair and returns its index, if there is one left.
    #[inline]
    fn draw<R: Rng + ?Sized>(&self, votes: &mut DrawnVotes, pair: usize, rng: &mut R) -> Option<usize> {
        let (start, end) = (self.starts[pair], self.starts[pair + 1]);
        if self.mode == Mode::Bootstrap {
            return Some(rng.random_range(start..end) as usize);
        }
        let next = start + votes.used[pair];
        if next == end {
            return None;
        }
        // One step of a shuffle: a random unused vote is swapped to the front of the unused ones.
        votes.used[pair] += 1;
        votes.order.swap(next as usize, rng.random_range(next..end) as usize);
        Some(votes.order[next as usize] as usize)
    }
}

/// A placeholder until the matrix of the votes is known.
fn one_arm() -> PreferenceMatrix {
    PreferenceMatrix::new(1, vec![0.5]).expect("one arm that ties with itself")
}

impl World for ReplayWorld {
    true_to!(truth);

    fn start(&self) -> RunState {
        let n_votes = self.starts[self.pairs.len()];
        let order = if self.mode == Mode::Once { (0..n_votes).collect() } else { Vec::new() };
        let votes = DrawnVotes { order, used: vec![0; self.pairs.len()], drawn: vec![false; self.n_votes()] };
        RunState { votes, ..RunState::default() }
    }

    fn duel<R: Rng + ?Sized>(
        &self,
        state: &mut RunState,
        round: u64,
        left: Arm,
        right: Arm,
        rng: &mut R,
    ) -> Option<Outcome> {
        if left == right {
            return Some(Outcome::TIE);
        }
        let RunState { votes, supply, .. } = state;
        let pair = self.pairs.binary_search(&(left.min(right), left.max(right))).ok();
        let Some(vote) = pair.and_then(|pair| self.draw(votes, pair, rng)) else {
            supply.unanswered += 1;
            supply.dry_from.get_or_insert(round);
            return None;
        };
        if std::mem::replace(&mut votes.drawn[vote], true) {
            supply.repeated += 1;
            supply.dry_from.get_or_insert(round);
        }
        let outcome = self.outcomes[vote];
        Some(if left < right { outcome } else { outcome.flipped() })
    }
}

/// Why votes cannot be replayed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe them")]
#[non_exhaustive]
pub enum ReplayError {
    #[error("there are no votes that compare two arms")]
    NoVotes,
    #[error("{n_arms} arms are more than the {} that a world of votes may have", matrix_file::MAX_ARMS)]
    TooManyArms { n_arms: usize },
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::VoteSupply;
    use crate::votes::parse_votes;
    use proptest::prelude::*;
    use tiltyard_bandit::Stream;

    fn world(rows: &str, mode: Mode) -> ReplayWorld {
        ReplayWorld::new(&parse_votes(format!("left,right,outcome\n{rows}").as_bytes()).unwrap(), mode)
            .unwrap()
    }

    fn arm(index: usize) -> Arm {
        Arm::new(index)
    }

    /// Two votes for a over b, one of them with the sides exchanged, and one tie of a and c. So
    /// P(a, b) = 1 and P(a, c) = 1/2; b and c were never compared.
    #[test]
    fn trace_each_vote_answers_once() {
        let world = world("a,b,left\nb,a,right\nc,a,both_bad\n", Mode::Once);
        let matrix = world.matrix().unwrap();
        assert_eq!(matrix.row(arm(0)), [0.5, 1.0, 0.5]);
        assert_eq!(matrix.row(arm(1)), [0.0, 0.5, 0.5]);
        assert_eq!(world.arm_name(arm(2)), Some("c"));

        let mut rng = Stream::new(1).rng();
        let mut state = world.start();
        let mut duel = |round, left, right| world.duel(&mut state, round, arm(left), arm(right), &mut rng);
        assert_eq!(duel(1, 0, 1), Some(Outcome::WIN));
        assert_eq!(duel(2, 1, 0), Some(Outcome::LOSS));
        assert_eq!(duel(3, 0, 2), Some(Outcome::TIE));
        assert_eq!(duel(4, 1, 1), Some(Outcome::TIE));
        assert_eq!(duel(5, 0, 1), None);
        assert_eq!(duel(6, 1, 2), None);
        assert_eq!(duel(7, 2, 2), Some(Outcome::TIE));
        assert_eq!(state.supply, VoteSupply { unanswered: 2, repeated: 0, dry_from: Some(5) });
    }

    #[test]
    fn trace_a_bootstrap_says_what_it_repeats() {
        let world = world("a,b,left\nb,c,tie\n", Mode::Bootstrap);
        let mut rng = Stream::new(1).rng();
        let mut state = world.start();
        let mut duel = |round, left, right| world.duel(&mut state, round, arm(left), arm(right), &mut rng);
        assert_eq!(duel(1, 1, 0), Some(Outcome::LOSS));
        assert_eq!(duel(2, 1, 2), Some(Outcome::TIE));
        assert_eq!(duel(3, 0, 1), Some(Outcome::WIN));
        assert_eq!(duel(4, 0, 1), Some(Outcome::WIN));
        assert_eq!(duel(5, 0, 2), None);
        assert_eq!(state.supply, VoteSupply { unanswered: 1, repeated: 2, dry_from: Some(3) });
    }

    #[test]
    fn trace_no_votes_are_no_world() {
        let votes = parse_votes("left,right,outcome\na,b,skip\n".as_bytes()).unwrap();
        assert_eq!(ReplayWorld::new(&votes, Mode::Once).unwrap_err(), ReplayError::NoVotes);
    }

    /// The order is random: the win comes first in half of 2,000 runs, within five standard errors
    /// of 0.011.
    #[test]
    fn stat_the_order_is_drawn() {
        let world = world("a,b,left\na,b,right\n", Mode::Once);
        let first = |run| {
            let mut rng = Stream::new(3).index(run).rng();
            world.duel(&mut world.start(), 1, arm(0), arm(1), &mut rng).unwrap().reward()
        };
        let share = (0..2000).map(first).sum::<f64>() / 2000.0;
        assert!((share - 0.5).abs() < 0.056, "{share}");
    }

    proptest! {
        /// When a pair runs out of votes, it has answered with exactly its outcomes in the log,
        /// each as often as in the log.
        #[test]
        fn law_once_gives_back_the_log(
            rows in proptest::collection::vec((0..4usize, 0..4usize, -8..=8i32), 1..60),
            duels in proptest::collection::vec((0..4usize, 0..4usize), 0..200),
            seed: u64,
        ) {
            let rows: Vec<_> = rows.into_iter().filter(|row| row.0 != row.1).collect();
            prop_assume!(!rows.is_empty());
            // All four arms exist, whatever is drawn.
            let all = "arm0,arm0,tie\narm1,arm1,tie\narm2,arm2,tie\narm3,arm3,tie\n";
            let text: Vec<_> =
                rows.iter().map(|(left, right, s)| format!("arm{left},arm{right},{}\n", f64::from(*s) / 8.0)).collect();
            let world = world(&(all.to_owned() + &text.concat()), Mode::Once);
            // For each pair, the scores in eighths for the lower arm.
            let mut log = [const { Vec::new() }; 16];
            for (left, right, score) in rows {
                log[left.min(right) * 4 + left.max(right)].push(if left < right { score } else { -score });
            }
            let mut given = [const { Vec::new() }; 16];
            let (mut rng, mut state, mut unanswered) = (Stream::new(seed).rng(), world.start(), 0);
            for (round, &(left, right)) in (1..).zip(&duels) {
                let outcome = world.duel(&mut state, round, arm(left), arm(right), &mut rng);
                if left == right {
                    prop_assert_eq!(outcome, Some(Outcome::TIE));
                    continue;
                }
                let pair = left.min(right) * 4 + left.max(right);
                if let Some(outcome) = outcome {
                    #[expect(clippy::cast_possible_truncation, reason = "a whole number from -8 to 8")]
                    let score = (outcome.score() * 8.0) as i32;
                    given[pair].push(if left < right { score } else { -score });
                } else {
                    unanswered += 1;
                    prop_assert_eq!(given[pair].len(), log[pair].len());
                }
            }
            let supply = state.supply;
            prop_assert_eq!((supply.unanswered, supply.repeated), (unanswered, 0));
            prop_assert_eq!(supply.dry_from.is_some(), unanswered > 0);
            for (mut log, given) in log.into_iter().zip(given) {
                for score in given {
                    let at = log.iter().position(|&logged| logged == score);
                    prop_assert!(at.is_some(), "{} is not in the log, or not so often", score);
                    log.swap_remove(at.unwrap());
                }
            }
        }
    }
}
