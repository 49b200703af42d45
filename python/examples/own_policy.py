"""Plays a policy written in Python together with policies of the package.

    python own_policy.py
"""

from __future__ import annotations

import random

import tiltyard


class WinnerStays:
    """Keeps the winner of the last duel and compares it with another random arm."""

    def __init__(self, arms: int, run: int) -> None:
        self.rng = random.Random(run)
        self.arms = arms
        self.champion = self.rng.randrange(arms)

    def decide(self) -> tuple[int, int]:
        """The champion against another arm."""
        other = self.rng.randrange(self.arms - 1)
        return self.champion, other + (other >= self.champion)

    def update(self, duel: tuple[int, int], outcome: float) -> None:
        """Keeps the winner."""
        self.champion = duel[0] if outcome > 0 else duel[1]


def main() -> None:
    """Plays and prints the regret at the end."""
    mine = tiltyard.Contender("winner stays", WinnerStays, binary=True)
    results = tiltyard.play("arxiv6", ["rex3", "rucb", mine], rounds=5_000, runs=5, progress=False)
    for row in results.summary():
        if row["round"] == 5_000:
            print(f"{row['policy']:<14}{row['mean']:8.1f} ± {row['sem']:.1f}")


if __name__ == "__main__":
    main()
