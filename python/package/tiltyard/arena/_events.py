"""Server-sent events, as far as the arena sends them, and where a reader of them is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from . import _requests as requests
from ._call import Call, Ref
from ._decode import reader
from ._errors import ForeignAnswerError
from ._lines import Lines
from ._retry import Retry
from ._types import Event

#: How many seconds a stream may be silent: longer than the server's signs of life are apart, which is 15.
SILENCE = 45.0

#: How a stream is opened again that ends without having brought anything.
PATIENCE = Retry()


class EventReader:
    """Events of a stream that is opened again behind the last one whenever it ends."""

    def __init__(self, experiment: Ref, after: int) -> None:
        self._experiment = experiment
        self._after = after
        self._read = reader(Event)
        self._begin()
        self._in_vain = 0

    def _begin(self) -> None:
        # Half an event is none: it comes again.
        self._lines = Lines()
        self._data: list[str] = []

    def call(self) -> Call[Any]:
        """The request that goes on where the reader is."""
        return replace(requests.stream_events(self._experiment, after=self._after), silence=SILENCE)

    def feed(self, data: bytes) -> Iterator[Event]:
        """Events that are whole by now."""
        for line in self._lines.feed(data):
            field, _, value = line.decode(errors="replace").partition(":")
            if field == "data":
                self._data.append(value.removeprefix(" "))
            elif not line and self._data:
                # Its place and its kind are in the data, too, and comments are signs of life.
                event = self._event("\n".join(self._data))
                self._data.clear()
                self._after = event.seq
                self._in_vain = 0
                yield event

    def ended(self, error: Exception | None) -> float:
        """It is opened again, after a moment if it brought nothing."""
        self._begin()
        self._in_vain += 1
        return 0.0 if self._in_vain == 1 else PATIENCE.wait(self._in_vain - 1)

    def _event(self, text: str) -> Event:
        try:
            said = json.loads(text)
        except ValueError:
            raise ForeignAnswerError("the data of an event of the server is no JSON") from None
        return self._read(said)
