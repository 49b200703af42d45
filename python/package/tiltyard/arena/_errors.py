"""Exceptions. `_codes` has one per code of the API; most of these are for requests without a valid answer."""

from __future__ import annotations

import enum
from typing import ClassVar

__all__ = [
    "ArenaError",
    "ClientClosedError",
    "ConnectionLostError",
    "ForeignAnswerError",
    "GatewayError",
    "NoAnswerError",
    "SeveralExperimentsError",
    "UnreachableError",
]


class Again(enum.Enum):
    """Whether a failed request may be sent again."""

    NEVER = enum.auto()
    #: It may have been carried out: only if a repetition has no further effect.
    IF_REPEATABLE = enum.auto()
    #: Nothing was done: only if the server says when to try again.
    WHEN_TOLD = enum.auto()
    #: Nothing was done.
    ALWAYS = enum.auto()


#: The class of each code.
BY_CODE: dict[str, type[ArenaError]] = {}


class ArenaError(Exception):
    """A request to the arena failed. The other errors are subclasses of this one.

    ``status`` and ``code`` come from the server, and are None if it gave no answer. A newer server may have codes
    without a class here. ``detail`` says what went wrong, ``hint`` what to do about it, and ``retry_after`` after how
    many seconds to try again.
    """

    code: str | None = None
    hint: str | None = None
    again: ClassVar[Again] = Again.NEVER

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if cls.code:
            # A class that inherits its code is not the class of the code.
            BY_CODE.setdefault(cls.code, cls)

    def __init__(
        self,
        detail: str,
        *,
        status: int | None = None,
        code: str | None = None,
        hint: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.status = status
        self.retry_after = retry_after
        if code is not None:
            self.code = code
        if hint is not None:
            self.hint = hint

    def __str__(self) -> str:
        code = f" ({self.code})" if self.code else ""
        hint = f"\nhint: {self.hint}" if self.hint else ""
        return f"{self.detail}{code}{hint}"

    def __reduce__(self) -> tuple[object, ...]:
        # `OSError` would pickle nothing but the detail.
        return type(self), (self.detail,), self.__dict__


class UnreachableError(ArenaError, ConnectionError):
    """The server cannot be reached. Nothing was done."""

    hint = "start one with `tiltyard serve`, or give its address with the argument `server` or TILTYARD_SERVER"
    again = Again.ALWAYS


class ConnectionLostError(ArenaError, ConnectionError):
    """The connection broke. The server may have carried out the request or not."""

    again = Again.IF_REPEATABLE


class NoAnswerError(ArenaError, TimeoutError):
    """No answer arrived in time. The server may have carried out the request or not."""

    hint = "give the client a longer `timeout`"
    again = Again.IF_REPEATABLE


class ForeignAnswerError(ArenaError):
    """The answer is not from an arena, or this client does not understand it."""

    hint: str | None = "give the server's address with the argument `server` or TILTYARD_SERVER"


class GatewayError(ForeignAnswerError, ConnectionError):
    """A proxy in front of the arena got no answer from it."""

    hint = None
    again = Again.IF_REPEATABLE


class ClientClosedError(ArenaError, RuntimeError):
    """The client is closed. Nothing was sent."""

    hint = "create another client, or use it inside its `with` block"


class SeveralExperimentsError(ArenaError, LookupError):
    """More than one experiment has this name."""


def error_of(code: str, detail: str, status: int, retry_after: float | None) -> ArenaError:
    """Returns the error for a problem of the API."""
    kind = BY_CODE.get(code, ArenaError)
    return kind(detail, status=status, code=code, retry_after=retry_after)
