"""Worlds: simulators that answer duels."""

from __future__ import annotations

import os
from typing import Any, TypeAlias

from tiltyard import _native
from tiltyard.errors import NoMatrix
from tiltyard.info import WorldInfo, world_info
from tiltyard.matrix import Matrix

WorldLike: TypeAlias = "World | _native.Matrix | str | os.PathLike[str] | Any"
"""A world, a matrix, a source that `Matrix` accepts, or a text such as `"arxiv6"`, `"bernoulli10:best=0.7"` or a path."""


class World:
    """A world by name: a built-in one with parameters and wrappers, a matrix file, or a replay of votes."""

    def __init__(self, text: str) -> None:
        self.text = text

    def info(self, rounds: int = 100_000) -> WorldInfo:
        """Returns its metadata, for runs of `rounds` rounds."""
        return world_info(self.text, rounds)

    def matrix(self) -> Matrix:
        """Returns its preference matrix, if it is a built-in matrix or a matrix file.

        Raises:
            NoMatrix: if it is neither.
        """
        known = _native.Matrix.builtin(self.text)
        if known is not None:
            return Matrix(known.to_numpy())
        if os.path.exists(self.text):
            return Matrix(self.text)
        raise NoMatrix(f"`{self.text}` is neither a built-in matrix nor a file", world=self.text)

    def __repr__(self) -> str:
        return f"World({self.text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, World) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


def world(text: str) -> World:
    """Returns the world that a text names, after checking that it exists.

    >>> tiltyard.world("arxiv6").info().arms
    6
    """
    found = World(text)
    found.info()
    return found


def resolve(source: WorldLike) -> tuple[str, str | _native.Matrix]:
    """Returns the name of a world in tables, and the value that the lab accepts for it."""
    if isinstance(source, World):
        return source.text, source.text
    if isinstance(source, _native.Matrix):
        return "matrix", source
    if isinstance(source, (str, os.PathLike)):
        return os.fspath(source), os.fspath(source)
    return "matrix", Matrix(source)
