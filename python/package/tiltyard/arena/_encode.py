"""Python values made into JSON and into queries."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, TypeVar

from . import _time

T = TypeVar("T")


def given(**values: Any) -> dict[str, Any]:
    """Those that are not None: what is left out has the server's default."""
    return {name: value for name, value in values.items() if value is not None}


def listed(values: Iterable[T] | None) -> list[T] | None:
    """A list, which can be sent again, of what can be gone through once."""
    return None if values is None else list(values)


def fresh(client_id: str | None) -> str:
    """A name for a request, one that nobody can guess: whoever asks with it gets the same duels."""
    return str(uuid.uuid4()) if client_id is None else client_id


def body(values: Mapping[str, Any]) -> bytes:
    """The body of a request."""
    return text(values).encode()


def text(value: Any) -> str:
    """A value as JSON."""
    # JSON has no NaN, and `json` would write one.
    return json.dumps(value, default=_other, allow_nan=False, ensure_ascii=False, separators=(",", ":"))


def query(values: Mapping[str, Any]) -> dict[str, str]:
    """The query of a request; what is None is left out."""
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
