"""RUCB of the library `duelpy`, on a matrix.

Called by `bench/python.py`, and by hand: `python -I duelpy.py MATRIX.npy ROUNDS SEED`. Prints one line of
JSON. Without `-I` this file would be taken for the library.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np
from duelpy.algorithms import RelativeUCB
from duelpy.feedback import MatrixFeedback
from duelpy.stats.metrics import AverageRegret
from duelpy.util.feedback_decorators import MetricKeepingFeedbackMechanism


def main() -> None:
    matrix, rounds, seed = np.load(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    random = np.random.RandomState(seed)
    # Regret is kept on both sides.
    feedback = MetricKeepingFeedbackMechanism(
        MatrixFeedback(matrix, random_state=random), metrics={"regret": AverageRegret(matrix)}
    )
    policy = RelativeUCB(feedback, time_horizon=rounds, exploratory_constant=0.51, random_state=random)
    start = time.process_time()
    policy.run()
    seconds = time.process_time() - start
    regret = float(np.sum(feedback.results["regret"]))
    versions = f"duelpy 1.0.0, numpy {np.__version__}"
    print(json.dumps({"seconds": seconds, "regret": regret, "versions": versions}))


if __name__ == "__main__":
    main()
