"""Descriptions of requests to an arena, which both clients carry out.

`Work` ends with an answer: a `Call` is one request, a `Plan` is several in a row, and a `Save` writes a body into a
file. A `Flow` yields one item after another: `Pages` of a long list, or a `Stream` that the server sends.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Generic, Protocol, TypeAlias, TypeVar, cast
from urllib.parse import quote

T = TypeVar("T")
U = TypeVar("U")
Item = TypeVar("Item", covariant=True)
Page = TypeVar("Page")


class HasId(Protocol):
    """Something with an id, such as an experiment or a duel."""

    @property
    def id(self) -> str: ...


#: An id, or something that has one.
Ref: TypeAlias = "str | HasId"


def name_of(thing: Ref) -> str:
    """Returns the id of something."""
    return thing if isinstance(thing, str) else thing.id


def path(template: str, *parts: Ref) -> str:
    """Returns a path with these parts, encoded, in place of its `{}`."""

    def encoded(part: Ref) -> str:
        text = quote(name_of(part), safe="")
        # Dots alone would mean the same folder or the one above.
        return text.replace(".", "%2E") if text in {".", ".."} else text

    return template.format(*map(encoded, parts))


def as_it_is(said: T) -> T:
    """Returns an answer unchanged."""
    return said


class Work(abc.ABC, Generic[T]):
    """Something that ends with an answer."""


class Flow(abc.ABC, Generic[T]):
    """Something that yields one item after another."""


@dataclass(frozen=True)
class Call(Work[T]):
    """One request, and how to read its answer."""

    method: str
    path: str
    #: Converts the JSON of the response to the answer.
    answer: Callable[[Any], T]
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    #: Whether it may be sent again, because a repetition has no further effect.
    repeatable: bool = False
    #: The longest silence of the server in seconds; None for the client's own limit.
    silence: float | None = None

    def then(self, make: Callable[[T], U]) -> Call[U]:
        """Returns the same request, with `make` applied to its answer."""
        answer = self.answer
        return replace(cast("Call[Any]", self), answer=lambda said: make(answer(said)))


@dataclass(frozen=True)
class Plan(Work[T]):
    """Several requests in a row: a generator that yields each request and receives its answer."""

    steps: Callable[[], Generator[Call[Any], Any, T]]


@dataclass(frozen=True)
class Save(Work[Path]):
    """Writes a body into a file, completely or not at all."""

    call: Call[Any]
    into: Path


@dataclass(frozen=True)
class Pages(Flow[T], Generic[T, Page]):
    """The items of a list that comes in pages."""

    #: The request for the page at a position.
    at: Callable[[Any], Call[Page]]
    items: Callable[[Page], Iterable[T]]
    #: The position of the next page; None after the last page.
    next: Callable[[Page], Any]
    #: The position of the first page.
    begin: Any = None


class Reader(Protocol[Item]):
    """Reads a stream and remembers the position in it."""

    def call(self) -> Call[Any]:
        """Returns the request that opens the stream at the current position."""

    def feed(self, data: bytes) -> Iterable[Item]:
        """Takes data and returns the items that are complete."""

    def ended(self, error: Exception | None) -> float | None:
        """Called when the stream has ended. Returns the wait in seconds before it is opened again, or None."""


@dataclass(frozen=True)
class Stream(Flow[T]):
    """Items that the server sends one by one."""

    #: The reader, or the work that returns it.
    begin: Reader[T] | Work[Reader[T]]
