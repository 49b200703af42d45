"""Policies: classes and keywords, tickets, batches, saving."""

import copy
import inspect
import json
import pickle
from typing import Any

import numpy as np
import pytest

import tiltyard
from tiltyard import Policy, Ticket, errors
from tiltyard.policies import CLASSES

NAMES = tiltyard.policy_names()


def make(name: str, **kwargs: Any) -> Policy:
    return tiltyard.policy(name, arms=5, rounds=1000, **kwargs)


@pytest.mark.parametrize("name", NAMES)
def test_every_policy_has_a_class_and_every_parameter_a_keyword(name: str) -> None:
    info = tiltyard.policy_info(name)
    signature = inspect.signature(CLASSES[name].__new__)
    keywords = {p.name for p in signature.parameters.values() if p.kind is p.KEYWORD_ONLY}
    assert keywords == {"player_rounds" if param.key == "rounds" else param.key for param in info.params}
    assert isinstance(make(name), CLASSES[name])
    assert getattr(tiltyard, CLASSES[name].__name__) is CLASSES[name]
    doc = CLASSES[name].__doc__ or ""
    assert all(f"{keyword}: " in doc for keyword in keywords)
    assert info.reference.split()[-1] in doc
    assert make(name).info == info and make(name).page() == info.page


def test_keywords_become_a_specification() -> None:
    assert tiltyard.Rex3(arms=3, gamma=0.05, guard=False).spec == "rex3:gamma=0.05,guard=false"
    assert tiltyard.Btm(arms=3, delta="1/T", rounds=100).spec == "btm:delta=1/T"
    assert tiltyard.Sparring(arms=3, player="exp3ix", player_rounds="T", rounds=9).spec == (
        "sparring:player=exp3ix,rounds=T"
    )


def test_an_unknown_keyword_is_answered_by_the_registry() -> None:
    with pytest.raises(errors.ParamUnknownKey) as caught:
        tiltyard.Rex3(arms=3, gama=0.1)  # type: ignore[call-arg]
    assert (caught.value.key, caught.value.suggestion) == ("gama", "gamma")
    assert "did you mean `gamma`?" in str(caught.value)
    with pytest.raises(errors.ParamNeedsHorizon, match="rounds="):
        tiltyard.Btm(arms=3)
    with pytest.raises(errors.BuildUnknownPolicy, match="did you mean `rex3`"):
        tiltyard.policy("rexe", arms=3)


@pytest.mark.parametrize("name", NAMES)
def test_saved_it_goes_on_bit_for_bit(name: str) -> None:
    policy = make(name, seed=7, ties="coin")
    for _ in range(50):
        policy.update(policy.decide(), "tie")
    copies = [
        pickle.loads(pickle.dumps(policy)),
        Policy.from_json(policy.to_json()),
        copy.deepcopy(policy),
        copy.copy(policy),
    ]
    for other in copies:
        assert type(other) is type(policy)
        assert other == policy
    for _ in range(50):
        ticket = policy.decide()
        policy.update(ticket, 0.0)
        for other in copies:
            assert other.decide() == ticket
            other.update(ticket, 0.0)


@pytest.mark.parametrize(
    "policy",
    [make(name) for name in NAMES]
    + [
        tiltyard.policy("rex3:gamma=1e-2", arms=3, seed=2**64 - 1),
        tiltyard.Rex3(arms=3, gmax="T/2", rounds=100, run=4),
        tiltyard.Rucb(arms=3, alpha=1, ties="coin"),
        Policy("rex3:gamma=0.1", arms=2),
    ],
    ids=repr,
)
def test_repr_makes_it_anew(policy: Policy) -> None:
    scope = {"Policy": Policy, **{c.__name__: c for c in CLASSES.values()}}
    fresh = eval(repr(policy), scope)
    assert fresh == policy
    ticket = policy.decide()
    assert fresh.decide() == ticket
    assert type(fresh) is type(policy)


def test_subclasses_survive_pickling() -> None:
    policy = Mine(arms=4)
    policy.note = "kept"
    other = pickle.loads(pickle.dumps(policy))
    assert (type(other), other.note, other == policy) == (Mine, "kept", True)


class Mine(tiltyard.Rex3):
    note: str


def test_tickets() -> None:
    ticket = tiltyard.Rex3(arms=4).decide()
    assert isinstance(ticket, Ticket)
    assert ticket.round == 1 and ticket.propensity == pytest.approx(1 / 16)
    assert pickle.loads(pickle.dumps(ticket)) == ticket
    assert hash(Ticket.from_json(ticket.to_json())) == hash(ticket)
    assert eval(repr(ticket)) == ticket
    assert json.loads(ticket.to_json())["draw"] == {"slots": {"left": 0.25, "right": 0.25, "z": 1.0}}
    assert Ticket(1, 0, 1).draw is None and Ticket(1, 0, 1, draw=0.5).draw == 0.5
    assert len({ticket, Ticket.from_json(ticket.to_json()), Ticket(1, 0, 1)}) == 2
    with pytest.raises(AttributeError):
        ticket.left = 2  # type: ignore[misc]
    with pytest.raises(errors.TicketMalformed):
        Ticket.from_json("{}")


