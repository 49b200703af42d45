//! The contract: what an arena must respond, and how it must count.

use std::collections::BTreeMap;

use tiltyard_arena::arena::{Done, Duel};
use tiltyard_arena::domain::{
    Activation, Answer, ArmCounts, Late, Lists, PairCounts, Refusal, Settings, Status, Totals,
};
use tiltyard_bandit::Arm;

/// The story of a duel.
#[derive(Debug, Clone)]
pub(super) struct Tale {
    pub(super) duel: Duel,
    /// In seconds.
    pub(super) issued: i64,
    pub(super) shown: Option<i64>,
    pub(super) given_up: bool,
    pub(super) answer: Option<(Answer, Option<String>)>,
    pub(super) late: bool,
    pub(super) voided: bool,
    /// The set of lists that was merged.
    pub(super) lists: Option<u8>,
    /// Whether the documents of the left and of the right ranker were clicked.
    pub(super) clicks: Option<(bool, bool)>,
}

impl Tale {
    pub(super) fn new(duel: Duel, issued: i64) -> Self {
        Self {
            duel,
            issued,
            shown: None,
            given_up: false,
            answer: None,
            late: false,
            voided: false,
            lists: None,
            clicks: None,
        }
    }
}

/// The only document of a ranker. No two rankers share one.
pub(super) fn document(arm: &str, lists: u8) -> String {
    format!("{arm}{lists}")
}

/// The lists of all rankers, with one document each.
pub(super) fn lists(arms: &[(String, bool)], lists: u8) -> Lists {
    Lists(arms.iter().map(|(arm, _)| (arm.clone(), vec![document(arm, lists)])).collect())
}

#[derive(Debug)]
pub(super) struct Model {
    pub(super) elastic: bool,
    pub(super) can_differ: bool,
    pub(super) policy: &'static str,
    pub(super) settings: Settings,
    pub(super) status: Status,
    /// In seconds.
    pub(super) now: i64,
    pub(super) arms: Vec<(String, bool)>,
    pub(super) tales: Vec<Tale>,
    pub(super) requests: BTreeMap<String, (u32, Vec<Duel>)>,
    /// When each voter voted, in seconds.
    pub(super) votes: BTreeMap<String, Vec<i64>>,
}

impl Model {
    pub(super) fn is_in_flight(tale: &Tale) -> bool {
        !tale.given_up && tale.answer.is_none() && !tale.voided
    }

    pub(super) fn n_in_flight(&self) -> u64 {
        self.tales.iter().filter(|tale| Self::is_in_flight(tale)).count() as u64
    }

    fn is_over(&self, tale: &Tale) -> bool {
        let from = match self.settings.activation {
            Activation::Issue => tale.issued,
            Activation::Shown => tale.shown.unwrap_or(tale.issued),
        };
        self.now > from + self.settings.expires_after.cast_signed()
    }

    /// `None` if the duels are new, and the earlier duels if the request is a repeated one.
    pub(super) fn issue(
        &self,
        count: u32,
        client: Option<&str>,
        distinct: Option<bool>,
    ) -> Result<Option<Vec<Duel>>, Refusal> {
        if let Some((before, duels)) = client.and_then(|client| self.requests.get(client)) {
            if *before == count {
                return Ok(Some(duels.clone()));
            }
            let client = client.unwrap_or_default().to_owned();
            return Err(Refusal::ClientReused { client, count: *before });
        }
        match self.status {
            Status::Paused => return Err(Refusal::Paused),
            Status::Closed => return Err(Refusal::Closed),
            Status::Running => {}
        }
        if count == 0 {
            return Err(Refusal::OutOfRange { what: "the number of duels", got: 0, least: 1, most: 1000 });
        }
        if distinct == Some(true) && !self.can_differ {
            return Err(Refusal::NotDistinct { policy: self.policy.to_owned() });
        }
        let (in_flight, most) = (self.n_in_flight(), self.settings.max_in_flight);
        if in_flight + u64::from(count) > most {
            return Err(Refusal::TooManyInFlight { in_flight, most });
        }
        Ok(None)
    }

