"""What answers are made of: experiments, arms, duels, keys and what happened.

`_verdicts` has what the votes say.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeAlias

from ._errors import ArenaError, error_of
from ._inputs import Activation, Answer, Late, Scope, Stop

__all__ = [
    "Aa",
    "Apprentice",
    "ApprenticeArm",
    "Arm",
    "Digest",
    "Done",
    "Duel",
    "DuelState",
    "Event",
    "Experiment",
    "ExportedVote",
    "Health",
    "Import",
    "ImportReport",
    "Interleaving",
    "Key",
    "Listed",
    "NewKey",
    "OutcomeResult",
    "Problem",
    "Propensity",
    "Ranking",
    "Settings",
    "Sides",
    "Slate",
    "Status",
    "Totals",
]

#: Whether an experiment issues duels.
Status: TypeAlias = Literal["running", "paused", "closed"]

#: Whether something was done now or before.
Done: TypeAlias = Literal["recorded", "already"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """The server lives."""

    status: str
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DoneView:
    """It is durable."""

    status: Done


@dataclass(frozen=True, slots=True, kw_only=True)
class Aa:
    """How rankers fared against themselves."""

    left: int
    right: int
    ties: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """What was counted of an experiment."""

    duels: int
    in_flight: int
    #: Outcomes that count: all but skipped and voided ones.
    votes: int
    left: int
    right: int
    ties: int
    both_bad: int
    #: Scores that are neither win, loss nor tie.
    graded: int
    #: Votes on duels that were held out.
    holdout: int
    #: Votes that came after expiry.
    late: int
    skipped: int
    voided: int
    unanswered: int
    never_shown: int
    #: Votes that were given elsewhere and brought in.
    imported: int
    #: Slates that were ranked.
    rankings: int
    #: These are no votes, and nothing is learned from them.
    aa: Aa


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings in force."""

    aa: float
    activation: Activation
    confidence: float
    distinct: bool
    expires_after: int
    holdout: float
    horizon: int | None
    late: Late
    margin: float | None
    max_in_flight: int
    stop: Stop
    voter_votes: int | None
    voter_votes_per_minute: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """An experiment."""

    id: str
    name: str
    status: Status
    created_at: datetime
    policy: str
    #: Which meaning of the policy's updates the log was written with.
    policy_version: int
    #: How many arms there are, retired ones included.
    n_arms: int
    #: The last place of its log.
    seq: int
    settings: Settings
    totals: Totals


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentList:
    """Some experiments."""

    experiments: tuple[Experiment, ...]
    next: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Digest:
    """A fingerprint of an experiment's state: whoever folds the same log has the same."""

    digest: str
    seq: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """An arm."""

    name: str
    #: Its place in the order of coming in, from 0.
    index: int
    retired: bool
    #: What people are shown instead of the name.
    label: str | None = None
    #: Whatever is needed to show it.
    payload: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmList:
    """Some arms."""

    arms: tuple[Arm, ...]
    next: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprenticeArm:
    """How often an apprentice would show an arm."""

    name: str
    probability: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Apprentice:
    """A policy that learns in the shadow of the present one."""

    policy: str
    #: The place of the log from behind which on it learns.
    began: int
    #: How many outcomes it has learned from.
    lessons: int
    #: The arm that it would bet on now.
    recommended: str
    recommended_by_policy: str
    #: The arms that it would show most, at most 100; none where it cannot tell.
    arms: tuple[ApprenticeArm, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Propensity:
    """How likely a duel was; None where that is not known.

    Which arm is on which side is a fair coin on top of it.
    """

    #: The probability of the arm on the left in the slot that it was drawn for, before equal arms were
    #: excluded.
    left: float | None
    right: float | None
    #: The probability of the pair, in the order in which it was drawn, given whether it was held out.
    pair: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """An arm for either side."""

    left: Arm
    right: Arm


@dataclass(frozen=True, slots=True, kw_only=True)
class Duel:
    """A duel to be shown."""

    id: str
    left: str
    right: str
    propensity: Propensity
    #: Whether it was drawn uniformly and will not be learned from.
    holdout: bool
    expires_at: datetime
    #: What is needed to show the arms, if more than their names was given.
    arms: Sides | None = None
    #: Whether it is of a ranker with itself.
    aa: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DuelList:
    """Duels."""

    duels: tuple[Duel, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """What was said of a slate: a ranking of all arms, or the best."""

    ranking: tuple[tuple[str, ...], ...] | None = None
    best: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DuelState(Duel):
    """Where a duel stands."""

    status: Literal["open", "answered", "expired", "voided"]
    outcome: Answer | None = None
    #: All arms of a slate, in the order in which they are shown.
    slate: tuple[str, ...] | None = None
    ranked: Ranking | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Why one of several outcomes was refused, or is not known."""

    code: str
    status: int
    title: str
    detail: str
    type: str
    retry_after: int | None = None

    def error(self) -> ArenaError:
        """The same as an exception."""
        return error_of(self.code, self.detail, self.status, self.retry_after)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeResult:
    """What became of one of several outcomes. One that is `unknown` may be sent again: it counts once."""

    duel: str
    status: Literal["recorded", "already", "refused", "unknown"]
    problem: Problem | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeResults:
    """What became of several outcomes, in their order."""

    results: tuple[OutcomeResult, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A document of a merged list."""

    position: int
    document: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Interleaving:
    """A duel of rankers. Which of them gave which document is not told: whoever clicks must not know."""

    duel: Duel
    #: The rankers to run; one if both sides are the same.
    run: tuple[str, ...]
    #: Whether one ranker serves alone: clicks are taken, and say nothing about anybody.
    alone: bool
    #: What to show, best first; None if the lists were not there yet.
    list: tuple[Listed, ...] | None = None
    #: How the lists were merged.
    method: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Slate:
    """Arms to be shown together, in this order. Its id is that of a duel."""

    id: str
    arms: tuple[str, ...]
    holdout: bool
    expires_at: datetime
    #: What is needed to show the arms, in the same order, if more than their names was given.
    details: tuple[Arm, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """Votes that came in together, or went out again."""

    #: The place of the log at which they came in; they can be voided by that.
    place: int
    status: Done
    votes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """What became of votes that were brought in."""

    batches: tuple[Import, ...]
    #: Duels that were skipped, which are no votes.
    skipped: int

    @property
    def recorded(self) -> int:
        """How many votes came in now."""
        return sum(batch.votes for batch in self.batches if batch.status == "recorded")

    @property
    def already(self) -> int:
        """How many had come in before."""
        return sum(batch.votes for batch in self.batches if batch.status == "already")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedVote:
    """A vote that counts, with all that the log knows of it. `docs/import-export.md` has the columns."""

    seq: int
    duel: int | None
    recorded_at: datetime
    time: datetime | None
    left: str
    right: str
    outcome: Answer | None
    score: float
    weight: float
    voter: str | None
    pscore: float | None
    pscore_left: float | None
    pscore_right: float | None
    swapped: bool | None
    holdout: bool
    late: bool
    context: Any
    source: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What happened. What does not belong to its type is None."""

    #: Its place in the log.
    seq: int
    at: datetime
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
    #: The duel, by the place at which it was issued.
    duel: int | None = None
    left: str | None = None
    right: str | None = None
    propensity: Propensity | None = None
    holdout: bool | None = None
    aa: bool | None = None
    expires_at: datetime | None = None
    context: Any = None
    client_id: str | None = None
    #: From the viewpoint of what was shown on the left. Of a voided duel: the one that no longer counts.
    outcome: Answer | None = None
    late: bool | None = None
    voter: str | None = None
    #: When that was, by the caller's clock.
    time: datetime | None = None
    clicks: tuple[int, ...] | None = None
    documents: tuple[str, ...] | None = None
    method: str | None = None
    alone: bool | None = None
    slate: tuple[str, ...] | None = None
    ranked: Ranking | None = None
    #: The arm that was retired or restored.
    arm: str | None = None
    #: The arms that came in.
    arms: tuple[str, ...] | None = None
    name: str | None = None
    policy: str | None = None
    status: Status | None = None
    #: Whether the status changed because there is a verdict.
    by_verdict: bool | None = None
    apprentice: Literal["began", "dismissed", "took_over"] | None = None
    source: str | None = None
    #: How many votes came in, or went out again.
    votes: int | None = None
    #: The import that was voided, by the place at which its votes had come in.
    import_: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """Part of an experiment's log."""

    events: tuple[Event, ...]
    next: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A key, without its secret."""

    id: str
    scope: Scope
    created_at: datetime
    experiment: str | None = None
    expires_at: datetime | None = None
    label: str | None = None
    revoked_at: datetime | None = None
    #: The key with which someone signed in to the pages, if this is the session that began then.
    session_of: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyList:
    """All keys."""

    keys: tuple[Key, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewKey:
    """A key that was just made. It is shown this once."""

    id: str
    key: str
    scope: Scope

    def __repr__(self) -> str:
        # A secret does not belong into logs.
        return f"NewKey(id={self.id!r}, scope={self.scope!r})"
