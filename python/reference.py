"""Writes docs/python-reference.md from the signatures and docstrings of the installed package.

    python python/reference.py > docs/python-reference.md

A test compares the two.
"""

from __future__ import annotations

import dataclasses
import enum
import importlib
import inspect
import sys
import typing
from types import ModuleType

MODULES = (
    "tiltyard",
    "tiltyard.lab",
    "tiltyard.ray",
    "tiltyard.theory",
    "tiltyard.interleave",
    "tiltyard.clicks",
    "tiltyard.arena",
    "tiltyard.errors",
)


def main() -> None:
    """Prints the page."""
    sys.stdout.write(page())


def page() -> str:
    """The whole page."""
    lines = [
        "# Reference of the Python package",
        "",
        "Written by `python python/reference.py` from what the package itself says.",
        "",
    ]
    for name in MODULES:
        lines += module(importlib.import_module(name))
    return "\n".join(lines).rstrip() + "\n"


def module(found: ModuleType) -> list[str]:
    """A module, and what it exports."""
    lines = [f"## `{found.__name__}`", "", clean(found.__doc__), ""]
    if found.__name__ == "tiltyard.errors":
        return lines + exceptions(found)
    for name in sorted(exported(found), key=lambda name: (not inspect.isclass(getattr(found, name)), name.lower())):
        value = getattr(found, name)
        if inspect.ismodule(value) or name == "__version__":
            continue
        if inspect.isclass(value):
            lines += class_(f"{found.__name__}.{name}", value)
        elif callable(value):
            lines += [f"### `{found.__name__}.{name}{signature(value)}`", "", clean(value.__doc__), ""]
    return lines


def exported(found: ModuleType) -> list[str]:
    """The names that a module offers."""
    names = getattr(found, "__all__", None)
    if names is not None:
        return list(names)
    own = [name for name in vars(found) if not name.startswith("_")]
    return [name for name in own if getattr(getattr(found, name), "__module__", None) == found.__name__]


def exceptions(found: ModuleType) -> list[str]:
    """A line an exception."""
    lines = ["| exception | is a | raised when |", "|---|---|---|"]
    for name in sorted(exported(found)):
        value = getattr(found, name)
        if inspect.isclass(value) and issubclass(value, BaseException):
            bases = ", ".join(f"`{base.__name__}`" for base in value.__bases__)
            lines.append(f"| `{name}` | {bases} | {clean(value.__doc__).splitlines()[0] if value.__doc__ else ''} |")
    return [*lines, ""]


def class_(name: str, value: type) -> list[str]:
    """A class with its own methods and fields."""
    lines = [f"### `{name}{signature(value)}`", "", clean(value.__doc__), ""]
    members = []
    for member, kind in own_members(value):
        doc = clean(kind.__doc__)
        if isinstance(kind, (staticmethod, classmethod)) or callable(kind):
            function = getattr(value, member)
            members.append(f"- `{member}{signature(function)}`: {short(clean(function.__doc__))}")
        elif inspect.isdatadescriptor(kind) or hasattr(kind, "__get__"):
            members.append(f"- `{member}`: {short(doc)}")
    return lines + members + ([""] if members else [])


def own_members(value: type) -> list[tuple[str, object]]:
    """What a class defines itself, dunder methods left out."""
    if issubclass(value, enum.Enum):
        return []
    # By name: native classes have them in another order in each build.
    members = sorted(vars(value).items(), key=lambda member: member[0])
    return [(name, member) for name, member in members if not name.startswith("_") and described(member)]


def described(member: object) -> bool:
    """Whether there is something to say of it."""
    return callable(member) or inspect.isdatadescriptor(member) or isinstance(member, (staticmethod, classmethod)) or (
        hasattr(member, "__get__") and bool(getattr(member, "__doc__", None))
    )


def signature(value: object) -> str:
    """The parameters, without types: the docstring says what they are."""
    if typing.get_origin(value) is not None or (inspect.isclass(value) and typing.is_typeddict(value)):
        return ""
    try:
        found = inspect.signature(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return ""
    plain = []
    for parameter in found.parameters.values():
        if parameter.name == "self":
            continue
        if isinstance(parameter.default, dataclasses.Field) or repr(parameter.default).startswith("<"):
            parameter = parameter.replace(default=inspect.Parameter.empty)
        plain.append(parameter.replace(annotation=inspect.Parameter.empty))
    try:
        return str(inspect.Signature(plain))
    except ValueError:
        return ""


def clean(doc: str | None) -> str:
    """A docstring as Markdown: examples in fences, sections of parameters as lists."""
    lines: list[str] = []
    fenced = False
    for line in inspect.cleandoc(doc or "").splitlines():
        is_code = line.startswith((">>>", "...")) or (fenced and bool(line))
        if is_code != fenced:
            lines.append("```python" if is_code else "```")
            fenced = is_code
        if not fenced and line.startswith("    "):
            line = f"- {line.strip()}" if not line.startswith("     ") else f"  {line.strip()}"
        elif not fenced and line in ("Args:", "Raises:"):
            line = f"{line}\n"
        lines.append(line)
    return "\n".join([*lines, "```"] if fenced else lines)


def short(doc: str) -> str:
    """The first paragraph in one line."""
    return " ".join(doc.split("\n\n")[0].split())


if __name__ == "__main__":
    main()
