"""Worlds: what answers duels."""

from __future__ import annotations

import os
from typing import Any, TypeAlias

from tiltyard import _native
from tiltyard.errors import NoMatrix
from tiltyard.info import WorldInfo, world_info
from tiltyard.matrix import Matrix

WorldLike: TypeAlias = "World | _native.Matrix | str | os.PathLike[str] | Any"
"""A world, a matrix or anything that makes one, or a text such as `"arxiv6"`, `"bernoulli10:best=0.7"` or a path."""


class World:
    """A world by name: a built-in one with parameters and wrappers, a matrix file, or a replay of votes."""

    def __init__(self, text: str) -> None:
        self.text = text

    def info(self, rounds: int = 100_000) -> WorldInfo:
        """Its facts, in a run of so many rounds."""
        return world_info(self.text, rounds)

    def matrix(self) -> Matrix:
        """Its preference matrix, if it is a built-in one or a file.

        Raises:
            NoMatrix: if it is no matrix.
        """
        known = _native.Matrix.builtin(self.text)
        if known is not None:
            return Matrix(known.to_numpy())
        if os.path.exists(self.text):
            return Matrix(self.text)
        raise NoMatrix(f"`{self.text}` is no built-in matrix and no file", world=self.text)

    def __repr__(self) -> str:
        return f"World({self.text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, World) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


def world(text: str) -> World:
    """The world that a text names. Whether there is one is found out here.

    >>> tiltyard.world("arxiv6").info().arms
    6
    """
    found = World(text)
    found.info()
    return found


def resolve(source: WorldLike) -> tuple[str, str | _native.Matrix]:
    """What a world is called in tables, and what the lab takes for it."""
    if isinstance(source, World):
        return source.text, source.text
    if isinstance(source, _native.Matrix):
        return "matrix", source
    if isinstance(source, (str, os.PathLike)):
        return os.fspath(source), os.fspath(source)
    return "matrix", Matrix(source)
