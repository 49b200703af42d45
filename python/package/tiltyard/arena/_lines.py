"""Bytes as they come, made into lines; and the lines of an export made into votes."""

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
    """Lines of a stream that comes in pieces. Only those that are whole come out."""

    def __init__(self) -> None:
        self._begun: list[bytes] = []

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The lines that are whole by now, without their ends."""
        *whole, rest = data.split(b"\n")
        for line in whole:
            yield b"".join([*self._begun, line]).removesuffix(b"\r")
            self._begun.clear()
        if rest:
            self._begun.append(rest)

    @property
    def is_between(self) -> bool:
        """Whether the last line was whole."""
        return not self._begun


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedVote:
    """A vote that counts, with all that the log knows of it. `docs/import-export.md` has the columns."""

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
    """Votes of an export.

    It is read once: rows share places of the log, so that it cannot go on where it was.
    """

    def __init__(self, call: Call[Any]) -> None:
        self._call = call
        self._lines = Lines()
        self._read = reader(ExportedVote)

    def call(self) -> Call[Any]:
        """The request for all of it."""
        return self._call

    def feed(self, data: bytes) -> Iterator[ExportedVote]:
        """Votes that are whole by now."""
        for line in self._lines.feed(data):
            try:
                said = json.loads(line)
            except ValueError:
                raise ForeignAnswerError("a line of the server's export is no JSON") from None
            yield self._read(said)

    def ended(self, error: Exception | None) -> None:
        """It ends once, and well or not."""
        if error is not None:
            raise error
        if not self._lines.is_between:
            raise ConnectionLostError("the export ends within a vote: it is not whole")
