"""Results of `tiltyard.play`: a tidy table, its summary, and its figure."""

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
    """The results of one policy."""

    policy: str
    """Its specification, or its name."""
    params: dict[str, str]
    """The values of its parameters."""
    fixed_horizon: bool
    """Whether it knew the horizon and was therefore played separately for each checkpoint."""
    regret: NDArray[np.float64] = field(repr=False)
    """Cumulative regret: one row per run, one column per checkpoint."""
    hit: NDArray[np.bool_] = field(repr=False)
    """Whether the policy played the pair (best, best) at the checkpoint; same shape as `regret`."""
    seconds: float | None = None
    """Computing time of its runs, summed over threads; `None` for policies written in Python."""
    rounds_played: int | None = None
    """The total number of rounds in all its runs."""
    unanswered: int = 0
    """The number of duels that the world did not answer."""
    repeated: int = 0
    """The number of answers used more than once within a run, in a replay of votes."""

    @classmethod
    def of_native(cls, facts: dict[str, Any]) -> PolicyResult:
        """Converts the dictionary that the native `play` returns."""
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
    """An object with an Arrow table, which converts to other formats."""

    table: _native.Table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The Arrow PyCapsule interface: a stream with one batch."""
        return self.table.__arrow_c_stream__(requested_schema)

    def __getstate__(self) -> dict[str, Any]:
        """The state to pickle: everything except the table, which is rebuilt on demand."""
        return {name: value for name, value in vars(self).items() if name != "table"}

    def __len__(self) -> int:
        """The number of rows."""
        return len(self.table)

    def to_arrow(self) -> pa.Table:
        """Returns a pyarrow table."""
        with needed("pyarrow", "arrow", "`to_arrow`"):
            import pyarrow

        return pyarrow.table(self)

    def to_polars(self) -> pl.DataFrame:
        """Returns a polars DataFrame."""
        with needed("polars", "polars", "`to_polars`"):
            import polars

        return polars.DataFrame(self)

    def to_pandas(self) -> pd.DataFrame:
        """Returns a pandas DataFrame. Text columns are categorical."""
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
        """Returns a dictionary with one array per column."""
        columns = self.table.columns().items()
        return {name: np.array(of[1])[of[0]] if isinstance(of, tuple) else of for name, of in columns}


@dataclass(frozen=True, eq=False)
class Results(Tabular):
    """Results of `play`: one row per policy, run and checkpoint.

    The columns are `world`, `policy`, `run`, `round`, `regret`, `hit`. Any library that supports the Arrow PyCapsule
    interface reads the object without copying: `polars.DataFrame(results)`, `pyarrow.table(results)`,
    `duckdb.sql("from results")`.
    """

    world: str
    """The name of the world."""
    arms: int
    """The number of arms."""
    best: int | None
    """The arm that regret is measured against, by the world's own numbers; `None` in a continuous world."""
    best_kind: str
    """Why that arm is the best, such as Condorcet winner."""
    best_name: str | None
    """The name of the best arm, if arms have names."""
    regret_kind: str
    """The kind of regret measured."""
    rounds: list[int]
    """The checkpoints."""
    runs: int
    """The number of runs per policy."""
    seed: int
    """The seed of all random numbers."""
    policies: list[PolicyResult]
    """The results of each policy, in the order given to `play`."""

    def __getitem__(self, policy: str) -> PolicyResult:
        """Returns the results of the policy with this name."""
        for result in self.policies:
            if result.policy == policy:
                return result
        raise KeyError(f"{policy!r} did not play: the policies are {[result.policy for result in self.policies]}")

    @cached_property
    def table(self) -> _native.Table:  # type: ignore[override]
        """The results as an Arrow table."""
        regret = np.stack([result.regret for result in self.policies])
        hit = np.stack([result.hit for result in self.policies])
        return _native.Table(self.world, [result.policy for result in self.policies], self.rounds, regret, hit)

    def summary(self) -> list[dict[str, Any]]:
        """Returns one row per policy and checkpoint.

        A row has the mean, standard error, minimum and maximum of the regret over runs, and the accuracy. With a single
        run the standard error is reported as 0, which carries no information. `pandas.DataFrame(results.summary())`
        makes a table.
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
        """Plots regret and accuracy against rounds, in the style of the report; see `tiltyard.plot.figure`."""
        from tiltyard.plot import figure

        return figure(self, band=band, path=path)
