"""The types of requests and responses.

Written by `cargo xtask docs` (python/wire.py) from docs/openapi.json.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, TypeAlias, TypedDict

from ._errors import ArenaError, error_of
from ._inputs import Ranks, Time

__all__ = [
    "Aa",
    "Activation",
    "Alarms",
    "Answer",
    "Apprentice",
    "ApprenticeArm",
    "Arm",
    "ArmInput",
    "ArmStanding",
    "DamagedExperiment",
    "Digest",
    "Done",
    "Drift",
    "Duel",
    "DuelState",
    "Effect",
    "Estimate",
    "Evaluation",
    "Event",
    "Experiment",
    "ExperimentList",
    "Health",
    "History",
    "Import",
    "Interleaving",
    "Key",
    "Late",
    "Listed",
    "NewKey",
    "OffPolicyEstimate",
    "Outcome",
    "OutcomeInput",
    "OutcomeResult",
    "PairStanding",
    "Problem",
    "Propensity",
    "Ranking",
    "Rating",
    "Ratings",
    "Scope",
    "Segment",
    "SegmentArm",
    "SegmentList",
    "Settings",
    "SettingsInput",
    "SideBias",
    "Sides",
    "Slate",
    "Standing",
    "Status",
    "Stop",
    "Totals",
    "Verdict",
    "Voided",
    "VoteInput",
    "Voter",
    "VoterList",
    "VotesNeeded",
]

#: When the time for answering a duel starts.
Activation: TypeAlias = Literal["issue", "shown"]

#: Whether this request or an earlier one had the effect.
Done: TypeAlias = Literal["recorded", "already"]

#: What to do with an outcome that arrives after its duel has expired.
Late: TypeAlias = Literal["accept", "refuse"]

#: The outcome of a duel as a word.
Outcome: TypeAlias = Literal["left", "right", "tie", "both_bad", "skip"]

#: What a key allows.
Scope: TypeAlias = Literal["admin", "writer", "voter", "reader"]

#: Whether an experiment issues duels and accepts outcomes.
Status: TypeAlias = Literal["running", "paused", "closed"]

#: What to do when there is a verdict.
Stop: TypeAlias = Literal["never", "pause"]

#: An outcome: a word or a score.
Answer: TypeAlias = Outcome | float


class _ArmInputRequired(TypedDict):
    #: The arm's name in the API, unique within the experiment.
    name: str


class ArmInput(_ArmInputRequired, total=False):
    """An arm with a label and a payload."""

    #: The text shown to people instead of the name.
    label: str | None
    #: Anything needed to show the arm, at most 64 KiB. It is returned with each duel.
    payload: Any


class _OutcomeInputRequired(TypedDict):
    #: The id of the duel.
    duel: str


class OutcomeInput(_OutcomeInputRequired, total=False):
    """The outcome of one of several duels: either a word or a score.

    An invalid outcome is refused without affecting the others.
    """

    #: The outcome as a word.
    outcome: Outcome | None
    #: The outcome as a score from -1 (right is better) to 1 (left is better).
    score: float | None
    #: When the vote was given, by your clock, in the format of RFC 3339.
    time: Time | None
    #: Your id for the voter, 1 to 200 characters.
    voter: str | None


class SettingsInput(TypedDict, total=False):
    """Settings of a new experiment. A setting that is left out has its default."""

    #: The share of interleavings of a ranker with itself, to check for side bias. Default: 0.
    aa: float | None
    #: When the time until expiry starts. Default: `issue`.
    activation: Activation | None
    #: The confidence that a verdict needs. Default: 0.95.
    confidence: float | None
    #: Whether the two arms of a duel must be different. Default: true if the policy supports it.
    distinct: bool | None
    #: The number of seconds after which a duel expires. Default: 86400 (24 hours).
    expires_after: int | None
    #: The share of duels that are drawn uniformly and never learned from. Default: 0.
    holdout: float | None
    #: The expected total number of votes, for policies that need it.
    horizon: int | None
    #: Whether to accept outcomes of expired duels. Default: `accept`.
    late: Late | None
    #: The largest difference in win probability that does not matter. Default: none.
    margin: float | None
    #: The most duels in flight. Default: 100000.
    max_in_flight: int | None
    #: What to do once there is a verdict. Default: `never`.
    stop: Stop | None
    #: The most votes from one voter. Default: no limit.
    voter_votes: int | None
    #: The most votes from one voter per minute. Default: no limit.
    voter_votes_per_minute: int | None


class VoteInput(TypedDict, total=False):
    """A vote to import.

    A vote on two arms has an outcome or a score. A vote on several arms has a ranking or the
    best arm.
    """

    #: The best of the n arms in `of`. This is a vote against each of the others, with weight 1 / (n
    #: - 1).
    best: str | None
    #: The arm that was shown on the left.
    left: str | None
    #: From 2 to 20 arms that were shown together, including the best one.
    of: Sequence[str] | None
    #: The outcome as a word, but not `skip`.
    outcome: Outcome | None
    #: The probability with which the pair was drawn, above 0 and at most 1.
    propensity: float | None
    #: From 2 to 20 arms that were shown together, best first. An inner list holds arms that are
    #: equally good. Each of the n (n - 1) / 2 pairs counts as one of the 1000 votes and has weight
    #: 1 / (n - 1).
    ranking: Ranks | None
    #: The arm that was shown on the right.
    right: str | None
    #: The outcome as a score from -1 (right is better) to 1 (left is better).
    score: float | None
    #: When the vote was given.
    time: Time | None
    #: Your id for the voter.
    voter: str | None
    #: The weight of the vote, above 0 and at most 1. Default: 1. A smaller weight moves the vote
    #: towards a tie: a win of weight 0.5 counts as a score of 0.5.
    weight: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Aa:
    """The results of interleaving rankers with themselves."""

    #: The left side earned more credit.
    left: int
    #: The right side earned more credit.
    right: int
    #: Both sides earned the same credit.
    ties: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Alarms:
    """Warnings that the votes may be misleading."""

    #: Whether voters favour a side. A fair coin decides the sides, so that without such a bias each
    #: side gets half of the votes.
    side: SideBias
    #: Pairs whose preference seems to have changed, at most 100 of them. Verdicts assume that
    #: preferences do not change.
    drift: tuple[Drift, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Apprentice:
    """A policy that learns from the duels of the policy in charge without drawing any itself."""

    #: The policy.
    policy: str
    #: The log position after which it starts learning.
    began: int
    #: The number of outcomes that it has learned from.
    lessons: int
    #: The arm that the apprentice recommends now.
    recommended: str
    #: The arm that the policy in charge recommends now.
    recommended_by_policy: str
    #: The arms that it would show most often, at most 100. Empty if the apprentice does not know
    #: its probabilities.
    arms: tuple[ApprenticeArm, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprenticeArm:
    """How often an apprentice would show an arm."""

    #: The arm's name in the API.
    name: str
    #: The probability that the apprentice would put the arm into a slot of the next duel.
    probability: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """An arm."""

    #: The position of the arm in the order in which arms were added, counted from 0.
    index: int
    #: The arm's name in the API.
    name: str
    #: Whether the arm is retired: the experiment no longer proposes it.
    retired: bool
    #: The text shown to people instead of the name.
    label: str | None = None
    #: Anything needed to show the arm.
    payload: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmList:
    """A page of arms."""

    #: The arms, in the order in which they were added.
    arms: tuple[Arm, ...]
    #: Pass this as `from` to get the next page. Absent on the last page.
    next: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmStanding:
    """The standing of an arm."""

    #: The position of the arm in the order in which arms were added, counted from 0.
    index: int
    #: The arm's name in the API.
    name: str
    #: Whether the arm is retired: the experiment no longer proposes it.
    retired: bool
    #: The probability that the policy puts the arm into a slot of the next duel, before equal arms
    #: are excluded and without held-out duels; None if the policy does not know it.
    probability: float | None
    #: The mean probability of winning against another arm, without retired arms.
    borda: Estimate
    #: The number of arms that it beats, without retired arms.
    copeland: Estimate
    #: Duels issued with this arm.
    duels: int
    #: Duels with this arm that are in flight.
    in_flight: int
    #: Votes for this arm.
    wins: int
    #: Votes for the other arm.
    losses: int
    #: Votes that both arms are equally good.
    ties: int
    #: Votes that both arms are equally bad.
    both_bad: int
    #: Graded votes: their score is not -1, 0 or 1.
    graded: int
    #: Outcomes of duels of this arm with itself.
    self_duels: int
    #: Skipped duels.
    skipped: int
    #: Voided duels.
    voided: int
    #: Duels that expired without an outcome.
    unanswered: int
    #: Duels that expired without being shown, if the setting `activation` is `shown`.
    never_shown: int
    #: The text shown to people instead of the name.
    label: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DamagedExperiment:
    """An experiment whose data is damaged."""

    #: The id of the experiment.
    id: str
    #: The number of records before the damage.
    sound: int
    #: What is damaged, and where.
    damage: str
    #: Its name, if that can still be read.
    name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Digest:
    """A fingerprint of an experiment's state."""

    #: The last log position that the state includes.
    seq: int
    #: The SHA-256 of the state. Folding the same log always gives the same digest.
    digest: str
    #: The hash of the record at `seq`. Each record's hash also covers the record before it, so that
    #: this hash stands for the whole log.
    head: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DoneView:
    """The effect of the request is durable."""

    #: Whether this request or an earlier one had the effect.
    status: Done


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """A pair whose preference seems to have changed."""

    #: The arm that was added first.
    first: str
    #: The other arm.
    second: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Duel:
    """A duel to show."""

    #: The id of the duel. Anyone who has this id and a key can answer the duel.
    id: str
    #: The arm to show on the left.
    left: str
    #: The arm to show on the right.
    right: str
    #: The probability with which the duel was drawn.
    propensity: Propensity
    #: Whether the duel was drawn uniformly and the policy will not learn from it.
    holdout: bool
    #: When the duel expires.
    expires_at: datetime
    #: Whether the duel is of a ranker with itself, to check that nothing favours a side.
    aa: bool = False
    #: The two arms with their labels and payloads. Absent if the arms have only names.
    arms: Sides | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DuelList:
    """A list of duels."""

    #: The duels.
    duels: tuple[Duel, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """The verdict with or without some votes."""

    #: The arm shown to beat every other arm; None until the votes show one.
    leader: str | None
    #: The arm that is ahead for now, which may be by chance.
    front_runner: str | None
    #: How many more votes would probably make the front runner the leader.
    votes_needed: VotesNeeded | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """An estimate with its confidence interval, at the experiment's confidence unless stated
    otherwise.
    """

    #: The estimate; None without votes.
    estimate: float | None
    #: The lower limit of the interval.
    low: float
    #: The upper limit of the interval.
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """An estimate of what a target would have scored."""

    #: The evaluated policy or arm.
    target: str
    #: The opponent.
    against: str
    #: The result as a sentence.
    words: str
    #: The confidence of the intervals.
    confidence: float
    #: The number of votes that were used.
    duels: int
    #: The number of votes that could not be used, because the probability of their pair is unknown
    #: or because not every pair could be drawn.
    unusable: int
    #: How many votes on duels drawn by the target itself would carry the same information.
    effective_sample_size: float
    #: The largest weight of a vote.
    largest_weight: float
    #: How much of the target's possible pairs the log covers: about 1 if it covers all of them,
    #: less otherwise.
    support: float
    #: Estimates of the mean score against the opponent, from -1 (always loses) to 1 (always wins).
    estimates: tuple[OffPolicyEstimate, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """An event of a log. Fields that do not belong to its type are absent."""

    #: The position in the log.
    seq: int
    #: When the event was recorded.
    at: datetime
    #: The type of the event.
    type: Literal[
        "created",
        "status",
        "arms_added",
        "arm_retired",
        "arm_restored",
        "duel",
        "shown",
        "answered",
        "voided",
        "expired",
        "interleaved",
        "imported",
        "import_voided",
        "apprentice",
        "extended",
    ]
    #: Whether the duel is of a ranker with itself, to check that nothing favours a side.
    aa: bool | None = None
    #: Whether the list is the list of one ranker alone.
    alone: bool | None = None
    #: What happened to the apprentice.
    apprentice: Literal["began", "dismissed", "took_over"] | None = None
    #: The arm that was retired or restored.
    arm: str | None = None
    #: The arms of the new experiment, or the arms that were added.
    arms: tuple[str, ...] | None = None
    #: True if the status changed because of a verdict, as the setting `stop` demands.
    by_verdict: bool | None = None
    #: The clicked positions in the merged list, counted from 1, if the outcome comes from clicks.
    clicks: tuple[int, ...] | None = None
    #: The client's id for the request, on the first of its duels or on its import.
    client_id: str | None = None
    #: The data that the caller stored with the duel.
    context: Any = None
    #: The merged list, best first.
    documents: tuple[str, ...] | None = None
    #: The duel, by the log position at which it was issued.
    duel: int | None = None
    #: When the duel expires.
    expires_at: datetime | None = None
    #: By how many seconds the time of all duels in flight was extended, because the server was down
    #: or its clock jumped forward.
    extended_by: float | None = None
    #: Whether the duel was drawn uniformly and the policy does not learn from it.
    holdout: bool | None = None
    #: The import that was voided, by its log position.
    import_: int | None = None
    #: Whether the outcome arrived after the duel had expired.
    late: bool | None = None
    #: The arm that was shown on the left.
    left: str | None = None
    #: The number of records that followed here and were lost by damage.
    lost: int | None = None
    #: The method of merging.
    method: str | None = None
    #: The name of the new experiment.
    name: str | None = None
    #: The outcome, from the viewpoint of the left arm. For a voided duel, the outcome that no
    #: longer counts.
    outcome: Answer | None = None
    #: The policy of the new experiment or of the apprentice.
    policy: str | None = None
    #: The probability with which the duel was drawn.
    propensity: Propensity | None = None
    #: The answer to a slate. For a voided slate, the answer that no longer counts.
    ranked: Ranking | None = None
    #: The arm that was shown on the right.
    right: str | None = None
    #: All arms of a slate, in the order in which they are shown.
    slate: tuple[str, ...] | None = None
    #: The source of the imported votes.
    source: str | None = None
    #: The new status of the experiment.
    status: Status | None = None
    #: When the vote was given, by the caller's clock.
    time: datetime | None = None
    #: The voter.
    voter: str | None = None
    #: The number of votes that were imported, or voided with their import.
    votes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """An experiment."""

    #: The id of the experiment.
    id: str
    #: The name of the experiment.
    name: str
    #: Whether the experiment issues duels and accepts outcomes.
    status: Status
    #: When the experiment was created.
    created_at: datetime
    #: The policy in charge.
    policy: str
    #: The version of the policy's updates with which the log was written.
    policy_version: int
    #: The settings of the experiment.
    settings: Settings
    #: The number of arms, including retired ones.
    n_arms: int
    #: The last position in the experiment's log.
    seq: int
    #: The experiment's counts.
    totals: Totals


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentList:
    """A page of experiments."""

    #: The experiments, ordered by id.
    experiments: tuple[Experiment, ...]
    #: All experiments whose data is damaged. They are not in `experiments`, and answer no other
    #: requests.
    damaged: tuple[DamagedExperiment, ...] | None = None
    #: Pass this as `after` to get the next page. Absent on the last page.
    next: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """The server's state and version."""

    #: Always `ok`.
    status: str
    #: The server's version.
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """A page of an experiment's log."""

    #: The events, in order.
    events: tuple[Event, ...]
    #: What is damaged, if the log cannot be read to its end. The events before the damage are
    #: sound.
    damage: str | None = None
    #: Pass this as `after` to get the next page.
    next: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """An import of votes, done or voided."""

    #: Whether this request or an earlier one had the effect.
    status: Done
    #: The log position of the import. Use it to void the import.
    place: int
    #: The number of votes.
    votes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Interleaving:
    """A duel of rankers.

    It does not say which ranker contributed which document, because the person who clicks must
    not know.
    """

    #: The duel.
    duel: Duel
    #: The rankers to run: two, or one if both sides are the same ranker.
    run: tuple[str, ...]
    #: Whether one ranker serves the list alone. Clicks are accepted but compare nothing.
    alone: bool
    #: The documents to show, best first. Absent until the lists are merged.
    list: tuple[Listed, ...] | None = None
    #: The method of merging. Absent until the lists are merged.
    method: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A key, without its secret."""

    #: The id of the key.
    id: str
    #: What the key allows.
    scope: Scope
    #: When the key was created.
    created_at: datetime
    #: The only experiment for which the key is valid. Absent if it is valid for all.
    experiment: str | None = None
    #: When the key expires.
    expires_at: datetime | None = None
    #: Whose key it is, in your own words.
    label: str | None = None
    #: When the key was revoked.
    revoked_at: datetime | None = None
    #: If this key is a session of the pages: the id of the key with which the person signed in.
    session_of: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyList:
    """A list of all keys."""

    #: The keys.
    keys: tuple[Key, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A document of a merged list."""

    #: The position in the list, counted from 1.
    position: int
    #: The document's id, as the rankers gave it.
    document: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NewKey:
    """A new key."""

    #: The id of the key.
    id: str
    #: The key itself. It is shown only this once.
    key: str = field(repr=False)
    #: What the key allows.
    scope: Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class OffPolicyEstimate:
    """An estimate of a mean score."""

    #: `ips` (inverse propensity scores), `snips` (self-normalised) or `dr` (doubly robust).
    method: str
    #: Whether the interval holds for every number of votes. Otherwise it holds only in the limit of
    #: many votes.
    exact: bool
    #: The estimate.
    value: float
    #: The lower limit of the interval.
    low: float
    #: The upper limit of the interval.
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeResult:
    """The result for one of several outcomes."""

    #: The id of the duel.
    duel: str
    #: What happened to the outcome.
    status: Literal["recorded", "already", "refused", "unknown"]
    #: Why the outcome was refused, or why its result is unknown.
    problem: Problem | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeResults:
    """The results for several outcomes."""

    #: One result per outcome, in the same order.
    results: tuple[OutcomeResult, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairStanding:
    """The standing of a pair of arms."""

    #: The arm that was added first.
    first: str
    #: The other arm.
    second: str
    #: All votes on the pair.
    votes: int
    #: Votes for the first arm.
    first_wins: int
    #: Votes for the second arm.
    second_wins: int
    #: Votes that both arms are equally good.
    ties: int
    #: Votes that both arms are equally bad.
    both_bad: int
    #: Graded votes: their score is not -1, 0 or 1.
    graded: int
    #: The sum of the scores of graded votes, from the viewpoint of the first arm.
    graded_sum: float
    #: Duels of the pair that are in flight.
    in_flight: int
    #: The probability that the first arm is preferred. A tie counts half for each arm.
    rate: Estimate
    #: The arm shown to be better, at the experiment's confidence; None until the votes show one.
    better: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """An error."""

    #: The address of the page that explains the code.
    type: str
    #: What the code means.
    title: str
    #: The HTTP status of the response.
    status: int
    #: The code of the error: a fixed word on which programs can rely.
    code: str
    #: What went wrong in this request.
    detail: str
    #: How many seconds to wait before trying again.
    retry_after: int | None = None

    def error(self) -> ArenaError:
        """Returns the problem as an exception."""
        return error_of(self.code, self.detail, self.status, self.retry_after)


@dataclass(frozen=True, slots=True, kw_only=True)
class Propensity:
    """The probability with which a duel was drawn.

    In addition, a fair coin decides which arm is shown on which side.
    """

    #: The probability of the left arm in the slot for which it was drawn, before equal arms were
    #: excluded; None if unknown.
    left: float | None
    #: The probability of the right arm in the slot for which it was drawn, before equal arms were
    #: excluded; None if unknown.
    right: float | None
    #: The probability of this pair in the order in which it was drawn, given whether it was held
    #: out; None if unknown.
    pair: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """The answer to a slate."""

    #: All arms, best first. Arms that are equally good share an inner list.
    ranking: tuple[tuple[str, ...], ...] | None = None
    #: The best arm.
    best: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """An arm on the scale."""

    #: The arm's name in the API.
    name: str
    #: The natural logarithm of the arm's strength. The mean over all arms is 0.
    rating: float
    #: The rating on the Elo scale, where 400 points are odds of 10 to 1. The mean is 1500.
    elo: float
    #: The lower limit of the rating; None unless the status is `rated`.
    low: float | None
    #: The upper limit of the rating; None unless the status is `rated`.
    high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratings:
    """Arms on one scale."""

    #: Whether the arms can be put on one scale.
    status: Literal["rated", "contradicted", "without_limits", "apart", "unbeaten"]
    #: The status as a sentence.
    words: str
    #: The confidence of all limits together and at all times, if the model holds.
    confidence: float
    #: The arms that are not retired, best first. Empty if the arms have no common scale.
    arms: tuple[Rating, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A segment of an experiment."""

    #: The value of the key; None for duels whose context has no such value.
    value: str | None
    #: The number of votes that count as evidence.
    votes: int
    #: The arm shown to beat every other arm in this segment. The experiment's confidence holds for
    #: this segment alone.
    leader: str | None
    #: The leader if the experiment's confidence must hold for all segments together. Use this one
    #: to search for a segment that has a leader.
    leader_together: str | None
    #: The arm that is ahead for now, which may be by chance.
    front_runner: str | None
    #: The arms in the order in which they were added, at most `limit` of them.
    arms: tuple[SegmentArm, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentArm:
    """An arm in a segment."""

    #: The arm's name in the API.
    name: str
    #: Votes on this arm and another one.
    votes: float
    #: Votes for this arm.
    wins: float
    #: Votes for the other arm.
    losses: float
    #: The mean probability of winning against another arm.
    borda: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentList:
    """The segments of an experiment."""

    #: The id of the experiment.
    experiment: str
    #: The confidence with which a leader is named.
    confidence: float
    #: The number of segments.
    n_segments: int
    #: Whether the key has too many values. If so, the values that appeared last are counted
    #: together with the duels that have no value.
    lumped: bool
    #: The segments. Those with the most votes come first.
    segments: tuple[Segment, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of an experiment."""

    #: Whether the two arms of a duel must be different.
    distinct: bool
    #: The share of duels that are drawn uniformly and never learned from.
    holdout: float
    #: The share of interleavings of a ranker with itself.
    aa: float
    #: The number of seconds after which a duel expires.
    expires_after: int
    #: Whether to accept outcomes of expired duels.
    late: Late
    #: When the time until expiry starts.
    activation: Activation
    #: The expected total number of votes.
    horizon: int | None
    #: The most votes from one voter.
    voter_votes: int | None
    #: The most votes from one voter per minute.
    voter_votes_per_minute: int | None
    #: The most duels in flight.
    max_in_flight: int
    #: The confidence that a verdict needs.
    confidence: float
    #: The largest difference in win probability that does not matter.
    margin: float | None
    #: What to do once there is a verdict.
    stop: Stop


@dataclass(frozen=True, slots=True, kw_only=True)
class SideBias:
    """Whether voters favour a side."""

    #: Whether voters favour a side, with 99 % confidence at all times.
    alarm: bool
    #: The share of votes for the left arm among the votes for either arm, with an interval of 99 %
    #: confidence.
    left: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """A value for each side."""

    #: An arm.
    left: Arm
    #: An arm.
    right: Arm


@dataclass(frozen=True, slots=True, kw_only=True)
class Slate:
    """Arms to show together."""

    #: The id of the slate, which is the id of a duel. Anyone who has this id and a key can rank the
    #: slate.
    id: str
    #: The arms, in the order in which to show them.
    arms: tuple[str, ...]
    #: Whether the slate was drawn uniformly and the policy will not learn from it.
    holdout: bool
    #: When the slate expires.
    expires_at: datetime
    #: The arms with their labels and payloads, in the same order. Absent if the arms have only
    #: names.
    details: tuple[Arm, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The standing of an experiment: its counts, scores and verdict."""

    #: The id of the experiment.
    experiment: str
    #: The last log position that this standing includes.
    seq: int
    #: The number of outcomes that count.
    votes: int
    #: The experiment's counts.
    totals: Totals
    #: The arm shown to beat every other arm, at the experiment's confidence; None until the votes
    #: show one.
    leader: str | None
    #: The verdict so far.
    verdict: Verdict
    #: Warnings that the votes may be misleading.
    alarms: Alarms
    #: The arm that the policy recommends now. This is not a verdict: the policy recommends an arm
    #: from the first vote on.
    recommended: str
    #: A page of arms, in the order in which they were added.
    arms: tuple[ArmStanding, ...]
    #: A page of the pairs that were compared.
    pairs: tuple[PairStanding, ...]
    #: Pass this as `arms_from` to get the next page of arms. Absent on the last page.
    arms_next: int | None = None
    #: Pass this as `pairs_after` to get the next page of pairs. Absent on the last page.
    pairs_next: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """The counts of an experiment."""

    #: Duels issued.
    duels: int
    #: Duels in flight: issued, and neither answered, expired nor voided.
    in_flight: int
    #: Outcomes that count: all except skipped and voided ones.
    votes: int
    #: Votes for the arm on the left.
    left: int
    #: Votes for the arm on the right.
    right: int
    #: Votes that both arms are equally good.
    ties: int
    #: Votes that both arms are equally bad.
    both_bad: int
    #: Graded votes: their score is not -1, 0 or 1.
    graded: int
    #: Votes on held-out duels.
    holdout: int
    #: Votes that arrived after their duel had expired.
    late: int
    #: Skipped duels.
    skipped: int
    #: Voided duels.
    voided: int
    #: Duels that expired without an outcome.
    unanswered: int
    #: Duels that expired without being shown, if the setting `activation` is `shown`.
    never_shown: int
    #: The results of interleaving a ranker with itself. They do not count as votes, and the policy
    #: does not learn from them.
    aa: Aa
    #: Votes that were imported.
    imported: int
    #: Ranked slates. Each pair that a ranking decides counts as one of `votes`, graded by its
    #: weight.
    rankings: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The verdict so far.

    Its confidence holds no matter how often you look and what the policy does.
    """

    #: Whether there is a verdict.
    status: Literal["undecided", "leader", "good_enough"]
    #: The verdict as a sentence.
    words: str
    #: The confidence of a verdict, set for the experiment.
    confidence: float
    #: The largest difference in the probability of winning that does not matter.
    margin: float | None
    #: The arm that is ahead for now, which may be by chance.
    front_runner: str | None
    #: Arms shown to be worse than no other arm by more than the margin, at most 100 of them.
    good_enough: tuple[str, ...]
    #: How many more votes would probably make the front runner the leader; None if it leads already
    #: or if that cannot be predicted.
    votes_needed: VotesNeeded | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Voided:
    """The votes that were voided or would be voided."""

    #: The number of matching votes that were not voided before.
    found: int
    #: The number of votes voided by this request.
    voided: int
    #: The verdict with these votes.
    before: Effect
    #: The verdict without them.
    after: Effect


@dataclass(frozen=True, slots=True, kw_only=True)
class Voter:
    """How a voter votes compared with the others."""

    #: The voter's id.
    voter: str
    #: The number of votes that count.
    votes: int
    #: Votes for the arm on the left.
    left: int
    #: Votes for the arm on the right.
    right: int
    #: Votes that can be compared: votes other than ties, on pairs for which enough other voters
    #: preferred an arm.
    compared: float
    #: The share of the compared votes that agree with the majority of the others; None if no vote
    #: can be compared.
    agreement: float | None
    #: The agreement expected of someone who votes like the others; None if no vote can be compared.
    expected: float | None
    #: `agreement` minus `expected`, in standard deviations; None if no vote can be compared.
    deviation: float | None
    #: How the voter stands out; None if nothing stands out. With 99 % confidence, no voter at all
    #: is flagged wrongly.
    stands_out: Literal["against", "careless", "one_sided"] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class VoterList:
    """The voters of an experiment."""

    #: The id of the experiment.
    experiment: str
    #: The number of voters.
    n_voters: int
    #: The number of votes without a voter.
    nameless: int
    #: The voters. Those who stand out most come first.
    voters: tuple[Voter, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class VotesNeeded:
    """How many more votes would probably decide."""

    #: If all of them compare the front runner with the arms that it does not lead yet.
    at_best: int
    #: If votes keep being spread over the pairs as they have been so far.
    as_so_far: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DuelState(Duel):
    """A duel with its status and its answer."""

    #: The status of the duel.
    status: Literal["open", "answered", "expired", "voided"]
    #: The outcome, from the viewpoint of the left arm.
    outcome: Answer | None = None
    #: The answer to the slate.
    ranked: Ranking | None = None
    #: If the duel is a slate: all its arms, in the order in which they are shown.
    slate: tuple[str, ...] | None = None
