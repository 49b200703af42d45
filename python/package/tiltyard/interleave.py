"""Interleaving: merges two rankings into one list, so that clicks on it show which ranking people prefer.

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
    """The credit that the two lists earned by clicks."""

    left: float
    right: float
    outcome: float
    """The outcome for a policy: 1 if the left list won, -1 if the right list won, in between if they share credit."""


class Merged(Generic[D]):
    """A merged list and the data needed to credit clicks on it. Store it until the clicks arrive."""

    def __init__(self, documents: Sequence[D], native: _native.MergedList, method: str) -> None:
        self.documents = list(documents)
        self.method = method
        self._native = native

    def credit(self, clicks: Iterable[int]) -> Credits:
        """Returns the credit that clicks at these positions (counted from 0) give to the two lists."""
        left, right, outcome = self._native.credit(list(clicks))
        return Credits(left, right, outcome)

    def to_json(self) -> str:
        """Returns the list as JSON. The documents must be JSON values."""
        return json.dumps(
            {"method": self.method, "documents": self.documents, "merged": json.loads(self._native.to_json())}
        )

    @classmethod
    def from_json(cls, text: str) -> Merged[D]:
        """Reads a list that `to_json` wrote."""
        try:
            found = json.loads(text)
            method, documents, merged = found["method"], found["documents"], json.dumps(found["merged"])
        except (ValueError, TypeError, KeyError) as error:
            raise MergedMalformed(f"this is not a merged list: {error!r}") from None
        native = _native.MergedList.from_json(merged, method)
        if not isinstance(documents, list) or len(documents) != len(native.documents):
            raise MergedMalformed("this is not a merged list: it has more or fewer documents than places")
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
    """Merges lists with one method: `team-draft`, `balanced`, `probabilistic:tau=3` or `optimized:credit=linear`."""

    def __init__(self, method: str = "team-draft", *, seed: int = 1) -> None:
        self._native = _native.Merger(method, seed=seed)

    @property
    def method(self) -> str:
        """The method, with its parameters."""
        return self._native.method

    def merge(self, left: Sequence[D], right: Sequence[D], length: int = 10) -> Merged[D]:
        """Draws a merged list of at most `length` documents. If a list has a document twice, its first position counts."""
        numbers: dict[D, int] = {}
        for document in [*left, *right]:
            numbers.setdefault(document, len(numbers))
        documents = list(numbers)
        native = self._native.merge([numbers[d] for d in left], [numbers[d] for d in right], length)
        return Merged([documents[i] for i in native.documents], native, self.method)

    def __repr__(self) -> str:
        return f"Interleaver({self.method!r})"
