"""HTTP for both clients: the address of the server, writing requests and reading answers."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx

from . import _encode
from ._call import Call
from ._errors import (
    ArenaError,
    ConnectionLostError,
    ForeignAnswerError,
    GatewayError,
    NoAnswerError,
    UnreachableError,
    error_of,
)
from ._retry import Attempts, Retry

T = TypeVar("T")

#: The default address, which is also the default of `tiltyard serve`.
DEFAULT_SERVER = "http://127.0.0.1:7474"

#: The time limit for opening a connection, in seconds.
CONNECT = 5.0

#: Statuses with which a proxy in front of the arena says that it got no answer.
GATEWAY = (429, 502, 503, 504)


class Connection:
    """The server's address, the key, the time limit and the retries."""

    def __init__(self, server: str | None, key: str | None, timeout: float, retry: Retry | None) -> None:
        if not timeout > 0:
            raise ValueError(f"`timeout` must be a number of seconds above 0, not {timeout}")
        self.base = _address(server or os.environ.get("TILTYARD_SERVER") or DEFAULT_SERVER)
        self._key = _key(key)
        self._timeout = timeout
        self.retry = retry or Retry()
        #: For `httpx.Client` and `httpx.AsyncClient`. Proxies and passwords of the environment are
        #: ignored, so that the key goes to no other server.
        self.options: dict[str, Any] = {
            "trust_env": False,
            "headers": {
                "User-Agent": "tiltyard-python",
                **({"Authorization": f"Bearer {self._key}"} if self._key else {}),
            },
            # No limit on connections: the server refuses requests if there are too many.
            "limits": httpx.Limits(max_connections=None, max_keepalive_connections=100),
        }

    def attempts(self, call: Call[Any]) -> Attempts:
        """Returns the attempts for a request, beginning now."""
        return Attempts(self.retry, repeatable=call.repeatable)

    def request(self, call: Call[Any], attempts: Attempts) -> dict[str, Any]:
        """Returns the arguments of `httpx` for a request, with the time that is left as its limit."""
        silence = call.silence or min(self._timeout, attempts.left)
        request: dict[str, Any] = {
            "method": call.method,
            "url": self.base + call.path,
            "params": _encode.query(call.query) or None,
            "timeout": httpx.Timeout(silence, connect=min(CONNECT, attempts.left)),
        }
        if call.body is not None:
            request["content"] = _encode.body(call.body)
            request["headers"] = {"Content-Type": "application/json"}
        return request

    def answer(self, call: Call[T], content: bytes) -> T:
        """Converts the body of a response to the answer."""
        return call.answer(_json(content))

    def refusal(self, response: httpx.Response) -> ArenaError:
        """Returns the error for a response that is a refusal."""
        status = response.status_code
        try:
            said = json.loads(response.content)
            error = error_of(said["code"], said["detail"], status, said.get("retry_after"))
        except (ValueError, LookupError, TypeError, AttributeError):
            kind = GatewayError if status in GATEWAY else ForeignAnswerError
            error = kind(f"{self.base} answered with {status} {response.reason_phrase}", status=status)
        if error.retry_after is None:
            with contextlib.suppress(ValueError):
                error.retry_after = float(response.headers.get("Retry-After", ""))
        if error.code == "unauthorized" and not self._key:
            error.hint = "Give the client a `key`, or set TILTYARD_KEY."
        return error

    @contextlib.contextmanager
    def troubles(self) -> Iterator[None]:
        """Converts errors of `httpx` to errors of this package."""
        try:
            yield
        except httpx.RequestError as error:
            raise self.trouble(error) from error

    def trouble(self, error: httpx.RequestError) -> ArenaError:
        """Returns the error for a request without an answer."""
        why = str(error) or type(error).__name__
        match error:
            case httpx.ConnectError() | httpx.ConnectTimeout() | httpx.PoolTimeout() | httpx.ProxyError():
                return UnreachableError(f"cannot reach a server at {self.base}: {why}")
            case httpx.TimeoutException():
                return NoAnswerError(f"{self.base} did not answer in time")
            case _:
                return ConnectionLostError(
                    f"the connection to {self.base} broke ({why}): "
                    "the server may have carried out the request or not"
                )


def _json(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError as error:
        raise ForeignAnswerError("the server's answer is not JSON") from error


def _address(text: str) -> str:
    wrong = None
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError as error:
        wrong = str(error)
    else:
        if parts.scheme not in ("http", "https") or not parts.hostname or any(c.isspace() for c in text):
            wrong = "it does not begin with http:// or https:// and a host"
        elif parts.username or parts.password:
            wrong = "it must not contain a user name or a password"
        elif parts.query or parts.fragment:
            wrong = "it must not contain a query or a fragment"
    if wrong:
        # What precedes an @ may be a password, which errors must not repeat.
        shown = "the given text" if "@" in text else f"`{text}`"
        raise ValueError(f"{shown} is not the address of a server ({wrong}); an address looks like {DEFAULT_SERVER}")
    return text.rstrip("/")


def _key(key: str | None) -> str | None:
    """Returns the key from the first place that has one. Errors do not repeat the key."""
    place = "`key`"
    if key is None and (key := os.environ.get("TILTYARD_KEY")) is not None:
        place = "TILTYARD_KEY"
    elif key is None and (file := os.environ.get("TILTYARD_KEY_FILE")) is not None:
        place = f"the key file {file}"
        key = Path(file).read_text(encoding="utf-8")
    if key is None:
        return None
    key = key.strip()
    if not key or not key.isascii() or any(c.isspace() or not c.isprintable() for c in key):
        raise ValueError(f"{place} is not a key: a key looks like tiltyard_...")
    return key
