"""What the client knows of the API is what its document says: fields, whether they may miss, types."""

from __future__ import annotations

import dataclasses
import json
import types
import typing
from datetime import datetime
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from tiltyard.arena import _inputs, _types, _verdicts

from .support.server import ROOT

DOCUMENT: dict[str, Any] = json.loads((ROOT / "docs/openapi.json").read_text())
SCHEMAS: dict[str, dict[str, Any]] = DOCUMENT["components"]["schemas"]

#: Where our name is not the document's without `View`.
OURS = {
    "DoneView": "DoneView",
    "EventView": "Event",
    "InterleaveView": "Interleaving",
    "Sides_ArmView": "Sides",
    "VoidView": "Voided",
    "FullArm": "ArmInput",
    "SettingsBody": "SettingsInput",
    "DuelOutcome": "OutcomeInput",
}


def reachable(side: Literal["requestBody", "responses"]) -> set[str]:
    """The names of all objects that travel that way."""
    found: set[str] = set()

    def visit(json: Any) -> None:
        if isinstance(json, dict):
            name = str(json.get("$ref", "")).rpartition("/")[2]
            if name and name not in found:
                found.add(name)
                visit(SCHEMAS[name])
            for value in json.values():
                visit(value)
        elif isinstance(json, list):
            for value in json:
                visit(value)

    for methods in DOCUMENT["paths"].values():
        for operation in methods.values():
            visit(operation.get(side))
    return {name for name in found if fields(name)}


def fields(schema: str) -> dict[str, dict[str, Any]]:
    parts = SCHEMAS[schema].get("allOf", [SCHEMAS[schema]])
    parts = [SCHEMAS[part["$ref"].rpartition("/")[2]] if "$ref" in part else part for part in parts]
    return {name: field for part in parts for name, field in part.get("properties", {}).items()}


def required(schema: str) -> set[str]:
    parts = SCHEMAS[schema].get("allOf", [SCHEMAS[schema]])
    parts = [SCHEMAS[part["$ref"].rpartition("/")[2]] if "$ref" in part else part for part in parts]
    return {name for part in parts for name in part.get("required", [])}


ANSWERS = sorted(reachable("responses"))
#: Bodies themselves are arguments of methods.
INPUTS = sorted(
    name for name in reachable("requestBody") if not name.endswith("Body") or name == "SettingsBody"
)


def ours(schema: str, module: types.ModuleType) -> Any:
    name = OURS.get(schema, schema.removesuffix("View"))
    return getattr(module, name, None) or getattr(_verdicts, name)


@pytest.mark.parametrize("schema", ANSWERS)
def test_answers(schema: str) -> None:
    kind = ours(schema, _types)
    hints = get_type_hints(kind)
    described = fields(schema)
    assert {name.rstrip("_") for name in hints} == set(described)
    for field in dataclasses.fields(kind):
        name = field.name.rstrip("_")
        may_be_missing = name not in required(schema)
        assert may_be_missing == (field.default is not dataclasses.MISSING), name
        missing_is_none = may_be_missing and field.default is None
        check(f"{schema}.{name}", hints[field.name], described[name], none=missing_is_none)


@pytest.mark.parametrize("schema", INPUTS)
def test_inputs(schema: str) -> None:
    kind = ours(schema, _inputs)
    hints = get_type_hints(kind)
    assert set(hints) == set(fields(schema))
    assert kind.__required_keys__ == required(schema)
    for name, described in fields(schema).items():
        check(f"{schema}.{name}", hints[name], described, none=False)


def check(place: str, hint: Any, described: dict[str, Any], *, none: bool) -> None:
    """Compares a type with what the document says."""
    kinds = set(get_args(hint)) if get_origin(hint) in (Union, types.UnionType) else {hint}
    if hint is Any:
        assert "type" not in described, place
        assert "$ref" not in described, place
        return
    nullable = type(None) in kinds
    kinds -= {type(None)}
    wanted = flat(described)
    assert nullable == (none or "null" in wanted), place
    wanted.discard("null")
    if kinds == {datetime, str}:
        # A moment goes in as text, too; of outcomes in bulk the document says `string`, as each is judged on
        # its own.
        assert wanted == {"time"} or (place.endswith(".time") and wanted == {"string"}), place
        return
    assert {word for kind in kinds for word in words(kind)} == wanted, place


def flat(described: dict[str, Any]) -> set[str]:
    """The words for what the document allows."""
    if "$ref" in described:
        name = described["$ref"].rpartition("/")[2]
        schema = SCHEMAS[name]
        if "enum" in schema:
            return set(schema["enum"]) if name != "ProblemCode" else {"string"}
        return {name} if fields(name) or name == "RankingView" else flat(schema)
    if "oneOf" in described:
        return {word for each in described["oneOf"] for word in flat(each)}
    if "properties" in described:
        # The document has the arms of a duel in full instead of by their name.
        return {next(name for name in ("ArmView",) if set(fields(name)) == set(described["properties"]))}
    kinds = described["type"] if isinstance(described["type"], list) else [described["type"]]
    return {word for kind in kinds for word in _flat_kind(kind, described)}


def _flat_kind(kind: str, described: dict[str, Any]) -> set[str]:
    if kind == "array":
        return {f"list of {word}" for word in flat(described["items"])}
    if kind == "string" and described.get("format") == "date-time":
        return {"time"}
    return {kind}


PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", datetime: "time"}


def words(kind: Any) -> set[str]:
    """The words for a type of ours."""
    origin = get_origin(kind)
    if origin is Literal:
        return set(get_args(kind))
    if origin in (Union, types.UnionType):
        return {word for each in get_args(kind) for word in words(each)}
    if origin is tuple or (origin is not None and issubclass(origin, typing.Sequence)):
        return {f"list of {word}" for word in words(get_args(kind)[0])}
    if kind in PLAIN:
        return {PLAIN[kind]}
    names = {mine: theirs for theirs, mine in OURS.items()}
    name = kind.__name__
    return {names.get(name, name if name in SCHEMAS else name + "View")}
