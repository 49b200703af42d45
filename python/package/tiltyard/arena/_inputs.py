"""Types of arguments that the OpenAPI document does not name."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TypeAlias

__all__ = ["Ranks", "Time"]

#: Arms, best first; an inner sequence contains arms that are equally good.
Ranks: TypeAlias = Sequence[str | Sequence[str]]

#: A time: a `datetime` with a time zone, or text in the format of RFC 3339.
Time: TypeAlias = datetime | str
