"""A network that fails on demand, between the client and the sockets."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator

import httpx

#: What happens to a request: it returns another answer, or raises an error. It receives the true
#: answer if the server was asked.
Fault = Callable[[httpx.Request, httpx.Response | None], httpx.Response]


def unreachable(request: httpx.Request, answer: httpx.Response | None) -> httpx.Response:
    """The server cannot be reached and does not get the request."""
    assert answer is None
    raise httpx.ConnectError("connection refused", request=request)


def lost(request: httpx.Request, answer: httpx.Response | None) -> httpx.Response:
    """The server carries out the request, but its answer is lost."""
    assert answer is not None
    raise httpx.ReadError("connection reset by peer", request=request)


def silent(request: httpx.Request, answer: httpx.Response | None) -> httpx.Response:
    """The server carries out the request, but its answer takes too long."""
    assert answer is not None
    raise httpx.ReadTimeout("timed out", request=request)


def cut(request: httpx.Request, answer: httpx.Response | None) -> httpx.Response:
    """The connection breaks in the middle of the answer."""
    assert answer is not None
    half = answer.content[: len(answer.content) // 2]
    return httpx.Response(answer.status_code, stream=_Broken(half, request), request=request)


def refused(status: int, code: str, retry_after: int | None = None) -> Fault:
    """The server refuses the request and does nothing."""

    def fault(request: httpx.Request, answer: httpx.Response | None) -> httpx.Response:
        assert answer is None
        said = {"type": "", "title": "", "status": status, "code": code, "detail": f"told to answer {code}"}
        headers = {"Content-Type": "application/problem+json"}
        if retry_after is not None:
            said["retry_after"] = retry_after
            headers["Retry-After"] = str(retry_after)
        return httpx.Response(status, headers=headers, content=json.dumps(said).encode(), request=request)

    return fault


def answered(status: int, content: bytes, **headers: str) -> Fault:
    """Something other than an arena answers."""
    return lambda request, answer: httpx.Response(status, content=content, headers=headers, request=request)


#: Faults that happen after the server was asked.
AFTERWARDS = (lost, silent, cut)


class Faults(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """Applies these faults to the first requests, one per request. Remembers all requests."""

    def __init__(self, *faults: Fault | None) -> None:
        self._faults = list(faults)
        self.requests: list[httpx.Request] = []
        self._blocking = httpx.HTTPTransport()
        self._awaiting = httpx.AsyncHTTPTransport()

    def then(self, *faults: Fault | None) -> None:
        """Applies these faults to the next requests."""
        self._faults += faults

    @property
    def left(self) -> int:
        """The number of faults that have not happened yet."""
        return len(self._faults)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        fault = self._next(request)
        if fault is None:
            return self._blocking.handle_request(request)
        if fault not in AFTERWARDS:
            return fault(request, None)
        answer = self._blocking.handle_request(request)
        answer.read()
        return fault(request, answer)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        fault = self._next(request)
        if fault is None:
            return await self._awaiting.handle_async_request(request)
        if fault not in AFTERWARDS:
            return fault(request, None)
        answer = await self._awaiting.handle_async_request(request)
        await answer.aread()
        return fault(request, answer)

    def _next(self, request: httpx.Request) -> Fault | None:
        self.requests.append(request)
        return self._faults.pop(0) if self._faults else None

    def close(self) -> None:
        self._blocking.close()

    async def aclose(self) -> None:
        await self._awaiting.aclose()


class _Broken(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A body that breaks after some bytes."""

    def __init__(self, begun: bytes, request: httpx.Request) -> None:
        self._begun = begun
        self._error = httpx.RemoteProtocolError(
            "peer closed connection without the last chunk", request=request
        )

    def __iter__(self) -> Iterator[bytes]:
        yield self._begun
        raise self._error

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self._begun
        raise self._error
