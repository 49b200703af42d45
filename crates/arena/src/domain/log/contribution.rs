//! The contribution of an answer or an import to an experiment: votes about pairs of arms, and
//! lessons. Folding applies it with +1, voiding with -1.

use tiltyard_bandit::Outcome;

use crate::domain::learning::lesson;
use crate::domain::{
    Answer, ArmCounts, ClosedDuel, Comparison, Experiment, FoldErrorKind, ImportedVote, Lesson, PairVote,
    Tenure, VoteKind, add,
};

/// The votes and lessons of one answer or one import.
#[derive(Debug)]
pub(crate) struct Contribution {
    /// The log position of the duel, or of the import.
    seq: u64,
    /// The comparison that was answered; `None` for an import.
    comparison: Option<Comparison>,
    /// Empty if the duel was skipped.
    votes: Vec<PairVote>,
    /// Whether the answer came after the duel had expired.
    late: bool,
    /// Whether the policy learned by the duel's own ticket.
    by_ticket: bool,
    /// The policy's lessons, including the one by the duel's own ticket.
    lessons: Vec<Lesson>,
    /// The apprentice's lessons.
    apprentice: Vec<Lesson>,
    /// The log position of the answer: it tells who learned from the answer. 0 for an import, and
    /// for a voided duel without lessons.
    answered: u64,
}

impl Contribution {
    /// The contribution of the answer to duel `seq`.
    pub(crate) fn of_duel(seq: u64, closed: &ClosedDuel, answer: Answer) -> Result<Self, FoldErrorKind> {
        let ranked = match (closed.slate.as_deref(), closed.ranked.as_deref()) {
            (Some(slate), Some(ranked)) if ranked.ranking.is_of(&slate.arms) => Some(ranked),
            (_, None) if answer != Answer::Ranking => None,
            _ => return Err(FoldErrorKind::NoSuchRanking { duel: seq }),
        };
        let comparison = closed.comparison();
        let votes = comparison.votes(answer, ranked.map(|ranked| &ranked.ranking));
        let learned = closed.learned.filter(|_| !closed.drawn.holdout);
        let own = learned.map(|outcome| Lesson { ticket: closed.drawn.ticket, outcome });
        let all = |of_ranking: Option<&Vec<Lesson>>, others: [Option<Lesson>; 2]| -> Vec<Lesson> {
            of_ranking.into_iter().flatten().copied().chain(others.into_iter().flatten()).collect()
        };
        Ok(Self {
            seq,
            comparison: Some(comparison),
            votes,
            late: closed.late,
            by_ticket: own.is_some(),
            lessons: all(ranked.map(|ranked| &ranked.lessons), [closed.lesson, own]),
            apprentice: all(ranked.map(|ranked| &ranked.apprentice), [closed.apprentice, None]),
            answered: closed.answered.unwrap_or(0),
        })
    }

    /// The contribution of the votes imported at `seq`, in an experiment with `n_arms` arms.
    pub(crate) fn of_import(seq: u64, votes: &[ImportedVote], n_arms: usize) -> Result<Self, FoldErrorKind> {
        let arms = votes.iter().flat_map(|vote| [vote.left, vote.right]);
        if let Some(arm) = arms.into_iter().find(|&arm| arm as usize >= n_arms) {
            return Err(FoldErrorKind::NoArm { arm });
        }
        Ok(Self {
            seq,
            comparison: None,
            votes: votes.iter().filter_map(ImportedVote::vote).collect(),
            late: false,
            by_ticket: false,
            lessons: votes.iter().filter_map(|vote| vote.lesson).collect(),
            apprentice: Vec::new(),
            answered: 0,
        })
    }
}

impl Experiment {
    /// Adds a contribution (+1), or takes it back (-1). All votes and lessons pass through here.
    pub(crate) fn apply(&mut self, contribution: &Contribution, by: i8) -> Result<(), FoldErrorKind> {
        self.count(contribution, by);
        let Contribution { seq, comparison, votes, late, .. } = contribution;
        match comparison {
            // A late answer is not evidence: the duel was settled as unanswered when it expired.
            _ if *late => {}
            _ if by < 0 => self.evidence.take_back(*seq, votes),
            Some(comparison) => self.evidence.settle(*seq, comparison.pairs(), votes),
            // Imported votes count as issued at the import. This is valid if the choice of votes to
            // import does not depend on their outcomes.
            None => self.evidence.settle(*seq, votes.iter().map(PairVote::sides), votes),
        }
        if by > 0 { self.learn(contribution) } else { self.unlearn(contribution) }
    }

