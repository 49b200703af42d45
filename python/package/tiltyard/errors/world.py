"""What worlds, matrices, click models and interleaving refuse."""

from __future__ import annotations

from tiltyard.errors.base import TiltyardError


class MatrixError(TiltyardError, ValueError):
    """Why numbers are no preference matrix."""


class MatrixNoArms(MatrixError):
    """No arms at all."""


class MatrixWrongLength(MatrixError):
    """Too few or too many entries for this number of arms."""

    n_arms: int
    got: int


class MatrixRaggedRow(MatrixError):
    """A row that is longer or shorter than there are rows."""

    row: int
    expected: int
    got: int


class MatrixNotFinite(MatrixError):
    """NaN or infinity."""

    row: int
    column: int
    value: float


class MatrixOutOfRange(MatrixError):
    """A number below 0 or above 1."""

    row: int
    column: int
    value: float


class MatrixDiagonal(MatrixError):
    """A diagonal entry that is not 1/2."""

    row: int
    value: float


class MatrixAsymmetric(MatrixError):
    """Two entries about the same pair that contradict each other."""

    row: int
    column: int
    value: float
    mirrored: float


class SubmatrixError(TiltyardError, ValueError):
    """Why a list of arms has no submatrix."""


class SubmatrixNoArms(SubmatrixError):
    """No arms were asked for."""


class SubmatrixOutOfRange(SubmatrixError):
    """An arm that the matrix does not have."""

    arm: int
    n_arms: int


class SubmatrixRepeated(SubmatrixError):
    """An arm listed twice."""

    arm: int


class SubmatrixTooMany(SubmatrixError):
    """More arms were asked for than there are."""

    wanted: int
    n_arms: int


class ReadMatrixError(TiltyardError, ValueError):
    """Why no matrix could be read from a path."""


class ReadMatrixUnknownExtension(ReadMatrixError):
    """The file's name does not say what is in it."""

    path: str


class ReadMatrixUnreadable(ReadMatrixError, OSError):
    """The file cannot be read at all."""

    path: str


class ParseMatrixError(TiltyardError, ValueError):
    """Why the contents of a file are no preference matrix."""


class ParseMatrixEmpty(ParseMatrixError):
    """There are no numbers in it."""


class ParseMatrixNotANumber(ParseMatrixError):
    """A field that is not a number."""

    line: int
    column: int
    text: str


class ParseMatrixRaggedRow(ParseMatrixError):
    """A row that is longer or shorter than the first."""

    line: int
    expected: int
    got: int


class ParseMatrixNotSquare(ParseMatrixError):
    """More or fewer rows than columns."""

    rows: int
    columns: int


class ParseMatrixTooManyArms(ParseMatrixError):
    """More than [`MAX_ARMS`]."""

    n_arms: int


class ParseMatrixNpy(ParseMatrixError):
    """A `.npy` file that cannot be understood."""


class ParseMatrixMatrix(ParseMatrixError):
    """Numbers in a square that are no preference matrix."""

    line: int | None


class WorldError(TiltyardError, ValueError):
    """Why there is no such world."""


class WorldUnknown(WorldError):
    """Neither a built-in world nor a file."""

    name: str
    suggestion: str | None


class WorldUnknownWrapper(WorldError):
    """A wrapper that there is none of."""

    name: str
    text: str
    suggestion: str | None


class WorldWrapperTwice(WorldError):
    """A wrapper given twice."""

    name: str
    text: str


class WorldWrapperOrder(WorldError):
    """A wrapper in the wrong place."""

    name: str
    text: str


class WorldNotAMatrix(WorldError):
    """Something is done to a world that takes a matrix."""

    text: str
    action: str


class WorldTooManySegments(WorldError):
    """More segments than rounds, or than anybody needs."""

    segments: int
    most: int


class WorldNoVotesFile(WorldError):
    """Replay of nothing."""


class WorldVotes(WorldError):
    """A file of votes was refused."""


class WorldSegments(WorldError):
    """A file of segments was refused."""


class WorldNoUtilitiesFile(WorldError):
    """Utilities from nowhere."""


class WorldUtilities(WorldError):
    """A file of utilities was refused."""


class WorldTooShort(WorldError):
    """Fewer rows than rounds."""

    file: str
    n_rows: int
    rounds: int


class WorldRankers(WorldError):
    """Rankers that cannot rank."""


class WorldReplay(WorldError):
    """Votes that make no world."""

    file: str


class RegretError(TiltyardError, ValueError):
    """A regret that has no meaning in a world."""


class RegretNoUtilities(RegretError):
    """Bandit regret in a world of preferences."""

    regret: str


class ClickError(TiltyardError, ValueError):
    """Why there is no such click model."""


class ClickUnknown(ClickError):
    """No model has this name."""

    name: str
    suggestion: str | None
    known: list[str]


class ClickMissing(ClickError):
    """A parameter that has no default."""

    key: str


class ClickNotAProbability(ClickError):
    """A part of a list of probabilities that is none."""

    key: str
    value: str


class ClickLengths(ClickError):
    """Lists of probabilities that do not match."""

    click: int
    stop: int


class ClickNoSetting(ClickError):
    """The literature has no numbers for these grades."""

    user: str
    largest: int


class ClickGradeOutside(ClickError):
    """A grade for which no number was given."""

    largest: int
    n_grades: int


class InterleavingError(TiltyardError, ValueError):
    """Why a text names no method."""


class InterleavingUnknown(InterleavingError):
    """There is no such method."""

    name: str
    suggestion: str | None
    known: list[str]


class UnknownRegret(TiltyardError, ValueError):
    """A word that names no regret."""

    name: str
    suggestion: str | None


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
