"""Reads server-sent events, as far as the arena uses them."""

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

#: The longest silence on a stream, in seconds. The server sends a comment every 15 seconds.
SILENCE = 45.0

#: The waits before a stream is opened again that ended without an event.
PATIENCE = Retry()


class EventReader:
    """Reads events. Whenever the stream ends, it is opened again after the last event."""

    def __init__(self, experiment: Ref, after: int) -> None:
        self._experiment = experiment
        self._after = after
        self._read = reader(Event)
        self._begin()
        self._in_vain = 0

    def _begin(self) -> None:
        # An incomplete event is dropped, because the server sends it again.
        self._lines = Lines()
        self._data: list[str] = []

    def call(self) -> Call[Any]:
        """Returns the request for the events after the last one read."""
        return replace(requests.stream_events(self._experiment, after=self._after), silence=SILENCE)

    def feed(self, data: bytes) -> Iterator[Event]:
        """Yields the events that are complete."""
        for line in self._lines.feed(data):
            field, _, value = line.decode(errors="replace").partition(":")
            if field == "data":
                self._data.append(value.removeprefix(" "))
            elif not line and self._data:
                # The data contains the position and the kind, and comments keep the connection
                # alive.
                event = self._event("\n".join(self._data))
                self._data.clear()
                self._after = event.seq
                self._in_vain = 0
                yield event

    def ended(self, error: Exception | None) -> float:
        """Returns the wait before the stream is opened again: longer if it ends repeatedly without an event."""
        self._begin()
        self._in_vain += 1
        return 0.0 if self._in_vain == 1 else PATIENCE.wait(self._in_vain - 1)

    def _event(self, text: str) -> Event:
        try:
            said = json.loads(text)
        except ValueError:
            raise ForeignAnswerError("the data of an event of the server is not JSON") from None
        return self._read(said)
