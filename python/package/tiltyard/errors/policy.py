"""What policies and tickets refuse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiltyard.errors.base import TiltyardError

if TYPE_CHECKING:
    from tiltyard._native import Ticket


class SpecError(TiltyardError, ValueError):
    """A text that is no `name:key=value,key=value`."""


class SpecNoName(SpecError):
    """Nothing stands before the colon."""

    text: str


class SpecNoValue(SpecError):
    """A key without value, or a value without key."""

    text: str
    part: str


class SpecTwice(SpecError):
    """The same key again."""

    text: str
    key: str


class BuildError(TiltyardError, ValueError):
    """Why a policy could not be made."""


class BuildUnknownPolicy(BuildError):
    """No policy has that name."""

    name: str
    suggestion: str | None


class BuildContinuous(BuildError):
    """The name is that of a continuous policy, which has a contract of its own."""

    name: str


class BuildNotContinuous(BuildError):
    """The name is that of a policy over arms where a continuous one is needed."""

    name: str


class ParamError(TiltyardError, ValueError):
    """Why parameters were refused."""


class ParamTooManyArms(ParamError):
    """K so large that K^2 numbers are more than a policy should hold."""

    name: str
    n_arms: int
    most: int


class ParamNoArms(ParamError):
    """K = 0."""


class ParamNoRounds(ParamError):
    """T = 0."""


class ParamUnknownKey(ParamError):
    """A key nobody reads."""

    name: str
    key: str
    suggestion: str | None
    known: list[str]


class ParamNoSuchChoice(ParamError):
    """A word that is none of the choices."""

    key: str
    value: str
    suggestion: str | None
    choices: list[str]


class ParamNotANumber(ParamError):
    """A text that is no number."""

    key: str
    value: str


class ParamOutOfRange(ParamError):
    """A number outside its range."""

    key: str
    value: float
    range: str


class ParamNotWhole(ParamError):
    """A number that must be whole."""

    key: str
    value: float


class ParamNeedsHorizon(ParamError):
    """The value depends on a horizon that was not given."""

    name: str
    key: str


class ParamNoRound(ParamError):
    """The value depends on the current round where it must not."""

    key: str
    value: str


class ParamNotProportional(ParamError):
    """An anytime value that does not grow in proportion to the round."""

    key: str
    value: str


class ParamContradiction(ParamError):
    """Two keys that cannot be had together."""

    key: str
    value: str
    other: str


class ParamIdle(ParamError):
    """A key that has no effect beside the others."""

    spec: str
    key: str


class TicketError(TiltyardError, ValueError):
    """A ticket no policy can have issued."""


class TicketArmOutOfRange(TicketError):
    """The arm does not exist."""

    arm: int
    n_arms: int


class TicketNotAProbability(TicketError):
    """A rate or probability outside (0, 1]."""

    value: float


class UpdateError(TiltyardError, ValueError):
    """A ticket or outcome that this policy cannot learn from."""


class UpdateForeign(UpdateError):
    """The ticket was issued by another kind of policy."""

    policy: str
    draw: str


class UpdateNotBinary(UpdateError):
    """The policy counts wins and losses; ties are to be broken by a coin before."""

    score: float


class NoLesson(TiltyardError, ValueError):
    """Why there is no lesson in a duel."""


class LessonRefused(NoLesson):
    """The policy learns from its own duels only."""

    policy: str
    refusal: str


class LessonUnknownPropensity(NoLesson):
    """The chance of the pair is not known, and the policy divides by it."""

    policy: str


class LessonArmOutOfRange(NoLesson):
    """The arm does not exist."""

    arm: int
    n_arms: int


class LessonNotAProbability(NoLesson):
    """The chance of the pair is none."""

    value: float


class LessonRetired(NoLesson):
    """The policy has no chance to draw the arm, so that it would not have met the other one."""

    arm: int


class RestoreError(TiltyardError, ValueError):
    """Why a saved policy cannot go on."""


class RestoreFormat(RestoreError):
    """It was saved in a layout that this version does not know."""

    format: int


class RestoreState(RestoreError):
    """Its state is damaged."""

    text: str


class TicketMalformed(TicketError):
    """A text that is no ticket."""


class UpdateLengths(UpdateError):
    """Not as many outcomes as tickets."""

    tickets: int
    outcomes: int


class RestoreMalformed(RestoreError):
    """A text that is no saved policy."""


class OutcomeError(TiltyardError, ValueError):
    """Something that is no outcome of a duel."""

    score: float


class InFlight(TiltyardError, RuntimeError):
    """A sequential policy waits for an outcome."""

    ticket: Ticket


class NotCapable(TiltyardError, TypeError):
    """The policy cannot do that; `Policy.capabilities` tells what it can."""

    policy: str
    capability: str


class NoSuchArm(TiltyardError, IndexError):
    """The arm does not exist."""

    arm: int
    n_arms: int


class TooFewArms(TiltyardError, ValueError):
    """Fewer than two arms are left, and two different ones were asked for."""


class IncrementsLength(TiltyardError, ValueError):
    """Not as many increments as sums."""

    got: int
    expected: int


class IncrementNotFinite(TiltyardError, ValueError):
    """An increment that is NaN or infinite."""

    value: float


class IncrementTooLarge(TiltyardError, ValueError):
    """An increment that makes a sum larger than that of any run."""

    value: float


class DoesNotFit(TiltyardError, ValueError):
    """A number below 0, or larger than is possible here."""


class NoSuchTies(TiltyardError, ValueError):
    """`ties` is something else than `"refuse"` or `"coin"`."""

    value: str
