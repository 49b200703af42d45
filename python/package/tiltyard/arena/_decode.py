"""Converts JSON to the dataclasses of `_types`, by their annotations."""

from __future__ import annotations

import dataclasses
import functools
import types
from collections.abc import Callable
from datetime import datetime
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from . import _time
from ._errors import ForeignAnswerError

T = TypeVar("T")

#: Converts JSON to a value. The text is its place in the answer, for errors.
Decode = Callable[[Any, str], Any]


def reader(kind: type[T]) -> Callable[[Any], T]:
    """Returns a function that converts JSON to this type.

    Unknown fields are ignored, because a newer server may send more.
    """
    # `Any`, because the type checker does not know that a type can be a key of a cache.
    whatever: Any = kind
    decode: Decode = _decoder(whatever)
    return lambda json: decode(json, "answer")


@functools.cache
def _decoder(kind: Any) -> Decode:
    if dataclasses.is_dataclass(kind):
        return _object(kind)
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is tuple:
        return _list(arguments[0])
    if origin in (Union, types.UnionType):
        return _union(arguments)
    if origin is Literal:
        # Accepts any word, because a newer server may have others.
        return _plain(str)
    if kind is datetime:
        return _moment
    if kind is Any:
        return lambda json, place: json
    return _plain(kind)


def _object(kind: Any) -> Decode:
    hints = get_type_hints(kind)
    # A keyword of Python cannot be the name of a field, and gets an underscore at its end.
    fields = [
        (each.name, each.name.rstrip("_"), hints[each.name], each.default is dataclasses.MISSING)
        for each in dataclasses.fields(kind)
    ]

    def decode(json: Any, place: str) -> Any:
        if not isinstance(json, dict):
            raise _misfit(place, "an object", json)
        values = {}
        for name, key, hint, required in fields:
            if key in json:
                values[name] = _decoder(hint)(json[key], f"{place}.{key}")
            elif required:
                raise ForeignAnswerError(f"the server's {place} lacks `{key}`")
        return kind(**values)

    return decode


def _list(item: Any) -> Decode:
    def decode(json: Any, place: str) -> Any:
        if not isinstance(json, list):
            raise _misfit(place, "a list", json)
        return tuple(_decoder(item)(each, f"{place}[{i}]") for i, each in enumerate(json))

    return decode


def _union(kinds: tuple[Any, ...]) -> Decode:
    others = [kind for kind in kinds if kind is not type(None)]

    def decode(json: Any, place: str) -> Any:
        if json is None and len(others) < len(kinds):
            return None
        for kind in others[:-1]:
            try:
                return _decoder(kind)(json, place)
            except ForeignAnswerError:
                continue
        return _decoder(others[-1])(json, place)

    return decode


def _plain(kind: type) -> Decode:
    def decode(json: Any, place: str) -> Any:
        # JSON does not distinguish 1 from 1.0, and in Python a bool is an int.
        if kind is float and isinstance(json, int) and not isinstance(json, bool):
            return float(json)
        if not isinstance(json, kind) or (isinstance(json, bool) and kind is not bool):
            raise _misfit(place, kind.__name__, json)
        return json

    return decode


def _moment(json: Any, place: str) -> datetime:
    try:
        return _time.parse(json)
    except (TypeError, ValueError):
        raise _misfit(place, "a time", json) from None


def _misfit(place: str, wanted: str, json: Any) -> ForeignAnswerError:
    text = repr(json)
    shown = text if len(text) <= 40 else text[:40] + "..."
    return ForeignAnswerError(f"the server's {place} should be {wanted}, but is {shown}")
