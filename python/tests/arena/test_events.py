"""Events as they happen."""

from __future__ import annotations

import json
import threading
from itertools import islice

import httpx
import pytest
from tiltyard.arena import Client, Experiment, ForeignAnswerError, UnauthorizedError
from tiltyard.arena._events import EventReader

from .support.clients import Clients
from .support.faults import Faults, cut
from .support.server import Server


def test_events_come_as_they_happen(arena: Client, experiment: Experiment) -> None:
    events = arena.watch(experiment, after=experiment.seq)
    duel = arena.duel(experiment, context={"n": 1}, client_id="mine, and nobody else's")
    issued = next(events)
    assert (issued.type, issued.left, issued.right) == ("duel", duel.left, duel.right)
    assert (issued.context, issued.client_id) == ({"n": 1}, "mine, and nobody else's")
    arena.vote(duel, "both_bad", voter="u")
    answered = next(events)
    assert (answered.type, answered.outcome, answered.voter) == ("answered", "both_bad", "u")
    assert answered.duel == issued.seq


def test_watching_begins_now(clients: Clients, server: Server, arena: Client, experiment: Experiment) -> None:
    arena.duels(experiment, 5)
    first = threading.Event()
    seen: list[int] = []

    def watch(watcher: Client) -> None:
        for event in watcher.watch(experiment):
            seen.append(event.seq)
            first.set()
            return

    watcher = threading.Thread(target=watch, args=[clients.make(server.url, server.key)])
    watcher.start()
    # The watcher begins at an unknown moment, so duels are issued until it has seen one.
    while not first.wait(0.05):
        arena.duel(experiment)
    watcher.join()
    # After the creation of the experiment and its first 5 duels.
    assert seen[0] > 6


def test_a_stream_that_breaks_within_an_event() -> None:
    data = json.dumps({"seq": 1, "at": "2026-01-01T00:00:00Z", "type": "status", "status": "paused"})
    wire = f": alive\n\nid: 1\nevent: status\ndata: {data}\n\nid: 2\nevent: sta".encode()
    # The size of the pieces must not matter.
    for size in (1, 7, len(wire)):
        reader = EventReader("/events", 0)
        pieces = [wire[i : i + size] for i in range(0, len(wire), size)]
        (event,) = [event for piece in pieces for event in reader.feed(piece)]
        assert (event.seq, event.status) == (1, "paused")
        assert reader.ended(None) == 0.0
        assert reader.call().query == {"after": 1}
        # The incomplete second event was dropped.
        again = f"id: 2\r\nevent: status\r\ndata: {data.replace('1,', '2,', 1)}\r\n\r\n".encode()
        assert [event.seq for event in reader.feed(again)] == [2]


def test_streams_that_bring_nothing_are_opened_with_patience() -> None:
    reader = EventReader("/events", 0)
    waits = [reader.ended(None) for _ in range(20)]
    assert waits[0] == 0.0
    assert all(0.0 < wait <= 5.0 for wait in waits[1:])
    assert waits[-1] > 2.0


def test_a_broken_stream_goes_on(clients: Clients, server: Server, arena: Client) -> None:
    """The first response ends in the middle. Its events are not repeated, and the rest follows."""
    experiment = arena.create_experiment("broken", ["a", "b"])
    arena.duels(experiment, 50)
    arena.close_experiment(experiment)
    log = list(arena.history(experiment))
    # A fixed response, because the server's own stream has no end and so no middle.
    sent = [{"seq": event.seq, "at": "2026-01-01T00:00:00Z", "type": event.type} for event in log]
    wire = "".join(f"id: {event['seq']}\ndata: {json.dumps(event)}\n\n" for event in sent).encode()
    faults = Faults(lambda request, answer: _half(request, wire))
    watcher = clients.make(server.url, server.key, faults=faults)
    seen = [event.seq for event in islice(watcher.watch(experiment, after=0), len(log))]
    assert seen == [event.seq for event in log]
    assert len(faults.requests) == 2
    after = int(faults.requests[1].url.params["after"])
    assert 0 < after < len(log)


def _half(request: httpx.Request, content: bytes) -> httpx.Response:
    return cut(request, httpx.Response(200, content=content))


def test_a_revoked_key_ends_it(
    clients: Clients, server: Server, arena: Client, experiment: Experiment
) -> None:
    key = arena.make_key("reader")
    events = clients.make(server.url, key.key).watch(experiment, after=experiment.seq)
    arena.duel(experiment)
    assert next(events).type == "duel"
    arena.revoke_key(key.id)
    # The server checks the key when an event happens.
    arena.duel(experiment)
    with pytest.raises(UnauthorizedError):
        next(events)


def test_something_that_is_no_event() -> None:
    with pytest.raises(ForeignAnswerError):
        list(EventReader("/events", 0).feed(b"data: no json\n\n"))
