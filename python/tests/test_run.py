"""`tiltyard.lab`: runs whole specifications, in this process and on the workers of executors."""

from __future__ import annotations

import _thread
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tiltyard
from tiltyard import errors, lab

SPECIFICATION = """
title = "three policies"
seed = 5
runs = 5
horizon = 300
checkpoints = [10, 100, 300]
horizons = [100, 300]

[[world]]
world = "arxiv6"

[[world]]
world = "cyclic4"

[[policy]]
policy = "rex3"

[[policy]]
policy = "rucb"

[[policy]]
policy = "rex3:gmax=T/2"
"""

FILES = ("results.parquet", "summary.csv")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of a run in one process."""
    place = tmp_path_factory.mktemp("whole") / "results"
    lab.run(SPECIFICATION, place, progress=False)
    return place


def same_bytes(one: Path, other: Path) -> bool:
    return all((one / name).read_bytes() == (other / name).read_bytes() for name in FILES)


def test_plan() -> None:
    plan = lab.plan(SPECIFICATION)
    assert plan.title == "three policies" and plan.items == 2 * (5 + 5 + 2 * 5)


def test_processes_and_threads_give_the_same_bytes(whole: Path, tmp_path: Path) -> None:
    spawned = ProcessPoolExecutor(2, mp_context=get_context("spawn"))
    for name, executor in (("processes", spawned), ("threads", ThreadPoolExecutor(3))):
        told: list[tuple[int, int]] = []
        with executor:
            runs = lab.run(
                SPECIFICATION,
                tmp_path / name,
                executor=executor,
                progress=lambda done, total: told.append((done, total)),
            )
        assert same_bytes(runs.directory, whole)
        assert told[-1][0] == told[-1][1] > 0
        # The parts are deleted after merging.
        assert not list(tmp_path.glob(f"{name}.parts"))


def test_the_table(whole: Path) -> None:
    runs = lab.open(whole)
    columns = runs.to_numpy()
    assert list(columns) == ["world", "policy", "label", "run", "round", "regret", "hit"]
    assert len(runs) == len(columns["regret"]) == 2 * 5 * (3 + 3 + 2)
    assert set(columns["policy"]) == {"rex3", "rucb", "rex3:gmax=T/2"}
    frame = runs.to_polars()
    assert frame.columns == list(columns) and frame["regret"].to_list() == columns["regret"].tolist()
    table = runs.to_pandas()
    assert table["world"].cat.categories.tolist() == ["arxiv6", "cyclic4"]
    # The same numbers as in the file, and as from `play` with that seed.
    import polars

    file = polars.read_parquet(whole / "results.parquet")
    assert file["regret"].to_list() == columns["regret"].tolist()
    played = tiltyard.play("arxiv6", "rex3", runs=5, at=[10, 100, 300], seed=5)
    mine = (columns["world"] == "arxiv6") & (columns["policy"] == "rex3")
    assert np.array_equal(columns["regret"][mine], played["rex3"].regret.ravel())
    assert runs.manifest["title"] == "three policies"


def test_a_temporary_place_goes_with_the_runs() -> None:
    runs = lab.run(SPECIFICATION, progress=False)
    place = runs.directory
    assert place.is_dir() and len(runs) == 80
    del runs
    assert not place.exists()


def test_runs_are_pickled_as_their_place(whole: Path) -> None:
    runs = lab.open(whole)
    assert runs.manifest["title"] == "three policies"
    again = pickle.loads(pickle.dumps(runs))
    assert again.directory == whole and again.to_pandas().equals(runs.to_pandas())
    with pytest.raises(errors.JobNeedsDirectory, match="`out`"):
        pickle.dumps(lab.run(SPECIFICATION, progress=False))


def test_figures(whole: Path, tmp_path: Path) -> None:
    runs = lab.open(whole)
    [svg] = runs.figure(tmp_path / "figure.svg")
    assert svg.read_text().startswith("<svg")
    [page] = runs.figure(tmp_path / "figure.html")
    assert "<html" in page.read_text()
    with pytest.raises(errors.FigureKind, match="svg"):
        runs.figure(tmp_path / "figure.pdf")


def test_without_ray() -> None:
    code = "import sys; sys.modules['ray'] = None; import tiltyard.ray"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert 'needs ray, which is not installed: `pip install "tiltyard[ray]"`' in run.stderr


class Failing(Executor):
    """Runs calls in this thread, and fails after some of them."""

    def __init__(self, good: int) -> None:
        self.left = good
        self.begun = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.begun += 1
        if self.left > 0:
            self.left -= 1
            future.set_result(fn(*args, **kwargs))
        else:
            future.set_exception(OSError("the machine is gone"))
        return future


def test_what_came_back_is_kept(whole: Path, tmp_path: Path) -> None:
    out = tmp_path / "results"
    with pytest.raises(OSError, match="the machine is gone"):
        lab.run(SPECIFICATION, out, executor=Failing(2), shards=4)
    assert not out.exists()
    kept = sorted(place.name for place in (tmp_path / "results.parts").iterdir())
    again = Failing(4)
    runs = lab.run(SPECIFICATION, out, executor=again, shards=4, resume=True)
    assert len(kept) == 2 and again.begun == 2
    assert same_bytes(runs.directory, whole)
    # Existing results are neither run again nor overwritten.
    idle = Failing(0)
    lab.run(SPECIFICATION, out, executor=idle, resume=True)
    assert idle.begun == 0
    with pytest.raises(errors.RunFinished):
        lab.run(SPECIFICATION, out, executor=idle)


def test_what_is_wrong_is_said_before_any_worker_begins(tmp_path: Path) -> None:
    idle = Failing(0)
    with pytest.raises(errors.SpecificationPolicy, match="did you mean"):
        lab.run(SPECIFICATION.replace("rucb", "ruccb"), tmp_path / "a", executor=idle)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("mine")
    with pytest.raises(errors.RunNotEmpty):
        lab.run(SPECIFICATION, tmp_path / "full", executor=idle)
    with pytest.raises(errors.JobNeedsDirectory):
        lab.run(SPECIFICATION, executor=idle, resume=True)
    for shards in (0, -3):
        with pytest.raises(errors.JobNoShards):
            lab.run(SPECIFICATION, tmp_path / "a", executor=idle, shards=shards)
    with pytest.raises(FileNotFoundError):
        lab.run(tmp_path / "no.toml", tmp_path / "a", executor=idle)
    assert idle.begun == 0


class Slow(Executor):
    """Never finishes a call."""

    def __init__(self) -> None:
        self.futures: list[Future[Any]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.futures.append(Future())
        return self.futures[-1]


@pytest.fixture
def heard() -> Iterator[None]:
    """Enables Ctrl-C, even if the tests were started with it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heard")
