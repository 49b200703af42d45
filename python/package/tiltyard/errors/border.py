"""Exceptions that the Python package itself raises, rather than the engine."""

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
    """The text is not a valid ticket."""


class UpdateLengths(UpdateError):
    """The number of outcomes differs from the number of tickets."""

    tickets: int
    outcomes: int


class RestoreMalformed(RestoreError):
    """The text is not a valid saved policy."""


class NotCapable(TiltyardError, TypeError):
    """The policy lacks a capability; `Policy.capabilities` lists those it has."""

    policy: str
    capability: str


class NoSuchArm(TiltyardError, IndexError):
    """The arm does not exist."""

    arm: int
    n_arms: int


class TooFewArms(TiltyardError, ValueError):
    """A duel of two different arms was requested, but fewer than two arms are left."""


class IncrementsLength(TiltyardError, ValueError):
    """The number of increments differs from the number of sums."""

    got: int
    expected: int


class IncrementNotFinite(TiltyardError, ValueError):
    """An increment is NaN or infinite."""

    value: float


class IncrementTooLarge(TiltyardError, ValueError):
    """An increment makes a sum larger than any run can reach."""

    value: float


class DoesNotFit(TiltyardError, ValueError):
    """A number is negative or too large for this argument."""


class NoSuchTies(TiltyardError, ValueError):
    """`ties` is neither `"refuse"` nor `"coin"`."""

    value: str


class NamesLength(TiltyardError, ValueError):
    """The number of names differs from the number of arms."""

    got: int
    expected: int


class NoMatrix(TiltyardError, ValueError):
    """A preference matrix is needed, but the world does not have one."""

    world: str


class MatrixShape(MatrixError):
    """The array is not a square, two-dimensional array."""

    shape: list[int]


class MatrixRowNames(MatrixError):
    """The row names of a DataFrame differ from its column names, or are in a different order."""

    rows: list[str]
    columns: list[str]


class ClickOutside(TiltyardError, IndexError):
    """The position of a click is outside the list."""

    position: int
    length: int


class MergedMalformed(TiltyardError, ValueError):
    """The text is not a valid merged list."""


class JobNeedsDirectory(TiltyardError, ValueError):
    """The operation needs results in a permanent directory: pass `out` to `lab.run`."""


class JobNoShards(TiltyardError, ValueError):
    """The number of parts of a job is below 1."""

    shards: int


class FigureKind(TiltyardError, ValueError):
    """The ending of a file name is not a known kind of figure."""

    path: str


class PlayPolicyTwice(PlayError):
    """Two policies have the same name, so their results could not be told apart."""

    policy: str


class PlayOtherArms(PlayError):
    """A policy has a different number of arms than the world."""

    policy: str
    arms: int
    n_arms: int


class InternalError(TiltyardError, RuntimeError):
    """The package has a bug, or the system could not start a thread."""


class JobStopped(TiltyardError, RuntimeError):
    """The job was stopped before its end. Finished runs are kept."""

    done: int
    total: int


class PolicyMisbehaved(TiltyardError, TypeError):
    """A policy written in Python proposed something that is not a pair of arms."""


class NotAPolicy(TiltyardError, TypeError):
    """The value is neither a specification, a policy nor a contender."""


class NoSuchShard(TiltyardError, ValueError):
    """The part of a job does not exist."""

    index: int
    count: int
