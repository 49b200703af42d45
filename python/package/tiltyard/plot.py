"""Figures in matplotlib, in the style of the report: a policy has the same colour, marker and dashes everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tiltyard import _native
from tiltyard._extras import needed

if TYPE_CHECKING:
    import os

    import matplotlib.figure
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from tiltyard.results import PolicyResult, Results

__all__ = ["figure"]

MARKERS = {
    "circle": "o",
    "square": "s",
    "triangle": "^",
    "diamond": "D",
    "triangle-down": "v",
    "cross": "x",
    "plus": "+",
    "star": "*",
    "pentagon": "p",
    "hexagon": "h",
}

# The report's colours for text and lines, on white.
INK = "#1b1e23"
SOFT = "#5b626c"
FRAME = "#8a919b"
GRID = "#e4e7eb"


def figure(
    results: Results, *, band: str = "interval", path: str | os.PathLike[str] | None = None
) -> matplotlib.figure.Figure:
    """Plots regret (both axes logarithmic) and accuracy against rounds.

    Args:
        results: the results of `tiltyard.play`.
        band: the shaded area: `"interval"`, the 95 % intervals of means and shares; `"range"`, from the smallest to the
            largest run (regret only); or `"none"`.
        path: a file to write, `.png`, `.svg` or `.pdf`.
    """
    with needed("matplotlib", "plot", "a figure"):
        import matplotlib.pyplot as plt

    if band not in ("interval", "range", "none"):
        raise ValueError(f"`band={band}`: `band` is one of interval, range, none")
    fig, (left, right) = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
    for result in results.policies:
        _regret(left, results, result, band)
        _accuracy(right, results, result, band)
    _frame(left, f"{results.regret_kind} regret")
    left.set_yscale("log" if _positive(results) else "linear")
    _frame(right, "accuracy")
    right.set_ylim(-0.02, 1.02)
    name = f" ({results.best_name})" if results.best_name else ""
    title = f"{results.world}: {results.arms} arms, best {results.best}{name}, {results.best_kind}"
    if results.best is None:
        title = f"{results.world}: duels of points"
    left.set_title(title, loc="left", fontsize=10, color=INK)
    right.set_title(f"{results.runs} runs, seed {results.seed}", loc="right", fontsize=9, color=SOFT)
    handles, labels = left.get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside right upper", frameon=False, fontsize=9)
    if path is not None:
        fig.savefig(path, dpi=150)
    return fig


def _positive(results: Results) -> bool:
    """Whether the final means fit on a logarithmic axis. Regret can be negative only without a Condorcet winner."""
    return all((result.regret.mean(axis=0)[-1:] > 0).all() for result in results.policies)


def _regret(axes: Axes, results: Results, result: PolicyResult, band: str) -> None:
    mean = result.regret.mean(axis=0)
    n = len(result.regret)
    style = _style(result.policy, len(results.rounds))
    axes.plot(results.rounds, _shown(mean), label=result.policy, **style)
    if band == "range":
        low, high = result.regret.min(axis=0), result.regret.max(axis=0)
    elif band == "interval" and n > 1:
        sem = result.regret.std(axis=0, ddof=1) / np.sqrt(n)
        half = np.array([_native.mean_half_width(float(x), n) for x in sem])
        low, high = mean - half, mean + half
    else:
        return
    axes.fill_between(results.rounds, _shown(low), _shown(high), color=style["color"], alpha=0.15, linewidth=0)


def _accuracy(axes: Axes, results: Results, result: PolicyResult, band: str) -> None:
    style = _style(result.policy, len(results.rounds))
    axes.plot(results.rounds, result.hit.mean(axis=0), **style)
    if band == "interval":
        n = len(result.hit)
        ends = np.array([_native.share_interval(int(hits), n) for hits in result.hit.sum(axis=0)])
        # Paler than for regret: shares of few runs have wide intervals, which overlap.
        axes.fill_between(results.rounds, ends[:, 0], ends[:, 1], color=style["color"], alpha=0.06, linewidth=0)


def _shown(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Replaces values that a logarithmic axis cannot show: the lower end of a band may reach 0."""
    return np.where(values > 0, values, np.nan) if (values > 0).any() else values


def _style(policy: str, points: int) -> dict[str, Any]:
    colour, marker, dash = _native.policy_look(policy)
    return {
        "color": colour,
        "marker": MARKERS[marker],
        "markevery": max(1, points // 10),
        "markersize": 5,
        "linewidth": 1.6,
        # The report measures dashes in pixels, matplotlib in widths of the line.
        "linestyle": (0, tuple(length / 1.6 for length in dash)) if dash else "solid",
    }


def _frame(axes: Axes, name: str) -> None:
    axes.set_xscale("log")
    axes.set_xlabel("rounds", color=INK)
    axes.set_ylabel(name, color=INK)
    axes.grid(True, which="major", color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(FRAME)
    axes.tick_params(colors=INK, labelsize=9)