def test_ctrl_c_calls_off_what_is_under_way(tmp_path: Path) -> None:
    slow = Slow()
    threading.Timer(0.3, _thread.interrupt_main).start()
    with pytest.raises(KeyboardInterrupt):
        lab.run(SPECIFICATION, tmp_path / "results", executor=slow, shards=3)
    assert slow.futures and all(future.cancelled() for future in slow.futures)


class Watched(ThreadPoolExecutor):
    """Remembers its futures."""

    def __init__(self, workers: int) -> None:
        super().__init__(workers)
        self.futures: list[Future[Any]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.futures.append(super().submit(fn, *args, **kwargs))
        return self.futures[-1]


LONG = SPECIFICATION.replace("300", "100000000")


@pytest.mark.usefixtures("heard")
def test_ctrl_c_ends_what_runs_in_threads(tmp_path: Path) -> None:
    threading.Timer(0.5, _thread.interrupt_main).start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt), Watched(1) as pool:
        lab.run(LONG, tmp_path / "results", executor=pool, shards=3)
    # Without the interruption it would take minutes. The limit leaves room for a machine that is
    # busy with other things.
    assert time.monotonic() - start < 10
    running, *waiting = pool.futures
    assert isinstance(running.exception(), errors.JobStopped)
    assert len(waiting) == 2 and all(future.cancelled() for future in waiting)


def test_a_callback_that_fails_calls_off_the_rest(tmp_path: Path) -> None:
    class Enough(Exception):
        pass

    def tell(done: int, total: int) -> None:
        raise Enough

    # The first part ends at once, the second never.
    class Half(Slow):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            future = super().submit(fn, *args, **kwargs)
            if len(self.futures) == 1:
                future.set_result(fn(*args, **kwargs))
            return future

    half = Half()
    with pytest.raises(Enough):
        lab.run(SPECIFICATION, tmp_path / "results", executor=half, shards=2, progress=tell)
    assert half.futures[1].cancelled()
