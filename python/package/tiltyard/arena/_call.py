"""What can be asked of an arena, as values that know nothing of sockets, for both clients.

Whatever ends with an answer is `Work`: a `Call` is one request, a `Plan` several in a row, a `Save` a body
that goes into a file. Whatever yields one thing after another is a `Flow`: `Pages` of a long list, or a
`Stream` that the server sends.
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
    """The id of something."""
    return thing if isinstance(thing, str) else thing.id


def path(template: str, *parts: Ref) -> str:
    """A path with these in place of its `{}`, encoded."""

    def encoded(part: Ref) -> str:
        text = quote(name_of(part), safe="")
        # Dots alone would be taken for a way up.
        return text.replace(".", "%2E") if text in {".", ".."} else text

    return template.format(*map(encoded, parts))


def as_it_is(said: T) -> T:
    """Leaves an answer as it came."""
    return said


class Work(abc.ABC, Generic[T]):
    """Something that ends with an answer."""


class Flow(abc.ABC, Generic[T]):
    """Something that yields one thing after another."""


@dataclass(frozen=True)
class Call(Work[T]):
    """One request, and how its answer is read."""

    method: str
    path: str
    #: Makes the answer of the JSON that came.
    answer: Callable[[Any], T]
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    #: Whether it may be sent twice: done twice, it is done once.
    repeatable: bool = False
    #: How many seconds the server may be silent, if that is not up to the client.
    silence: float | None = None

    def then(self, make: Callable[[T], U]) -> Call[U]:
        """The same request, with something made of its answer."""
        answer = self.answer
        return replace(cast("Call[Any]", self), answer=lambda said: make(answer(said)))


@dataclass(frozen=True)
class Plan(Work[T]):
    """Requests in a row: a generator that yields each and is sent its answer."""

    steps: Callable[[], Generator[Call[Any], Any, T]]


@dataclass(frozen=True)
class Save(Work[Path]):
    """A body that goes into a file, which is there whole or not at all."""

    call: Call[Any]
    into: Path


@dataclass(frozen=True)
class Pages(Flow[T], Generic[T, Page]):
    """The items of a list that comes in pages."""

    #: The request for the page at a place.
    at: Callable[[Any], Call[Page]]
    items: Callable[[Page], Iterable[T]]
    #: The place of the page after one; None if that was the last.
    next: Callable[[Page], Any]
    #: The place of the first page.
    begin: Any = None


class Reader(Protocol[Item]):
    """Where somebody is in a stream."""

    def call(self) -> Call[Any]:
        """The request that opens the stream where the reader is."""

    def feed(self, data: bytes) -> Iterable[Item]:
        """Takes in what came, and gives what is whole by now."""

    def ended(self, error: Exception | None) -> float | None:
        """Told that the stream ended, and how; after how many seconds it is to be opened again, if at all."""


@dataclass(frozen=True)
class Stream(Flow[T]):
    """What the server sends piece by piece."""

    #: The reader, or how to find out where it begins.
    begin: Reader[T] | Work[Reader[T]]
