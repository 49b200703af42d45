"""Writes docs/python-reference.md from the signatures and docstrings of the installed package.

    cargo xtask python reference

A test compares the two.
"""

from __future__ import annotations

import ast
import dataclasses
import enum
import functools
import importlib
import importlib.util
import inspect
import sys
import types
import typing
from types import ModuleType

MODULES = (
    "tiltyard",
    "tiltyard.lab",
    "tiltyard.ray",
    "tiltyard.theory",
    "tiltyard.interleave",
    "tiltyard.clicks",
    "tiltyard.plot",
    "tiltyard.arena",
    "tiltyard.errors",
)


def main() -> None:
    """Prints the page."""
    if importlib.util.find_spec("ray") is None:
        # The page describes the part for Ray too, which asks for nothing of Ray until it is used.
        sys.modules["ray"] = ModuleType("ray")
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
        elif is_alias(value):
            lines += [f"### `{found.__name__}.{name}`", "", *alias(name, value), ""]
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


def is_alias(value: object) -> bool:
    """Whether it is another name of a type."""
    return isinstance(value, types.UnionType) or typing.get_origin(value) is not None


def alias(name: str, value: object) -> list[str]:
    """What a type is called here, and what its source says of it: neither is known to the value itself."""
    for place in [found for key, found in sorted(sys.modules.items()) if key.startswith("tiltyard.")]:
        if vars(place).get(name) is not value:
            continue
        source = inspect.getsource(place)
        body = ast.parse(source).body
        for node, behind in zip(body, [*body[1:], None], strict=True):
            if isinstance(node, ast.AnnAssign) and node.value and ast.unparse(node.target) == name:
                return [said(source.splitlines(), node, behind), "", f"`{ast.unparse(node.value)}`"]
    raise LookupError(f"{name} is nowhere in the package")


def said(lines: list[str], node: ast.AnnAssign, behind: ast.stmt | None) -> str:
    """The text behind a definition, or the comment of `#:` before it."""
    if isinstance(behind, ast.Expr) and isinstance(behind.value, ast.Constant) and isinstance(behind.value.value, str):
        return clean(behind.value.value)
    comment: list[str] = []
    for line in reversed(lines[: node.lineno - 1]):
        if not line.startswith("#: "):
            break
        comment.insert(0, line.removeprefix("#: "))
    return "\n".join(comment)


def class_(name: str, value: type) -> list[str]:
    """A class with its methods and fields."""
    lines = [f"### `{name}{signature(value)}`", "", clean(value.__doc__), ""]
    members = []
    for member, kind in members_of(value):
        doc = clean(kind.__doc__)
        function = getattr(value, member)
        # Methods of clients become callable when they are looked up.
        if callable(kind) or callable(function):
            members.append(f"- `{member}{signature(function)}`: {short(clean(function.__doc__))}")
        elif inspect.isdatadescriptor(kind) or hasattr(kind, "__get__"):
            members.append(f"- `{member}`: {short(doc)}")
    return lines + members + ([""] if members else [])


def members_of(value: type) -> list[tuple[str, object]]:
    """What a class has, dunder methods left out: its own, and what it inherits from classes that are not on the page themselves."""
    if issubclass(value, enum.Enum):
        return []
    members: dict[str, object] = {}
    for place in reversed(value.__mro__):
        if place is value:
            members |= vars(place)
        elif place.__module__.startswith("tiltyard") and place not in on_the_page():
            # What is inherited without a word is for the package alone.
            members |= {name: member for name, member in vars(place).items() if member.__doc__}
    # By name: native classes have them in another order in each build.
    chosen = sorted(members.items(), key=lambda member: member[0])
    return [(name, member) for name, member in chosen if not name.startswith("_") and described(member)]


@functools.cache
def on_the_page() -> set[object]:
    """The classes that are described."""
    found = [importlib.import_module(name) for name in MODULES]
    return {value for place in found for name in exported(place) if inspect.isclass(value := getattr(place, name))}


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
