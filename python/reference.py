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
        # The page also describes the module for Ray, which needs Ray only when it is used.
        sys.modules["ray"] = ModuleType("ray")
    sys.stdout.write(page())


def page() -> str:
    """The whole page."""
    lines = [
        "# Reference of the Python package",
        "",
        "For Python programmers: every class, function and exception of the package, with its parameters.",
        "[Policies](policies.md) describes each policy; `help(tiltyard.Rex3)` lists its parameters too.",
        "",
        "<!-- Written by `cargo xtask python reference` from the docstrings of the package. -->",
        "",
    ]
    for name in MODULES:
        lines += module(importlib.import_module(name))
    return "\n".join(lines).rstrip() + "\n"


def module(found: ModuleType) -> list[str]:
    """A module and its exports: classes, functions, and a table of its exceptions."""
    lines = [f"## `{found.__name__}`", "", clean(found.__doc__), ""]
    errors = []
    for name in sorted(exported(found), key=lambda name: (not inspect.isclass(getattr(found, name)), name.lower())):
        value = getattr(found, name)
        if inspect.ismodule(value) or name == "__version__":
            continue
        if inspect.isclass(value) and issubclass(value, BaseException):
            errors.append(value)
        elif inspect.isclass(value) and value.__module__ == "tiltyard.policies":
            # Its parameters are on the page of policies.
            lines += [f"### `{found.__name__}.{name}{signature(value)}`", "", short(clean(value.__doc__)), ""]
        elif inspect.isclass(value):
            lines += class_(f"{found.__name__}.{name}", value)
        elif is_alias(value):
            lines += [f"### `{found.__name__}.{name}`", "", *alias(name, value), ""]
        elif callable(value):
            lines += [f"### `{found.__name__}.{name}{signature(value)}`", "", clean(value.__doc__), ""]
    return lines + exceptions(errors)


def exported(found: ModuleType) -> list[str]:
    """The names that a module exports."""
    names = getattr(found, "__all__", None)
    if names is not None:
        return list(names)
    own = [name for name in vars(found) if not name.startswith("_")]
    return [name for name in own if getattr(getattr(found, name), "__module__", None) == found.__name__]


def exceptions(errors: list[type]) -> list[str]:
    """A table of exceptions, if there are any."""
    if not errors:
        return []
    lines = ["| exception | is a | raised when |", "|---|---|---|"]
    for value in errors:
        bases = ", ".join(f"`{base.__name__}`" for base in value.__bases__)
        lines.append(f"| `{value.__name__}` | {bases} | {short(clean(value.__doc__))} |")
    return [*lines, ""]


def is_alias(value: object) -> bool:
    """Whether it is an alias of a type."""
    return isinstance(value, types.UnionType) or typing.get_origin(value) is not None


def alias(name: str, value: object) -> list[str]:
    """The description and the definition of an alias. Both come from the source, because the value has neither."""
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
    """The docstring after a definition, or the `#:` comment before it."""
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
        elif doc and (inspect.isdatadescriptor(kind) or hasattr(kind, "__get__")):
            members.append(f"- `{member}`: {short(doc)}")
    return lines + members + ([""] if members else [])


def members_of(value: type) -> list[tuple[str, object]]:
    """The members of a class without dunder methods: its own, and those of base classes that are not on the page."""
    if issubclass(value, enum.Enum):
        return []
    members: dict[str, object] = {}
    for place in reversed(value.__mro__):
        if place is value:
            members |= vars(place)
        elif place.__module__.startswith("tiltyard") and place not in on_the_page():
            # Inherited members without a docstring are internal.
            members |= {name: member for name, member in vars(place).items() if member.__doc__}
    # Sorted by name, because native classes have another order in each build.
    chosen = sorted(members.items(), key=lambda member: member[0])
    return [(name, member) for name, member in chosen if not name.startswith("_") and described(member)]


@functools.cache
def on_the_page() -> set[object]:
    """The classes on the page."""
    found = [importlib.import_module(name) for name in MODULES]
    return {value for place in found for name in exported(place) if inspect.isclass(value := getattr(place, name))}


def described(member: object) -> bool:
    """Whether a member belongs on the page."""
    return callable(member) or inspect.isdatadescriptor(member) or isinstance(member, (staticmethod, classmethod)) or (
        hasattr(member, "__get__") and bool(getattr(member, "__doc__", None))
    )


def signature(value: object) -> str:
    """The parameters without their types, which the docstring explains."""
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
