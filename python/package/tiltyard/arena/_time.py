"""Times in the format of RFC 3339."""

from __future__ import annotations

import re
from datetime import datetime

_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d)(\.\d+)?([Zz]|[+-]\d\d:\d\d)")


def parse(text: str) -> datetime:
    """Parses a time. Raises `ValueError` if the text is not a time."""
    match = _MOMENT.fullmatch(text)
    if match is None:
        raise ValueError(f"`{text}` is not a time such as 2026-01-31T12:00:00Z")
    whole, fraction, zone = match.groups()
    # Python 3.10 reads neither `Z` nor an arbitrary number of digits.
    digits = (fraction or ".")[1:7].ljust(6, "0")
    return datetime.fromisoformat(f"{whole}.{digits}{'+00:00' if zone in 'Zz' else zone}")


def write(moment: datetime) -> str:
    """Formats a time."""
    if moment.tzinfo is None:
        raise ValueError(f"{moment!r} has no time zone: add one, as in `datetime.now(timezone.utc)`")
    return moment.isoformat()
