"""Every code of the API has an exception, with the right base classes and the server's message."""

from __future__ import annotations

import pickle

import pytest
from tiltyard import arena as package
from tiltyard.arena import (
    ArenaError,
    BadPolicyError,
    Client,
    Experiment,
    ExperimentClosedError,
    ForbiddenError,
    ForeignAnswerError,
    InvalidError,
    NoDuelError,
    NoExperimentError,
    Retry,
    UnauthorizedError,
    UnreachableError,
)
from tiltyard.arena._errors import BY_CODE, Again

from .support.clients import Clients
from .support.faults import Faults, answered, refused
from .support.server import Server

def test_every_class_is_offered() -> None:
    for kind in BY_CODE.values():
        assert getattr(package, kind.__name__) is kind
        assert kind.__name__ in package.__all__


@pytest.mark.parametrize(
    ("again", "codes"),
    [
        (Again.ALWAYS, {"body_too_slow", "overloaded", "stopping"}),
        (Again.WHEN_TOLD, {"rate_limited", "voter_limit", "too_many_in_flight"}),
        (Again.IF_REPEATABLE, {"internal", "store_unavailable", "timed_out"}),
    ],
)
def test_what_is_sent_again(again: Again, codes: set[str]) -> None:
    assert {code for code, kind in BY_CODE.items() if kind.again is again} == codes


@pytest.mark.parametrize("kind", [*BY_CODE.values(), UnreachableError, ForeignAnswerError])
def test_errors_survive_pickling(kind: type[ArenaError]) -> None:
    error = kind("it went wrong", status=418, retry_after=2.0, hint="do something else")
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is kind
    assert str(copy) == str(error)
    assert (copy.status, copy.code, copy.hint, copy.retry_after) == (418, kind.code, error.hint, 2.0)


@pytest.mark.parametrize(
    ("base", "codes"),
    [
        (PermissionError, {"unauthorized", "forbidden"}),
        (LookupError, {code for code in BY_CODE if code.startswith("no_")} | {"not_found"}),
        (
            ValueError,
            {"bad_request", "body_too_large", "unsupported_media_type"}
            | {"invalid", "unknown_arms", "bad_policy", "client_id_reused"},
        ),
        (TimeoutError, {"body_too_slow", "timed_out"}),
    ],
)
def test_bases_of_python(base: type[Exception], codes: set[str]) -> None:
    assert {code for code, kind in BY_CODE.items() if issubclass(kind, base)} == codes


def test_what_the_server_refuses(arena: Client, experiment: Experiment) -> None:
    with pytest.raises(NoExperimentError) as caught:
        arena.experiment("0000000000000")
    assert (caught.value.status, caught.value.code) == (404, "no_experiment")
    assert "hint: Use the `id`" in str(caught.value)
    with pytest.raises(NoDuelError):
        arena.vote("nobody", "left")
    with pytest.raises(InvalidError, match="from 1 to 1000, not 0"):
        arena.duels(experiment, 0)
    with pytest.raises(InvalidError, match="no_such_setting"):
        arena.create_experiment("x", ["a", "b"], settings={"no_such_setting": 1})  # type: ignore[arg-type]
    with pytest.raises(BadPolicyError):
        arena.create_experiment("x", ["a", "b"], policy="wsw")
    arena.close_experiment(experiment)
    with pytest.raises(ExperimentClosedError):
        arena.duel(experiment)


def test_what_cannot_be_written_is_refused_here(arena: Client, experiment: Experiment) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        arena.duel(experiment, context={"x": float("nan")})
    with pytest.raises(TypeError, match="cannot be written as JSON"):
        arena.duel(experiment, context={"x": object()})


def test_keys(clients: Clients, server: Server, arena: Client, experiment: Experiment) -> None:
    with pytest.raises(UnauthorizedError, match="Give the client a `key`, or set TILTYARD_KEY"):
        clients.make(server.url, None).experiment(experiment)
    with pytest.raises(UnauthorizedError, match="neither expired nor revoked"):
        clients.make(server.url, "tiltyard_wrong").experiment(experiment)
    voter = clients.make(server.url, arena.make_key("voter", experiment=experiment).key)
    assert voter.vote(voter.duel(experiment), "tie") == "recorded"
    with pytest.raises(ForbiddenError):
        voter.standing(experiment)


def test_a_code_of_a_newer_server(clients: Clients, server: Server) -> None:
    arena = clients.make(server.url, server.key, faults=Faults(refused(418, "teapot")))
    with pytest.raises(ArenaError) as caught:
        arena.health()
    assert type(caught.value) is ArenaError
    assert (caught.value.code, caught.value.status) == ("teapot", 418)


@pytest.mark.parametrize("content", [b"", b"<html>", b"[]", b'"text"', b'{"id": 1}', b"{}"])
def test_something_else_answers(clients: Clients, server: Server, content: bytes) -> None:
    arena = clients.make(
        server.url, server.key, faults=Faults(answered(200, content), answered(404, content))
    )
    with pytest.raises(ForeignAnswerError):
        arena.health()
    with pytest.raises(ForeignAnswerError, match="answered with 404"):
        arena.health()


def test_a_redirect_is_not_followed(clients: Clients, server: Server) -> None:
    faults = Faults(answered(302, b"", Location="http://elsewhere.example/"))
    with pytest.raises(ForeignAnswerError, match="answered with 302"):
        clients.make(server.url, server.key, faults=faults).health()
    assert len(faults.requests) == 1


def test_an_answer_that_does_not_fit_says_where(clients: Clients, server: Server) -> None:
    for content, place in [
        (b'{"status": "ok"}', "answer lacks `version`"),
        (b'{"status": "ok", "version": 1}', r"answer\.version should be str, but is 1"),
    ]:
        arena = clients.make(server.url, server.key, faults=Faults(answered(200, content)))
        with pytest.raises(ForeignAnswerError, match=place):
            arena.health()


def test_nobody_is_there(clients: Clients) -> None:
    # Port 9 is for discarding data, and no server listens there.
    arena = clients.make("http://127.0.0.1:9", None, retry=Retry(attempts=2, first_wait=0.01))
    with pytest.raises(UnreachableError, match=r"cannot reach a server at http://127\.0\.0\.1:9") as caught:
        arena.health()
    assert isinstance(caught.value, ConnectionError)
    assert (caught.value.status, caught.value.code) == (None, None)
