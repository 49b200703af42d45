"""The Python package against what a researcher would use instead, side by side in one run.

    cargo xtask bench --python            builds the wheel, and calls this
    python3 bench/python.py --wheel W     with a wheel that is there; `--check` ends with 1 if an aim fails

Three questions, on a matrix of 136 arms and one thread:

- how many times as fast is `tiltyard.play` with REX3 as a plain loop in numpy (`peers/numpy_rex3.py`)?
  The aim is 150. The loop is written twice, once with `Generator.choice` to draw arms and once with a search
  in cumulated probabilities, which is faster and less plain; both are held to the aim;
- how many times as fast is it with RUCB as `duelpy` 1.0.0 (`peers/duelpy.py`)? The aim is 1000;
- how long does one `decide` and one `update` from Python take? The aim is less than a microsecond.

Contestants take turns, each turn gives one ratio, and the median counts. What is counted is time on a
processor, of all threads. Both play as many rounds a run; ours plays more runs, since one would be over
before a clock could tell.

Everything is installed into environments below the target directory: `duelpy` needs a numpy before 1.24, and
has one of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
import venv
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent

#: What takes part besides ours, and what it needs.
DUELPY = ["duelpy==1.0.0", "numpy<1.24"]

#: The paper's matrix, which may not be redistributed.
MATRIX = "matrices/mslr_navigational_136.csv"

#: Rounds of a run, and runs of ours for one of the other's.
REX3_ROUNDS, REX3_RUNS = 100_000, 20
RUCB_ROUNDS, RUCB_RUNS = 500, 200

REX3_AIM, RUCB_AIM, CALL_AIM = 150.0, 1000.0, 1000.0


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("--wheel", type=Path, help="the wheel [the one in target/python/wheels]")
    arguments.add_argument("--target", type=Path, default=target(), help="where environments are made")
    arguments.add_argument("--turns", type=int, default=5, help="how many turns each takes [5]")
    arguments.add_argument("--check", action="store_true", help="end with 1 if an aim is missed")
    # How this file calls itself inside an environment.
    arguments.add_argument("--inside", nargs="+", help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.inside:
        print(json.dumps(inside(*given.inside)))
        return 0
    if given.turns < 1:
        arguments.error(f"there must be at least one turn, not {given.turns}")
    wheel = given.wheel or built(given.target)
    folder = given.target / "bench-python"
    ours = environment(folder / "tiltyard", [str(wheel)], anew=True)
    theirs = environment(folder / "duelpy", DUELPY)
    matrix = folder / "matrix.npy"
    told = ask(ours, __file__, "--inside", "matrix", matrix)
    print(f"the matrix of 136 arms: {told['from']}")
    load = ", ".join(f"{load:.1f}" for load in os.getloadavg())
    print(f"load of the machine: {load} on {os.cpu_count()} processors")
    return report(compare(ours, theirs, matrix, given.turns), check=given.check)


def target() -> Path:
    """Where cargo builds."""
    return ROOT / os.environ.get("CARGO_TARGET_DIR", "target")


def built(target: Path) -> Path:
    """The wheel that `cargo xtask` left."""
    wheels = sorted((target / "python/wheels").glob("*.whl"), key=lambda path: path.stat().st_mtime)
    if not wheels:
        sys.exit(
            "error: there is no wheel in target/python/wheels; "
            "`cargo xtask bench --python` builds one, `--wheel` names one"
        )
    return wheels[-1]


def environment(folder: Path, packages: list[str], *, anew: bool = False) -> Path:
    """The Python of an environment with these packages."""
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.exists():
        venv.create(folder, with_pip=True)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, *packages], check=True)
    if anew:
        # Another wheel of the same version would not be installed.
        subprocess.run([*pip, "--force-reinstall", "--no-deps", *packages], check=True)
    return python


def ask(python: Path, script: str | Path, *words: object) -> dict[str, Any]:
    """What a script says in an environment; no module is looked for in the script's own folder."""
    # One thread: what numpy has below it must not start more.
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [str(python), "-I", str(script), *map(str, words)]
    said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment)
    answer: dict[str, Any] = json.loads(said.stdout)
    return answer


def compare(ours: Path, theirs: Path, matrix: Path, turns: int) -> list[dict[str, Any]]:
    """Lets all take turns."""
    rex3: dict[str, list[dict[str, Any]]] = {"ours": [], "choice": [], "search": []}
    rucb: dict[str, list[dict[str, Any]]] = {"ours": [], "duelpy": []}
    calls = []
    for turn in range(1, turns + 1):
        print(f"turn {turn} of {turns}", file=sys.stderr)
        for draw in ("choice", "search"):
            rex3[draw].append(ask(ours, HERE / "peers/numpy_rex3.py", draw, matrix, REX3_ROUNDS, turn))
        rex3["ours"].append(
            ask(ours, __file__, "--inside", "play", matrix, "rex3", REX3_ROUNDS, REX3_RUNS, turn)
        )
        rucb["duelpy"].append(ask(theirs, HERE / "peers/duelpy.py", matrix, RUCB_ROUNDS, turn))
        rucb["ours"].append(
            ask(ours, __file__, "--inside", "play", matrix, "rucb:alpha=0.51", RUCB_ROUNDS, RUCB_RUNS, turn)
        )
        calls.append(ask(ours, __file__, "--inside", "calls")["nanoseconds"])
    return [
        row("REX3", "a numpy loop with `choice`", rex3["ours"], rex3["choice"], REX3_ROUNDS, REX3_AIM),
        row("REX3", "a numpy loop with a search", rex3["ours"], rex3["search"], REX3_ROUNDS, REX3_AIM),
        row("RUCB", "duelpy", rucb["ours"], rucb["duelpy"], RUCB_ROUNDS, RUCB_AIM),
        {"what": "decide + update, 10 arms", "ns": statistics.median(calls), "aim": CALL_AIM},
    ]


