"""Arguments to the engine: numbers that do not fit are refused, and nothing is half done."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import tiltyard
from tiltyard import errors, theory
from tiltyard.clicks import ClickModel
from tiltyard.interleave import Interleaver, Merged
from tiltyard.types import Outcome

MATRIX = tiltyard.Matrix([[0.5, 0.6, 0.7], [0.4, 0.5, 0.6], [0.3, 0.4, 0.5]])


@pytest.mark.parametrize(
    "call",
    [
        lambda n: tiltyard.Rex3(arms=n),
        lambda n: tiltyard.Rex3(arms=3, seed=n),
        lambda n: tiltyard.Rex3(arms=3, rounds=n),
        lambda n: tiltyard.Rex3(arms=3).decide(n),
        lambda n: tiltyard.Rex3(arms=3).retire(n),
        lambda n: tiltyard.Rex3(arms=3).lesson(n, 0, 0.5),
        lambda n: tiltyard.play("arxiv6", ["rex3"], rounds=10, runs=n),
        lambda n: tiltyard.play("arxiv6", ["rex3"], rounds=10, runs=1, seed=n),
        lambda n: tiltyard.play("arxiv6", ["rex3"], rounds=10, runs=1, threads=n),
        lambda n: MATRIX.submatrix([n]),
        lambda n: MATRIX.preference(0, n),
        lambda n: Interleaver(seed=n),
        lambda n: Interleaver().merge(["a"], ["b"], length=n),
        lambda n: Interleaver().merge(["a"], ["b"]).credit([n]),
        lambda n: ClickModel("perfect", largest=n),
        lambda n: ClickModel("perfect", largest=2).clicks([n]),
        lambda n: theory.lower_bound(n, 10),
    ],
)
@pytest.mark.parametrize("number", [-1, -(2**70), 2**70])
def test_numbers_that_do_not_fit(call: Callable[[int], object], number: int) -> None:
    with pytest.raises(ValueError) as caught:
        call(number)
    assert isinstance(caught.value, errors.TiltyardError)


@pytest.mark.parametrize("operator", ["+", "-", "*", "/"])
def test_formulas_of_thousands_of_terms(operator: str) -> None:
    text = f"1{operator}" * 100_000 + "1"
    with pytest.raises(errors.TiltyardError):
        tiltyard.Rex3(arms=3, gmax=text, rounds=10)
    with pytest.raises(errors.TiltyardError):
        tiltyard.play("arxiv6", [f"rex3:gmax={text}"], rounds=10, runs=1)


def test_batches_that_no_memory_holds() -> None:
    policy = tiltyard.Rex3(arms=3)
    with pytest.raises(errors.DoesNotFit, match="at most"):
        policy.decide(10**9)
    assert policy.round == 0


def test_a_sequential_policy_has_one_duel_in_flight() -> None:
    policy = tiltyard.Wsw(arms=4)
    with pytest.raises(errors.NotCapable, match="several duels"):
        policy.decide(3)
    assert policy.round == 0
    (ticket,) = policy.decide(1)
    policy.update(ticket, "left")
    assert policy.round == 1


def test_outcomes_may_use_the_policy_they_are_for() -> None:
    policy = tiltyard.Rex3(arms=3)
    tickets = policy.decide(10)

    def outcomes() -> Iterator[Outcome]:
        for ticket in tickets:
            policy.decide()
            yield "left" if ticket.left > ticket.right else "right"

    policy.update(tickets, outcomes())
    assert policy.round == 20


def test_threads_may_share_a_policy() -> None:
    policy = tiltyard.Rex3(arms=3)
    failures: list[BaseException] = []

    def play(turns: int, batch: int) -> None:
        try:
            for _ in range(turns):
                tickets = policy.decide(batch)
                policy.update(tickets, ("left" if ticket.left > ticket.right else "right" for ticket in tickets))
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=play, args=(200, batch)) for batch in (1, 100, 1000)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert policy.round == 200 * 1101


@pytest.mark.parametrize("name", ["rex3", "rucb", "vdb", "feedexp3", "selfsparring"])
def test_sums_that_no_run_has(name: str) -> None:
    policy: Any = tiltyard.Policy(name, arms=4, rounds=1000)
    before = policy.to_json()
    n_sums = len(policy.sums())
    for value in (1e308, 1e17, -1e17):
        with pytest.raises(errors.IncrementTooLarge):
            policy.add([value] * n_sums)
    assert policy.to_json() == before


def test_merged_lists_can_be_kept() -> None:
    merged = Interleaver("team-draft").merge(["a", "b"], ["c", "d"], length=4)
    kept: Merged[str] = pickle.loads(pickle.dumps(merged))
    assert kept.documents == merged.documents
    assert kept.credit([0, 2]) == merged.credit([0, 2])


def test_more_threads_than_there_is_work() -> None:
    few = tiltyard.play("arxiv6", ["rex3"], rounds=100, runs=2, threads=1)
    many = tiltyard.play("arxiv6", ["rex3"], rounds=100, runs=2, threads=10**6)
    assert few.summary() == many.summary()
