"""`tiltyard.lab`: runs specifications in this process, on the workers of an executor, or on a Ray cluster.

A specification (see docs/specification.md) says which policies play in which worlds, for how many rounds and runs.
The results depend only on the specification. Splitting it into parts and running these anywhere gives the same bytes.

>>> runs = tiltyard.lab.run("experiment.toml", "results")
>>> with concurrent.futures.ProcessPoolExecutor(8) as pool:
...     runs = tiltyard.lab.run("experiment.toml", "results", executor=pool)
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Generator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar

from tiltyard import _native
from tiltyard.errors import JobNeedsDirectory, JobNoShards, JobStopped
from tiltyard.play import Progress, telling
from tiltyard.results import Tabular

if TYPE_CHECKING:
    from tiltyard.types import Tell

__all__ = ["Plan", "Runs", "open", "plan", "run"]

_P = ParamSpec("_P")
_T = TypeVar("_T")


class Executor(Protocol):
    """Runs the parts: any executor of `concurrent.futures`, a `tiltyard.ray.RayExecutor`, a Dask client, and so on."""

    def submit(self, fn: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> Future[_T]:
        """Schedules a call and returns its future."""


@dataclass(frozen=True)
class Plan:
    """The work that a specification describes."""

    title: str
    """The title of the specification."""
    hash: str
    """A fingerprint of everything that determines the results."""
    items: int
    """The total number of runs. A policy that knows the horizon has separate runs for each horizon."""
    rounds: int
    """The total number of rounds."""


@dataclass(frozen=True, eq=False)
class Runs(Tabular):
    """Results of a specification, in a directory: one row per world, policy, run and checkpoint.

    The columns are `world`, `policy`, `label`, `run`, `round`, `regret`, `hit`. Any library that supports the Arrow
    PyCapsule interface can read the object directly.
    """

    directory: Path
    """The directory that contains `results.parquet`, `summary.csv` and `manifest.json`."""
    _kept: tempfile.TemporaryDirectory[str] | None = field(default=None, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        if self._kept is not None:
            raise JobNeedsDirectory(
                "these results cannot be pickled or copied: their temporary directory is deleted with them",
                hint="call `lab.run` with a directory `out`",
            )
        return super().__getstate__()

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """The manifest: the specification, the machine and the time that the runs took."""
        manifest: dict[str, Any] = json.loads((self.directory / "manifest.json").read_text(encoding="utf-8"))
        return manifest

    @cached_property
    def table(self) -> _native.Table:  # type: ignore[override]
        """The results as an Arrow table. Files that were modified after they were written raise an error."""
        return _native.read_results(self.directory)

    def figure(self, path: str | os.PathLike[str]) -> list[Path]:
        """Draws the figures of `tiltyard plot` into `path`, which ends in `.svg` or `.html`.

        Returns the files written. SVG needs one file per figure, so many worlds make several files.
        """
        return _native.draw_results(self.directory, path)


def plan(spec: str | os.PathLike[str], *, data: str | os.PathLike[str] | None = None, seed: int | None = None) -> Plan:
    """Checks a specification and returns the work it describes, without running it."""
    text, origin = _read(spec)
    return Plan(**_native.plan_specification(text, origin=origin, data=data, seed=seed))


def open(directory: str | os.PathLike[str]) -> Runs:
    """Opens the results in a directory."""
    runs = Runs(Path(directory))
    _ = runs.table
    return runs


def run(
    spec: str | os.PathLike[str],
    out: str | os.PathLike[str] | None = None,
    *,
    executor: Executor | None = None,
    shards: int | None = None,
    resume: bool = False,
    data: str | os.PathLike[str] | None = None,
    seed: int | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> Runs:
    """Runs a specification to its end.

    With an executor, the specification is split into parts and the workers run them. The merged results have the same
    bytes as without an executor. Finished parts are kept next to `out` until all parts are finished. If a part fails,
    call again with `resume=True` to continue from the finished parts.

    Ctrl-C cancels the waiting parts. Parts in threads of this process stop within about a tenth of a second. For parts
    that run elsewhere, it depends on the executor: the processes of a pool receive the terminal's Ctrl-C themselves, and
    Ray tasks are cancelled.

    Args:
        spec: the path of a specification, or its text.
        out: the directory for the results [a temporary directory, deleted together with the returned object].
        executor: the executor that runs the parts [none: this process runs everything].
        shards: the number of parts [one per worker of the executor].
        resume: whether to continue from the results already in `out`.
        data: the directory of real data, if the specification uses any. Workers look for it at the same path.
        seed: a seed that replaces the one in the specification.
        threads: the number of threads in this process, or of each part [all cores in this process, 1 for a part].
        progress: whether to show a progress bar, or a function to call. A part that runs elsewhere is reported when it
            is finished.
    """
    if resume and out is None:
        raise JobNeedsDirectory("`resume=True` needs `out`, the directory to continue")
    if shards is not None and shards < 1:
        raise JobNoShards(f"`shards={shards}`: a job has at least one part", shards=shards)
    text, origin = _read(spec)
    kept = tempfile.TemporaryDirectory(prefix="tiltyard-") if out is None else None
    directory = Path(kept.name) / "results" if kept is not None else Path(os.fspath(out or ""))
    part = _Part(text, origin, None if data is None else os.path.abspath(data), seed, threads)
    with telling(progress) as tell:
        if executor is None:
            part.run_into(directory, None, resume=resume, tell=tell)
        else:
            _spread(part, directory, executor, shards or _workers(executor), resume, tell)
    return Runs(directory, kept)


@dataclass(frozen=True)
class _Part:
    """The arguments that a worker needs."""

    text: str
    origin: str
    data: str | None
    seed: int | None
    threads: int | None

    def run_into(
        self, directory: Path, shard: tuple[int, int] | None, *, resume: bool = False, tell: Tell | None = None
    ) -> None:
        _native.run_specification(
            self.text,
            directory,
            origin=self.origin,
            shard=shard,
            resume=resume,
            data=self.data,
            seed=self.seed,
            threads=self.threads if self.threads is not None or shard is None else 1,
            tell=tell,
        )


@dataclass
class _CallOff:
    """Whether a job was cancelled. Threads of this process see the flag; a copy in another process never changes."""

    is_called: bool = False

    def tell(self, done: int, total: int) -> None:
        """A progress callback that stops the work by raising an exception."""
        if self.is_called:
            raise JobStopped("the job was cancelled", done=done, total=total)


def _run_part(part: _Part, index: int, count: int, off: _CallOff) -> dict[str, bytes]:
    """In a worker: runs a part and returns the content of its files, because the worker may be on another machine."""
    with tempfile.TemporaryDirectory(prefix="tiltyard-") as place:
        directory = Path(place) / "part"
        part.run_into(directory, (index, count), tell=off.tell)
        return {file.name: file.read_bytes() for file in directory.iterdir()}


def _spread(
    part: _Part, out: Path, executor: Executor, count: int, resume: bool, tell: Tell | None
) -> None:
    # Find a wrong specification, or a directory that is not empty, before any worker starts.
    planned = _native.plan_specification(part.text, origin=part.origin, data=part.data, seed=part.seed)
    count = max(1, min(count, planned["items"]))
    if out.exists() and any(out.iterdir()):
        # Existing results are checked, and returned if `resume` is set; any other content is an error.
        is_finished = (out / "manifest.json").is_file()
        part.run_into(out, None, resume=resume and is_finished)
        return
    parts = out.with_name(out.name + ".parts")
    if not resume:
        shutil.rmtree(parts, ignore_errors=True)
    places = [parts / f"{index}-of-{count}" for index in range(1, count + 1)]
    missing = [index for index, place in enumerate(places, start=1) if not (place / "manifest.json").is_file()]
    # `closing` cancels the other parts at once if storing a part or reporting progress fails.
    with closing(_as_they_come(part, missing, count, executor)) as coming:
        for done, (index, files) in enumerate(coming, start=count - len(missing) + 1):
            _keep(places[index - 1], files)
            if tell is not None:
                tell(planned["rounds"] * done // count, planned["rounds"])
    _native.merge_shards(places, out)
    shutil.rmtree(parts)


def _as_they_come(
    part: _Part, missing: list[int], count: int, executor: Executor
) -> Generator[tuple[int, dict[str, bytes]], None, None]:
    """Yields parts as they finish. If one fails, or on Ctrl-C, the other parts are cancelled."""
    futures: dict[Future[dict[str, bytes]], int] = {}
    off = _CallOff()
    try:
        for index in missing:
            futures[executor.submit(_run_part, part, index, count, off)] = index
        waiting = set(futures)
        while waiting:
            # A short timeout, so that signals are handled on every system.
            done, waiting = wait(waiting, timeout=0.05, return_when=FIRST_COMPLETED)
            # Successful parts first, so that they are kept even if another part failed.
            for future in sorted(done, key=lambda future: future.cancelled() or future.exception() is not None):
                yield futures[future], future.result()
    except BaseException:
        off.is_called = True
        for future in futures:
            future.cancel()
        raise


def _keep(place: Path, files: dict[str, bytes]) -> None:
    """Writes the files of a part. The manifest is last, so a part with a manifest is complete."""
    place.mkdir(parents=True, exist_ok=True)
    for name in sorted(files, key=lambda name: name == "manifest.json"):
        half = place / f"{name}.half"
        half.write_bytes(files[name])
        half.replace(place / name)


def _workers(executor: Executor) -> int:
    for name in ("workers", "_max_workers"):
        workers = getattr(executor, name, None)
        if isinstance(workers, int):
            return workers
    return os.cpu_count() or 1


def _read(spec: str | os.PathLike[str]) -> tuple[str, str]:
    """Returns the text of a specification and its name for errors. A string of several lines is the text itself."""
    if isinstance(spec, str) and "\n" in spec:
        return spec, "specification"
    return Path(spec).read_text(encoding="utf-8"), os.fspath(spec)
