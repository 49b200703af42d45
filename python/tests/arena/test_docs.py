"""The examples of `docs/python-client.md` are correct."""

from __future__ import annotations

import asyncio
import re
import textwrap
from pathlib import Path
from typing import Any

import pytest
from tiltyard.arena import Client
from tiltyard.arena._operations import Operations

from .support.server import ROOT, Server

PAGE = (ROOT / "docs/python-client.md").read_text()


def test_the_examples_run(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILTYARD_SERVER", server.url)
    monkeypatch.setenv("TILTYARD_KEY", server.key)
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) == 5
    names: dict[str, Any] = {}
    for block in blocks:
        if "await " in block:
            source = f"async def main():\n{textwrap.indent(block, '    ')}"
            exec(source, names)
            asyncio.run(names["main"]())
        else:
            exec(block, names)
        # The first examples close their client.
        names["arena"] = Client()
        names["other"] = names["arena"].create_experiment("other", ["plain", "funny", "short"])
    assert names["report"].recorded == 100
    assert names["refused"] == []


def test_every_method_is_named() -> None:
    table = PAGE.partition("## Methods")[2].partition("\n\n`experiments`")[0]
    told = set(re.findall(r"`(\w+)`", table.partition("|---|")[2]))
    assert told == {name for name in dir(Operations) if not name.startswith("_")}
