"""What came out of `tiltyard.play`: a tidy table, its summary, and its figure."""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tiltyard import _native
from tiltyard._extras import needed

if TYPE_CHECKING:
    import os

    import matplotlib.figure
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from numpy.typing import NDArray


@dataclass(frozen=True)
class PolicyResult:
    """What came out for one policy."""

    policy: str
    """Its specification, or its name."""
    params: dict[str, str]
    """The parameters in force."""
    fixed_horizon: bool
    """Whether it was told the horizon, and so was run once for each checkpoint."""
    regret: NDArray[np.float64] = field(repr=False)
    """The regret so far: a row a run, a column a checkpoint."""
    hit: NDArray[np.bool_] = field(repr=False)
    """Whether the pair of that round was (best, best)."""
    seconds: float | None = None
    """Time in its runs, summed over threads; unknown for policies written in Python."""
    rounds_played: int | None = None
    """Rounds of all its runs."""
    unanswered: int = 0
    """Duels that the world left unanswered."""
    repeated: int = 0
    """Answers that had been given before in their run, in a replay of votes."""

    @classmethod
    def of_native(cls, facts: dict[str, Any]) -> PolicyResult:
        """From what the native `play` returns."""
        return cls(
            policy=facts["policy"],
            params=dict(facts["params"]),
            fixed_horizon=facts["fixed_horizon"],
            regret=facts["regret"],
            hit=facts["hit"],
            seconds=facts["seconds"],
            rounds_played=facts["rounds"],
            unanswered=facts["unanswered"],
            repeated=facts["repeated"],
        )


class Tabular(ABC):
    """Something with a table in Arrow's layout, in whatever form it is wanted."""

    table: _native.Table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Arrow's interface: a stream of the one batch there is."""
        return self.table.__arrow_c_stream__(requested_schema)

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: all but the table, which is made again when it is asked for."""
        return {name: value for name, value in vars(self).items() if name != "table"}

    def __len__(self) -> int:
        """The number of rows."""
        return len(self.table)

    def to_arrow(self) -> pa.Table:
        """As a table of pyarrow."""
        with needed("pyarrow", "arrow", "`to_arrow`"):
            import pyarrow

        return pyarrow.table(self)

    def to_polars(self) -> pl.DataFrame:
        """As a DataFrame of polars."""
        with needed("polars", "polars", "`to_polars`"):
            import polars

        return polars.DataFrame(self)

    def to_pandas(self) -> pd.DataFrame:
        """As a DataFrame of pandas; words are categories."""
        with needed("pandas", "pandas", "`to_pandas`"):
            import pandas

        columns: dict[str, Any] = {}
        for name, column in self.table.columns().items():
            if isinstance(column, tuple):
                columns[name] = pandas.Categorical.from_codes(column[0], categories=pandas.Index(column[1]))
            else:
                columns[name] = column
        return pandas.DataFrame(columns, copy=False)

    def to_numpy(self) -> dict[str, NDArray[Any]]:
        """As an array for each column."""
        columns = self.table.columns().items()
        return {name: np.array(of[1])[of[0]] if isinstance(of, tuple) else of for name, of in columns}


@dataclass(frozen=True, eq=False)
class Results(Tabular):
    """One row a policy, run and checkpoint: `world`, `policy`, `run`, `round`, `regret`, `hit`.

    Any library that speaks Arrow's interface takes it as it is, without copying: `polars.DataFrame(results)`, `pyarrow.table(results)`,
    `duckdb.sql("from results")`.
    """

    world: str
    """The world."""
    arms: int
    """How many arms it has."""
    best: int | None
    """The arm that regret is measured against, by the world's own numbers; `None` in a continuous world."""
    best_kind: str
    """What makes it the best."""
    best_name: str | None
    """What it is called."""
    regret_kind: str
    """The regret measured."""
    rounds: list[int]
    """The checkpoints."""
    runs: int
    """How often each policy was played."""
    seed: int
    """The seed of everything."""
    policies: list[PolicyResult]
    """What came out for each policy, in the order asked for."""

    def __getitem__(self, policy: str) -> PolicyResult:
        """What came out for the policy of that name."""
        for result in self.policies:
            if result.policy == policy:
                return result
        raise KeyError(f"{policy!r}: there are {[result.policy for result in self.policies]}")

    @cached_property
    def table(self) -> _native.Table:  # type: ignore[override]
        """The table in Arrow's layout."""
        regret = np.stack([result.regret for result in self.policies])
        hit = np.stack([result.hit for result in self.policies])
        return _native.Table(self.world, [result.policy for result in self.policies], self.rounds, regret, hit)

    def summary(self) -> list[dict[str, Any]]:
        """A row for each policy and checkpoint: mean, standard error, smallest and largest regret over runs, and accuracy.

        The standard error of a single run is 0, which tells nothing. `pandas.DataFrame(results.summary())` makes a table of it.
        """
        rows = []
        for result in self.policies:
            n = len(result.regret)
            mean = result.regret.mean(axis=0)
            variance = ((result.regret - mean) ** 2).sum(axis=0) / max(n - 1, 1)
            for i, round in enumerate(self.rounds):
                rows.append(
                    {
                        "policy": result.policy,
                        "round": round,
                        "runs": n,
                        "mean": float(mean[i]),
                        "sem": float(np.sqrt(variance[i] / n)),
                        "min": float(result.regret[:, i].min()),
                        "max": float(result.regret[:, i].max()),
                        "accuracy": float(result.hit[:, i].mean()),
                    }
                )
        return rows

    def plot(self, *, band: str = "interval", path: str | os.PathLike[str] | None = None) -> matplotlib.figure.Figure:
        """Regret and accuracy against rounds, in the report's style; see `tiltyard.plot.figure`."""
        from tiltyard.plot import figure

        return figure(self, band=band, path=path)
