"""Splits a stream of bytes into lines, and reads the lines of an export as votes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ._call import Call
from ._decode import reader
from ._errors import ConnectionLostError, ForeignAnswerError
from ._types import Answer


class Lines:
    """The complete lines of a stream that arrives in pieces."""

    def __init__(self) -> None:
        self._begun: list[bytes] = []

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yields the lines that are complete, without their ends."""
        *whole, rest = data.split(b"\n")
        for line in whole:
            yield b"".join([*self._begun, line]).removesuffix(b"\r")
            self._begun.clear()
        if rest:
            self._begun.append(rest)

    @property
    def is_between(self) -> bool:
        """Whether the last line was complete."""
        return not self._begun


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedVote:
    """A vote that counts, with everything that the log has about it. `docs/votes.md` has the columns."""

    seq: int
    duel: int | None
    recorded_at: datetime
    time: datetime | None
    left: str
    right: str
    outcome: Answer | None
    score: float
    weight: float
    voter: str | None
    pscore: float | None
    pscore_left: float | None
    pscore_right: float | None
    swapped: bool | None
    holdout: bool
    late: bool
    context: Any
    source: str | None


class ExportReader:
    """Reads the votes of an export.

    It does not continue a broken export: several rows can have the same position in the log, so the place to continue
    is unknown.
    """

    def __init__(self, call: Call[Any]) -> None:
        self._call = call
        self._lines = Lines()
        self._read = reader(ExportedVote)

    def call(self) -> Call[Any]:
        """Returns the request for the whole export."""
        return self._call

    def feed(self, data: bytes) -> Iterator[ExportedVote]:
        """Yields the votes that are complete."""
        for line in self._lines.feed(data):
            try:
                said = json.loads(line)
            except ValueError:
                raise ForeignAnswerError("a line of the server's export is not JSON") from None
            yield self._read(said)

    def ended(self, error: Exception | None) -> None:
        """Checks that the export is complete."""
        if error is not None:
            raise error
        if not self._lines.is_between:
            raise ConnectionLostError("the export ends within a vote: it is incomplete")
