"""The types that travel between a client and an arena.

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
    "Health",
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

#: From when on a duel is waited for.
Activation: TypeAlias = Literal["issue", "shown"]

#: Whether it was done now or before.
Done: TypeAlias = Literal["recorded", "already"]

#: What becomes of an outcome that comes after the duel has expired.
Late: TypeAlias = Literal["accept", "refuse"]

#: The outcome of a duel in a word.
Outcome: TypeAlias = Literal["left", "right", "tie", "both_bad", "skip"]

#: What a key is good for.
Scope: TypeAlias = Literal["admin", "writer", "voter", "reader"]

#: Whether an experiment issues duels.
Status: TypeAlias = Literal["running", "paused", "closed"]

#: What to do once there is a verdict.
Stop: TypeAlias = Literal["never", "pause"]

#: An outcome: a word or a score.
Answer: TypeAlias = Outcome | float


class _ArmInputRequired(TypedDict):
    #: How the API calls it; no two arms of an experiment share a name.
    name: str


class ArmInput(_ArmInputRequired, total=False):
    """An arm with a label and a payload."""

    #: What people are shown instead.
    label: str | None
    #: Whatever is needed to show it; handed out with each duel, at most 64 KiB.
    payload: Any


class _OutcomeInputRequired(TypedDict):
    #: The duel.
    duel: str


class OutcomeInput(_OutcomeInputRequired, total=False):
    """The outcome of one of several duels: a word or a score, not both.

    One that breaks the rules is refused on its own.
    """

    #: The outcome in a word.
    outcome: Outcome | None
    #: How much better the left one is, from -1 to 1.
    score: float | None
    #: When that was, by your clock, as RFC 3339 has it.
    time: Time | None
    #: Who says so: 1 to 200 characters.
    voter: str | None


class SettingsInput(TypedDict, total=False):
    """Settings; what is left out has its default."""

    #: The share of interleavings that are of a ranker with itself, to check that nothing favours a
    #: side; 0.
    aa: float | None
    #: From when on a duel is waited for; `issue`.
    activation: Activation | None
    #: How sure a verdict must be; 0.95.
    confidence: float | None
    #: Whether both arms of a duel must be different; true if the policy can do that.
    distinct: bool | None
    #: After how many seconds a duel is given up; 86400, a day.
    expires_after: int | None
    #: The share of duels that are drawn uniformly and never learned from; 0.
    holdout: float | None
    #: How many votes are expected in all, for policies that must know.
    horizon: int | None
    #: What becomes of outcomes that come later; `accept`.
    late: Late | None
    #: Differences up to this do not matter, in the probability of winning a duel; none.
    margin: float | None
    #: The most duels in flight; 100000.
    max_in_flight: int | None
    #: What to do once there is a verdict; `never`.
    stop: Stop | None
    #: The most votes of one voter; no limit.
    voter_votes: int | None
    #: The most votes of one voter within a minute; no limit.
    voter_votes_per_minute: int | None


class VoteInput(TypedDict, total=False):
    """A vote that was given elsewhere: of two arms a word or a score, not both; of several a
    ranking, or the best of them.
    """

    #: The best of the arms in `of`: a vote against each of the others, of weight 1 / (n - 1).
    best: str | None
    #: The arm that was shown on the left.
    left: str | None
    #: From 2 to 20 arms that were shown together, the best one among them.
    of: Sequence[str] | None
    #: The outcome in a word; not `skip`.
    outcome: Outcome | None
    #: How likely the pair was where it was drawn, above 0 and at most 1.
    propensity: float | None
    #: From 2 to 20 arms that were shown together, best first; a list within it holds arms that are
    #: equally good. Each of the n (n - 1) / 2 pairs is one of the 1000 votes, of weight 1 / (n -
    #: 1).
    ranking: Ranks | None
    #: The arm that was shown on the right.
    right: str | None
    #: How much better the left one is, from -1 to 1.
    score: float | None
    #: When that was.
    time: Time | None
    #: Who said so.
    voter: str | None
    #: How much it counts, above 0 and at most 1; 1. Less moves the vote towards a tie: a win of
    #: weight 0.5 counts as a score of 0.5.
    weight: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Aa:
    """How rankers fared against themselves."""

    #: The left one earned more.
    left: int
    #: The right one earned more.
    right: int
    #: Both earned the same.
    ties: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Alarms:
    """Signs that the votes cannot be taken at their word."""

    #: Whether people favour a side. Sides are tossed, so that without a favourite either gets half
    #: of the votes.
    side: SideBias
    #: Pairs whose preference seems to have changed: verdicts are for preferences that stay. Some of
    #: them, if many.
    drift: tuple[Drift, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Apprentice:
    """A policy that learns in the shadow of the present one."""

    #: The policy.
    policy: str
    #: The place of the log from behind which on it learns.
    began: int
    #: How many outcomes it has learned from.
    lessons: int
    #: The arm that it would bet on now.
    recommended: str
    #: The arm that the present policy would bet on now.
    recommended_by_policy: str
    #: The arms that it would show most, at most 100; empty where the policy cannot tell.
    arms: tuple[ApprenticeArm, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprenticeArm:
    """How often an apprentice would show an arm."""

    #: How the API calls it.
    name: str
    #: The probability that it would put it into a slot of the next duel.
    probability: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """An arm."""

    #: Its place in the order of coming in, from 0.
    index: int
    #: How the API calls it.
    name: str
    #: Whether it is no longer proposed.
    retired: bool
    #: What people are shown instead.
    label: str | None = None
    #: Whatever is needed to show it.
    payload: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmList:
    """Some arms."""

    #: The arms, in the order of coming in.
    arms: tuple[Arm, ...]
    #: What to pass as `from` for more.
    next: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmStanding:
    """Where an arm stands."""

    #: Its place in the order of coming in, from 0.
    index: int
    #: How the API calls it.
    name: str
    #: Whether it is no longer proposed.
    retired: bool
    #: The probability that the policy puts it into a slot of the next duel, before equal arms are
    #: excluded and without duels that are held out; None where the policy cannot tell.
    probability: float | None
    #: The mean probability of winning against another arm that is not retired.
    borda: Estimate
    #: How many arms that are not retired it beats.
    copeland: Estimate
    #: Duels issued.
    duels: int
    #: Duels that wait for an outcome.
    in_flight: int
    #: Votes for it.
    wins: int
    #: Votes for the other.
    losses: int
    #: Equally good.
    ties: int
    #: Equally bad.
    both_bad: int
    #: Scores that are neither win, loss nor tie.
    graded: int
    #: Outcomes of duels with itself.
    self_duels: int
    #: Duels that were skipped.
    skipped: int
    #: Duels that were voided.
    voided: int
    #: Duels that expired without an outcome.
    unanswered: int
    #: Duels that expired without being shown, where that is minded.
    never_shown: int
    #: What people are shown instead.
    label: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Digest:
    """A fingerprint of an experiment's state."""

    #: The last place of the log that is in it.
    seq: int
    #: SHA-256 of the state. Whoever folds the same log has the same.
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DoneView:
    """It is durable."""

    #: Whether it was done now or before.
    status: Done


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """A pair whose preference seems to have changed."""

    #: The one that came in first.
    first: str
    #: The other.
    second: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Duel:
    """A duel to be shown."""

    #: Its id. Whoever has it, and a key, can answer the duel.
    id: str
    #: The arm to be shown on the left.
    left: str
    #: The arm to be shown on the right.
    right: str
    #: How likely it was.
    propensity: Propensity
    #: Whether it was drawn uniformly and will not be learned from.
    holdout: bool
    #: When it is given up.
    expires_at: datetime
    #: True if it is of a ranker with itself, to check that nothing favours a side.
    aa: bool = False
    #: What is needed to show the arms, if more than their names was given.
    arms: Sides | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DuelList:
    """Duels."""

    #: The duels.
    duels: tuple[Duel, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What the verdict is with or without some votes."""

    #: The arm that is better than every other; None until the votes show it.
    leader: str | None
    #: The arm that is ahead for now, however little that means.
    front_runner: str | None
    #: How many more votes would likely make the front runner the leader.
    votes_needed: VotesNeeded | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A number, and the range in which it lies with the confidence of the experiment."""

    #: The best guess; None without votes.
    estimate: float | None
    #: The least it can be.
    low: float
    #: The most it can be.
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """What a target would have scored."""

    #: Who: a policy, or an arm.
    target: str
    #: Whom it meets.
    against: str
    #: The same in a sentence.
    words: str
    #: How sure the intervals are.
    confidence: float
    #: Votes that were used.
    duels: int
    #: Votes that say nothing about other play: the chance of their pair is not known, or not every
    #: pair had one.
    unusable: int
    #: How many votes on duels of the target's own would say as much.
    effective_sample_size: float
    #: The largest weight of a vote.
    largest_weight: float
    #: Which part of what the target could meet the log has shown; about 1 if all of it.
    support: float
    #: Estimates of the mean score against the opponent, from -1 (always loses) to 1 (always wins).
    estimates: tuple[OffPolicyEstimate, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What happened. What does not belong to its type is left out."""

    #: Its place in the log.
    seq: int
    #: When.
    at: datetime
    #: What kind of thing.
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
    ]
    #: Whether it is of a ranker with itself, to check that nothing favours a side.
    aa: bool | None = None
    #: Whether that is one ranker's own list.
    alone: bool | None = None
    #: What happened to the apprentice.
    apprentice: Literal["began", "dismissed", "took_over"] | None = None
    #: The arm that was retired or restored.
    arm: str | None = None
    #: The arms that came in.
    arms: tuple[str, ...] | None = None
    #: True if the status changed because there is a verdict, as the settings want it.
    by_verdict: bool | None = None
    #: What was clicked in the merged list, positions counted from 1, if the outcome is made of
    #: clicks.
    clicks: tuple[int, ...] | None = None
    #: The client's name for the request, on the first of its duels or on its votes.
    client_id: str | None = None
    #: What the caller wanted kept with it.
    context: Any = None
    #: The merged list, best first.
    documents: tuple[str, ...] | None = None
    #: The duel, by the place at which it was issued.
    duel: int | None = None
    #: When it is given up.
    expires_at: datetime | None = None
    #: Whether it was drawn uniformly and is not learned from.
    holdout: bool | None = None
    #: The import that was voided, by the place at which its votes had come in.
    import_: int | None = None
    #: Whether the outcome came after the duel had expired.
    late: bool | None = None
    #: The arm that was shown on the left.
    left: str | None = None
    #: How lists were merged.
    method: str | None = None
    #: What the experiment was called when it was made.
    name: str | None = None
    #: The outcome, from the viewpoint of what was shown on the left. Of a voided duel: the one that
    #: no longer counts.
    outcome: Answer | None = None
    #: The policy that the experiment was made with.
    policy: str | None = None
    #: How likely the duel was.
    propensity: Propensity | None = None
    #: What was said of a slate; for a voided one, what no longer counts.
    ranked: Ranking | None = None
    #: The arm that was shown on the right.
    right: str | None = None
    #: All arms of a slate, in the order in which they are shown.
    slate: tuple[str, ...] | None = None
    #: Where votes that came in are from.
    source: str | None = None
    #: Whether the experiment issues duels from now on.
    status: Status | None = None
    #: When that was, by the caller's clock.
    time: datetime | None = None
    #: Who said so.
    voter: str | None = None
    #: How many votes came in, or went out again.
    votes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """An experiment."""

    #: Its id.
    id: str
    #: What people call it.
    name: str
    #: Whether it issues duels.
    status: Status
    #: When it was made.
    created_at: datetime
    #: The policy.
    policy: str
    #: Which meaning of the policy's updates the log was written with.
    policy_version: int
    #: The settings in force.
    settings: Settings
    #: How many arms there are, retired ones included.
    n_arms: int
    #: The last place of its log.
    seq: int
    #: What was counted.
    totals: Totals


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentList:
    """Some experiments."""

    #: The experiments, by id.
    experiments: tuple[Experiment, ...]
    #: What to pass as `after` for more.
    next: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """The server lives."""

    #: `ok`.
    status: str
    #: The server's version.
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """Part of an experiment's log."""

    #: What happened, in order.
    events: tuple[Event, ...]
    #: What to pass as `after` for more.
    next: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """Votes that came in, or went out again."""

    #: Whether that was done now or before.
    status: Done
    #: The place of the import in the log; it can be voided by that.
    place: int
    #: How many votes they are.
    votes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Interleaving:
    """A duel of rankers.

    Which of them gave which document is not told: whoever clicks must not know.
    """

    #: The duel.
    duel: Duel
    #: The rankers to run; one if both sides are the same.
    run: tuple[str, ...]
    #: Whether one ranker serves alone: clicks are taken, and say nothing about anybody.
    alone: bool
    #: What to show, best first; not there yet if the lists were not.
    list: tuple[Listed, ...] | None = None
    #: How the lists were merged; not there yet if they were not.
    method: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A key, without its secret."""

    #: Its id.
    id: str
    #: What it is good for.
    scope: Scope
    #: When it was made.
    created_at: datetime
    #: The one experiment that it is good for.
    experiment: str | None = None
    #: From when on it is good for nothing.
    expires_at: datetime | None = None
    #: Whose it is.
    label: str | None = None
    #: When it was revoked.
    revoked_at: datetime | None = None
    #: The key with which someone signed in to the pages, if this is the session that began then.
    session_of: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyList:
    """All keys."""

    #: The keys.
    keys: tuple[Key, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A document of a merged list."""

    #: Its place, counted from 1.
    position: int
    #: What the rankers call it.
    document: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NewKey:
    """A key that was just made."""

    #: Its id.
    id: str
    #: The key itself. It is shown this once.
    key: str = field(repr=False)
    #: What it is good for.
    scope: Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class OffPolicyEstimate:
    """An estimate of a mean score."""

    #: `ips` (inverse propensity scores), `snips` (self-normalised) or `dr` (doubly robust).
    method: str
    #: Whether its interval holds for every number of votes, or in the limit only.
    exact: bool
    #: The estimate.
    value: float
    #: The least it can be.
    low: float
    #: The most it can be.
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeResult:
    """What became of one of several outcomes."""

    #: The duel.
    duel: str
    #: What became of it.
    status: Literal["recorded", "already", "refused", "unknown"]
    #: Why it was refused, or is not known.
    problem: Problem | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeResults:
    """What became of several outcomes, in their order."""

    #: One for each.
    results: tuple[OutcomeResult, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairStanding:
    """The votes of a pair of arms."""

    #: The one that came in first.
    first: str
    #: The other.
    second: str
    #: All votes of the pair.
    votes: int
    #: Votes for the first.
    first_wins: int
    #: Votes for the second.
    second_wins: int
    #: Equally good.
    ties: int
    #: Equally bad.
    both_bad: int
    #: Scores that are neither win, loss nor tie.
    graded: int
    #: The sum of those scores, from the first one's viewpoint.
    graded_sum: float
    #: Duels of the pair that wait for an outcome.
    in_flight: int
    #: The probability that the first is preferred; a tie is half of each.
    rate: Estimate
    #: The one that is better, with the confidence of the experiment; None until the votes show it.
    better: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """An error."""

    #: Where the code is explained.
    type: str
    #: What the code means.
    title: str
    #: The status of the response.
    status: int
    #: What went wrong, in a word that programs may rely on.
    code: str
    #: What went wrong, in words.
    detail: str
    #: After how many seconds it is worth trying again.
    retry_after: int | None = None

    def error(self) -> ArenaError:
        """The same as an exception."""
        return error_of(self.code, self.detail, self.status, self.retry_after)


@dataclass(frozen=True, slots=True, kw_only=True)
class Propensity:
    """How likely a duel was. Which arm is shown on which side is a fair coin on top of it."""

    #: The probability of the arm on the left in the slot that it was drawn for, before equal arms
    #: were excluded; None where it is not known.
    left: float | None
    #: The probability of the arm on the right in the slot that it was drawn for, before equal arms
    #: were excluded; None where it is not known.
    right: float | None
    #: The probability of this pair, in the order in which it was drawn, given whether it was held
    #: out; None where it is not known.
    pair: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """What was said of a slate."""

    #: All arms, best first; those that are equally good stand together.
    ranking: tuple[tuple[str, ...], ...] | None = None
    #: The best one.
    best: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """An arm on the scale."""

    #: How the API calls it.
    name: str
    #: The natural logarithm of its strength; all of them have mean 0.
    rating: float
    #: The same on the scale of Elo, on which 400 points are odds of 10 to 1; the mean is 1500.
    elo: float
    #: The least that the rating can be; None where limits mean nothing.
    low: float | None
    #: The most that it can be.
    high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratings:
    """Arms on one scale."""

    #: Whether there is such a scale.
    status: Literal["rated", "contradicted", "without_limits", "apart", "unbeaten"]
    #: The same in a sentence.
    words: str
    #: How sure the limits are, all of them together and at all times, if the model holds.
    confidence: float
    #: Arms that are not retired, best first; none if there is no scale.
    arms: tuple[Rating, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A part of an experiment."""

    #: The value of the key; None for duels whose context does not have it.
    value: str | None
    #: Votes that are evidence.
    votes: int
    #: The arm that is better than all others here, with the confidence of the experiment for this
    #: segment alone.
    leader: str | None
    #: The same, with that confidence for all segments together: whoever looks for a segment with a
    #: leader must look here.
    leader_together: str | None
    #: The arm that is ahead for now, however little that means.
    front_runner: str | None
    #: Its arms, in the order of coming in; some of them, if many.
    arms: tuple[SegmentArm, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentArm:
    """An arm in a segment."""

    #: How the API calls it.
    name: str
    #: Votes on it and another.
    votes: float
    #: Votes for it.
    wins: float
    #: Votes for the other.
    losses: float
    #: The mean probability of winning against another arm.
    borda: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentList:
    """Parts of an experiment."""

    #: The experiment.
    experiment: str
    #: How sure a leader is.
    confidence: float
    #: How many segments there are.
    n_segments: int
    #: Whether the key has too many values, so that those that came up last are counted with those
    #: that have none.
    lumped: bool
    #: The segments with the most votes.
    segments: tuple[Segment, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings in force."""

    #: Whether both arms of a duel must be different.
    distinct: bool
    #: The share of duels that are drawn uniformly and never learned from.
    holdout: float
    #: The share of interleavings that are of a ranker with itself.
    aa: float
    #: After how many seconds a duel is given up.
    expires_after: int
    #: What becomes of outcomes that come later.
    late: Late
    #: From when on a duel is waited for.
    activation: Activation
    #: How many votes are expected in all.
    horizon: int | None
    #: The most votes of one voter.
    voter_votes: int | None
    #: The most votes of one voter within a minute.
    voter_votes_per_minute: int | None
    #: The most duels in flight.
    max_in_flight: int
    #: How sure a verdict must be.
    confidence: float
    #: Differences up to this do not matter.
    margin: float | None
    #: What to do once there is a verdict.
    stop: Stop


@dataclass(frozen=True, slots=True, kw_only=True)
class SideBias:
    """Whether people favour a side."""

    #: Whether they do, with 99 % confidence at all times.
    alarm: bool
    #: The share of votes for what is shown on the left, among votes for a side.
    left: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """Something for either side."""

    #: An arm.
    left: Arm
    #: An arm.
    right: Arm


@dataclass(frozen=True, slots=True, kw_only=True)
class Slate:
    """Arms to be shown together."""

    #: The id of the duel that it is. Whoever has it, and a key, can rank the slate.
    id: str
    #: The arms, in the order in which they are to be shown.
    arms: tuple[str, ...]
    #: Whether it was drawn uniformly and will not be learned from.
    holdout: bool
    #: When it is given up.
    expires_at: datetime
    #: What is needed to show the arms, in the same order, if more than their names was given.
    details: tuple[Arm, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where an experiment stands."""

    #: The experiment.
    experiment: str
    #: The last place of its log that is in this.
    seq: int
    #: Outcomes that count.
    votes: int
    #: What was counted in all.
    totals: Totals
    #: The arm that is better than every other, with the confidence of the experiment; None until
    #: the votes show it.
    leader: str | None
    #: What the votes say.
    verdict: Verdict
    #: Signs that the votes cannot be taken at their word.
    alarms: Alarms
    #: The arm that the policy would bet on now. That is no verdict: it is there from the first vote
    #: on.
    recommended: str
    #: Some arms, in the order of coming in.
    arms: tuple[ArmStanding, ...]
    #: Some of the pairs that were compared.
    pairs: tuple[PairStanding, ...]
    #: What to pass as `arms_from` for more.
    arms_next: int | None = None
    #: What to pass as `pairs_after` for more.
    pairs_next: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """What was counted of an experiment."""

    #: Duels issued.
    duels: int
    #: Duels that wait for an outcome.
    in_flight: int
    #: Outcomes that count: all but skipped and voided ones.
    votes: int
    #: Votes for what was shown on the left.
    left: int
    #: Votes for what was shown on the right.
    right: int
    #: Equally good.
    ties: int
    #: Equally bad.
    both_bad: int
    #: Scores that are neither win, loss nor tie.
    graded: int
    #: Votes on duels that were held out.
    holdout: int
    #: Votes that came after expiry.
    late: int
    #: Duels that were skipped.
    skipped: int
    #: Duels that were voided.
    voided: int
    #: Duels that expired without an outcome.
    unanswered: int
    #: Duels that expired without being shown, where that is minded.
    never_shown: int
    #: How rankers fared against themselves. These are no votes, and nothing is learned from them.
    aa: Aa
    #: Votes that were given elsewhere and brought in.
    imported: int
    #: Slates that were ranked. Each pair that a ranking decides is one of `votes`, graded by its
    #: weight.
    rankings: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the votes say so far. It holds however often one looks, and whatever the policy does."""

    #: Whether there is one.
    status: Literal["undecided", "leader", "good_enough"]
    #: In a sentence.
    words: str
    #: How sure a verdict is.
    confidence: float
    #: Differences up to this do not matter.
    margin: float | None
    #: The arm that is ahead for now, however little that means.
    front_runner: str | None
    #: Arms that are worse than none of the others by more than the margin: some of them, if many.
    good_enough: tuple[str, ...]
    #: How many more votes would likely make the front runner the leader; None where that cannot be
    #: told.
    votes_needed: VotesNeeded | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Voided:
    """Votes that were voided, or would be."""

    #: How many votes the voter has that are not voided.
    found: int
    #: How many were voided now.
    voided: int
    #: The verdict with these votes.
    before: Effect
    #: The verdict without them.
    after: Effect


@dataclass(frozen=True, slots=True, kw_only=True)
class Voter:
    """How a voter votes beside the others."""

    #: The name.
    voter: str
    #: Votes that count.
    votes: int
    #: Votes for what was shown on the left.
    left: int
    #: Votes for what was shown on the right.
    right: int
    #: Votes that can be compared: not ties, on pairs of which enough others said which is better.
    compared: float
    #: The share of those that agree with the majority of the others; None if there are none.
    agreement: float | None
    #: The share that someone who votes like the others would have.
    expected: float | None
    #: By how many standard deviations that is off.
    deviation: float | None
    #: What stands out; None if nothing does. With 99 % confidence, nobody is taken for what they
    #: are not.
    stands_out: Literal["against", "careless", "one_sided"] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class VoterList:
    """Voters of an experiment."""

    #: The experiment.
    experiment: str
    #: How many voters there are.
    n_voters: int
    #: Votes that name no voter.
    nameless: int
    #: Those who stand out most, first.
    voters: tuple[Voter, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class VotesNeeded:
    """How many more votes would likely decide."""

    #: If all of them are of pairs of the front runner that are not decided yet.
    at_best: int
    #: If votes go to pairs as they have so far.
    as_so_far: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DuelState(Duel):
    """Where a duel stands."""

    #: Where it stands.
    status: Literal["open", "answered", "expired", "voided"]
    #: Its outcome, from the viewpoint of what was shown on the left.
    outcome: Answer | None = None
    #: What was said of the slate.
    ranked: Ranking | None = None
    #: All arms in the order in which they are shown, if it is a slate.
    slate: tuple[str, ...] | None = None