    fn count(&mut self, contribution: &Contribution, by: i8) {
        let Contribution { comparison, votes, late, .. } = contribution;
        if let Some(comparison) = comparison {
            if votes.is_empty() {
                self.each_arm(comparison, |counts| add(&mut counts.skipped, by));
                add(&mut self.totals.skipped, by);
            } else if comparison.slate.is_some() {
                add(&mut self.totals.rankings, by);
            }
        }
        let drawn = comparison.as_ref().map(|comparison| &comparison.drawn);
        for vote in votes {
            if drawn.is_some_and(|drawn| drawn.aa) {
                self.merged_lists.count_aa(vote.outcome, by);
                continue;
            }
            if drawn.is_some_and(|drawn| drawn.holdout) {
                add(&mut self.totals.holdout, by);
            }
            if *late {
                add(&mut self.totals.late, by);
            }
            if drawn.is_none() {
                self.count_import(vote.weighted_outcome(), by);
            }
            self.count_vote(vote, by);
        }
    }

    fn count_vote(&mut self, vote: &PairVote, by: i8) {
        let kind = VoteKind::of(vote);
        let totals = &mut self.totals;
        add(&mut totals.votes, by);
        let by_kind =
            [&mut totals.left, &mut totals.right, &mut totals.ties, &mut totals.both_bad, &mut totals.graded];
        add(kind.pick(by_kind), by);
        let (left, right) = vote.sides();
        if left == right {
            add(&mut self.arms[left.index()].counts.self_duels, by);
            return;
        }
        for (arm, kind) in [(left, kind), (right, kind.flipped())] {
            let ArmCounts { wins, losses, ties, both_bad, graded, .. } = &mut self.arms[arm.index()].counts;
            add(kind.pick([wins, losses, ties, both_bad, graded]), by);
        }
        let key = (left.min(right), left.max(right));
        let pair = self.pairs.entry(key).or_default();
        pair.count(vote, by);
        if pair.is_empty() {
            self.pairs.remove(&key);
        }
    }

    fn count_import(&mut self, outcome: Outcome, by: i8) {
        add(&mut self.totals.imported, by);
        if outcome == Outcome::WIN {
            add(&mut self.totals.imported_left, by);
        } else if outcome == Outcome::LOSS {
            add(&mut self.totals.imported_right, by);
        }
    }

    fn learn(&mut self, contribution: &Contribution) -> Result<(), FoldErrorKind> {
        let Contribution { seq, comparison, by_ticket, lessons, apprentice, .. } = contribution;
        let own = self.tenure.drew(*seq);
        let is_forgotten = own && self.forgotten.contains(seq);
        if !is_forgotten {
            // If the policy drew the duel, its round was counted at the issue.
            lesson::learn(&mut self.policy, lessons, !own)?;
        }
        if let Some(learner) = self.apprentice.as_mut().filter(|_| !apprentice.is_empty()) {
            lesson::learn(&mut learner.policy, apprentice, true)?;
            learner.lessons += 1;
        }
        match comparison {
            Some(comparison) if is_forgotten || !by_ticket => self.tell_of_no_answer(*seq, &comparison.drawn),
            _ => Ok(()),
        }
    }

    fn unlearn(&mut self, contribution: &Contribution) -> Result<(), FoldErrorKind> {
        let Contribution { seq, lessons, apprentice, answered, .. } = contribution;
        let Tenure { began, since } = self.tenure;
        if self.tenure.drew(*seq) {
            // The policy never learned a forgotten answer.
            if !lessons.is_empty() && !self.forgotten.remove(seq) {
                self.relearn |= !lesson::take_back(&mut self.policy, lessons)?;
            }
        } else if *answered > began {
            // Before the policy took over, it learned as an apprentice.
            let lessons = if *answered > since { lessons } else { apprentice };
            lesson::take_back(&mut self.policy, lessons)?;
        }
        if let Some(learner) = self.apprentice.as_mut().filter(|_| !apprentice.is_empty())
            && *answered > learner.began
        {
            lesson::take_back(&mut learner.policy, apprentice)?;
            learner.lessons -= 1;
        }
        Ok(())
    }
}
