"""Types of arguments that the API's document has no word for."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TypeAlias

__all__ = ["Ranks", "Time"]

#: Arms best first; a sequence within it holds arms that are equally good.
Ranks: TypeAlias = Sequence[str | Sequence[str]]

#: A moment: with a time zone, or text as RFC 3339 has it.
Time: TypeAlias = datetime | str
