"""Times the Python library `interleaving` on lists that come in on standard input.

Called by `cargo bench -p tiltyard-bench --bench interleave`. A line of input is one pair: two lists of documents, `1,2,3 2,3,1`. A line of
output is `method what nanoseconds`. The first output line says what was measured, or why nothing was.

The library is looked for in the directory that TILTYARD_PEER_INTERLEAVING names (a checkout of it), else it is installed by pip into an
environment of its own under the build directory given as the first argument.
"""

import os
import subprocess
import sys
import time
import venv


def main():
    target = sys.argv[1]
    if os.environ.get("TILTYARD_PEER_INSIDE") != "1":
        sys.exit(run_inside(target))
    source = os.environ.get("TILTYARD_PEER_INTERLEAVING")
    if source:
        sys.path.insert(0, source)
    import interleaving

    if not hasattr(interleaving, "TeamDraft"):
        print("not measured: the package `interleaving` that pip finds has no method of interleaving in it; "
              "let TILTYARD_PEER_INTERLEAVING name a checkout of the library")
        return
    print("interleaving", getattr(interleaving, "__version__", "of a checkout" if source else "of pip"),
          "on Python", sys.version.split()[0])
    pairs = [[[int(d) for d in half.split(",")] for half in line.split()] for line in sys.stdin if line.strip()]
    for name, method, repeats in [
        ("team-draft", interleaving.TeamDraft, 200),
        ("balanced", interleaving.Balanced, 200),
        ("probabilistic", interleaving.Probabilistic, 100),
    ]:
        measure(name, pairs, lambda lists, method=method: method(lists, max_length=len(lists[0])), repeats)
        credit(name, pairs, method, 1 if name == "probabilistic" else 50)
    if hasattr(interleaving, "Optimized"):
        # Fewer lists than there are, since the library draws them until it has so many different ones.
        wide = [lists for lists in pairs if len(set(lists[0]) & set(lists[1])) <= len(lists[0]) // 2][:10]
        optimized(wide, interleaving.Optimized)


def measure(name, pairs, make, repeats):
    """A merge with everything it needs, and a draw of lists that are prepared already."""
    merges, draws = [], []
    for lists in pairs:
        start = time.process_time_ns()
        for _ in range(repeats):
            make(lists).interleave()
        merges.append((time.process_time_ns() - start) / repeats)
        prepared = make(lists)
        start = time.process_time_ns()
        for _ in range(repeats):
            prepared.interleave()
        draws.append((time.process_time_ns() - start) / repeats)
    print(name, "merge", median(merges))
    print(name, "draw", median(draws))


def credit(name, pairs, method, repeats):
    """Crediting clicks on the first and the fourth document."""
    times = []
    for lists in pairs if repeats > 1 else pairs[:3]:
        ranking = method(lists, max_length=len(lists[0])).interleave()
        start = time.process_time_ns()
        for _ in range(repeats):
            method.evaluate(ranking, [0, 3])
        times.append((time.process_time_ns() - start) / repeats)
    print(name, "credit", median(times))


def optimized(pairs, method):
    times, draws = [], []
    for lists in pairs:
        start = time.process_time_ns()
        try:
            prepared = method(lists, max_length=len(lists[0]), sample_num=50)
        except ValueError:
            # So few lists often have no fair law.
            times.append(time.process_time_ns() - start)
            continue
        times.append(time.process_time_ns() - start)
        start = time.process_time_ns()
        for _ in range(100):
            prepared.interleave()
        draws.append((time.process_time_ns() - start) / 100)
    if times:
        print("optimized", "merge", median(times))
    if draws:
        print("optimized", "draw", median(draws))


def median(numbers):
    return sorted(numbers)[len(numbers) // 2]


def run_inside(target):
    """Makes the environment if need be, and runs this file in it."""
    home = os.path.join(target, "peers", "interleaving")
    python = os.path.join(home, "bin", "python")
    if not os.path.exists(os.path.join(home, "ready")):
        venv.create(home, with_pip=True)
        packages = ["numpy", "scipy", "interleaving"]
        command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages]
        if subprocess.run(command, stdout=sys.stderr).returncode != 0:
            print("not measured: pip could not install", ", ".join(packages))
            return 0
        open(os.path.join(home, "ready"), "w").close()
    environment = dict(os.environ, TILTYARD_PEER_INSIDE="1")
    return subprocess.run([python, __file__, target], env=environment).returncode


if __name__ == "__main__":
    main()