def test_batches() -> None:
    policy, single = tiltyard.Rex3(arms=4), tiltyard.Rex3(arms=4)
    tickets = policy.decide(3)
    assert tickets == [single.decide() for _ in range(3)]
    policy.update(tickets, ["left", -0.5, True])
    for ticket, score in zip(tickets, [1.0, -0.5, 1], strict=True):
        single.update(ticket, score)
    assert policy == single
    before = policy.to_json()
    with pytest.raises(errors.TicketArmOutOfRange, match="ticket 1 of the batch"):
        policy.update([tickets[0], Ticket(1, 0, 9, draw=(0.5, 0.5, 1))], [1.0, 1.0])
    with pytest.raises(errors.UpdateLengths):
        policy.update(tickets, ["left"])
    with pytest.raises(errors.OutcomeError):
        policy.update(tickets, ["left", "left", "up"])  # type: ignore[list-item]
    assert policy.to_json() == before
    assert policy.decide(0) == []


def test_outcomes() -> None:
    scores: dict[Any, float] = {"left": 1, "right": -1, "tie": 0, True: 1, np.float32(0.5): 0.5, 0: 0}
    for outcome, score in scores.items():
        a, b = tiltyard.Rex3(arms=3), tiltyard.Rex3(arms=3)
        a.update(a.decide(), outcome)
        b.update(b.decide(), float(score))
        assert a == b, outcome
    # Neither kind of `False` is a tie.
    for lost in (False, np.False_):
        a, b = tiltyard.Rex3(arms=3), tiltyard.Rex3(arms=3)
        a.update(a.decide(), lost)  # type: ignore[arg-type]
        b.update(b.decide(), "right")
        assert a == b
    policy = tiltyard.Rex3(arms=3)
    bad: Any
    for bad in (2.0, float("nan"), None, "win", [], 10**400):
        with pytest.raises(errors.OutcomeError):
            policy.update(policy.decide(), bad)


def test_ties() -> None:
    policy = tiltyard.Rucb(arms=3)
    ticket = policy.decide()
    with pytest.raises(errors.UpdateNotBinary, match='ties="coin"'):
        policy.update(ticket, "tie")
    coin = tiltyard.Rucb(arms=3, ties="coin")
    coin.update(coin.decide(), "tie")
    with pytest.raises(errors.NoSuchTies):
        tiltyard.Rucb(arms=3, ties="half")  # type: ignore[arg-type]


def test_sequential_policies_wait() -> None:
    policy = tiltyard.Wsw(arms=3)
    ticket = policy.decide()
    with pytest.raises(errors.InFlight) as caught:
        policy.decide()
    assert caught.value.ticket == ticket
    policy.void(ticket)
    policy.decide()


def test_capabilities() -> None:
    policy = tiltyard.Rex3(arms=3)
    assert set(policy.capabilities) == {"additive", "elastic", "distinct"}
    ticket = policy.decide_distinct()
    assert ticket.left != ticket.right
    before = policy.sums()
    policy.update(ticket, "left")
    node = tiltyard.Rex3(arms=3)
    node.add(policy.sums() - before)
    assert node.sums() == pytest.approx(policy.sums())
    policy.take_back(ticket, "left")
    assert policy.sums() == pytest.approx(before)
    assert policy.add_arm() == 3 and policy.arms == 4
    assert policy.retire(0) and not policy.retire(0) and policy.restore(0)
    probabilities = policy.probabilities()
    assert probabilities is not None and probabilities.sum() == pytest.approx(1)
    with pytest.raises(errors.NoSuchArm):
        policy.retire(9)
    with pytest.raises(errors.IncrementsLength):
        policy.add([1.0])
    with pytest.raises(errors.IncrementNotFinite):
        policy.add([0.0, 0.0, 0.0, float("inf")])
    lesson = policy.lesson(0, 1, 0.1)
    assert lesson.is_lesson
    policy.update(lesson, "right")
    btm = tiltyard.Btm(arms=3, rounds=10)
    for refused in (btm.add_arm, btm.sums, btm.decide_distinct):
        with pytest.raises(errors.NotCapable):
            refused()
    with pytest.raises(errors.LessonRefused):
        btm.lesson(0, 1)


def test_limits() -> None:
    with pytest.raises(errors.ParamTooManyArms):
        tiltyard.Rex3(arms=10**9)
    with pytest.raises(errors.ParamNoArms):
        tiltyard.Rex3(arms=0)
    with pytest.raises(errors.DoesNotFit):
        tiltyard.Rex3(arms=-1)
