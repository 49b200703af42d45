"""docs/python-reference.md says what the package says."""

import importlib.util
from pathlib import Path

import pytest

PYTHON = Path(__file__).parents[1]


@pytest.mark.slow  # It describes the part for Ray too, which must be there then.
def test_the_reference_is_up_to_date() -> None:
    found = importlib.util.spec_from_file_location("reference", PYTHON / "reference.py")
    assert found is not None and found.loader is not None
    reference = importlib.util.module_from_spec(found)
    found.loader.exec_module(reference)
    written = (PYTHON.parent / "docs" / "python-reference.md").read_text(encoding="utf-8")
    assert written == reference.page(), "write it anew: python python/reference.py > docs/python-reference.md"
