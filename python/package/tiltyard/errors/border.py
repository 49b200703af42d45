"""What the package itself refuses, before the engine is asked or after it has answered."""

from tiltyard.errors.base import TiltyardError
from tiltyard.errors.engine import MatrixError, PlayError, RestoreError, TicketError, UpdateError

__all__ = [
    "ClickOutside",
    "DoesNotFit",
    "FigureKind",
    "IncrementNotFinite",
    "IncrementTooLarge",
    "IncrementsLength",
    "InternalError",
    "JobNeedsDirectory",
    "JobNoShards",
    "JobStopped",
    "MatrixRowNames",
    "MatrixShape",
    "MergedMalformed",
    "NamesLength",
    "NoMatrix",
    "NoSuchArm",
    "NoSuchShard",
    "NoSuchTies",
    "NotAPolicy",
    "NotCapable",
    "PlayOtherArms",
    "PlayPolicyTwice",
    "PolicyMisbehaved",
    "RestoreMalformed",
    "TicketMalformed",
    "TooFewArms",
    "UpdateLengths",
]


class TicketMalformed(TicketError):
    """A text that is no ticket."""


class UpdateLengths(UpdateError):
    """Not as many outcomes as tickets."""

    tickets: int
    outcomes: int


class RestoreMalformed(RestoreError):
    """A text that is no saved policy."""


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


class NamesLength(TiltyardError, ValueError):
    """Not as many names as arms."""

    got: int
    expected: int


class NoMatrix(TiltyardError, ValueError):
    """A world that is no preference matrix, where one is needed."""

    world: str


class MatrixShape(MatrixError):
    """An array that is not two-dimensional and square."""

    shape: list[int]


class MatrixRowNames(MatrixError):
    """A DataFrame whose rows are called otherwise than its columns, or stand in another order."""

    rows: list[str]
    columns: list[str]


class ClickOutside(TiltyardError, IndexError):
    """A click where no document is."""

    position: int
    length: int


class MergedMalformed(TiltyardError, ValueError):
    """A text that is no merged list."""


class JobNeedsDirectory(TiltyardError, ValueError):
    """To go on with a job one must know where it is."""


class JobNoShards(TiltyardError, ValueError):
    """A job cut into fewer parts than one."""

    shards: int


class FigureKind(TiltyardError, ValueError):
    """The name of a file does not say what kind of figure to draw."""

    path: str


class PlayPolicyTwice(PlayError):
    """Two policies of one name: nobody could tell their results apart."""

    policy: str


class PlayOtherArms(PlayError):
    """A policy was made for another number of arms than the world has."""

    policy: str
    arms: int
    n_arms: int


class InternalError(TiltyardError, RuntimeError):
    """A bug of the package, or a machine that gives no more threads."""


class JobStopped(TiltyardError, RuntimeError):
    """A job that was stopped before its end; what was finished is kept."""

    done: int
    total: int


class PolicyMisbehaved(TiltyardError, TypeError):
    """A policy written in Python proposed something that is no pair of arms."""


class NotAPolicy(TiltyardError, TypeError):
    """Something that cannot play: no specification, no policy and no contender."""


class NoSuchShard(TiltyardError, ValueError):
    """A part of a job that there is not."""

    index: int
    count: int
