//! Requests for duels, answers and imported votes.

use tiltyard_wire as wire;

use crate::app::Problem;
use crate::domain::{
    Answer, AnswerRequest, ClickRequest, Clicked, ImportRequest, InterleaveRequest, IssueRequest, Lists,
    ListsRequest, MergeOptions, NewVote, RankRequest, RankedVote, Ranking, Refusal, SlateRequest,
};
use crate::time::{Time, TimeError};

/// Why a body of valid JSON cannot be converted.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(in crate::http) enum BodyError {
    #[error("give `outcome` or `score`, but not both")]
    OutcomeOrScore,
    #[error("give `clicks` or `documents`, but not both")]
    ClicksOrDocuments,
    #[error("give `ranking` or `best`, but not both")]
    RankingOrBest,
    #[error(
        "give `left` and `right` with an outcome, or `ranking`, or `best` with `of`; only the first may have a `propensity`"
    )]
    PairOrRanking,
    #[error(transparent)]
    Time(#[from] TimeError),
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error("votes[{at}]: {error}")]
    InVote { at: usize, error: Box<BodyError> },
}

impl From<BodyError> for Problem {
    fn from(error: BodyError) -> Self {
        match error {
            BodyError::Refused(refusal) => refusal.into(),
            error => Self::invalid(error.to_string()),
        }
    }
}

fn time(text: Option<String>) -> Result<Option<Time>, TimeError> {
    text.map(|time| time.parse()).transpose()
}

impl From<wire::DuelsBody> for IssueRequest {
    fn from(body: wire::DuelsBody) -> Self {
        let wire::DuelsBody { client_id, count, distinct, context } = body;
        Self { count: count.unwrap_or(1), distinct, client: client_id, context }
    }
}

impl From<wire::SlateBody> for SlateRequest {
    fn from(wire::SlateBody { size, client_id, context }: wire::SlateBody) -> Self {
        Self { size, client: client_id, context }
    }
}

impl From<wire::InterleaveBody> for InterleaveRequest {
    fn from(body: wire::InterleaveBody) -> Self {
        let wire::InterleaveBody { client_id, context, method, length, lists } = body;
        Self { client: client_id, context, options: MergeOptions { method, length }, lists: lists.map(Lists) }
    }
}

impl From<wire::ListsBody> for ListsRequest {
    fn from(wire::ListsBody { lists, method, length }: wire::ListsBody) -> Self {
        Self { lists: Lists(lists), options: MergeOptions { method, length } }
    }
}

pub(in crate::http) fn clicks(body: wire::ClicksBody) -> Result<ClickRequest, BodyError> {
    let clicked = match (body.clicks, body.documents) {
        (Some(positions), None) => Clicked::Positions(positions),
        (None, Some(documents)) => Clicked::Documents(documents),
        _ => return Err(BodyError::ClicksOrDocuments),
    };
    Ok(ClickRequest { clicked, voter: body.voter, said: time(body.time)? })
}

pub(in crate::http) fn answer(body: wire::OutcomeBody) -> Result<AnswerRequest, BodyError> {
    let answer = match (body.outcome, body.score) {
        (Some(word), None) => match word {
            wire::Outcome::Left => Answer::Left,
            wire::Outcome::Right => Answer::Right,
            wire::Outcome::Tie => Answer::Tie,
            wire::Outcome::BothBad => Answer::BothBad,
            wire::Outcome::Skip => Answer::Skip,
        },
        (None, Some(score)) => Answer::score(score).map_err(|_| Refusal::Score { score })?,
        _ => return Err(BodyError::OutcomeOrScore),
    };
    Ok(AnswerRequest { answer, voter: body.voter, said: time(body.time)? })
}

/// An answer as an outcome; none for a ranking, which is not an outcome of two arms.
pub(in crate::http) fn outcome(answer: Answer) -> Option<wire::AnswerView> {
    Some(wire::AnswerView::Word(match answer {
        Answer::Left => wire::Outcome::Left,
        Answer::Right => wire::Outcome::Right,
        Answer::Tie => wire::Outcome::Tie,
        Answer::BothBad => wire::Outcome::BothBad,
        Answer::Skip => wire::Outcome::Skip,
        Answer::Score(outcome) => return Some(wire::AnswerView::Score(outcome.score())),
        Answer::Ranking => return None,
    }))
}

/// The tiers of a ranking. The arms of a tier are equally good.
fn tiers(ranking: Vec<wire::Rank>) -> Vec<Vec<String>> {
    let tier = |rank| match rank {
        wire::Rank::One(name) => vec![name],
        wire::Rank::Tied(names) => names,
    };
    ranking.into_iter().map(tier).collect()
}

pub(in crate::http) fn rank(body: wire::RankingBody) -> Result<RankRequest, BodyError> {
    let ranking = match (body.ranking, body.best) {
        (Some(ranking), None) => Ranking::Order(tiers(ranking)),
        (None, Some(best)) => Ranking::Best(best),
        _ => return Err(BodyError::RankingOrBest),
    };
    Ok(RankRequest { ranking, voter: body.voter, said: time(body.time)? })
}

pub(in crate::http) fn import(body: wire::VotesBody) -> Result<ImportRequest, BodyError> {
    let wire::VotesBody { client_id, source, votes } = body;
    let mut all = Vec::new();
    for (at, vote) in votes.into_iter().enumerate() {
        all.extend(pairs(vote).map_err(|error| match error {
            BodyError::Refused(wrong) => Refusal::InVote { at, wrong: Box::new(wrong) }.into(),
            error => BodyError::InVote { at, error: Box::new(error) },
        })?);
    }
    Ok(ImportRequest { client: client_id, source, votes: all })
}

/// Splits a vote into votes on two arms.
fn pairs(vote: wire::VoteInput) -> Result<Vec<NewVote>, BodyError> {
    let wire::VoteInput {
        left,
        right,
        outcome,
        score,
        voter,
        time: said,
        weight,
        propensity,
        ranking,
        best,
        of,
    } = vote;
    let is_pair = left.is_some() || right.is_some() || outcome.is_some() || score.is_some();
    let ranked = match (ranking, best, of) {
        (None, None, None) => {
            let said = answer(wire::OutcomeBody { outcome, score, voter, time: said })?;
            let (left, right) = left.zip(right).ok_or(BodyError::PairOrRanking)?;
            let AnswerRequest { answer, voter, said } = said;
            return Ok(vec![NewVote { left, right, answer, weight, voter, said, propensity }]);
        }
        (Some(ranking), None, None) => RankedVote::order(tiers(ranking)),
        (None, Some(best), Some(of)) => RankedVote::best(best, of),
        _ => return Err(BodyError::PairOrRanking),
    };
    if is_pair || propensity.is_some() {
        return Err(BodyError::PairOrRanking);
    }
    Ok(RankedVote { weight, voter, said: time(said)?, ..ranked }.votes()?)
}
