"""Whatever the input, the package raises its own exceptions and never panics."""

import contextlib
import json
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tiltyard
from tiltyard import Matrix, Policy, Ticket
from tiltyard.clicks import ClickModel
from tiltyard.errors import TiltyardError
from tiltyard.interleave import Interleaver, Merged

# `TypeError` is Python's own error for arguments of the wrong type. A panic is another
# `BaseException` and fails the test.
DOCUMENTED = (TiltyardError, TypeError)
SLOW = settings(deadline=None, max_examples=200, suppress_health_check=[HealthCheck.too_slow])

numbers = st.floats() | st.integers(-5, 2**70)
probabilities = st.floats(0, 1) | st.floats()
arms = st.integers(0, 8) | st.integers(0, 2**32 - 1)
draws = st.none() | probabilities | st.tuples(probabilities, probabilities, probabilities)
tickets = st.builds(
    Ticket,
    st.integers(0, 60) | st.integers(0, 2**64 - 1),
    arms,
    arms,
    probabilities,
    st.integers(0, 5) | st.integers(0, 2**32 - 1),
    draws,
)
outcomes = st.sampled_from(["left", "right", "tie", True, False, "up", None]) | st.floats(-1, 1) | numbers
steps = st.lists(
    st.tuples(
        st.sampled_from(
            [
                "decide",
                "many",
                "distinct",
                "update",
                "stale",
                "foreign",
                "batch",
                "void",
                "back",
                "lesson",
                "add_arm",
                "retire",
                "restore",
                "sums",
                "add",
                "recommend",
                "probabilities",
                "save",
                "foreign void",
            ]
        ),
        st.integers(0, 50),
        outcomes,
        tickets,
    ),
    max_size=60,
)


def step(
    policy: Policy, flying: list[Ticket], seen: list[Ticket], action: str, n: int, outcome: Any, foreign: Ticket
) -> Policy:
    def own() -> Ticket:
        return flying.pop(n % len(flying)) if flying else policy.decide()

    if action == "decide":
        flying.append(policy.decide())
    elif action == "many":
        flying.extend(policy.decide(n))
    elif action == "distinct":
        flying.append(policy.decide_distinct())
    elif action == "update":
        ticket = own()
        seen.append(ticket)
        policy.update(ticket, outcome)
    elif action == "stale" and seen:
        policy.update(seen[n % len(seen)], outcome)
    elif action == "foreign":
        policy.update(foreign, outcome)
    elif action == "foreign void":
        policy.void(foreign)
    elif action == "batch":
        policy.update([own(), foreign], [outcome, outcome])
    elif action == "void":
        policy.void(own())
    elif action == "back" and seen:
        policy.take_back(seen[n % len(seen)], outcome)
    elif action == "lesson":
        policy.update(policy.lesson(n % 7, (n + 1) % 5, 0.1), outcome)
    elif action == "add_arm" and policy.arms < 12:
        policy.add_arm()
    elif action in ("retire", "restore"):
        getattr(policy, action)(n % 9)
    elif action == "sums":
        policy.sums()
    elif action == "add":
        policy.add(np.full(len(policy.sums()), float(n)))
    elif action == "recommend":
        assert 0 <= policy.recommend() < policy.arms
    elif action == "probabilities":
        policy.probabilities()
    elif action == "save":
        return Policy.from_json(policy.to_json())
    return policy


@SLOW
@given(st.sampled_from(tiltyard.policy_names()), st.integers(1, 7), st.sampled_from(["refuse", "coin"]), steps)
def test_policies(name: str, arms: int, ties: Any, steps: list[Any]) -> None:
    policy = tiltyard.policy(name, arms=arms, rounds=1000, ties=ties)
    flying: list[Ticket] = []
    seen: list[Ticket] = []
    for action, n, outcome, foreign in steps:
        with contextlib.suppress(*DOCUMENTED):
            policy = step(policy, flying, seen, action, n, outcome, foreign)


@SLOW
@given(
    st.text() | st.sampled_from(tiltyard.policy_names()).flatmap(lambda n: st.text().map(lambda t: f"{n}:{t}")),
    numbers,
    numbers,
)
def test_specifications(spec: str, arms: Any, rounds: Any) -> None:
    with contextlib.suppress(*DOCUMENTED):
        tiltyard.policy(spec, arms=min(arms, 10**10), rounds=rounds)


