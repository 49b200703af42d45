"""What goes into requests: dictionaries as the API has them, with their keys and types.

Times are `datetime` with a time zone, or text as RFC 3339 has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal, TypeAlias, TypedDict

__all__ = [
    "Activation",
    "Answer",
    "ArmInput",
    "Late",
    "Outcome",
    "OutcomeInput",
    "Ranks",
    "Scope",
    "SettingsInput",
    "Stop",
    "Time",
    "VoteInput",
]

#: The outcome of a duel in a word.
Outcome: TypeAlias = Literal["left", "right", "tie", "both_bad", "skip"]

#: A word, or how much better the left one is, from -1 to 1.
Answer: TypeAlias = Outcome | float

#: From when on a duel is waited for.
Activation: TypeAlias = Literal["issue", "shown"]

#: What becomes of an outcome that comes after its duel has expired.
Late: TypeAlias = Literal["accept", "refuse"]

#: What to do once there is a verdict.
Stop: TypeAlias = Literal["never", "pause"]

#: What a key is good for.
Scope: TypeAlias = Literal["admin", "writer", "voter", "reader"]

#: Arms best first; a sequence within it holds arms that are equally good.
Ranks: TypeAlias = Sequence[str | Sequence[str]]

#: A moment.
Time: TypeAlias = datetime | str


class _ArmName(TypedDict):
    name: str


class ArmInput(_ArmName, total=False):
    """An arm with a label that people are shown instead of its name, and whatever is needed to show it."""

    label: str | None
    payload: Any


class SettingsInput(TypedDict, total=False):
    """Settings of an experiment; what is left out has its default. `docs/arena.md` says what they mean."""

    aa: float | None
    activation: Activation | None
    confidence: float | None
    distinct: bool | None
    expires_after: int | None
    holdout: float | None
    horizon: int | None
    late: Late | None
    margin: float | None
    max_in_flight: int | None
    stop: Stop | None
    voter_votes: int | None
    voter_votes_per_minute: int | None


class _DuelName(TypedDict):
    duel: str


class OutcomeInput(_DuelName, total=False):
    """The outcome of one of several duels: a word or a score, not both."""

    outcome: Outcome | None
    score: float | None
    voter: str | None
    time: Time | None


class VoteInput(TypedDict, total=False):
    """A vote that was given elsewhere.

    Of two arms, ``left`` and ``right`` with an ``outcome`` or a ``score``; of several, a ``ranking``, or the
    ``best`` with all ``of`` them.
    """

    left: str | None
    right: str | None
    outcome: Outcome | None
    score: float | None
    ranking: Ranks | None
    best: str | None
    of: Sequence[str] | None
    weight: float | None
    propensity: float | None
    voter: str | None
    time: Time | None
