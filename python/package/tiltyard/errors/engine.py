"""What the engine refuses: a class for each variant of its errors.

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


class TicketError(TiltyardError, ValueError):
    """A ticket no policy can have issued."""


class TicketArmOutOfRange(TicketError):
    """The arm does not exist."""

    arm: int
    n_arms: int


class TicketNotAProbability(TicketError):
    """A rate or probability outside (0, 1]."""

    value: float


class OutcomeError(TiltyardError, ValueError):
    """A score that is no outcome."""

    score: float


class InFlight(TiltyardError, RuntimeError):
    """A sequential policy waits for an outcome."""

    ticket: Ticket


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


class UpdateError(TiltyardError, ValueError):
    """A ticket or outcome that this policy cannot learn from."""


class UpdateForeign(UpdateError):
    """The ticket was issued by another kind of policy."""

    policy: str
    draw: str


class UpdateNotBinary(UpdateError):
    """The policy counts wins and losses; ties are to be broken by a coin before."""

    score: float


class RestoreError(TiltyardError, ValueError):
    """Why a saved policy cannot go on."""


class RestoreFormat(RestoreError):
    """It was saved in a layout that this version does not know."""

    format: int


class RestoreState(RestoreError):
    """Its state is damaged."""

    text: str


class MatrixError(TiltyardError, ValueError):
    """Why numbers are no preference matrix.

    Rows and columns count from 0 in the fields, as arms do, and from 1 in the messages, as people
    do.
    """


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


class InterleavingError(TiltyardError, ValueError):
    """Why a text names no method."""


class InterleavingUnknown(InterleavingError):
    """There is no such method."""

    name: str
    suggestion: str | None
    known: list[str]


class ParseMatrixError(TiltyardError, ValueError):
    """Why the contents of a file are no preference matrix.

    Lines and columns count from 1, as in the messages; a column is the number of a field, not of a
    character.
    """


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
    """More arms than a matrix file may have."""

    n_arms: int


class ParseMatrixNpy(ParseMatrixError):
    """A `.npy` file that cannot be understood."""


class ParseMatrixMatrix(ParseMatrixError):
    """Numbers in a square that are no preference matrix."""

    line: int | None


class ReadMatrixError(TiltyardError, ValueError):
    """Why no matrix could be read from a path."""


class ReadMatrixUnknownExtension(ReadMatrixError):
    """The file's name does not say what is in it."""

    path: str


class ReadMatrixUnreadable(ReadMatrixError, OSError):
    """The file cannot be read at all."""

    path: str


class UnknownRegret(TiltyardError, ValueError):
    """A word that names no regret."""

    name: str
    suggestion: str | None


class RegretError(TiltyardError, ValueError):
    """A regret that has no meaning in a world."""


class RegretNoUtilities(RegretError):
    """Bandit regret in a world of preferences."""

    regret: str


class RegretPoints(RegretError):
    """A regret over arms in a world of points."""

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


class WorldContinuous(WorldError):
    """A continuous world with a wrapper."""

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


class PrepareError(TiltyardError, ValueError):
    """Why a world is not ready."""


class PrepareNoMatrix(PrepareError):
    """Some of its arms were asked for, and it has no matrix to cut them from."""


class EntryError(TiltyardError, ValueError):
    """Why a policy cannot play."""


class EntrySequential(EntryError):
    """Outcomes come late to a policy that cannot wait."""

    policy: str


class EntryDimension(EntryError):
    """A continuous policy of another number of dimensions than the world."""

    policy: str
    got: int
    dimension: int


class EntryNotAdditive(EntryError):
    """A policy that cannot be several nodes."""

    policy: str
    nodes: int


class PlayError(TiltyardError, ValueError):
    """Why a job makes no sense."""


class PlayNoPolicies(PlayError):
    """Nobody plays."""


class PlayNoRuns(PlayError):
    """No runs."""


class PlayNoRounds(PlayError):
    """No rounds."""


class PlayUnsorted(PlayError):
    """Checkpoints that do not rise."""


class PlayStopped(PlayError):
    """It was stopped."""


class SessionError(TiltyardError, ValueError):
    """Why a session cannot begin, or go on."""


class SessionNotPrompt(SessionError):
    """Outcomes would come late, and a session has no place for them to wait."""


class SessionNoArms(SessionError):
    """A continuous world, whose duels are of points."""


class SessionArmOutOfRange(SessionError):
    """The arm does not exist."""

    arm: int
    n_arms: int


class SessionOver(SessionError):
    """All rounds were played."""

    rounds: int


class JournalError(TiltyardError, RuntimeError):
    """What can go wrong with a journal."""


class JournalIo(JournalError, OSError):
    """It cannot be read or written."""

    path: str


