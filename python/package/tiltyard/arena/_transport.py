"""What both clients share of HTTP: where the server is, how requests are written and answers read."""

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

#: Where a server is if nothing is said: where `tiltyard serve` listens.
DEFAULT_SERVER = "http://127.0.0.1:7474"

#: How many seconds a connection may take to come about.
CONNECT = 5.0

#: Statuses with which something in front of the arena says that it got no answer.
GATEWAY = (429, 502, 503, 504)


class Connection:
    """Where the server is, with which key, and how long and how often it is asked."""

    def __init__(self, server: str | None, key: str | None, timeout: float, retry: Retry | None) -> None:
        if not timeout > 0:
            raise ValueError(f"`timeout` must be a number of seconds above 0, not {timeout}")
        self.base = _address(server or os.environ.get("TILTYARD_SERVER") or DEFAULT_SERVER)
        self._key = _key(key)
        self._timeout = timeout
        self.retry = retry or Retry()
        #: For both `httpx.Client` and its twin. No proxy and no password of the environment, so that a key
        #: goes nowhere else.
        self.options: dict[str, Any] = {
            "trust_env": False,
            "headers": {
                "User-Agent": "tiltyard-python",
                **({"Authorization": f"Bearer {self._key}"} if self._key else {}),
            },
            # As many at once as there are threads or tasks: the server says when it is too much.
            "limits": httpx.Limits(max_connections=None, max_keepalive_connections=100),
        }

    def attempts(self, call: Call[Any]) -> Attempts:
        """The attempts at a request, from now on."""
        return Attempts(self.retry, repeatable=call.repeatable)

    def request(self, call: Call[Any], attempts: Attempts) -> dict[str, Any]:
        """A request as `httpx` wants it, to be answered while there is time."""
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
        """What the server said."""
        return call.answer(_json(content))

    def refusal(self, response: httpx.Response) -> ArenaError:
        """Why the server said no, from its answer."""
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
        """Makes our errors of those of `httpx`."""
        try:
            yield
        except httpx.RequestError as error:
            raise self.trouble(error) from error

    def trouble(self, error: httpx.RequestError) -> ArenaError:
        """Why no answer came."""
        why = str(error) or type(error).__name__
        match error:
            case httpx.ConnectError() | httpx.ConnectTimeout() | httpx.PoolTimeout() | httpx.ProxyError():
                return UnreachableError(f"there is no server at {self.base}: {why}")
            case httpx.TimeoutException():
                return NoAnswerError(f"{self.base} did not answer in time")
            case _:
                return ConnectionLostError(
                    f"the connection to {self.base} broke off ({why}): "
                    "it is not known whether the server did what it was asked for"
                )


def _json(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError as error:
        raise ForeignAnswerError("the server's answer is no JSON") from error


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
            wrong = "a name and a password do not belong there"
        elif parts.query or parts.fragment:
            wrong = "there is more behind its path"
    if wrong:
        raise ValueError(f"`{text}` is no address of a server ({wrong}); one looks like {DEFAULT_SERVER}")
    return text.rstrip("/")


def _key(key: str | None) -> str | None:
    """The key, from where there is one first. What is wrong with it is told without repeating it."""
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
        raise ValueError(f"{place} is no key: one is a word such as tiltyard_...")
    return key
