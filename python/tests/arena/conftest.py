"""A real server and its clients.

The server is the program that TILTYARD_BINARY names. Without that variable, the workspace builds it
(`cargo build --package tiltyard-cli`). If neither works, the tests fail: without a server there is nothing to test.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tiltyard.arena import Client, Experiment

from .support.clients import KINDS, Clients
from .support.server import Server, binary


@pytest.fixture(scope="session")
def program() -> Path:
    return binary()


@pytest.fixture(scope="session")
def server(program: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server for all tests that do not kill it."""
    with Server(program, tmp_path_factory.mktemp("arena")) as server:
        yield server


@pytest.fixture
def own_server(program: Path, tmp_path: Path) -> Iterator[Server]:
    """A server that a test may kill."""
    with Server(program, tmp_path / "data") as server:
        yield server


@pytest.fixture(autouse=True)
def _no_settings_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TILTYARD_SERVER", "TILTYARD_KEY", "TILTYARD_KEY_FILE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(params=KINDS)
def clients(request: pytest.FixtureRequest) -> Iterator[Clients]:
    """Creates clients of one kind. Every test with this fixture runs with both kinds."""
    with Clients(request.param) as clients:
        yield clients


@pytest.fixture
def arena(clients: Clients, server: Server) -> Client:
    return clients.make(server.url, server.key)


@pytest.fixture
def experiment(arena: Client) -> Experiment:
    return arena.create_experiment("headline", ["a", "b", "c"])
