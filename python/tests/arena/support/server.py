"""A server in its own process."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from types import TracebackType

ROOT = Path(__file__).parents[4]


def binary() -> Path:
    """Returns the program: TILTYARD_BINARY, or the one that the workspace builds."""
    if named := os.environ.get("TILTYARD_BINARY"):
        program = Path(named)
        if not program.is_file():
            raise FileNotFoundError(f"TILTYARD_BINARY is {named}, which does not exist")
        return program
    command = [
        "cargo",
        "build",
        "--locked",
        "--package",
        "tiltyard-cli",
        "--message-format",
        "json-render-diagnostics",
    ]
    built = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True, text=True)
    said = [json.loads(line) for line in built.stdout.splitlines()]
    programs = [each["executable"] for each in said if each.get("executable")]
    if not programs:
        raise RuntimeError("`cargo build --package tiltyard-cli` built no program")
    return Path(programs[-1])


class Server:
    """A server that is killed at the end. It can also be killed before, and started again at the same address."""

    def __init__(self, program: Path, data: Path) -> None:
        self._program = program
        self._data = data
        self._listen = "127.0.0.1:0"
        self._process: subprocess.Popen[str] | None = None
        self.url = ""
        self.key = ""

    def __enter__(self) -> Server:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    def start(self) -> None:
        """Starts the server, at its previous address if it had one."""
        command = [str(self._program), "serve", "--listen", self._listen, "--data", str(self._data)]
        command += ["--announce", "json", "--log", "warn"]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the server ended with {self._process.wait()} before it was ready")
        said = json.loads(line)
        self.url = said["url"]
        self._listen = self.url.removeprefix("http://")
        # Only the first start announces a key.
        self.key = said.get("admin_key", self.key)

    def kill(self) -> None:
        """Kills the server without warning."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            if self._process.stdout is not None:
                self._process.stdout.close()
            self._process = None

    def stop(self) -> None:
        """Asks the server to stop, and waits until it has."""
        assert self._process is not None
        self._process.terminate()
        assert self._process.wait(timeout=30) == 0
        self.kill()
