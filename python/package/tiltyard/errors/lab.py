"""What goes wrong in the lab."""

from __future__ import annotations

from tiltyard.errors.base import TiltyardError


class JobNeedsDirectory(TiltyardError, ValueError):
    """To go on with a job one must know where it is."""


class JobNoShards(TiltyardError, ValueError):
    """A job cut into fewer parts than one."""

    shards: int


class FigureKind(TiltyardError, ValueError):
    """The name of a file does not say what kind of figure to draw."""

    path: str


class PrepareError(TiltyardError, ValueError):
    """Why a world is not ready."""


class PrepareNoMatrix(PrepareError):
    """Some of its arms were asked for, and it has no matrix to cut them from."""


class EntryError(TiltyardError, ValueError):
    """Why a policy cannot play."""


class EntrySequential(EntryError):
    """Outcomes come late to a policy that cannot wait."""

    policy: str


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


class PlayPolicyTwice(PlayError):
    """Two policies of one name: nobody could tell their results apart."""

    policy: str


class PlayOtherArms(PlayError):
    """A policy was made for another number of arms than the world has."""

    policy: str
    arms: int
    n_arms: int


class PlayStopped(PlayError):
    """It was stopped."""


class SessionError(TiltyardError, ValueError):
    """Why a session cannot begin, or go on."""


class SessionNotPrompt(SessionError):
    """Outcomes would come late, and a session has no place for them to wait."""


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


class SpecificationNoWorlds(SpecificationError):
    """There is no world."""


class SpecificationNoPolicies(SpecificationError):
    """There is no policy."""


class SpecificationUnsorted(SpecificationError):
    """Rounds that do not rise."""


class SpecificationBeyond(SpecificationError):
    """A round after the end."""


class SpecificationRegret(SpecificationError):
    """A word that names no regret."""


class SpecificationPolicyText(SpecificationError):
    """A text that is no policy's specification."""


class SpecificationPolicyTwice(SpecificationError):
    """Two policies that are the same."""


class SpecificationWorldTwice(SpecificationError):
    """Two worlds of one name."""


class SpecificationNoPlace(SpecificationError):
    """A world that is nowhere."""


class SpecificationAlone(SpecificationError):
    """A field that means nothing without another."""


class SpecificationNotWith(SpecificationError):
    """A field that means nothing beside another."""


class SpecificationNameOfSeveral(SpecificationError):
    """A name for several worlds."""


class SpecificationNoDirectory(SpecificationError):
    """The data directory that was given is none."""


class SpecificationNoData(SpecificationError):
    """The world is a file of a data directory, and there is none."""


class SpecificationWorld(SpecificationError):
    """The world cannot be made."""


class SpecificationPolicy(SpecificationError):
    """The policy cannot be made, or cannot play there."""


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
