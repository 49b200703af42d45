"""Python values made into JSON and into queries."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from . import _time


def given(**values: Any) -> dict[str, Any]:
    """Those that are not None: what is left out has the server's default."""
    return {name: value for name, value in values.items() if value is not None}


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
