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
    """Runs calls as tasks of a Ray cluster, each on one processor unless `options` say otherwise.

    If this program is connected to a cluster, the executor uses it. Otherwise it connects to the cluster at `address`.
    Without an address, Ray looks for a cluster (`RAY_ADDRESS`, or one started on this machine) and starts one here if
    it finds none. Workers need the same version of tiltyard.
    """

    def __init__(self, address: str | None = None, **options: Any) -> None:
        """Connects to a cluster.

        Args:
            address: the address of the cluster, as for `ray.init`.
            options: the resources of a task, as for `ray.remote`, such as `num_cpus=2` or `resources={"big": 1}`.
        """
        if not ray.is_initialized():
            ray.init(address=address, log_to_driver=False)
        self._options = {"num_cpus": 1, **options}
        self._open: set[Future[Any]] = set()

    @property
    def workers(self) -> int:
        """The number of tasks that the cluster runs at once."""
        resources: Callable[[], dict[str, float]] = ray.cluster_resources
        processors = float(resources().get("CPU", 1))
        each = float(self._options["num_cpus"])
        return max(1, int(processors / each)) if each > 0 else max(1, int(processors))

    def submit(self, fn: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> Future[_T]:
        """Starts a task. Cancelling its future ends the task."""
        reference = ray.remote(**self._options)(fn).remote(*args, **kwargs)
        future: Future[_T] = Future()

        def settle(inner: Future[_T]) -> None:
            if not future.set_running_or_notify_cancel():
                return
            error = inner.exception()
            if error is None:
                future.set_result(inner.result())
            else:
                # The exception of the task itself, without Ray's wrapper.
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
        """Waits for running tasks, or cancels them. The cluster keeps running."""
        for future in list(self._open):
            if cancel_futures:
                future.cancel()
            elif wait:
                future.exception()
