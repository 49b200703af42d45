"""A live experiment: 200 simulated votes on three candidates, and the verdict.

    tiltyard serve --demo &            # prints the address
    TILTYARD_SERVER=http://127.0.0.1:7474 python votes.py
"""

from __future__ import annotations

import random

from tiltyard.arena import Client


def main() -> None:
    """Creates an experiment, votes, and prints the verdict."""
    rng = random.Random(1)
    quality = {"plain": 0.0, "short": 0.3, "friendly": 1.0}
    with Client() as client:
        experiment = client.create_experiment("which answer?", arms=list(quality))
        for _ in range(200):
            duel = client.duel(experiment.id)
            edge = quality[duel.left] - quality[duel.right]
            client.vote(duel.id, "left" if rng.random() < 0.5 + edge / 2 else "right")
        print(client.standing(experiment.id).verdict.words)


if __name__ == "__main__":
    main()
