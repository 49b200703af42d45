"""Which requests are repeated, which are not, and that repeated requests count once."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from typing import Any

import pytest
from tiltyard.arena import (
    ArenaError,
    Client,
    ConnectionLostError,
    Experiment,
    InternalError,
    NoAnswerError,
    OverloadedError,
    RateLimitedError,
    Retry,
    StoreUnavailableError,
    UnreachableError,
    VoterLimitError,
)
from tiltyard.arena._call import Call
from tiltyard.arena._retry import Attempts

from .support.clients import HASTY, Clients
from .support.faults import Fault, Faults, answered, cut, lost, refused, silent, unreachable
from .support.server import Server

OVERLOADED = refused(503, "overloaded")

#: Temporary faults.
TROUBLES: dict[str, list[Fault | None]] = {
    "refused twice": [OVERLOADED, OVERLOADED],
    "the answer is lost": [lost],
    "the answer is lost twice": [lost, lost],
    "the answer is too slow": [silent],
    "the answer is cut off": [cut],
    "unreachable, then stopping, then the answer is lost": [
        unreachable,
        refused(503, "stopping"),
        lost,
    ],
    "the store fails": [refused(503, "store_unavailable")],
    "a mistake of the server": [refused(500, "internal")],
    "a proxy has no answer": [answered(502, b"<html>"), answered(504, b"")],
    "too many requests": [refused(429, "rate_limited", retry_after=0)],
}


def events(arena: Client, experiment: Experiment) -> list[str]:
    """The kinds of events since the experiment was created."""
    return [event.type for event in arena.history(experiment, after=1)]


@pytest.fixture(params=TROUBLES)
def troubles(request: pytest.FixtureRequest) -> list[Fault | None]:
    return TROUBLES[request.param]


def test_a_duel_is_issued_once(
    clients: Clients, server: Server, arena: Client, experiment: Experiment, troubles: list[Fault | None]
) -> None:
    faults = Faults(*troubles)
    unlucky = clients.make(server.url, server.key, faults=faults)
    duel = unlucky.duel(experiment)
    assert faults.left == 0
    assert len(faults.requests) == len(troubles) + 1
    assert len({request.content for request in faults.requests}) == 1, "all had the same client id"
    assert arena.read_duel(duel).status == "open"
    assert events(arena, experiment) == ["duel"]


def test_a_vote_counts_once(
    clients: Clients, server: Server, arena: Client, experiment: Experiment, troubles: list[Fault | None]
) -> None:
    duel = arena.duel(experiment)
    faults = Faults(*troubles)
    done = clients.make(server.url, server.key, faults=faults).vote(duel, "right", voter="u")
    assert faults.left == 0
    # If the answer was lost, the first attempt had recorded the vote.
    assert done == ("already" if set(troubles) & {lost, silent, cut} else "recorded")
    assert events(arena, experiment) == ["duel", "answered"]
    assert arena.standing(experiment).votes == 1


#: Other requests that count once, each with the events that it leaves in the log.
REPEATABLE: dict[str, tuple[Callable[[Client, Experiment], Any], list[str]]] = {
    "duels": (lambda arena, e: arena.duels(e, 3), ["duel"] * 3),
    "interleave": (lambda arena, e: arena.interleave(e), ["duel"]),
    "slate": (lambda arena, e: arena.slate(e, 3), ["duel"]),
    "pause": (lambda arena, e: arena.pause_experiment(e), ["status"]),
    "close": (lambda arena, e: arena.close_experiment(e), ["status"]),
    "import": (
        lambda arena, e: arena.import_votes(e, [{"left": "a", "right": "b", "score": 1}], source="x"),
        ["imported"],
    ),
    "read": (lambda arena, e: arena.standing(e), []),
    "list": (lambda arena, e: list(arena.arms(e)), []),
}


@pytest.mark.parametrize("name", REPEATABLE)
def test_what_counts_once(
    clients: Clients, server: Server, arena: Client, experiment: Experiment, name: str
) -> None:
    do, left = REPEATABLE[name]
    faults = Faults(OVERLOADED, lost)
    do(clients.make(server.url, server.key, faults=faults), experiment)
    assert len(faults.requests) == 3
    assert events(arena, experiment) == left


#: Requests that would have an effect twice, or be refused the second time.
UNREPEATABLE: dict[str, Callable[[Client, Experiment], Any]] = {
    "create": lambda arena, e: arena.create_experiment("made once", ["a", "b"]),
    "key": lambda arena, e: arena.make_key("reader", label="made once"),
    "arms": lambda arena, e: arena.add_arms(e, ["d"]),
    "retire": lambda arena, e: arena.retire_arm(e, "a"),
    "apprentice": lambda arena, e: arena.begin_apprentice(e, "vdb"),
}


@pytest.mark.parametrize("name", UNREPEATABLE)
@pytest.mark.parametrize(
    ("trouble", "error"),
    [(lost, ConnectionLostError), (silent, NoAnswerError), (cut, ConnectionLostError)],
)
def test_what_may_have_been_done_is_not_sent_again(
    clients: Clients,
    server: Server,
    experiment: Experiment,
    name: str,
    trouble: Fault,
    error: type[ArenaError],
) -> None:
    faults = Faults(trouble)
    with pytest.raises(error):
        UNREPEATABLE[name](clients.make(server.url, server.key, faults=faults), experiment)
    assert len(faults.requests) == 1


@pytest.mark.parametrize("fault", [refused(503, "store_unavailable"), refused(503, "timed_out")])
def test_nor_is_what_the_server_is_not_sure_of(clients: Clients, server: Server, fault: Fault) -> None:
    faults = Faults(fault)
    with pytest.raises(ArenaError):
        clients.make(server.url, server.key, faults=faults).create_experiment("x", ["a", "b"])
    assert len(faults.requests) == 1


@pytest.mark.parametrize("name", UNREPEATABLE)
def test_what_was_not_done_for_sure_is_sent_again(
    clients: Clients, server: Server, experiment: Experiment, name: str
) -> None:
    faults = Faults(unreachable, OVERLOADED, refused(503, "stopping"), refused(408, "body_too_slow"))
    UNREPEATABLE[name](clients.make(server.url, server.key, faults=faults), experiment)
    assert len(faults.requests) == 5


def test_it_gives_up_after_so_many_attempts(clients: Clients, server: Server) -> None:
    for fault, error in [
        (unreachable, UnreachableError),
        (refused(500, "internal"), InternalError),
        (refused(503, "store_unavailable"), StoreUnavailableError),
    ]:
        faults = Faults(*[fault] * 10)
        retry = Retry(attempts=4, first_wait=0.001)
        with pytest.raises(error):
            clients.make(server.url, server.key, faults=faults, retry=retry).health()
        assert len(faults.requests) == 4


def test_it_gives_up_at_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("tiltyard.arena._retry.time.monotonic", lambda: now)
    attempts = Attempts(Retry(attempts=10_000, deadline=30.0, longest_wait=5.0), repeatable=True)
    error = OverloadedError("busy")
    waits = []
    while now < 130.0:
        try:
            waits.append(attempts.wait_after(error))
        except OverloadedError:
            break
        now += waits[-1]
        assert attempts.left == pytest.approx(130.0 - now)
    # No wait ends after the deadline, and the attempts stopped only because the next wait might.
    assert 30.0 - 5.0 <= sum(waits) < 30.0


def test_retry_after_is_honoured(clients: Clients, server: Server) -> None:
    faults = Faults(refused(429, "rate_limited", retry_after=1))
    begin = time.monotonic()
    clients.make(server.url, server.key, faults=faults).health()
    assert time.monotonic() - begin >= 1.0


def test_a_retry_after_beyond_the_deadline_is_told_at_once(clients: Clients, server: Server) -> None:
    faults = Faults(refused(429, "rate_limited", retry_after=3600))
    with pytest.raises(RateLimitedError) as caught:
        clients.make(server.url, server.key, faults=faults).health()
    assert caught.value.retry_after == 3600
    assert len(faults.requests) == 1


def test_a_limit_without_an_end_is_told_at_once(clients: Clients, server: Server, arena: Client) -> None:
    experiment = arena.create_experiment("limited", ["a", "b"], settings={"voter_votes": 1})
    faults = Faults()
    eager = clients.make(server.url, server.key, faults=faults)
    first, second = eager.duels(experiment, 2)
    eager.vote(first, "left", voter="u")
    with pytest.raises(VoterLimitError):
        eager.vote(second, "left", voter="u")
    assert len(faults.requests) == 3


def test_a_body_is_not_awaited_for_ever(clients: Clients, server: Server) -> None:
    """A real socket that accepts the request and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        url = f"http://127.0.0.1:{deaf.getsockname()[1]}"
        arena = clients.make(url, None, retry=Retry(attempts=2, first_wait=0.01), timeout=0.1)
        with pytest.raises(NoAnswerError):
            arena.health()


