"""A server that is killed and started again while clients use it."""

from __future__ import annotations

import threading
from collections import Counter

import pytest
from tiltyard.arena import Client, Event, UnreachableError

from .support.clients import Clients
from .support.server import Server


def test_votes_go_on_over_kills(clients: Clients, own_server: Server) -> None:
    """The server is killed again and again: every vote counts once, and no vote is lost."""
    arena = clients.make(own_server.url, own_server.key)
    experiment = arena.create_experiment("killed", ["a", "b"])
    stop = threading.Event()
    acknowledged: list[str] = []
    errors: list[BaseException] = []

    def vote() -> None:
        try:
            while not stop.is_set():
                duel = arena.duel(experiment)
                arena.vote(duel, "left")
                acknowledged.append(duel.id)
        except BaseException as error:
            errors.append(error)

    voter = threading.Thread(target=vote)
    voter.start()
    try:
        for _ in range(4):
            own_server.kill()
            own_server.start()
            reached = len(acknowledged) + 20
            while len(acknowledged) < reached and not errors:
                stop.wait(0.01)
    finally:
        stop.set()
        voter.join()
    assert not errors
    assert len(acknowledged) >= 80
    kinds = Counter(event.type for event in arena.history(experiment))
    assert kinds["duel"] == kinds["answered"] == len(acknowledged)
    assert all(arena.read_duel(duel).status == "answered" for duel in acknowledged)


def test_a_clean_stop_in_between(clients: Clients, own_server: Server) -> None:
    arena = clients.make(own_server.url, own_server.key)
    experiment = arena.create_experiment("stopped", ["a", "b"])
    duel = arena.duel(experiment)
    own_server.stop()
    own_server.start()
    assert arena.vote(duel, "tie") == "recorded"


def test_a_server_that_does_not_come_back(clients: Clients, own_server: Server) -> None:
    arena = clients.make(own_server.url, own_server.key)
    experiment = arena.create_experiment("gone", ["a", "b"])
    own_server.kill()
    with pytest.raises(UnreachableError):
        arena.duel(experiment)


def test_a_watcher_misses_nothing_and_sees_nothing_twice(clients: Clients, own_server: Server) -> None:
    arena = clients.make(own_server.url, own_server.key)
    experiment = arena.create_experiment("watched", ["a", "b"])
    seen: list[Event] = []
    goal = 40

    def watch(watcher: Client) -> None:
        for event in watcher.watch(experiment, after=0):
            seen.append(event)
            if event.seq >= goal:
                return

    watcher = threading.Thread(target=watch, args=[clients.make(own_server.url, own_server.key)])
    watcher.start()
    for _ in range(4):
        arena.duels(experiment, 10)
        own_server.kill()
        own_server.start()
    watcher.join(timeout=60)
    assert not watcher.is_alive()
    assert [event.seq for event in seen] == list(range(1, goal + 1))
    assert seen == [event for event in arena.history(experiment) if event.seq <= goal]
