"""`tiltyard.lab`: specifications, run here, on the workers of an executor, or on a Ray cluster.

A specification (see docs/specification.md) says which policies play in which worlds, how long and how often. Its results depend on it alone: cut
into parts, run anywhere and put together again, they are the same bytes.

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
    """What runs the parts: any executor of `concurrent.futures`, `tiltyard.ray.RayExecutor`, a client of Dask, ..."""

    def submit(self, fn: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> Future[_T]:
        """Begins a call somewhere."""


@dataclass(frozen=True)
class Plan:
    """What a specification would run."""

    title: str
    """What it is about."""
    hash: str
    """A fingerprint of everything that decides its numbers."""
    items: int
    """Runs in all; a policy that is told the horizon has one for each horizon."""
    rounds: int
    """Rounds in all."""


@dataclass(frozen=True, eq=False)
class Runs(Tabular):
    """Results of a specification, in a directory: one row a world, policy, run and checkpoint.

    The columns are `world`, `policy`, `label`, `run`, `round`, `regret`, `hit`. Any library that speaks Arrow's interface takes it as it is.
    """

    directory: Path
    """Where the results are: `results.parquet`, `summary.csv`, `manifest.json`."""
    _kept: tempfile.TemporaryDirectory[str] | None = field(default=None, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        if self._kept is not None:
            raise JobNeedsDirectory(
                "these results are in a temporary directory, which goes with them: they cannot be pickled or copied",
                hint="give `lab.run` a directory `out`",
            )
        return super().__getstate__()

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """What was run, on what, and how long it took."""
        manifest: dict[str, Any] = json.loads((self.directory / "manifest.json").read_text(encoding="utf-8"))
        return manifest

    @cached_property
    def table(self) -> _native.Table:  # type: ignore[override]
        """The table in Arrow's layout. What was changed since it was written is an error."""
        return _native.read_results(self.directory)

    def figure(self, path: str | os.PathLike[str]) -> list[Path]:
        """Draws what `tiltyard plot` draws: a file that ends in `.svg` or `.html`. Returns the files; many worlds make several."""
        return _native.draw_results(self.directory, path)


def plan(spec: str | os.PathLike[str], *, data: str | os.PathLike[str] | None = None, seed: int | None = None) -> Plan:
    """Checks a specification and says what it would run."""
    text, origin = _read(spec)
    return Plan(**_native.plan_specification(text, origin=origin, data=data, seed=seed))


def open(directory: str | os.PathLike[str]) -> Runs:
    """Opens results that are there."""
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

    With an executor it is cut into parts, which workers run; what comes back is put together, the same bytes as without. Parts that have come
    back are kept beside `out` until all have: if something fails on the way, `resume=True` goes on from there.

    Ctrl-C calls off the parts that wait. Those that run in threads of this process end within a tenth of a second or so; whether those
    that run elsewhere do is up to the executor: processes of a pool hear Ctrl-C of a terminal themselves, and tasks of Ray are ended.

    Args:
        spec: a file, or the text itself.
        out: the directory for the results; a temporary one, which goes with the returned value, if none.
        executor: whoever runs the parts; nobody but this process if none.
        shards: how many parts [as many as the executor has workers].
        resume: whether to go on with what is in `out`.
        data: the directory of real data, if the specification names some. Workers look for it under the same name.
        seed: another seed than the specification's.
        threads: how many threads here, or for each part [all cores here, one for a part].
        progress: whether to show a bar, or whom to tell; parts that run elsewhere are told of when they are done.
    """
    if resume and out is None:
        raise JobNeedsDirectory("there is nothing to resume without `out`")
    if shards is not None and shards < 1:
        raise JobNoShards(f"`shards={shards}`: a job is at least one part", shards=shards)
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
    """What a worker must know."""

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
    """Whether a job was called off. Threads of this process see that; a copy in another process is never told."""

    is_called: bool = False

    def tell(self, done: int, total: int) -> None:
        """Ends the work that tells of its rounds here."""
        if self.is_called:
            raise JobStopped("the job was called off", done=done, total=total)


def _run_part(part: _Part, index: int, count: int, off: _CallOff) -> dict[str, bytes]:
    """In a worker: runs a part and returns its files, for the worker may be on another machine."""
    with tempfile.TemporaryDirectory(prefix="tiltyard-") as place:
        directory = Path(place) / "part"
        part.run_into(directory, (index, count), tell=off.tell)
        return {file.name: file.read_bytes() for file in directory.iterdir()}


def _spread(
    part: _Part, out: Path, executor: Executor, count: int, resume: bool, tell: Tell | None
) -> None:
    # Before any worker begins: a wrong specification, or a directory that is used, is found out here.
    planned = _native.plan_specification(part.text, origin=part.origin, data=part.data, seed=part.seed)
    count = max(1, min(count, planned["items"]))
    if out.exists() and any(out.iterdir()):
        # Results that are there are checked, and returned if that is wanted; everything else there is an error.
        is_finished = (out / "manifest.json").is_file()
        part.run_into(out, None, resume=resume and is_finished)
        return
    parts = out.with_name(out.name + ".parts")
    if not resume:
        shutil.rmtree(parts, ignore_errors=True)
    places = [parts / f"{index}-of-{count}" for index in range(1, count + 1)]
    missing = [index for index, place in enumerate(places, start=1) if not (place / "manifest.json").is_file()]
    # Closed here: if keeping or telling fails, the rest is called off at once.
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
    """What comes back, in the order in which it does. If one fails, or someone presses Ctrl-C, the others are called off."""
    futures: dict[Future[dict[str, bytes]], int] = {}
    off = _CallOff()
    try:
        for index in missing:
            futures[executor.submit(_run_part, part, index, count, off)] = index
        waiting = set(futures)
        while waiting:
            # In slices, so that signals are heard on every system.
            done, waiting = wait(waiting, timeout=0.05, return_when=FIRST_COMPLETED)
            # What is good first: it is kept, whatever happens to the others.
            for future in sorted(done, key=lambda future: future.cancelled() or future.exception() is not None):
                yield futures[future], future.result()
    except BaseException:
        off.is_called = True
        for future in futures:
            future.cancel()
        raise


def _keep(place: Path, files: dict[str, bytes]) -> None:
    """Writes a part's files, the manifest last: a part that has one is whole."""
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
    """The text of a specification, and what to call it in errors. A text of several lines is the specification itself."""
    if isinstance(spec, str) and "\n" in spec:
        return spec, "specification"
    return Path(spec).read_text(encoding="utf-8"), os.fspath(spec)
