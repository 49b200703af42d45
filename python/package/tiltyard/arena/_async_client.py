"""The asynchronous client."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from types import TracebackType
from typing import Any, TypeVar

import anyio
import httpx
from anyio.to_thread import run_sync

from ._call import Call, Flow, Pages, Plan, Save, Stream, Work
from ._errors import ArenaError, ClientClosedError
from ._files import whole_file
from ._operation import Awaiting
from ._operations import Operations
from ._retry import Retry
from ._transport import Connection

T = TypeVar("T")


class AsyncClient(Operations, Awaiting):
    """A client of an arena for asyncio. Any number of tasks of an event loop may share one.

    It has the methods of `Client`, with the same arguments. Methods that return an answer are awaited, and methods that
    iterate are used with ``async for``.

    >>> async with AsyncClient() as arena:
    ...     duel = await arena.duel(experiment)
    ...     await arena.vote(duel, "left")
    ...     async for event in arena.watch(experiment):
    ...         print(event)
    """

    def __init__(
        self,
        server: str | None = None,
        key: str | None = None,
        *,
        timeout: float = 30.0,
        retry: Retry | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._connection = Connection(server, key, timeout, retry)
        self._http = httpx.AsyncClient(transport=transport, **self._connection.options)

    def __repr__(self) -> str:
        return f"AsyncClient({self._connection.base!r})"

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Closes all connections. The client cannot be used afterwards."""
        await self._http.aclose()

    async def _carry_out(self, work: Work[T]) -> T:
        if isinstance(work, Call):
            content = await self._insist(work, lambda response: response.aread())
            said: T = self._connection.answer(work, content)
            return said
        if isinstance(work, Plan):
            answer: Any = None
            with contextlib.closing(work.steps()) as steps:
                while True:
                    # A plan may read files, which must not block the event loop.
                    is_done, step = await run_sync(_advance, steps, answer)
                    if is_done:
                        done: T = step
                        return done
                    answer = await self._carry_out(step)
        assert isinstance(work, Save)

        async def save(response: httpx.Response) -> None:
            with whole_file(work.into) as file:
                async for data in response.aiter_bytes():
                    await run_sync(file.write, data)

        await self._insist(work.call, save)
        return work.into  # type: ignore[return-value]

    async def _iterate(self, flow: Flow[T]) -> AsyncGenerator[T, None]:
        if isinstance(flow, Pages):
            page = await self._carry_out(flow.at(flow.begin))
            while True:
                for item in flow.items(page):
                    yield item
                if (place := flow.next(page)) is None:
                    return
                page = await self._carry_out(flow.at(place))
        assert isinstance(flow, Stream)
        reader = await self._carry_out(flow.begin) if isinstance(flow.begin, Work) else flow.begin
        wait: float | None = 0.0
        while wait is not None:
            await anyio.sleep(wait)
            broken: ArenaError | None = None
            response = await self._insist(reader.call(), _as_it_is)
            try:
                async for data in response.aiter_bytes():
                    for item in reader.feed(data):
                        yield item
            except httpx.RequestError as error:
                broken = self._connection.trouble(error)
            finally:
                await response.aclose()
            wait = reader.ended(broken)

    async def _insist(self, call: Call[Any], consume: Callable[[httpx.Response], Awaitable[T]]) -> T:
        """Sends a request, repeats it if that is safe and may help, and consumes the answer."""
        if self._http.is_closed:
            raise ClientClosedError("the client is closed")
        attempts = self._connection.attempts(call)
        while True:
            try:
                with self._connection.troubles():
                    request = self._http.build_request(**self._connection.request(call, attempts))
                    response = await self._http.send(request, stream=True)
                    try:
                        if not response.is_success:
                            await response.aread()
                            raise self._connection.refusal(response)
                        return await consume(response)
                    except BaseException:
                        await response.aclose()
                        raise
            except ArenaError as error:
                wait = attempts.wait_after(error)
            await anyio.sleep(wait)


async def _as_it_is(response: httpx.Response) -> httpx.Response:
    return response


def _advance(steps: Generator[Call[Any], Any, T], answer: Any) -> tuple[bool, Any]:
    """Returns the next step, or the result of all steps. `StopIteration` itself cannot pass between threads."""
    try:
        return False, steps.send(answer)
    except StopIteration as stop:
        return True, stop.value
