"""What the votes say: standings, pairs, ratings, segments, voters, evaluations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ._types import Totals

__all__ = [
    "Alarms",
    "ArmStanding",
    "Drift",
    "Effect",
    "Estimate",
    "Evaluation",
    "OffPolicyEstimate",
    "PairStanding",
    "Rating",
    "Ratings",
    "Segment",
    "SegmentArm",
    "SegmentList",
    "SideBias",
    "Standing",
    "Verdict",
    "Voided",
    "Voter",
    "VoterList",
    "VotesNeeded",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A number, and the range in which it lies with the confidence of the experiment."""

    #: The best guess; None without votes.
    estimate: float | None
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmStanding:
    """Where an arm stands."""

    name: str
    #: Its place in the order of coming in, from 0.
    index: int
    retired: bool
    #: That the policy puts it into a slot of the next duel; None where it cannot tell.
    probability: float | None
    #: The mean probability of winning against another arm.
    borda: Estimate
    #: How many arms it beats.
    copeland: Estimate
    duels: int
    in_flight: int
    wins: int
    losses: int
    ties: int
    both_bad: int
    graded: int
    #: Outcomes of duels with itself.
    self_duels: int
    skipped: int
    voided: int
    unanswered: int
    never_shown: int
    label: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairStanding:
    """The votes of a pair of arms."""

    #: The one that came in first.
    first: str
    second: str
    votes: int
    first_wins: int
    second_wins: int
    ties: int
    both_bad: int
    graded: int
    #: The sum of those scores, from the first one's viewpoint.
    graded_sum: float
    in_flight: int
    #: The probability that the first is preferred; a tie is half of each.
    rate: Estimate
    #: The one that is better, with the confidence of the experiment; None until the votes show it.
    better: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class VotesNeeded:
    """How many more votes would likely decide."""

    #: If votes go to pairs as they have so far.
    as_so_far: int
    #: If all of them are of pairs of the front runner that are not decided yet.
    at_best: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the votes say so far. It holds however often one looks, and whatever the policy does."""

    status: Literal["undecided", "leader", "good_enough"]
    #: In a sentence.
    words: str
    confidence: float
    margin: float | None
    #: The arm that is ahead for now, however little that means.
    front_runner: str | None
    #: Arms that are worse than none of the others by more than the margin.
    good_enough: tuple[str, ...]
    votes_needed: VotesNeeded | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """A pair whose preference seems to have changed."""

    first: str
    second: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SideBias:
    """Whether people favour a side."""

    alarm: bool
    #: The share of votes for what is shown on the left, among votes for a side.
    left: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Alarms:
    """Signs that the votes cannot be taken at their word."""

    drift: tuple[Drift, ...]
    side: SideBias


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where an experiment stands.

    Of many arms and pairs it has some: `arm_standings` and `pairs` go through all.
    """

    experiment: str
    #: The last place of its log that is in this.
    seq: int
    votes: int
    totals: Totals
    #: The arm that is better than every other, with the confidence of the experiment; None until the votes
    #: show it.
    leader: str | None
    #: The arm that the policy would bet on now. That is no verdict: it is there from the first vote on.
    recommended: str
    verdict: Verdict
    alarms: Alarms
    arms: tuple[ArmStanding, ...]
    pairs: tuple[PairStanding, ...]
    arms_next: int | None = None
    pairs_next: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """An arm on the scale."""

    name: str
    #: The natural logarithm of its strength; all of them have mean 0.
    rating: float
    #: None where limits mean nothing.
    low: float | None
    high: float | None
    #: The same on the scale of Elo, with the mean 1500.
    elo: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratings:
    """Arms on one scale (Bradley-Terry), or why that cannot be."""

    status: Literal["rated", "contradicted", "without_limits", "apart", "unbeaten"]
    words: str
    confidence: float
    #: Arms that are not retired, best first; none if there is no scale.
    arms: tuple[Rating, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentArm:
    """An arm in a segment."""

    name: str
    votes: float
    wins: float
    losses: float
    borda: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A part of an experiment."""

    #: The value of the key; None for duels whose context does not have it.
    value: str | None
    votes: int
    #: With the confidence of the experiment for this segment alone.
    leader: str | None
    #: With that confidence for all segments together: whoever looks for a segment with a leader must look
    #: here.
    leader_together: str | None
    front_runner: str | None
    arms: tuple[SegmentArm, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentList:
    """Parts of an experiment, those with the most votes first."""

    experiment: str
    confidence: float
    n_segments: int
    #: Whether the key has too many values, so that those that came up last are counted with those that have
    #: none.
    lumped: bool
    segments: tuple[Segment, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Voter:
    """How a voter votes beside the others."""

    voter: str
    votes: int
    left: int
    right: int
    #: Votes that can be compared with what enough others said.
    compared: float
    #: The share of those that agree with the majority of the others.
    agreement: float | None
    #: The share that someone who votes like the others would have.
    expected: float | None
    #: By how many standard deviations that is off.
    deviation: float | None
    stands_out: Literal["against", "careless", "one_sided"] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class VoterList:
    """Voters of an experiment, those who stand out most first."""

    experiment: str
    n_voters: int
    #: Votes that name no voter.
    nameless: int
    voters: tuple[Voter, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What the verdict is with or without some votes."""

    leader: str | None
    front_runner: str | None
    votes_needed: VotesNeeded | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Voided:
    """Votes that were voided, or would be."""

    #: How many votes the voter has that are not voided.
    found: int
    #: How many were voided now.
    voided: int
    before: Effect
    after: Effect


@dataclass(frozen=True, slots=True, kw_only=True)
class OffPolicyEstimate:
    """An estimate of a mean score."""

    #: `ips`, `snips` or `dr`.
    method: str
    value: float
    low: float
    high: float
    #: Whether its interval holds for every number of votes, or in the limit only.
    exact: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """What a policy or an arm would have scored."""

    target: str
    against: str
    #: In a sentence.
    words: str
    confidence: float
    #: Of the mean score against the opponent, from -1 (always loses) to 1 (always wins).
    estimates: tuple[OffPolicyEstimate, ...]
    #: Votes that were used.
    duels: int
    #: Votes that say nothing about other play.
    unusable: int
    effective_sample_size: float
    largest_weight: float
    #: Which part of what the target could meet the log has shown; about 1 if all of it.
    support: float