def row(
    what: str, peer: str, ours: list[dict[str, Any]], theirs: list[dict[str, Any]], rounds: int, aim: float
) -> dict[str, Any]:
    """One line of the table: medians, and the median of the ratios of turns."""
    our_times, their_times = ([1e9 * said["seconds"] / rounds for said in turns] for turns in (ours, theirs))
    ratios = [their / our for our, their in zip(our_times, their_times, strict=True)]
    return {
        "what": f"{what}, {rounds} rounds",
        "peer": f"{peer} ({theirs[0]['versions']})",
        "ns": statistics.median(our_times),
        "peer_ns": statistics.median(their_times),
        "ratio": statistics.median(ratios),
        "spread": (min(ratios), max(ratios)),
        "regret": tuple(statistics.mean(said["regret"] for said in turns) for turns in (ours, theirs)),
        "aim": aim,
    }


def report(rows: list[dict[str, Any]], *, check: bool) -> int:
    """Prints the table; the exit code."""
    missed = 0
    for row in rows:
        print()
        if "ratio" in row:
            met = row["ratio"] >= row["aim"]
            print(f"{row['what']}: {row['ratio']:.0f} times as fast as {row['peer']}")
            print(f"    ours {row['ns']:,.0f} ns a round, theirs {row['peer_ns']:,.0f} ns")
            print("    turns gave {:.0f} to {:.0f}".format(*row["spread"]))
            print("    mean regret: ours {:.1f}, theirs {:.1f}".format(*row["regret"]))
            print(f"    aim: at least {row['aim']:.0f} times: {'met' if met else 'MISSED'}")
        else:
            met = row["ns"] < row["aim"]
            print(f"{row['what']}: {row['ns']:.0f} ns")
            print(f"    aim: less than {row['aim']:.0f} ns: {'met' if met else 'MISSED'}")
        missed += not met
    return 1 if check and missed else 0


def inside(what: str, *words: str) -> dict[str, Any]:
    """What is measured in the environment of the wheel."""
    if what == "matrix":
        return make_matrix(Path(words[0]))
    if what == "play":
        return play(*words)
    if what == "calls":
        return {"nanoseconds": calls()}
    raise SystemExit(f"error: `{what}` is not known")


def play(matrix: str, policy: str, rounds: str, runs: str, seed: str) -> dict[str, Any]:
    """One policy on one thread: seconds of a run."""
    import numpy as np
    import tiltyard

    world = tiltyard.Matrix(np.load(matrix))
    # Whatever is made at the first call only is no part of a round.
    tiltyard.play(world, policy, rounds=10, runs=1, threads=1, progress=False)
    start = time.process_time()
    results = tiltyard.play(
        world, policy, at=[int(rounds)], runs=int(runs), seed=int(seed), threads=1, progress=False
    )
    seconds = (time.process_time() - start) / int(runs)
    return {"seconds": seconds, "regret": results.summary()[-1]["mean"]}


def calls() -> float:
    """Nanoseconds of a `decide` and an `update`, the best of five."""
    import tiltyard

    n = 200_000
    best = float("inf")
    for seed in range(5):
        policy = tiltyard.Rex3(arms=10, seed=seed)
        decide, update = policy.decide, policy.update
        start = time.process_time_ns()
        for _ in range(n):
            update(decide(), 1.0)
        best = min(best, (time.process_time_ns() - start) / n)
    return best


def make_matrix(file: Path) -> dict[str, Any]:
    """The paper's matrix where it can be had, else one like it."""
    import numpy as np

    named = os.environ.get("TILTYARD_DATA")
    for folder in [*([Path(named)] if named else []), ROOT / "../shared/data"]:
        if (folder / MATRIX).is_file():
            np.save(file, np.loadtxt(folder / MATRIX, delimiter=","))
            return {"from": f"{MATRIX} of a data directory"}
    # As hard as the real one, by the numbers of `src/navigational.rs`: Borda scores with the same quantiles,
    # preferences that follow
    # their differences with some noise, and a Condorcet winner, arm 0, with the same smallest lead.
    quantiles = [
        (0.0, 0.244),
        (0.1, 0.393),
        (0.25, 0.457),
        (0.5, 0.528),
        (0.75, 0.562),
        (0.9, 0.581),
        (1.0, 0.605),
    ]
    n_arms = 136
    scores = np.interp(1.0 - np.arange(n_arms) / (n_arms - 1), *np.transpose(quantiles))
    noise = 0.0208 * np.random.default_rng(136).uniform(-1.0, 1.0, (n_arms, n_arms))
    upper = np.triu(0.5 + scores[:, None] - scores[None, :] + noise, 1)
    upper[0, 1:] = np.maximum(upper[0, 1:], 0.5056)
    lower = np.tril(1.0 - upper.T, -1)
    np.save(file, upper + lower + 0.5 * np.eye(n_arms))
    return {"from": f"generated, since no data directory holds {MATRIX}"}


if __name__ == "__main__":
    sys.exit(main())
