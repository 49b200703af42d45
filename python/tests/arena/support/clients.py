"""Clients of both kinds with the same interface, so that each test is written once."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import AsyncGenerator, Iterator
from types import TracebackType
from typing import Any, cast

from anyio.from_thread import BlockingPortal, start_blocking_portal
from tiltyard.arena import AsyncClient, Client, Retry

from .faults import Faults

KINDS = ("blocking", "awaiting")

#: As many retries as by default, with shorter waits.
HASTY = Retry(first_wait=0.005, longest_wait=0.05)


class Clients:
    """Creates clients of one kind, and closes them at the end."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> Clients:
        self._portal = self._stack.enter_context(start_blocking_portal()) if self.kind == "awaiting" else None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def make(
        self,
        url: str,
        key: str | None,
        *,
        retry: Retry = HASTY,
        faults: Faults | None = None,
        timeout: float = 30.0,
    ) -> Client:
        if self._portal is None:
            client = Client(url, key, retry=retry, transport=faults, timeout=timeout)
            return self._stack.enter_context(client)
        portal = self._portal
        awaiting = portal.call(lambda: AsyncClient(url, key, retry=retry, transport=faults, timeout=timeout))
        self._stack.callback(lambda: portal.call(awaiting.aclose))
        return cast(Client, _Blocked(awaiting, portal))


class _Blocked:
    """An asynchronous client with blocking methods."""

    def __init__(self, client: AsyncClient, portal: BlockingPortal) -> None:
        self._client = client
        self._portal = portal

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._client, name)
        if inspect.iscoroutinefunction(method):
            return lambda *args, **kwargs: self._portal.call(functools.partial(method, *args, **kwargs))
        return lambda *args, **kwargs: self._items(method(*args, **kwargs))

    def _items(self, flow: AsyncGenerator[Any, None]) -> Iterator[Any]:
        try:
            while True:
                try:
                    item = self._portal.call(flow.__anext__)
                except StopAsyncIteration:
                    return
                yield item
        finally:
            self._portal.call(flow.aclose)
