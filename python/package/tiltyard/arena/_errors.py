"""What went wrong, as exceptions. `_codes` has one for each code of the API; these are for answers that never came."""

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
    """Whether a request that failed may be sent once more."""

    NEVER = enum.auto()
    #: Nobody knows whether it was carried out: only what counts once however often it is sent.
    IF_REPEATABLE = enum.auto()
    #: Nothing was done, and it passes if the server says when.
    WHEN_TOLD = enum.auto()
    #: Nothing was done, and it passes.
    ALWAYS = enum.auto()


#: The class of each code.
BY_CODE: dict[str, type[ArenaError]] = {}


class ArenaError(Exception):
    """The arena did not do what it was asked for. The other errors are kinds of this one.

    ``status`` and ``code`` are the server's, and None if it gave no answer; a newer server may have codes
    that have no class here. ``detail`` says what went wrong, ``hint`` what to do about it, and
    ``retry_after`` after how many seconds it is worth trying again.
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
        # What `OSError` pickles of itself would lose all but the detail.
        return type(self), (self.detail,), self.__dict__


class UnreachableError(ArenaError, ConnectionError):
    """There is no server at the address. Nothing was done."""

    hint = "`tiltyard serve` starts one; the argument `server` or TILTYARD_SERVER says where one is"
    again = Again.ALWAYS


class ConnectionLostError(ArenaError, ConnectionError):
    """The connection broke off. Whether the server did what it was asked for is not known."""

    again = Again.IF_REPEATABLE


class NoAnswerError(ArenaError, TimeoutError):
    """No answer came in time. Whether the server did what it was asked for is not known."""

    hint = "give the client a longer `timeout`"
    again = Again.IF_REPEATABLE


class ForeignAnswerError(ArenaError):
    """What answered is no arena, or one that this client does not understand."""

    hint: str | None = "the argument `server` or TILTYARD_SERVER says where the server is"


class GatewayError(ForeignAnswerError, ConnectionError):
    """What stands in front of the arena could not get an answer from it."""

    hint = None
    again = Again.IF_REPEATABLE


class ClientClosedError(ArenaError, RuntimeError):
    """The client was closed before. Nothing was sent."""

    hint = "make another, or ask within its `with`"


class SeveralExperimentsError(ArenaError, LookupError):
    """More than one experiment has the name that was asked for."""


def error_of(code: str, detail: str, status: int, retry_after: float | None) -> ArenaError:
    """The error that a problem of the API tells of."""
    kind = BY_CODE.get(code, ArenaError)
    return kind(detail, status=status, code=code, retry_after=retry_after)