def test_a_client_id_of_ones_own(
    clients: Clients, server: Server, arena: Client, experiment: Experiment
) -> None:
    first = arena.duels(experiment, 2, client_id="a name that nobody guesses")
    assert arena.duels(experiment, 2, client_id="a name that nobody guesses") == first
    assert arena.duels(experiment, 2) != first


def test_waits_double_up_to_the_longest_and_differ() -> None:
    retry = Retry(first_wait=1.0, longest_wait=8.0)
    for failures, longest in [(1, 1.0), (2, 2.0), (3, 4.0), (4, 8.0), (5, 8.0), (10_000, 8.0)]:
        waits = [retry.wait(failures) for _ in range(100)]
        assert all(longest / 2 <= wait <= longest for wait in waits)
        assert len(set(waits)) > 90


def test_retries_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match="`attempts` must be 1 or more, not 0"):
        Retry(attempts=0)
    with pytest.raises(ValueError, match="`deadline` must be a number of seconds above 0, not 0"):
        Retry(deadline=0)
    with pytest.raises(ValueError, match="first_wait"):
        Retry(first_wait=-1.0)
    with pytest.raises(ValueError, match="longest_wait"):
        Retry(longest_wait=float("nan"))


def test_the_last_error_is_the_one_that_is_told() -> None:
    attempts = Attempts(HASTY, repeatable=False)
    with pytest.raises(ConnectionLostError):
        attempts.wait_after(ConnectionLostError("the connection broke"))
    assert not Call("GET", "/", lambda said: said).repeatable, "a call is not repeatable by default"