    pub(super) fn answer(&mut self, at: usize, answer: Answer, voter: Option<&str>) -> Result<Done, Refusal> {
        let tale = &self.tales[at];
        if tale.voided {
            return Err(Refusal::Voided);
        }
        if let Some((before, by)) = &tale.answer {
            let same = *before == answer && by.as_deref() == voter;
            return if same { Ok(Done::Already) } else { Err(Refusal::Contradiction) };
        }
        if self.status == Status::Closed {
            return Err(Refusal::Closed);
        }
        if self.settings.late == Late::Refuse && (tale.given_up || self.is_over(tale)) {
            return Err(Refusal::Expired);
        }
        // A skipped duel is not a vote.
        if let Some(voter) = voter.filter(|_| answer != Answer::Skip) {
            let times = self.votes.entry(voter.to_owned()).or_default();
            let all = times.len() as u64;
            let this_minute = times.iter().filter(|&&then| then / 60 == self.now / 60).count() as u64;
            if let Some(limit) = self.settings.voter_votes.filter(|&limit| all >= limit) {
                return Err(Refusal::VoterLimit { limit, wait: None });
            }
            if let Some(limit) = self.settings.voter_votes_per_minute.filter(|&limit| this_minute >= limit) {
                let wait = (60 - self.now % 60).unsigned_abs();
                return Err(Refusal::VoterLimit { limit, wait: Some(wait) });
            }
            times.push(self.now);
        }
        let tale = &mut self.tales[at];
        tale.late = tale.given_up;
        tale.answer = Some((answer, voter.map(str::to_owned)));
        Ok(Done::Recorded)
    }

    pub(super) fn merge(&mut self, at: usize, lists: u8) -> Result<(), Refusal> {
        let tale = &self.tales[at];
        if tale.voided {
            return Err(Refusal::Voided);
        }
        if let Some(before) = tale.lists {
            return if before == lists { Ok(()) } else { Err(Refusal::OtherLists) };
        }
        if tale.answer.is_some() {
            return Err(Refusal::Contradiction);
        }
        if tale.given_up {
            return Err(Refusal::TooLateForLists);
        }
        if self.status == Status::Closed {
            return Err(Refusal::Closed);
        }
        if self.settings.late == Late::Refuse && self.is_over(tale) {
            return Err(Refusal::TooLateForLists);
        }
        self.tales[at].lists = Some(lists);
        Ok(())
    }

    pub(super) fn click(
        &mut self,
        at: usize,
        clicks: (bool, bool),
        voter: Option<&str>,
    ) -> Result<Done, Refusal> {
        let tale = &self.tales[at];
        if tale.voided {
            return Err(Refusal::Voided);
        }
        if tale.lists.is_none() {
            return Err(Refusal::NoMergedList);
        }
        if let Some((_, by)) = &tale.answer {
            let same = tale.clicks == Some(clicks) && by.as_deref() == voter;
            return if same { Ok(Done::Already) } else { Err(Refusal::Contradiction) };
        }
        let (left, right) = tale.duel.drawn.sides();
        let answer = match clicks {
            // There is only one document, and chance decides which side picked it.
            _ if left == right => Answer::Tie,
            (true, false) => Answer::Left,
            (false, true) => Answer::Right,
            _ => Answer::Tie,
        };
        let done = self.answer(at, answer, voter)?;
        self.tales[at].clicks = Some(clicks);
        Ok(done)
    }

    pub(super) fn shown(&mut self, at: usize) -> Done {
        let now = self.now;
        let tale = &mut self.tales[at];
        if !Self::is_in_flight(tale) || tale.shown.is_some() {
            return Done::Already;
        }
        tale.shown = Some(now);
        Done::Recorded
    }

    pub(super) fn void(&mut self, at: usize) -> Done {
        let before = core::mem::replace(&mut self.tales[at].voided, true);
        if before { Done::Already } else { Done::Recorded }
    }

    pub(super) fn change(&mut self, status: Status) -> Result<Done, Refusal> {
        if self.status == status {
            return Ok(Done::Already);
        }
        if self.status == Status::Closed {
            return Err(Refusal::Closed);
        }
        self.status = status;
        Ok(Done::Recorded)
    }

    fn may_change_arms(&self) -> Result<(), Refusal> {
        if self.status == Status::Closed {
            return Err(Refusal::Closed);
        }
        if self.elastic { Ok(()) } else { Err(Refusal::NotElastic { policy: self.policy.to_owned() }) }
    }

    fn place_of(&self, name: &str) -> Result<usize, Refusal> {
        let place = self.arms.iter().position(|(other, _)| other == name);
        place.ok_or_else(|| Refusal::NoArm { name: name.to_owned() })
    }

    pub(super) fn add(&mut self, name: &str) -> Result<(), Refusal> {
        self.may_change_arms()?;
        if self.place_of(name).is_ok() {
            return Err(Refusal::TwiceNamed { name: name.to_owned() });
        }
        self.arms.push((name.to_owned(), false));
        Ok(())
    }

    pub(super) fn retire(&mut self, name: &str) -> Result<(), Refusal> {
        self.may_change_arms()?;
        let place = self.place_of(name)?;
        if self.arms[place].1 {
            return Err(Refusal::AlreadyRetired { name: name.to_owned() });
        }
        if self.arms.iter().filter(|(_, retired)| !retired).count() == 2 {
            return Err(Refusal::LastArms { name: name.to_owned() });
        }
        self.arms[place].1 = true;
        Ok(())
    }

