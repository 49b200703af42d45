"""`tiltyard.ray`: a Ray cluster as an executor. `pip install "tiltyard[ray]"`.

>>> import tiltyard.ray
>>> runs = tiltyard.lab.run("experiment.toml", "results", executor=tiltyard.ray.RayExecutor())
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any, ParamSpec, TypeVar

from tiltyard._extras import needed

with needed("ray", "ray", "`tiltyard.ray`"):
    import ray

__all__ = ["RayExecutor"]

_P = ParamSpec("_P")
_T = TypeVar("_T")


class RayExecutor(Executor):
    """Calls as tasks of a Ray cluster, each on one processor unless `options` say otherwise.

    The cluster is the one that this program is connected to; else the one at `address`; else the one that Ray finds
    (`RAY_ADDRESS`, or one started on this machine); else one that Ray starts here. Workers need the same version of tiltyard.
    """

    def __init__(self, address: str | None = None, **options: Any) -> None:
        """Connects.

        Args:
            address: where the cluster is, as `ray.init` takes it.
            options: what tasks need, as `ray.remote` takes it, such as `num_cpus=2` or `resources={"big": 1}`.
        """
        if not ray.is_initialized():
            ray.init(address=address, log_to_driver=False)
        self._options = {"num_cpus": 1, **options}
        self._open: set[Future[Any]] = set()

    @property
    def workers(self) -> int:
        """How many tasks the cluster runs at once."""
        resources: Callable[[], dict[str, float]] = ray.cluster_resources
        processors = float(resources().get("CPU", 1))
        each = float(self._options["num_cpus"])
        return max(1, int(processors / each)) if each > 0 else max(1, int(processors))

    def submit(self, fn: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> Future[_T]:
        """Begins a task. A future that is cancelled before it is done ends the task."""
        reference = ray.remote(**self._options)(fn).remote(*args, **kwargs)
        future: Future[_T] = Future()

        def settle(inner: Future[_T]) -> None:
            if not future.set_running_or_notify_cancel():
                return
            error = inner.exception()
            if error is None:
                future.set_result(inner.result())
            else:
                # What the task raised, not what Ray wraps it in.
                future.set_exception(getattr(error, "cause", None) or error)

        def forget(done: Future[_T]) -> None:
            self._open.discard(done)
            if done.cancelled():
                ray.cancel(reference, force=True)

        self._open.add(future)
        future.add_done_callback(forget)
        reference.future().add_done_callback(settle)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Waits for what is under way, or ends it. The cluster stays."""
        for future in list(self._open):
            if cancel_futures:
                future.cancel()
            elif wait:
                future.exception()
