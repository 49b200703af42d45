"""Preference matrices, from arrays, DataFrames and files."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from tiltyard import _native
from tiltyard.errors import MatrixRowNames, MatrixShape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing_extensions import Self

T = TypeVar("T")


@dataclass(frozen=True)
class Finding(Generic[T]):
    """Whether an assumption holds. `bool(finding)` is `finding.holds`."""

    holds: bool
    value: T | None
    """The winner, the order or the factor found; `None` for assumptions that only hold or fail."""
    why: str | None
    """The arms that show why it does not hold."""

    def __bool__(self) -> bool:
        return self.holds


@dataclass(frozen=True)
class Assumptions:
    """The common assumptions of algorithms, checked for one matrix."""

    condorcet: Finding[int]
    """There is a Condorcet winner: an arm that beats every other arm."""
    total_order: Finding[list[int]]
    """The arms have a total order; the value lists them from best to worst."""
    strong_transitivity: Finding[None]
    """Strong stochastic transitivity."""
    relaxed_transitivity: Finding[float]
    """Relaxed stochastic transitivity, with the factor it needs."""
    triangle_inequality: Finding[None]
    """The stochastic triangle inequality."""


class Matrix(_native.Matrix):
    """A preference matrix: the probability that one arm beats another, for every pair. Checked on creation; immutable.

    `source` is a square array or nested list, a pandas or polars DataFrame, or the path of a file (`.csv`, `.txt`,
    `.npy`). Without `names`, the arms take their names from the columns of the DataFrame or the header of the file. The
    rows of a DataFrame must have the same names as its columns, or none.

    >>> Matrix([[0.5, 0.75], [0.25, 0.5]]).condorcet_winner
    0
    """

    def __new__(cls, source: Any, names: Sequence[str] | None = None) -> Self:
        if isinstance(source, (str, os.PathLike)):
            read = _native.Matrix.read(source)
            return super().__new__(cls, read.to_numpy(), read.names if names is None else list(names))
        _check_rows(source)
        if names is None:
            names = _names_of(source)
        array = np.ascontiguousarray(_array_of(source), dtype=np.float64)
        if array.ndim != 2:
            shape = list(array.shape)
            raise MatrixShape(f"a matrix has two axes, but this array has {array.ndim}", shape=shape)
        return super().__new__(cls, array, None if names is None else [str(name) for name in names])

    def check(self) -> Assumptions:
        """Checks common assumptions. Each that fails names arms as a counterexample. Takes O(K³) time."""
        found = self.assumptions()
        return Assumptions(**{name: Finding(why is None, value, why) for name, (value, why) in found.items()})

    def submatrix(self, arms: Sequence[int], /) -> Matrix:
        """The matrix of these arms, in this order."""
        part = super().submatrix(arms)
        return Matrix(part.to_numpy(), part.names)

    def random_submatrix(self, arms: int, *, seed: int = 1) -> Matrix:
        """The matrix of `arms` random arms, drawn without replacement."""
        part = super().random_submatrix(arms, seed=seed)
        return Matrix(part.to_numpy(), part.names)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if copy is False:
            raise ValueError("a matrix cannot become an array without a copy")
        return self.to_numpy().astype(dtype or np.float64)


def _array_of(source: Any) -> Any:
    """Returns a value that numpy can read. pandas and polars DataFrames have `to_numpy`."""
    return source.to_numpy() if hasattr(source, "to_numpy") else source


def _check_rows(source: Any) -> None:
    """Refuses a pandas DataFrame whose row names do not match its columns, because entries are read by position."""
    if not (hasattr(source, "columns") and hasattr(source, "index")):
        return
    rows, columns = ([str(name) for name in axis] for axis in (source.index, source.columns))
    # An array that is not square gets its own error later.
    if len(rows) != len(columns) or rows in (columns, [str(i) for i in range(len(rows))]):
        return
    place = next(i for i, pair in enumerate(zip(rows, columns, strict=True)) if pair[0] != pair[1])
    if sorted(rows) == sorted(columns):
        order, hint = "are in another order", "`frame.loc[frame.columns]` puts them in the order of the columns"
    else:
        order = "have other names"
        hint = "if they are the same arms in the same order, `frame.reset_index(drop=True)` drops these names"
    raise MatrixRowNames(
        f"the rows {order} than the columns: row {place} is `{rows[place]}`, and column {place} is `{columns[place]}`",
        hint=hint,
        rows=rows,
        columns=columns,
    )


def _names_of(source: Any) -> list[str] | None:
    """Returns the column names of a DataFrame, unless they are just numbers."""
    columns = getattr(source, "columns", None)
    if columns is None:
        return None
    names = [str(name) for name in columns]
    numbers = [str(i) for i in range(len(names))]
    return None if names in (numbers, [f"column_{i}" for i in numbers]) else names
