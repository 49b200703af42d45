"""Where clients find the server and the key, and that threads and tasks can share a client."""

from __future__ import annotations

import asyncio
import inspect
import pickle
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tiltyard.arena import AsyncClient, Client, ClientClosedError, Duel, Event, Standing
from tiltyard.arena._operations import Operations

from .support.server import Server


def test_where_the_server_is(monkeypatch: pytest.MonkeyPatch) -> None:
    assert repr(Client()) == "Client('http://127.0.0.1:7474')"
    monkeypatch.setenv("TILTYARD_SERVER", "http://[::1]:80/arena/")
    assert repr(Client()) == "Client('http://[::1]:80/arena')"
    assert repr(AsyncClient("https://example.org")) == "AsyncClient('https://example.org')"


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1:7474",
        "ftp://a",
        "http://",
        "http://u:p@a",
        "http://a/?b",
        "http://a b",
        "http://a:x",
        "http://a/#b",
    ],
)
def test_what_is_no_address(address: str) -> None:
    with pytest.raises(ValueError, match=r"not the address of a server.*looks like http://127\.0\.0\.1:7474"):
        Client(address)


def test_errors_do_not_repeat_a_password() -> None:
    with pytest.raises(ValueError, match="must not contain a user name or a password") as caught:
        Client("http://user:pass-word-7@127.0.0.1:7474")
    assert "pass-word-7" not in str(caught.value)


def test_where_the_key_is(server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TILTYARD_SERVER", server.url)
    (tmp_path / "key").write_text(server.key + "\n")
    monkeypatch.setenv("TILTYARD_KEY_FILE", str(tmp_path / "key"))
    with Client() as arena:
        assert arena.keys()
    monkeypatch.setenv("TILTYARD_KEY", server.key)
    monkeypatch.setenv("TILTYARD_KEY_FILE", "nowhere")
    with Client() as arena:
        assert arena.keys()
    monkeypatch.setenv("TILTYARD_KEY", "tiltyard_wrong")
    with Client(key=server.key) as arena:
        assert arena.keys()
    with Client() as arena, pytest.raises(PermissionError):
        arena.keys()


@pytest.mark.parametrize("key", ["", "two words", "schlüssel", "a\x00b"])
def test_what_is_no_key(key: str) -> None:
    with pytest.raises(ValueError, match="`key` is not a key") as caught:
        Client(key=key)
    assert not key or key not in str(caught.value)


def test_a_timeout_that_makes_no_sense() -> None:
    with pytest.raises(ValueError, match="`timeout`"):
        Client(timeout=0)


def test_keys_are_not_shown(server: Server) -> None:
    assert server.key not in repr(Client(server.url, server.key))


def test_a_key_goes_through_no_proxy(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with Client(server.url, server.key) as arena:
        assert arena.keys()


def test_a_closed_client_says_so(server: Server) -> None:
    with Client(server.url, server.key) as arena:
        pass
    with pytest.raises(ClientClosedError, match="closed") as caught:
        arena.health()
    assert isinstance(caught.value, RuntimeError)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_a_closed_async_client_says_so(server: Server) -> None:
    async def ask() -> None:
        async with AsyncClient(server.url, server.key) as arena:
            pass
        await arena.health()

    with pytest.raises(ClientClosedError):
        asyncio.run(ask())


def test_many_threads(server: Server) -> None:
    with Client(server.url, server.key) as arena:
        experiment = arena.create_experiment("threads", ["a", "b", "c"])
        errors: list[BaseException] = []

        def work() -> None:
            try:
                for _ in range(20):
                    arena.vote(arena.duel(experiment), "left")
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=work) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not errors
        assert arena.standing(experiment).votes == 16 * 20


def test_many_tasks(server: Server) -> None:
    async def main() -> None:
        async with AsyncClient(server.url, server.key) as arena:
            experiment = await arena.create_experiment("tasks", ["a", "b", "c"])

            async def work() -> None:
                for _ in range(20):
                    duel: Duel = await arena.duel(experiment)
                    await arena.vote(duel, "left")

            async def watch() -> list[Event]:
                events: list[Event] = []
                async for event in arena.watch(experiment, after=0):
                    events.append(event)
                    if event.seq == 1 + 2 * 16 * 20:
                        break
                return events

            watched, *_ = await asyncio.gather(watch(), *(work() for _ in range(16)))
            standing: Standing = await arena.standing(experiment)
            assert standing.votes == 16 * 20
            assert watched == [event async for event in arena.history(experiment)]

    asyncio.run(main())


def test_a_task_that_is_cancelled_while_it_waits() -> None:
    """A task can be cancelled while it waits for the next attempt."""

    async def main() -> None:
        async with AsyncClient("http://127.0.0.1:9") as arena:
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(arena.health(), timeout=0.3)

    asyncio.run(main())


def test_both_clients_have_the_same_methods() -> None:
    names = [name for name in dir(Operations) if not name.startswith("_")]
    assert len(names) >= 40
    for name in names:
        blocking, awaiting = getattr(Client, name), getattr(AsyncClient, name)
        assert blocking.__doc__ == awaiting.__doc__
        assert blocking.__doc__, name
        ours, theirs = inspect.signature(blocking), inspect.signature(awaiting)
        assert ours.parameters == theirs.parameters
        gives, later = str(ours.return_annotation), str(theirs.return_annotation)
        assert inspect.iscoroutinefunction(awaiting) == (not gives.startswith("Generator["))
        assert later.removeprefix("Async") == gives.replace(", None, None]", ", None]")


def test_help_shows_what_a_method_gives() -> None:
    assert str(inspect.signature(Client.duel).return_annotation) == "Duel"
    assert str(inspect.signature(Client().duels).return_annotation) == "tuple[Duel, ...]"
    assert str(inspect.signature(AsyncClient.watch).return_annotation) == "AsyncGenerator[Event, None]"
    assert str(inspect.signature(Client.export_file).return_annotation) == "Path"
    assert str(inspect.signature(Client.arms).return_annotation) == "Generator[Arm, None, None]"


def test_without_httpx() -> None:
    code = "import sys; sys.modules['httpx'] = None; import tiltyard.arena"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert 'needs httpx, which is not installed: `pip install "tiltyard[arena]"`' in run.stderr
