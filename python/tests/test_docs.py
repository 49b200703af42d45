"""The stub has the same docstrings as `help` shows, and examples on pages are correct."""

import ast
import inspect
import re
import traceback
from pathlib import Path

import pytest

import tiltyard
from tiltyard import _native

STUB = Path(__file__).parents[1] / "package" / "tiltyard" / "_native.pyi"


DOCS = Path(__file__).parents[2] / "docs"


def documented() -> list[tuple[str, str]]:
    found = []
    for node in ast.parse(STUB.read_text()).body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and (doc := ast.get_docstring(node)):
            found.append((node.name, doc))
        if isinstance(node, ast.ClassDef):
            for method in node.body:
                if isinstance(method, ast.FunctionDef) and (doc := ast.get_docstring(method)):
                    found.append((f"{node.name}.{method.name}", doc))
    return found


@pytest.mark.parametrize(("name", "doc"), documented())
def test_same_words(name: str, doc: str) -> None:
    value: object = _native
    for part in name.split("."):
        value = getattr(value, part)
    # Line breaks may differ.
    assert (inspect.getdoc(value) or "").split() == doc.split()


def test_the_error_of_the_page_is_what_is_raised() -> None:
    shown = (DOCS / "python.md").read_text(encoding="utf-8").partition('>>> tiltyard.policy("rex4", arms=10)\n')[2]
    with pytest.raises(tiltyard.errors.BuildUnknownPolicy) as caught:
        tiltyard.policy("rex4", arms=10)
    assert shown.partition("```")[0] == "".join(traceback.format_exception_only(caught.value))


def test_the_example_for_those_who_know_duelpy(capsys: pytest.CaptureFixture[str]) -> None:
    page = (DOCS / "python-migration.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n([^`]*tiltyard\.play.*?)```", page, re.DOTALL)
    exec(example, {})
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["rucb:alpha=0.51", "dts", "rex3"]