    pub(super) fn restore(&mut self, name: &str) -> Result<(), Refusal> {
        self.may_change_arms()?;
        let place = self.place_of(name)?;
        if !self.arms[place].1 {
            return Err(Refusal::NotRetired { name: name.to_owned() });
        }
        self.arms[place].1 = false;
        Ok(())
    }

    pub(super) fn sweep(&mut self) -> usize {
        let over: Vec<usize> = (0..self.tales.len())
            .filter(|&at| Self::is_in_flight(&self.tales[at]) && self.is_over(&self.tales[at]))
            .collect();
        for &at in &over {
            self.tales[at].given_up = true;
        }
        over.len()
    }

    /// All counts, computed from the tales alone.
    pub(super) fn counts(&self) -> (Totals, Vec<ArmCounts>, BTreeMap<(Arm, Arm), PairCounts>) {
        let mut totals = Totals { duels: self.tales.len() as u64, ..Totals::default() };
        let mut arms = vec![ArmCounts::default(); self.arms.len()];
        let mut pairs: BTreeMap<(Arm, Arm), PairCounts> = BTreeMap::new();
        for tale in &self.tales {
            let (left, right) = tale.duel.drawn.sides();
            let mut each = |change: &dyn Fn(&mut ArmCounts)| {
                change(&mut arms[left.index()]);
                if left != right {
                    change(&mut arms[right.index()]);
                }
            };
            each(&|counts| counts.duels += 1);
            let never_shown = self.settings.activation == Activation::Shown && tale.shown.is_none();
            let score = match &tale.answer {
                _ if tale.voided => {
                    totals.voided += 1;
                    each(&|counts| counts.voided += 1);
                    continue;
                }
                None if tale.given_up && never_shown => {
                    totals.never_shown += 1;
                    each(&|counts| counts.never_shown += 1);
                    continue;
                }
                None if tale.given_up => {
                    totals.unanswered += 1;
                    each(&|counts| counts.unanswered += 1);
                    continue;
                }
                None => {
                    each(&|counts| counts.in_flight += 1);
                    continue;
                }
                Some((Answer::Skip, _)) => {
                    totals.skipped += 1;
                    each(&|counts| counts.skipped += 1);
                    continue;
                }
                Some((Answer::Left, _)) => 1.0,
                Some((Answer::Right, _)) => -1.0,
                Some((Answer::Tie | Answer::BothBad, _)) => 0.0,
                Some((Answer::Score(outcome), _)) => outcome.score(),
                Some((Answer::Ranking, _)) => unreachable!("the model asks for no slates"),
            };
            if tale.duel.drawn.aa {
                continue;
            }
            totals.votes += 1;
            totals.holdout += u64::from(tale.duel.drawn.holdout);
            totals.late += u64::from(tale.late);
            let is_bad = matches!(tale.answer, Some((Answer::BothBad, _)));
            let verdict = Verdict::of(score, is_bad);
            match verdict {
                Verdict::For => totals.left += 1,
                Verdict::Against => totals.right += 1,
                Verdict::Tie => totals.ties += 1,
                Verdict::Bad => totals.both_bad += 1,
                Verdict::Graded => totals.graded += 1,
            }
            if left == right {
                arms[left.index()].self_duels += 1;
                continue;
            }
            for (arm, verdict) in [(left, verdict), (right, Verdict::of(-score, is_bad))] {
                let counts = &mut arms[arm.index()];
                match verdict {
                    Verdict::For => counts.wins += 1,
                    Verdict::Against => counts.losses += 1,
                    Verdict::Tie => counts.ties += 1,
                    Verdict::Bad => counts.both_bad += 1,
                    Verdict::Graded => counts.graded += 1,
                }
            }
            let score = if left < right { score } else { -score };
            let pair = pairs.entry((left.min(right), left.max(right))).or_default();
            match Verdict::of(score, is_bad) {
                Verdict::For => pair.first += 1,
                Verdict::Against => pair.second += 1,
                Verdict::Tie => pair.ties += 1,
                Verdict::Bad => pair.both_bad += 1,
                Verdict::Graded => {
                    pair.graded += 1;
                    // Scores are quarters and halves, so sums are exact in any order.
                    pair.graded_sum += score;
                }
            }
        }
        (totals, arms, pairs)
    }
}

#[derive(Clone, Copy)]
enum Verdict {
    For,
    Against,
    Tie,
    Bad,
    Graded,
}

impl Verdict {
    fn of(score: f64, is_bad: bool) -> Self {
        match score {
            _ if is_bad => Self::Bad,
            1.0 => Self::For,
            -1.0 => Self::Against,
            0.0 => Self::Tie,
            _ => Self::Graded,
        }
    }
}
