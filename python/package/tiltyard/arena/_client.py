"""The blocking client."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Generator
from types import TracebackType
from typing import Any, TypeVar

import httpx

from ._call import Call, Flow, Pages, Plan, Save, Stream, Work
from ._errors import ArenaError, ClientClosedError
from ._files import whole_file
from ._operation import Blocking
from ._operations import Operations
from ._retry import Retry
from ._transport import Connection

T = TypeVar("T")


class Client(Operations, Blocking):
    """A client of an arena. Any number of threads may use one at the same time.

    ``server`` is the address of the arena. The default is TILTYARD_SERVER, or ``http://127.0.0.1:7474`` if that is not
    set. The default of ``key`` is TILTYARD_KEY, or the content of the file that TILTYARD_KEY_FILE names. ``timeout`` is
    the time limit for an answer in seconds, and ``retry`` says how often and how long the client tries again. Use
    ``transport`` if you need a proxy or your own certificates.

    >>> with Client() as arena:
    ...     experiment = arena.create_experiment("headline", ["plain", "funny"])
    ...     duel = arena.duel(experiment)
    ...     arena.vote(duel, "left")
    """

    def __init__(
        self,
        server: str | None = None,
        key: str | None = None,
        *,
        timeout: float = 30.0,
        retry: Retry | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._connection = Connection(server, key, timeout, retry)
        self._http = httpx.Client(transport=transport, **self._connection.options)

    def __repr__(self) -> str:
        return f"Client({self._connection.base!r})"

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes all connections. The client cannot be used afterwards."""
        self._http.close()

    def _carry_out(self, work: Work[T]) -> T:
        if isinstance(work, Call):
            said: T = self._connection.answer(work, self._insist(work, lambda response: response.read()))
            return said
        if isinstance(work, Plan):
            with contextlib.closing(work.steps()) as steps:
                try:
                    call = next(steps)
                    while True:
                        call = steps.send(self._carry_out(call))
                except StopIteration as stop:
                    answer: T = stop.value
                    return answer
        assert isinstance(work, Save)

        def save(response: httpx.Response) -> None:
            with whole_file(work.into) as file:
                for data in response.iter_bytes():
                    file.write(data)

        self._insist(work.call, save)
        return work.into  # type: ignore[return-value]

    def _iterate(self, flow: Flow[T]) -> Generator[T, None, None]:
        if isinstance(flow, Pages):
            page = self._carry_out(flow.at(flow.begin))
            while True:
                yield from flow.items(page)
                if (place := flow.next(page)) is None:
                    return
                page = self._carry_out(flow.at(place))
        assert isinstance(flow, Stream)
        reader = self._carry_out(flow.begin) if isinstance(flow.begin, Work) else flow.begin
        wait: float | None = 0.0
        while wait is not None:
            time.sleep(wait)
            broken: ArenaError | None = None
            response = self._insist(reader.call(), lambda response: response)
            try:
                for data in response.iter_bytes():
                    yield from reader.feed(data)
            except httpx.RequestError as error:
                broken = self._connection.trouble(error)
            finally:
                response.close()
            wait = reader.ended(broken)

    def _insist(self, call: Call[Any], consume: Callable[[httpx.Response], T]) -> T:
        """Sends a request, repeats it if that is safe and may help, and consumes the answer."""
        if self._http.is_closed:
            raise ClientClosedError("the client is closed")
        attempts = self._connection.attempts(call)
        while True:
            try:
                with self._connection.troubles():
                    request = self._http.build_request(**self._connection.request(call, attempts))
                    response = self._http.send(request, stream=True)
                    try:
                        if not response.is_success:
                            response.read()
                            raise self._connection.refusal(response)
                        return consume(response)
                    except BaseException:
                        response.close()
                        raise
            except ArenaError as error:
                wait = attempts.wait_after(error)
            time.sleep(wait)
