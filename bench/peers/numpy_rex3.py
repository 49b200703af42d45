"""REX3 as a researcher would write it with numpy: O(K) a round, vectorised over the arms.

Called by `bench/python.py`, and by hand: `python numpy_rex3.py DRAW MATRIX.npy ROUNDS SEED`. Prints one line
of JSON.

It is REX3 of Gajane, Urvoy and Clérot (2015), anytime by dual averaging, as `tiltyard` plays it unless told
otherwise. It is plain and not careless: nothing is computed twice, and numbers that need no array are
Python's own. There are two ways to draw arms, since that is where most of the time goes: `choice` is numpy's
own and the one that its documentation shows, `search` looks two random numbers up in the cumulated
probabilities.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def choice(rng: np.random.Generator, p: Array) -> Array:
    return rng.choice(len(p), size=2, p=p)


def search(rng: np.random.Generator, p: Array) -> Array:
    cumulated = p.cumsum()
    # Rounding may leave the last one below 1.
    drawn: Array = cumulated.searchsorted(rng.random(2) * cumulated[-1])
    return drawn


def rex3(draw: Callable[[np.random.Generator, Array], Array], matrix: Array, rounds: int, seed: int) -> float:
    """Plays, and returns the regret against the Condorcet winner."""
    rng = np.random.default_rng(seed)
    n_arms = len(matrix)
    gaps = matrix[int(np.argmax((matrix > 0.5).sum(axis=1)))] - 0.5
    sums = np.zeros(n_arms)
    square = n_arms * math.log(n_arms) / (math.e / 2)
    regret = 0.0
    for t in range(1, rounds + 1):
        gamma = min(0.5, math.sqrt(square / t))
        weights = np.exp(gamma / n_arms * (sums - sums.max()))
        p = weights * ((1.0 - gamma) / weights.sum()) + gamma / n_arms
        left, right = draw(rng, p)
        score = 1.0 if rng.random() < matrix[left, right] else -1.0
        if left != right:
            sums[left] += score / (2.0 * p[left])
            sums[right] -= score / (2.0 * p[right])
        regret += 0.5 * (gaps[left] + gaps[right])
    return float(regret)


def main() -> None:
    draw = {"choice": choice, "search": search}[sys.argv[1]]
    matrix, rounds, seed = np.load(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    start = time.process_time()
    regret = rex3(draw, matrix, rounds, seed)
    seconds = time.process_time() - start
    print(json.dumps({"seconds": seconds, "regret": regret, "versions": f"numpy {np.__version__}"}))


if __name__ == "__main__":
    main()
