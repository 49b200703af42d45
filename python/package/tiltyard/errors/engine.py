"""Errors of the engine: one class per variant.

Written by `cargo xtask docs` from the enums of the Rust library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiltyard.errors.base import TiltyardError

if TYPE_CHECKING:
    from tiltyard._native import Ticket

__all__ = [
    "BuildContinuous",
    "BuildError",
    "BuildNotContinuous",
    "BuildUnknownPolicy",
    "ClickError",
    "ClickGradeOutside",
    "ClickLengths",
    "ClickMissing",
    "ClickNoSetting",
    "ClickNotAProbability",
    "ClickUnknown",
    "EntryDimension",
    "EntryError",
    "EntryNotAdditive",
    "EntrySequential",
    "InFlight",
    "InterleavingError",
    "InterleavingUnknown",
    "JournalBusy",
    "JournalChanged",
    "JournalError",
    "JournalForeign",
    "JournalIo",
    "LessonArmOutOfRange",
    "LessonNotAProbability",
    "LessonRefused",
    "LessonRetired",
    "LessonUnknownPropensity",
    "MatrixAsymmetric",
    "MatrixDiagonal",
    "MatrixError",
    "MatrixNoArms",
    "MatrixNotFinite",
    "MatrixOutOfRange",
    "MatrixRaggedRow",
    "MatrixWrongLength",
    "MergeError",
    "MergeMissing",
    "MergeNone",
    "MergeNotEmpty",
    "MergeOtherCount",
    "MergeOtherSpecification",
    "MergeOtherVersion",
    "MergeOut",
    "MergeTwice",
    "NoLesson",
    "OutcomeError",
    "ParamContradiction",
    "ParamError",
    "ParamIdle",
    "ParamNeedsHorizon",
    "ParamNoArms",
    "ParamNoRound",
    "ParamNoRounds",
    "ParamNoSuchChoice",
    "ParamNotANumber",
    "ParamNotProportional",
    "ParamNotWhole",
    "ParamOutOfRange",
    "ParamTooManyArms",
    "ParamUnknownKey",
    "ParseMatrixEmpty",
    "ParseMatrixError",
    "ParseMatrixMatrix",
    "ParseMatrixNotANumber",
    "ParseMatrixNotSquare",
    "ParseMatrixNpy",
    "ParseMatrixRaggedRow",
    "ParseMatrixTooManyArms",
    "PlayError",
    "PlayNoPolicies",
    "PlayNoRounds",
    "PlayNoRuns",
    "PlayStopped",
    "PlayUnsorted",
    "PrepareError",
    "PrepareNoMatrix",
    "ReadMatrixError",
    "ReadMatrixUnknownExtension",
    "ReadMatrixUnreadable",
    "RegretError",
    "RegretNoUtilities",
    "RegretPoints",
    "RestoreError",
    "RestoreFormat",
    "RestoreState",
    "ResultsChanged",
    "ResultsError",
    "ResultsFormat",
    "ResultsManifest",
    "ResultsNoResults",
    "ResultsShard",
    "ResultsTable",
    "ResultsUnfinished",
    "ResultsUnreadable",
    "RunDirectory",
    "RunError",
    "RunFinished",
    "RunJobFile",
    "RunNotEmpty",
    "RunOtherShard",
    "RunOtherSpecification",
    "RunOtherVersion",
    "RunTable",
    "RunUnfinished",
    "RunWrite",
    "SessionArmOutOfRange",
    "SessionError",
    "SessionNoArms",
    "SessionNotPrompt",
    "SessionOver",
    "SpecError",
    "SpecNoName",
    "SpecNoValue",
    "SpecTwice",
    "SpecificationAlone",
    "SpecificationBeyond",
    "SpecificationError",
    "SpecificationNameOfSeveral",
    "SpecificationNoData",
    "SpecificationNoDirectory",
    "SpecificationNoPlace",
    "SpecificationNoPolicies",
    "SpecificationNoWorlds",
    "SpecificationNotWith",
    "SpecificationPolicy",
    "SpecificationPolicyText",
    "SpecificationPolicyTwice",
    "SpecificationRegret",
    "SpecificationToml",
    "SpecificationUnreadable",
    "SpecificationUnsorted",
    "SpecificationWorld",
    "SpecificationWorldTwice",
    "SubmatrixError",
    "SubmatrixNoArms",
    "SubmatrixOutOfRange",
    "SubmatrixRepeated",
    "SubmatrixTooMany",
    "TicketArmOutOfRange",
    "TicketError",
    "TicketNotAProbability",
    "UnknownRegret",
    "UpdateError",
    "UpdateForeign",
    "UpdateNotBinary",
    "WorldContinuous",
    "WorldError",
    "WorldNoUtilitiesFile",
    "WorldNoVotesFile",
    "WorldNotAMatrix",
    "WorldRankers",
    "WorldReplay",
    "WorldSegments",
    "WorldTooManySegments",
    "WorldTooShort",
    "WorldUnknown",
    "WorldUnknownWrapper",
    "WorldUtilities",
    "WorldVotes",
    "WorldWrapperOrder",
    "WorldWrapperTwice",
]


class SpecError(TiltyardError, ValueError):
    """Why a text is not of the form `name:key=value,key=value`."""


class SpecNoName(SpecError):
    """There is no name before the colon."""

    text: str


class SpecNoValue(SpecError):
    """A key has no value, or a value has no key."""

    text: str
    part: str


class SpecTwice(SpecError):
    """A key is given twice."""

    text: str
    key: str


class ParamError(TiltyardError, ValueError):
    """Why parameters were rejected."""


class ParamTooManyArms(ParamError):
    """There are so many arms that the policy would need too much memory, which grows like K^2."""

    name: str
    n_arms: int
    most: int


class ParamNoArms(ParamError):
    """There are no arms."""


class ParamNoRounds(ParamError):
    """The horizon is 0 rounds."""


class ParamUnknownKey(ParamError):
    """There is no parameter with this key."""

    name: str
    key: str
    suggestion: str | None
    known: list[str]


class ParamNoSuchChoice(ParamError):
    """The word is not one of the choices."""

    key: str
    value: str
    suggestion: str | None
    choices: list[str]


class ParamNotANumber(ParamError):
    """The text is neither a number nor an expression."""

    key: str
    value: str


class ParamOutOfRange(ParamError):
    """The number is outside its range."""

    key: str
    value: float
    range: str


class ParamNotWhole(ParamError):
    """The number is not whole."""

    key: str
    value: float


class ParamNeedsHorizon(ParamError):
    """The value depends on a horizon that was not given."""

    name: str
    key: str


class ParamNoRound(ParamError):
    """The value depends on the current round, which has no meaning here."""

    key: str
    value: str


class ParamNotProportional(ParamError):
    """The value of an anytime schedule does not grow in proportion to the round."""

    key: str
    value: str


class ParamContradiction(ParamError):
    """Two keys contradict each other."""

    key: str
    value: str
    other: str


class ParamIdle(ParamError):
    """The key has no effect in combination with the others."""

    spec: str
    key: str


class BuildError(TiltyardError, ValueError):
    """Why a policy could not be built."""


class BuildUnknownPolicy(BuildError):
    """No policy has that name."""

    name: str
    suggestion: str | None


class BuildContinuous(BuildError):
    """The name belongs to a continuous policy, which implements another trait."""

    name: str


class BuildNotContinuous(BuildError):
    """The name belongs to a policy over arms, but a continuous policy is needed."""

    name: str


class TicketError(TiltyardError, ValueError):
    """Why a ticket was rejected: no policy can have issued it."""


class TicketArmOutOfRange(TicketError):
    """The arm does not exist."""

    arm: int
    n_arms: int


class TicketNotAProbability(TicketError):
    """A rate or probability is outside (0, 1]."""

    value: float


class OutcomeError(TiltyardError, ValueError):
    """The score is not a number from -1 to 1."""

    score: float


class InFlight(TiltyardError, RuntimeError):
    """A sequential policy cannot propose a duel, because it waits for an outcome."""

    ticket: Ticket


class NoLesson(TiltyardError, ValueError):
    """Why a policy cannot learn from a duel that it did not draw."""


class LessonRefused(NoLesson):
    """The policy learns only from its own duels."""

    policy: str
    refusal: str


class LessonUnknownPropensity(NoLesson):
    """The policy divides by the probability of the pair, and the probability is unknown."""

    policy: str


class LessonArmOutOfRange(NoLesson):
    """The arm does not exist."""

    arm: int
    n_arms: int


class LessonNotAProbability(NoLesson):
    """No pair that was drawn can have had this probability."""

    value: float


class LessonRetired(NoLesson):
    """The policy never draws this arm, so it would not have met the other arm in this duel."""

    arm: int


class UpdateError(TiltyardError, ValueError):
    """A ticket or outcome that this policy cannot learn from."""


class UpdateForeign(UpdateError):
    """Another kind of policy made the ticket."""

    policy: str
    draw: str


class UpdateNotBinary(UpdateError):
    """The policy accepts only wins and losses, and the score is neither."""

    score: float


class RestoreError(TiltyardError, ValueError):
    """Why a saved policy cannot be restored."""


class RestoreFormat(RestoreError):
    """This version does not know the layout of the state."""

    format: int


class RestoreState(RestoreError):
    """The state is damaged."""

    text: str


class MatrixError(TiltyardError, ValueError):
    """Why numbers are not a preference matrix.

    Rows and columns count from 0 in the fields, as arms do, and from 1 in the messages.
    """


class MatrixNoArms(MatrixError):
    """There are no arms."""


class MatrixWrongLength(MatrixError):
    """There are too few or too many entries for this number of arms."""

    n_arms: int
    got: int


class MatrixRaggedRow(MatrixError):
    """The length of a row differs from the number of rows."""

    row: int
    expected: int
    got: int


class MatrixNotFinite(MatrixError):
    """An entry is NaN or infinite."""

    row: int
    column: int
    value: float


class MatrixOutOfRange(MatrixError):
    """An entry is below 0 or above 1."""

    row: int
    column: int
    value: float


class MatrixDiagonal(MatrixError):
    """A diagonal entry is not 1/2."""

    row: int
    value: float


class MatrixAsymmetric(MatrixError):
    """The two entries of a pair contradict each other."""

    row: int
    column: int
    value: float
    mirrored: float


class SubmatrixError(TiltyardError, ValueError):
    """Why no submatrix can be made."""


class SubmatrixNoArms(SubmatrixError):
    """The list of arms is empty."""


class SubmatrixOutOfRange(SubmatrixError):
    """The matrix does not have this arm."""

    arm: int
    n_arms: int


class SubmatrixRepeated(SubmatrixError):
    """The arm is listed twice."""

    arm: int


class SubmatrixTooMany(SubmatrixError):
    """More arms were requested than the matrix has."""

    wanted: int
    n_arms: int


class InterleavingError(TiltyardError, ValueError):
    """A text does not name a method."""


class InterleavingUnknown(InterleavingError):
    """There is no method with this name."""

    name: str
    suggestion: str | None
    known: list[str]


class ParseMatrixError(TiltyardError, ValueError):
    """Why the contents of a file are not a preference matrix.

    Lines and columns count from 1. A column is the number of a field, not of a character.
    """


class ParseMatrixEmpty(ParseMatrixError):
    """There are no numbers."""


class ParseMatrixNotANumber(ParseMatrixError):
    """A field is not a number."""

    line: int
    column: int
    text: str


class ParseMatrixRaggedRow(ParseMatrixError):
    """A row is longer or shorter than the first."""

    line: int
    expected: int
    got: int


class ParseMatrixNotSquare(ParseMatrixError):
    """The numbers of rows and columns differ."""

    rows: int
    columns: int


class ParseMatrixTooManyArms(ParseMatrixError):
    """There are more arms than a matrix file may have."""

    n_arms: int


class ParseMatrixNpy(ParseMatrixError):
    """The file is not a valid `.npy` file."""


class ParseMatrixMatrix(ParseMatrixError):
    """The numbers form a square, but not a preference matrix."""

    line: int | None


class ReadMatrixError(TiltyardError, ValueError):
    """Why no matrix could be read from a path."""


class ReadMatrixUnknownExtension(ReadMatrixError):
    """The extension of the file is unknown."""

    path: str


class ReadMatrixUnreadable(ReadMatrixError, OSError):
    """The file cannot be read."""

    path: str


class UnknownRegret(TiltyardError, ValueError):
    """No kind of regret has this name."""

    name: str
    suggestion: str | None


class RegretError(TiltyardError, ValueError):
    """The regret has no meaning in the world."""


class RegretNoUtilities(RegretError):
    """Bandit regret in a world without utilities."""

    regret: str


class RegretPoints(RegretError):
    """Regret over arms in a continuous world."""

    regret: str


class ClickError(TiltyardError, ValueError):
    """Why a click model is invalid."""


class ClickUnknown(ClickError):
    """No click model has this name."""

    name: str
    suggestion: str | None
    known: list[str]


class ClickMissing(ClickError):
    """A parameter without a default is missing."""

    key: str


class ClickNotAProbability(ClickError):
    """A part of a list is not a probability."""

    key: str
    value: str


class ClickLengths(ClickError):
    """The lists of probabilities differ in length."""

    click: int
    stop: int


class ClickNoSetting(ClickError):
    """The literature has no numbers for these grades."""

    user: str
    largest: int


class ClickGradeOutside(ClickError):
    """The click model has no number for the largest grade."""

    largest: int
    n_grades: int


class WorldError(TiltyardError, ValueError):
    """Why a world could not be opened."""


class WorldUnknown(WorldError):
    """Neither a built-in world nor a matrix file has this name."""

    name: str
    suggestion: str | None


class WorldUnknownWrapper(WorldError):
    """No wrapper has this name."""

    name: str
    text: str
    suggestion: str | None


class WorldWrapperTwice(WorldError):
    """The text names a wrapper twice."""

    name: str
    text: str


class WorldWrapperOrder(WorldError):
    """A wrapper must come before the others."""

    name: str
    text: str


class WorldContinuous(WorldError):
    """Wrappers cannot be used with a continuous world."""

    text: str


class WorldNotAMatrix(WorldError):
    """The operation needs a preference matrix."""

    text: str
    action: str


class WorldTooManySegments(WorldError):
    """There are more segments than rounds, or more than fit into memory."""

    segments: int
    most: int


class WorldNoVotesFile(WorldError):
    """`replay` without a file of votes."""


class WorldVotes(WorldError):
    """A file of votes cannot be read."""


class WorldSegments(WorldError):
    """A file of segments cannot be read."""


class WorldNoUtilitiesFile(WorldError):
    """`utilities` without a file."""


class WorldUtilities(WorldError):
    """A file of utilities cannot be read."""


class WorldTooShort(WorldError):
    """The file has fewer rows than the run has rounds."""

    file: str
    n_rows: int
    rounds: int


class WorldRankers(WorldError):
    """The rankers or their collection are invalid."""


class WorldReplay(WorldError):
    """The votes cannot be replayed."""

    file: str


class PrepareError(TiltyardError, ValueError):
    """A world cannot be prepared for runs."""


class PrepareNoMatrix(PrepareError):
    """Some of the arms were requested, but the world is not a plain preference matrix."""


class EntryError(TiltyardError, ValueError):
    """A policy cannot play in a world."""


class EntrySequential(EntryError):
    """Outcomes arrive late, but the policy needs each one before its next duel."""

    policy: str


class EntryDimension(EntryError):
    """A continuous policy and the world have different numbers of dimensions."""

    policy: str
    got: int
    dimension: int


class EntryNotAdditive(EntryError):
    """The policy is not additive, so it cannot run on several nodes."""

    policy: str
    nodes: int


class PlayError(TiltyardError, ValueError):
    """A job cannot be played."""


class PlayNoPolicies(PlayError):
    """The job has no policies."""


class PlayNoRuns(PlayError):
    """The job has no runs."""


class PlayNoRounds(PlayError):
    """The job has no rounds."""


class PlayUnsorted(PlayError):
    """The checkpoints are not in rising order."""


class PlayStopped(PlayError):
    """The job was stopped before its end."""


class SessionError(TiltyardError, ValueError):
    """A session cannot begin or continue."""


class SessionNotPrompt(SessionError):
    """The world delays outcomes, but a session needs them at once."""


class SessionNoArms(SessionError):
    """The world is continuous: its duels are between points, not arms."""


class SessionArmOutOfRange(SessionError):
    """The arm does not exist."""

    arm: int
    n_arms: int


class SessionOver(SessionError):
    """All rounds have been played."""

    rounds: int


class JournalError(TiltyardError, RuntimeError):
    """The journal of a job cannot be used."""


class JournalIo(JournalError, OSError):
    """The journal cannot be read or written."""

    path: str


class JournalBusy(JournalError):
    """Another process is writing to the journal."""

    path: str


class JournalForeign(JournalError):
    """The file is not a journal, or it is the journal of another job."""

    path: str


class JournalChanged(JournalError):
    """A record has changed on disk since it was written."""

    path: str
    item: int


class ResultsError(TiltyardError, RuntimeError):
    """The results in a directory cannot be read."""


class ResultsNoResults(ResultsError):
    """The directory has no manifest."""

    path: str


class ResultsUnfinished(ResultsError):
    """The job in the directory is not finished."""

    path: str


class ResultsShard(ResultsError):
    """The directory holds only a part of a job."""

    path: str
    shard: str


class ResultsUnreadable(ResultsError, OSError):
    """A file cannot be read."""

    path: str


class ResultsManifest(ResultsError):
    """The manifest is damaged."""

    path: str
    reason: str


class ResultsFormat(ResultsError):
    """The manifest has a format that this version cannot read."""

    path: str
    found: int
    known: int


class ResultsChanged(ResultsError):
    """The table has changed since the manifest was written."""

    path: str


class ResultsTable(ResultsError):
    """The table cannot be read."""

    path: str


class RunError(TiltyardError, RuntimeError):
    """An experiment was not run to its end."""


class RunDirectory(RunError, OSError):
    """The directory cannot be used."""

    path: str


class RunNotEmpty(RunError):
    """The directory holds files other than results."""

    path: str


class RunUnfinished(RunError):
    """The directory holds an unfinished job of the same specification."""

    path: str


class RunFinished(RunError):
    """The directory already holds the results."""

    path: str


class RunOtherSpecification(RunError):
    """The directory belongs to another specification."""

    path: str
    differ: list[str]


class RunOtherVersion(RunError):
    """Another version began the job, so its numbers may differ."""

    path: str
    version: str


class RunOtherShard(RunError):
    """The directory holds another part of the job."""

    path: str
    shard: str


class RunJobFile(RunError):
    """The file that describes the job is damaged."""

    path: str
    reason: str


class RunWrite(RunError, OSError):
    """Writing failed, most likely because the disk is full. Finished runs are kept."""

    path: str
    done: int
    total: int


class RunTable(RunError):
    """The table cannot be written."""

    path: str


class MergeError(TiltyardError, RuntimeError):
    """Shards cannot be merged."""


class MergeNone(MergeError):
    """No directories were given."""


class MergeOtherSpecification(MergeError):
    """Two shards belong to different specifications."""

    one: str
    other: str
    differ: list[str]


class MergeOtherVersion(MergeError):
    """Another version ran a shard, so its numbers may differ."""

    path: str
    version: str


class MergeOtherCount(MergeError):
    """The shards belong to different divisions of the job."""

    one: str
    count: int
    other: str
    other_count: int


class MergeTwice(MergeError):
    """Two directories hold the same shard."""

    shard: str
    one: str
    other: str


class MergeMissing(MergeError):
    """Shards are missing."""

    missing: list[int]
    count: int


class MergeNotEmpty(MergeError):
    """The output directory is not empty."""

    path: str


class MergeOut(MergeError, OSError):
    """The results cannot be written."""

    path: str


class SpecificationError(TiltyardError, ValueError):
    """A specification that cannot be run, with the place and the problem."""

    origin: str
    line: int | None
    field: str


class SpecificationUnreadable(SpecificationError, OSError):
    """The file cannot be read."""


class SpecificationToml(SpecificationError):
    """The text is not valid TOML, or it has an unknown field or a value of the wrong type."""

    message: str


class SpecificationNoWorlds(SpecificationError):
    """The specification has no world."""


class SpecificationNoPolicies(SpecificationError):
    """The specification has no policy."""


class SpecificationUnsorted(SpecificationError):
    """The rounds are not in rising order, or there are none."""


class SpecificationBeyond(SpecificationError):
    """A round is beyond the horizon."""

    round: int
    horizon: int


class SpecificationRegret(SpecificationError):
    """The regret is unknown."""


class SpecificationPolicyText(SpecificationError):
    """A text is not the specification of a policy."""


class SpecificationPolicyTwice(SpecificationError):
    """A policy is listed twice."""

    policy: str


class SpecificationWorldTwice(SpecificationError):
    """Two worlds have the same name."""

    name: str


class SpecificationNoPlace(SpecificationError):
    """A world has neither `world` nor `data`, or both."""


class SpecificationAlone(SpecificationError):
    """A field requires another field."""

    needs: str


class SpecificationNotWith(SpecificationError):
    """A field excludes another field."""

    other: str


class SpecificationNameOfSeveral(SpecificationError):
    """One name is given to several worlds."""


class SpecificationNoDirectory(SpecificationError):
    """The data directory is not a directory."""


class SpecificationNoData(SpecificationError):
    """The file is not in the data directory, or there is no data directory, and the specification
    names no replacement.
    """

    file: str
    directory: str | None


class SpecificationWorld(SpecificationError):
    """The world cannot be made."""


class SpecificationPolicy(SpecificationError):
    """The policy cannot be made, or cannot play in the world."""

    world: str
