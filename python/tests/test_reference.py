"""docs/python-reference.md agrees with the docstrings of the package."""

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

import tiltyard
from tiltyard import lab
from tiltyard.arena import AsyncClient, Client

PYTHON = Path(__file__).parents[1]


@pytest.mark.parametrize(
    "value", [Client, AsyncClient, tiltyard.Matrix, tiltyard.Policy, tiltyard.Results, lab.Runs], ids=lambda value: value.__name__
)
def test_inherited_members_are_there_too(value: type) -> None:
    page = (PYTHON.parent / "docs" / "python-reference.md").read_text(encoding="utf-8")
    section = page.partition(f".{value.__name__}(")[2].partition("\n### ")[0]
    members = {name for name in dir(value) if not name.startswith("_") and getattr(value, name).__doc__}
    assert members - {"table"} <= set(re.findall(r"^- `(\w+)", section, re.MULTILINE))


def test_the_reference_is_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    if importlib.util.find_spec("ray") is None:
        # The page also describes the module for Ray, which needs Ray only when it is used.
        monkeypatch.setitem(sys.modules, "ray", ModuleType("ray"))
    found = importlib.util.spec_from_file_location("reference", PYTHON / "reference.py")
    assert found is not None and found.loader is not None
    reference = importlib.util.module_from_spec(found)
    found.loader.exec_module(reference)
    written = (PYTHON.parent / "docs" / "python-reference.md").read_text(encoding="utf-8")
    assert written == reference.page(), "the page is stale: run `cargo xtask python reference`"
