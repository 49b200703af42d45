//! Segments of an experiment: its duels split by a context key, limited to a time of issue, or
//! both.
//!
//! The context and the time of issue are known before the answer. The duels of a pair within a
//! segment are therefore still a fair sample of the pair, and every guarantee of a verdict holds
//! within each segment. A segment chosen by its *answers* would guarantee nothing.

use std::collections::BTreeMap;

use serde_json::Value;
use tiltyard_bandit::Arm;

use crate::domain::{BallotEvent, Comparison, Evidence, ImportedVote, PairVote};
use crate::time::Time;

/// The most segments. Further values are lumped together: a key with that many values is an
/// identifier, not a segment.
const MOST_SEGMENTS: usize = 1000;

/// Longer values are truncated.
const LONGEST_VALUE: usize = 200;

/// The votes of an experiment, grouped by the values of a context key.
#[derive(Debug, Clone)]
pub struct Segments {
    /// The path of the key within a context. If empty, all duels are in one segment.
    path: Vec<String>,
    since: Option<Time>,
    until: Option<Time>,
    empty: Evidence,
    parts: Vec<Segment>,
    by_value: BTreeMap<Option<String>, usize>,
    /// The segment of each duel in flight.
    in_flight: BTreeMap<u64, usize>,
    lumped: bool,
}

/// The votes with one value of the key.
#[derive(Debug, Clone)]
pub struct Segment {
    /// The value; `None` if the context does not have the key.
    pub value: Option<String>,
    evidence: Evidence,
    /// The number of votes that are evidence.
    pub votes: u64,
}

impl Segment {
    /// The evidence of the segment. It takes memory for every arm, so look at one segment at a
    /// time.
    pub fn evidence(&self) -> Evidence {
        self.evidence.clone().summed_up()
    }
}

impl Segments {
    /// Splits an experiment with this evidence by a key such as `language` or `user.country`. Only
    /// duels issued at or after `since` and before `until` count.
    pub fn new(evidence: &Evidence, key: Option<&str>, since: Option<Time>, until: Option<Time>) -> Self {
        Self {
            path: key.into_iter().flat_map(|key| key.split('.')).map(str::to_owned).collect(),
            since,
            until,
            empty: evidence.emptied(),
            parts: Vec::new(),
            by_value: BTreeMap::new(),
            in_flight: BTreeMap::new(),
            lumped: false,
        }
    }

    /// Processes the next step of the log. Votes on arms that were added after the evidence was
    /// read are left out.
    pub fn push(&mut self, step: &BallotEvent) {
        match step {
            BallotEvent::Issued { duel, at, comparison, context } => {
                if self.is_within(*at) && comparison.arms().all(|arm| self.empty.knows(arm)) {
                    let at = self.segment(context.as_ref());
                    self.parts[at].evidence.issue(*duel, comparison.pairs());
                    self.in_flight.insert(*duel, at);
                }
            }
            // A late answer does not count: its duel was settled when it expired.
            BallotEvent::Voted(ballot) => self.settle(ballot.duel, &ballot.comparison(), &ballot.votes()),
            // Imported votes have no context.
            BallotEvent::Imported(batch) => {
                if self.is_within(batch.at) {
                    let at = self.segment(None);
                    let segment = &mut self.parts[at];
                    let known = |vote: &PairVote| self.empty.knows(vote.left.max(vote.right));
                    let votes: Vec<PairVote> =
                        batch.votes.iter().filter_map(ImportedVote::vote).filter(known).collect();
                    segment.evidence.settle(batch.seq, votes.iter().map(PairVote::sides), &votes);
                    segment.votes += votes.len() as u64;
                }
            }
            BallotEvent::Ended { duel, comparison } => self.settle(*duel, comparison, &[]),
        }
    }

    fn settle(&mut self, duel: u64, comparison: &Comparison, votes: &[PairVote]) {
        if let Some(at) = self.in_flight.remove(&duel) {
            let segment = &mut self.parts[at];
            segment.evidence.settle(duel, comparison.pairs(), votes);
            segment.votes += votes.len() as u64;
        }
    }

    fn is_within(&self, at: Time) -> bool {
        self.since.is_none_or(|since| at >= since) && self.until.is_none_or(|until| at < until)
    }

    /// The segment of a context. A new one is added if needed.
    fn segment(&mut self, context: Option<&Value>) -> usize {
        let mut value = context.and_then(|context| value(context, &self.path));
        if !self.by_value.contains_key(&value) && self.parts.len() >= MOST_SEGMENTS {
            self.lumped = true;
            value = None;
        }
        let (parts, empty) = (&mut self.parts, &self.empty);
        *self.by_value.entry(value.clone()).or_insert_with(|| {
            parts.push(Segment { value, evidence: empty.clone(), votes: 0 });
            parts.len() - 1
        })
    }

    /// Whether there were too many values. The values that came last are then counted together with
    /// duels that have no value.
    pub fn lumped(&self) -> bool {
        self.lumped
    }

    /// The segments, in the order of their first duels.
    pub fn segments(&self) -> &[Segment] {
        &self.parts
    }

    /// The leader of a segment with this evidence, valid for all segments together: with the
    /// confidence of the experiment, *no* segment has a false leader. The s-th segment to appear
    /// uses the part 1/(s (s + 1)) of the level.
    pub fn leader_together(index: usize, evidence: &Evidence) -> Option<Arm> {
        let s = (index + 1) as f64;
        evidence.leader_within(1.0 / (s * (s + 1.0)))
    }
}

/// The value at a path as text; `None` if it is missing, null, a list or an object.
fn value(context: &Value, path: &[String]) -> Option<String> {
    if path.is_empty() {
        return None;
    }
    let found = path.iter().try_fold(context, |value, key| value.get(key))?;
    let text = match found {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(truth) => truth.to_string(),
        Value::Null | Value::Array(_) | Value::Object(_) => return None,
    };
    Some(text.chars().take(LONGEST_VALUE).collect())
}
