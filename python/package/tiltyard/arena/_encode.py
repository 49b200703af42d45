"""Converts Python values to JSON and to queries."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, TypeVar

from . import _time

T = TypeVar("T")


def given(**values: Any) -> dict[str, Any]:
    """Returns the values that are not None. For the others, the server uses its defaults."""
    return {name: value for name, value in values.items() if value is not None}


def listed(values: Iterable[T] | None) -> list[T] | None:
    """Returns a list, because a request may be sent again and an iterator can be read only once."""
    return None if values is None else list(values)


def fresh(client_id: str | None) -> str:
    """Returns the id of a request. A new id cannot be guessed, because every request with it gets the same duels."""
    return str(uuid.uuid4()) if client_id is None else client_id


def body(values: Mapping[str, Any]) -> bytes:
    """Returns the body of a request."""
    return text(values).encode()


def text(value: Any) -> str:
    """Returns a value as JSON."""
    # JSON has no NaN, but `json` would write it.
    return json.dumps(value, default=_other, allow_nan=False, ensure_ascii=False, separators=(",", ":"))


def query(values: Mapping[str, Any]) -> dict[str, str]:
    """Returns the query of a request, without the values that are None."""
    return {
        name: _time.write(value) if isinstance(value, datetime) else str(value)
        for name, value in values.items()
        if value is not None
    }


def _other(value: Any) -> Any:
    if isinstance(value, datetime):
        return _time.write(value)
    if isinstance(value, Mapping):
        return dict(value)
    # Numbers and arrays of numpy.
    if hasattr(value, "tolist"):
        return value.tolist()
    # Sequences other than lists and tuples.
    if hasattr(value, "__iter__"):
        return list(value)
    raise TypeError(f"{value!r} cannot be written as JSON")