def damage(value: Any, at: int, new: Any) -> Any:
    """Replaces part number `at` of some JSON, counted depth first."""
    count = -1

    def walk(value: Any) -> Any:
        nonlocal count
        count += 1
        if count == at:
            return new
        if isinstance(value, dict):
            return {key: walk(part) for key, part in value.items()}
        if isinstance(value, list):
            return [walk(part) for part in value]
        return value

    return walk(value)


scalars = (
    st.none()
    | st.booleans()
    | st.integers(-2, 2**64)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=3)
)
parts = scalars | st.lists(scalars, max_size=3)


@SLOW
@given(st.sampled_from(tiltyard.policy_names()), st.integers(0, 30), st.integers(0, 120), parts)
def test_damaged_states(name: str, rounds: int, at: int, new: Any) -> None:
    policy = tiltyard.policy(name, arms=3, rounds=1000, ties="coin")
    for _ in range(rounds):
        policy.update(policy.decide(), "left")
    text = json.dumps(damage(json.loads(policy.to_json()), at, new))
    with contextlib.suppress(*DOCUMENTED):
        restored = Policy.from_json(text)
        for _ in range(20):
            restored.update(restored.decide(), "right")
        restored.recommend()
        restored.probabilities()


@SLOW
@given(st.text() | st.builds(json.dumps, parts), st.integers(0, 20), parts)
def test_damaged_tickets(text: str, at: int, new: Any) -> None:
    with contextlib.suppress(*DOCUMENTED):
        Ticket.from_json(text)
    ticket = tiltyard.Rex3(arms=3).decide()
    with contextlib.suppress(*DOCUMENTED):
        policy = tiltyard.Rex3(arms=3)
        policy.update(Ticket.from_json(json.dumps(damage(json.loads(ticket.to_json()), at, new))), "left")


@SLOW
@given(st.lists(st.lists(probabilities, max_size=4), max_size=4), st.none() | st.lists(st.text(), max_size=4))
def test_matrices(rows: list[list[float]], names: list[str] | None) -> None:
    with contextlib.suppress(*DOCUMENTED, ValueError):
        Matrix(rows, names=names)


@SLOW
@given(st.integers(1, 5), st.data())
def test_legal_matrices(arms: int, data: st.DataObject) -> None:
    entries = np.full((arms, arms), 0.5)
    for i in range(arms):
        for j in range(i):
            entries[i, j] = data.draw(st.floats(0, 1))
            entries[j, i] = 1 - entries[i, j]
    matrix = Matrix(entries)
    matrix.check(), matrix.gaps(), matrix.tournament(), matrix.least_log_factor(), matrix.borda(), matrix.copeland()
    assert 0 <= matrix.best[0] < arms
    tiltyard.play(matrix, ["rex3", "rucb"], rounds=20, runs=1, threads=1)


@SLOW
@given(st.text(max_size=12), st.integers(-1, 300), st.lists(st.integers(-1, 300), max_size=8))
def test_clicks(model: str, largest: int, grades: list[int]) -> None:
    for text in (model, "random", "position-based", "dependent:click=0.5/0.5,stop=0/1"):
        with contextlib.suppress(*DOCUMENTED):
            ClickModel(text, largest=largest).clicks(grades)


@SLOW
@given(
    st.sampled_from(["team-draft", "balanced", "probabilistic", "optimized"]),
    st.lists(st.integers(0, 9), max_size=8),
    st.lists(st.integers(0, 9), max_size=8),
    st.integers(0, 12),
    st.lists(st.integers(0, 12), max_size=5),
    st.integers(0, 40),
    parts,
)
def test_merging(
    method: str, left: list[int], right: list[int], length: int, clicks: list[int], at: int, new: Any
) -> None:
    merged = Interleaver(method).merge(left, right, length=length)
    with contextlib.suppress(*DOCUMENTED):
        merged.credit(clicks)
    with contextlib.suppress(*DOCUMENTED):
        Merged.from_json(json.dumps(damage(json.loads(merged.to_json()), at, new))).credit(clicks)


@SLOW
@given(st.text(max_size=20), st.lists(numbers, max_size=4), numbers)
def test_playing(world: str, at: list[Any], runs: Any) -> None:
    for text in (world, "arxiv6:" + world, "arxiv6+" + world, "piecewise:" + world):
        with contextlib.suppress(*DOCUMENTED, ValueError):
            tiltyard.play(text, "random", at=[min(x, 100) for x in at], runs=min(runs, 3))
