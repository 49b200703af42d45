"""What the stub says and what `help` shows are the same."""

import ast
import inspect
from pathlib import Path

import pytest

from tiltyard import _native

STUB = Path(__file__).parents[1] / "package" / "tiltyard" / "_native.pyi"


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
    assert inspect.getdoc(value) == doc
