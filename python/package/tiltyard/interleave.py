"""Interleaving: two rankings merged into one list, so that clicks on it say which ranking people prefer.

>>> merger = Interleaver("team-draft", seed=1)
>>> merged = merger.merge(["a", "b", "c"], ["b", "d", "a"], length=3)
>>> merged.credit([0]).outcome in (-1.0, 0.0, 1.0)
True
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from tiltyard import _native
from tiltyard.errors import MergedMalformed

__all__ = ["Credits", "Interleaver", "Merged"]

D = TypeVar("D", bound=Hashable)


@dataclass(frozen=True)
class Credits:
    """What two lists earned by clicks."""

    left: float
    right: float
    outcome: float
    """The outcome for a policy: 1 if the left list won, -1 if the right one, between where clicks are shared."""


class Merged(Generic[D]):
    """A merged list with what is needed to credit clicks on it. Store it until they come."""

    def __init__(self, documents: Sequence[D], native: _native.MergedList, method: str) -> None:
        self.documents = list(documents)
        self.method = method
        self._native = native

    def credit(self, clicks: Iterable[int]) -> Credits:
        """What the two lists earn by clicks at these positions, counted from 0."""
        left, right, outcome = self._native.credit(list(clicks))
        return Credits(left, right, outcome)

    def to_json(self) -> str:
        """As JSON; documents must be something that JSON knows."""
        return json.dumps(
            {"method": self.method, "documents": self.documents, "merged": json.loads(self._native.to_json())}
        )

    @classmethod
    def from_json(cls, text: str) -> Merged[D]:
        """From what `to_json` wrote."""
        try:
            found = json.loads(text)
            method, documents, merged = found["method"], found["documents"], json.dumps(found["merged"])
        except (ValueError, TypeError, KeyError) as error:
            raise MergedMalformed(f"this is no merged list: {error!r}") from None
        native = _native.MergedList.from_json(merged, method)
        if not isinstance(documents, list) or len(documents) != len(native.documents):
            raise MergedMalformed("this is no merged list: not as many documents as places")
        return cls(documents, native, method)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.documents, self._native.to_json(), self.method)

    def __len__(self) -> int:
        return len(self.documents)

    def __repr__(self) -> str:
        return f"Merged({self.documents!r}, method={self.method!r})"


def _restored(documents: Sequence[D], native: str, method: str) -> Merged[D]:
    return Merged(documents, _native.MergedList.from_json(native, method), method)


class Interleaver:
    """Merges lists by one method: `team-draft`, `balanced`, `probabilistic:tau=3` or `optimized:credit=linear`."""

    def __init__(self, method: str = "team-draft", *, seed: int = 1) -> None:
        self._native = _native.Merger(method, seed=seed)

    @property
    def method(self) -> str:
        """The method, with its parameters."""
        return self._native.method

    def merge(self, left: Sequence[D], right: Sequence[D], length: int = 10) -> Merged[D]:
        """Draws a merged list of at most `length` documents. Of a document that stands twice in a list the first place counts."""
        numbers: dict[D, int] = {}
        for document in [*left, *right]:
            numbers.setdefault(document, len(numbers))
        documents = list(numbers)
        native = self._native.merge([numbers[d] for d in left], [numbers[d] for d in right], length)
        return Merged([documents[i] for i in native.documents], native, self.method)

    def __repr__(self) -> str:
        return f"Interleaver({self.method!r})"
