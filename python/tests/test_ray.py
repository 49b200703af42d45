"""Runs shards as tasks of a real Ray cluster with two workers."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from pathlib import Path

import pytest

from tiltyard import errors, lab

from test_run import SPECIFICATION, same_bytes

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    """A cluster on this machine that runs before an executor connects."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    # Workers use this environment unchanged.
    os.environ["RAY_ENABLE_UV_RUN_RUNTIME_ENV"] = "0"
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


# Nested functions are sent to workers as code, because workers cannot import a test.


def worker() -> Callable[[], int]:
    def pid() -> int:
        time.sleep(0.3)
        return os.getpid()

    return pid


@pytest.mark.usefixtures("cluster")
def test_ray_gives_the_same_bytes_as_one_machine(tmp_path: Path) -> None:
    from tiltyard.ray import RayExecutor

    lab.run(SPECIFICATION, tmp_path / "whole", progress=False)
    with RayExecutor() as executor:
        assert executor.workers == 2
        # Two processes, neither of them this one.
        pids = {future.result() for future in [executor.submit(worker()) for _ in range(4)]}
        assert os.getpid() not in pids and len(pids) == 2
        runs = lab.run(SPECIFICATION, tmp_path / "ray", executor=executor, shards=5)
    assert same_bytes(runs.directory, tmp_path / "whole")


@pytest.mark.usefixtures("cluster")
def test_errors_come_back_as_they_were() -> None:
    from tiltyard.ray import RayExecutor

    def refuse() -> None:
        lab.plan("rnus = 3\n")

    with RayExecutor() as executor, pytest.raises(errors.SpecificationToml) as caught:
        executor.submit(refuse).result()
    assert caught.value.line == 1


@pytest.mark.usefixtures("cluster")
def test_a_cancelled_future_ends_its_task() -> None:
    from tiltyard.ray import RayExecutor

    def for_long() -> None:
        time.sleep(600)

    with RayExecutor() as executor:
        # Both processors are busy until these tasks are cancelled.
        endless = [executor.submit(for_long) for _ in range(2)]
        for future in endless:
            assert future.cancel()
        assert executor.submit(worker()).result(timeout=120) != os.getpid()
    with pytest.raises(CancelledError):
        endless[0].result()