class JournalBusy(JournalError):
    """Another process writes to it."""

    path: str


class JournalForeign(JournalError):
    """It is no journal, or that of another job."""

    path: str


class JournalChanged(JournalError):
    """A record that was there is no longer."""

    path: str
    item: int


class ResultsError(TiltyardError, RuntimeError):
    """Why a directory's results cannot be read."""


class ResultsNoResults(ResultsError):
    """There is no manifest."""

    path: str


class ResultsUnfinished(ResultsError):
    """The job has not come to its end."""

    path: str


class ResultsShard(ResultsError):
    """A part of a job."""

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
    """The manifest is of another format."""

    path: str
    found: int
    known: int


class ResultsChanged(ResultsError):
    """The table is not the one that the manifest was written for."""

    path: str


class ResultsTable(ResultsError):
    """The table cannot be read."""

    path: str


class RunError(TiltyardError, RuntimeError):
    """Why an experiment was not run to its end."""


class RunDirectory(RunError, OSError):
    """The directory cannot be used."""

    path: str


class RunNotEmpty(RunError):
    """It holds something that is not ours."""

    path: str


class RunUnfinished(RunError):
    """It holds a job of the same specification that has not come to its end."""

    path: str


class RunFinished(RunError):
    """It holds the results already."""

    path: str


class RunOtherSpecification(RunError):
    """It holds a job of another specification."""

    path: str
    differ: list[str]


class RunOtherVersion(RunError):
    """It holds a job of another version, whose numbers may differ."""

    path: str
    version: str


class RunOtherShard(RunError):
    """It holds another part of the job."""

    path: str
    shard: str


class RunJobFile(RunError):
    """What is run there cannot be read."""

    path: str
    reason: str


class RunWrite(RunError, OSError):
    """Writing failed: a full disk, most likely. What was finished is kept."""

    path: str
    done: int
    total: int


class RunTable(RunError):
    """The table could not be written."""

    path: str


class MergeError(TiltyardError, RuntimeError):
    """Why shards were not merged."""


class MergeNone(MergeError):
    """Nothing to merge."""


class MergeOtherSpecification(MergeError):
    """Two jobs."""

    one: str
    other: str
    differ: list[str]


class MergeOtherVersion(MergeError):
    """Another version, whose numbers may differ."""

    path: str
    version: str


class MergeOtherCount(MergeError):
    """Parts of different divisions."""

    one: str
    count: int
    other: str
    other_count: int


class MergeTwice(MergeError):
    """The same part twice."""

    shard: str
    one: str
    other: str


class MergeMissing(MergeError):
    """Parts are missing."""

    missing: list[int]
    count: int


class MergeNotEmpty(MergeError):
    """There is something where the results should go."""

    path: str


class MergeOut(MergeError, OSError):
    """The results cannot be written."""

    path: str


class SpecificationError(TiltyardError, ValueError):
    """A specification that cannot be run: where, and what is wrong."""

    origin: str
    line: int | None
    field: str


class SpecificationUnreadable(SpecificationError, OSError):
    """The file cannot be read."""


class SpecificationToml(SpecificationError):
    """It is no TOML, or has a field that there is not, or a value of the wrong type."""

    message: str


class SpecificationNoWorlds(SpecificationError):
    """There is no world."""


class SpecificationNoPolicies(SpecificationError):
    """There is no policy."""


class SpecificationUnsorted(SpecificationError):
    """Rounds that do not rise."""


class SpecificationBeyond(SpecificationError):
    """A round after the end."""

    round: int
    horizon: int


class SpecificationRegret(SpecificationError):
    """A word that names no regret."""


class SpecificationPolicyText(SpecificationError):
    """A text that is no policy's specification."""


class SpecificationPolicyTwice(SpecificationError):
    """Two policies that are the same."""

    policy: str


class SpecificationWorldTwice(SpecificationError):
    """Two worlds of one name."""

    name: str


class SpecificationNoPlace(SpecificationError):
    """A world that is nowhere."""


class SpecificationAlone(SpecificationError):
    """A field that means nothing without another."""

    needs: str


class SpecificationNotWith(SpecificationError):
    """A field that means nothing beside another."""

    other: str


class SpecificationNameOfSeveral(SpecificationError):
    """A name for several worlds."""


class SpecificationNoDirectory(SpecificationError):
    """The data directory that was given is none."""


class SpecificationNoData(SpecificationError):
    """The world is a file of a data directory, there is none, and nothing stands in for it."""

    file: str
    directory: str | None


class SpecificationWorld(SpecificationError):
    """The world cannot be made."""


class SpecificationPolicy(SpecificationError):
    """The policy cannot be made, or cannot play there."""

    world: str
