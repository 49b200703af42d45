"""Exceptions: one class per condition, found by name, picklable, with hints."""

import inspect
import pickle
import re
from pathlib import Path

import pytest

import tiltyard
from tiltyard import errors
from tiltyard.errors import border

SOURCES = Path(__file__).parents[1] / "src"
PACKAGE = Path(__file__).parents[1] / "package" / "tiltyard"


def test_what_is_raised_by_name_exists_and_the_rest_is_written_from_the_engine() -> None:
    rust = "\n".join(path.read_text() for path in SOURCES.rglob("*.rs"))
    python = "\n".join(path.read_text() for path in PACKAGE.glob("*.py"))
    by_name = set(re.findall(r'Raised::new\(\s*"(\w+)"', rust))
    assert by_name <= set(errors.__all__)
    assert set(border.__all__) <= by_name | set(re.findall(r"raise (\w+)\(", python))


def test_every_class_is_an_error_of_the_package_and_has_a_docstring() -> None:
    for name in errors.__all__:
        cls = getattr(errors, name)
        assert issubclass(cls, errors.TiltyardError) and inspect.getdoc(cls)
    builtin = (ValueError, OSError, RuntimeError, TypeError, IndexError)
    rest = [n for n in errors.__all__ if n != "TiltyardError" and not issubclass(getattr(errors, n), builtin)]
    assert rest == []


def test_they_can_be_pickled() -> None:
    with pytest.raises(errors.ParamOutOfRange) as caught:
        tiltyard.Rex3(arms=3, gamma=2)
    error = pickle.loads(pickle.dumps(caught.value))
    assert (error.key, error.value, error.range) == ("gamma", 2.0, "(0, 0.5]")
    assert str(error) == str(caught.value)
    assert isinstance(error, ValueError)


def test_hints_have_a_line_each() -> None:
    with pytest.raises(errors.BuildUnknownPolicy) as caught:
        tiltyard.policy("rexx3", arms=2)
    assert str(caught.value).splitlines() == [
        "there is no policy `rexx3`",
        "hint: did you mean `rex3`?",
        "hint: `tiltyard.policy_names()` shows all policies",
    ]
