"""Generates the parts of `tiltyard.arena` that follow from the documents of the API.

    python python/wire.py types|requests|codes

Types and requests come from docs/openapi.json, exceptions from docs/errors.md. `cargo xtask docs` writes the files, and
`cargo xtask ci` fails if they are stale. The tables below concern only Python.
"""

from __future__ import annotations

import json
import keyword
import re
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

Schema: TypeAlias = dict[str, Any]

DOCS = Path(__file__).parents[1] / "docs"
DOCUMENT: Schema = json.loads((DOCS / "openapi.json").read_text(encoding="utf-8"))
SCHEMAS: dict[str, Schema] = DOCUMENT["components"]["schemas"]

#: Names that are not the document's name without `View`.
NAMES = {
    "DoneView": "DoneView",
    "DoneWord": "Done",
    "DuelOutcome": "OutcomeInput",
    "FullArm": "ArmInput",
    "InterleaveView": "Interleaving",
    "SettingsBody": "SettingsInput",
    "Sides_ArmView": "Sides",
    "VoidView": "Voided",
}

#: Types that differ from the document's. A newer server may have other codes. The server checks
#: outcomes in bulk one by one, so the document cannot demand a time there.
TYPES = {("Problem", "code"): "str", ("DuelOutcome", "time"): "Time | None"}

#: Unions that have a name.
UNIONS = {"AnswerView"}

#: Secrets, which must not appear in logs.
SECRETS = {("NewKeyView", "key")}

METHODS = {
    "Problem": '''
    def error(self) -> ArenaError:
        """Returns the problem as an exception."""
        return error_of(self.code, self.detail, self.status, self.retry_after)
'''
}

#: Optional arguments that may be given without their name.
POSITIONAL = {("click", "clicks"), ("rank_slate", "ranking"), ("read_segments", "key")}

#: Arguments whose names differ from the document's.
ARGUMENTS = {("click", "clicks"): "positions", ("rank_slate", "duel"): "slate", ("revoke_key", "key_id"): "key"}

#: Parameters of paths that are not ids: the type of the argument, and what goes into the path.
PARAMETERS = {"arm": ("str | Arm", "arm if isinstance(arm, str) else arm.name"), "place": ("int", "str(place)")}

#: Built-in exceptions from which ours are also derived, by status or code.
BASES = {
    "LookupError": ("404", "no_apprentice"),
    "PermissionError": ("401", "403"),
    "TimeoutError": ("408", "timed_out"),
    "ValueError": ("400", "413", "415", "422", "client_id_reused"),
}


def main() -> None:
    """Prints one of the files."""
    title, source, imports, exported, parts = {"types": types, "requests": requests, "codes": codes}[sys.argv[1]]()
    names = "".join(f'    "{name}",\n' for name in sorted(exported))
    sys.stdout.write(
        f'"""{title}\n\nWritten by `cargo xtask docs` (python/wire.py) from docs/{source}.\n"""\n\n'
        f"from __future__ import annotations\n\n{imports}"
        + (f"\n__all__ = [\n{names}]\n" if names else "")
        + "".join(f"\n{part}" for part in parts)
    )


class File(NamedTuple):
    """A file to write."""

    title: str
    source: str
    imports: str
    exported: list[str]
    parts: list[str]


def types() -> File:
    """The types of all bodies."""
    named = sorted(filter(has_name, SCHEMAS), key=lambda name: (name in UNIONS, ours(name)))
    # A class comes after its base class.
    objects = sorted(filter(is_object, SCHEMAS), key=lambda name: ("allOf" in SCHEMAS[name], ours(name)))
    inputs = [name for name in objects if is_sent(name) and (name in NAMES or not name.endswith("Body"))]
    answers = [name for name in objects if not is_sent(name)]
    return File(
        "The types of requests and responses.",
        "openapi.json",
        "from collections.abc import Sequence\n"
        "from dataclasses import dataclass, field\n"
        "from datetime import datetime\n"
        "from typing import Any, Literal, TypeAlias, TypedDict\n\n"
        "from ._errors import ArenaError, error_of\n"
        "from ._inputs import Ranks, Time\n",
        [ours(name) for name in named + inputs + answers if name not in answers or not wrapped(name)],
        [alias(name) for name in named] + list(map(typed_dict, inputs)) + list(map(data_class, answers)),
    )


def alias(schema: str) -> str:
    """An alias for words or for a union of types."""
    value = plain_hint(SCHEMAS[schema], sent=False)
    return f"{comment(SCHEMAS[schema], '')}{ours(schema)}: TypeAlias = {value}\n"


def typed_dict(schema: str) -> str:
    """A dictionary in a request. For Python 3.10, the required keys need a separate class."""
    text, base = "", "TypedDict"
    lines = [
        (each.required, comment(each.described) + f"    {each.key}: {each.hint(schema, sent=True)}\n")
        for each in fields(schema)
    ]
    if required := "".join(line for is_required, line in lines if is_required):
        base = f"_{ours(schema)}Required"
        text = f"\nclass {base}(TypedDict):\n{required}\n"
    optional = "".join(line for is_required, line in lines if not is_required)
    return f"{text}\nclass {ours(schema)}({base}, total=False):\n{docstring(SCHEMAS[schema])}\n{optional}"


def data_class(schema: str) -> str:
    """A part of an answer."""
    base = "".join(f"({hint(part, sent=False)})" for part in parts(schema) if "$ref" in part)
    text = f"\n@dataclass(frozen=True, slots=True, kw_only=True)\nclass {ours(schema)}{base}:\n"
    text += docstring(SCHEMAS[schema]) + "\n"
    for each in fields(schema):
        value = each.hint(schema, sent=False)
        if (schema, each.key) in SECRETS:
            value += " = field(repr=False)"
        elif not each.required:
            value += f" = {each.described['default']}" if "default" in each.described else left_out(value)
        text += comment(each.described) + f"    {identifier(each.key)}: {value}\n"
    return text + METHODS.get(ours(schema), "")


def requests() -> File:
    """Every operation as a function that describes its request."""
    functions = {
        operation["operationId"]: function(method.upper(), path, operation)
        for path, methods in DOCUMENT["paths"].items()
        for method, operation in methods.items()
        # Operations with neither a version nor a type are for people and other programs.
        if path.startswith("/v1/") or answer(operation)
    }
    code = re.sub(r'""".*?"""', "", "".join(functions.values()), flags=re.DOTALL)
    types = sorted({ours(name) for name in SCHEMAS if is_object(name) or has_name(name)} & {*re.findall(r"\w+", code)})
    return File(
        "The requests of the API, under the names of its operations.",
        "openapi.json",
        "from collections.abc import Iterable, Mapping, Sequence\n"
        "from typing import Any, Literal\n\n"
        "from ._call import Call, Ref, as_it_is, name_of, path\n"
        "from ._decode import reader\n"
        "from ._encode import fresh, given, listed\n"
        "from ._inputs import Ranks, Time\n"
        + brackets("from ._types import (", types, ")", indent="")
        + "\n",
        [],
        [f"\n{functions[name]}" for name in sorted(functions)],
    )


@dataclass(frozen=True)
class Argument:
    """An argument of a function: its key in the document, its source text and the value that is sent."""

    place: str
    key: str
    text: str
    value: str
    is_positional: bool
    told: str


def function(method: str, path: str, operation: Schema) -> str:
    """The function of an operation."""
    name: str = operation["operationId"]
    given = arguments(operation)
    by_place = {place: [each for each in given if each.place == place] for place in ("path", "query", "body")}
    positional = [each.text for each in given if each.is_positional]
    named = [each.text for each in given if not each.is_positional]
    where = '"' + re.sub(r"{\w+}", "{}", path) + '"'
    if by_place["path"]:
        where = f"path({', '.join([where, *(each.value for each in by_place['path'])])})"
    schema = answer(operation)
    inputs = [f'"{method}"', where, f"reader({ours(schema)})" if schema else "as_it_is"]
    body = ""
    if by_place["query"]:
        body += brackets("query = {", [f'"{each.key}": {each.value}' for each in by_place["query"]], "}") + "\n"
        inputs.append("query")
    if by_place["body"]:
        body += brackets("body = given(", [f"{each.key}={each.value}" for each in by_place["body"]], ")") + "\n"
        inputs.append("body=body")
    # A request with a client id is carried out only once.
    if method == "GET" or any(each.key == "client_id" for each in given):
        inputs.append("repeatable=True")
    kind, then = ours(schema) if schema else "Any", ""
    inside = wrapped(schema) if schema else None
    if schema and inside and len(fields(schema)) == 1:
        kind, then = inside.hint(schema, sent=False), f".then(lambda said: said.{inside.key})"
    return (
        brackets(f"def {name}(", positional + ["*"] * bool(named) + named, f") -> Call[{kind}]:", indent="")
        + f"\n{docstring(operation, [each.told for each in given if each.place != 'path'])}{body}"
        + brackets("return Call(", inputs, f"){then}")
        + "\n"
    )


def arguments(operation: Schema) -> list[Argument]:
    """The parameters of an operation and the fields of its body."""
    name: str = operation["operationId"]
    found = [
        (each["in"], Field(each["name"], {**each["schema"], **each}, each["required"]))
        for each in operation.get("parameters", [])
    ]
    sent = json.dumps(operation.get("requestBody", {}))
    for schema in re.findall(r'"#/components/schemas/(\w+)"', sent):
        found += [("body", each) for each in fields(schema)]
    return [argument(name, place, each) for place, each in found]


def argument(operation: str, place: str, field: Field) -> Argument:
    """An argument for a parameter or a field."""
    key = field.key
    name = ARGUMENTS.get((operation, key), identifier(key))
    kind = hint(field.described, sent=True, top=True)
    value = name
    if place == "path":
        kind, value = PARAMETERS.get(key, ("Ref", name))
    elif kind.startswith(("Iterable", "Ranks")):
        value = f"listed({name})"
    elif kind.startswith("Ref"):
        value = f"None if {name} is None else name_of({name})"
    elif key == "client_id" and not field.required:
        value = f"fresh({name})"
    default = field.described.get("default")
    if not field.required:
        kind += f" = {default}" if kind == "bool" and default is not None else left_out(kind)
    is_positional = field.required or (operation, key) in POSITIONAL
    told = f"{name}: {description(field.described)}"
    if default:
        told += f" Default: `{default}`."
    return Argument(place, key, f"{name}: {kind}", value, is_positional, told)


def codes() -> File:
    """One exception per code."""
    page = (DOCS / "errors.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[`(\w+)`\]\S+ \| (\d+) \| (.*) \|$", page, re.MULTILINE)
    names, parts = [], []
    for code, status, meaning in rows:
        hint = re.findall(rf"^## {code}\n\n.*\n\n(.*)$", page, re.MULTILINE)[0]
        names.append("".join(word.capitalize() for word in code.split("_")) + "Error")
        bases = ", ".join(["ArenaError", *(base for base, keys in BASES.items() if {status, code} & {*keys})])
        lines = [json.dumps(line, ensure_ascii=False) for line in re.findall(r".{1,86}(?:\s|$)", hint)]
        quoted = lines[0] if len(lines) == 1 else "(\n        " + "\n        ".join(lines) + "\n    )"
        text = f'\nclass {names[-1]}({bases}):\n    """{meaning}."""\n\n    code = "{code}"\n    hint = {quoted}\n'
        # The page says when nothing was done, and when nobody knows. Otherwise a repetition is in vain.
        words = (meaning + hint).lower()
        again = None
        if status == "429":
            again = "WHEN_TOLD"
        elif "nothing was done" in words:
            again = "ALWAYS"
        elif "may or may not have been carried out" in words:
            again = "IF_REPEATABLE"
        if again:
            text += f"    again = Again.{again}\n"
        parts.append(text)
    assert len(rows) == page.count("\n## "), "docs/errors.md has an unexpected form"
    title = "One exception per code of the API."
    return File(title, "errors.md", "from ._errors import Again, ArenaError\n", names, parts)


@dataclass(frozen=True)
class Field:
    """A field of an object."""

    key: str
    described: Schema
    required: bool

    def hint(self, schema: str, *, sent: bool) -> str:
        """Its type."""
        return TYPES.get((schema, self.key)) or hint(self.described, sent=sent)


def fields(schema: str) -> list[Field]:
    """The fields that an object does not inherit: required ones first, in their order.

    If it is one of several objects, every field may be missing.
    """
    found = []
    for part in parts(schema):
        properties = part.get("properties", {})
        required = part.get("required", [])
        order = [*required, *(key for key in properties if key not in required)]
        found += [Field(key, properties[key], key in required and "oneOf" not in SCHEMAS[schema]) for key in order]
    return found


def parts(schema: str) -> list[Schema]:
    """The schemas that a type consists of."""
    found = SCHEMAS[schema]
    return list(found.get("allOf") or found.get("oneOf") or [found])


def is_object(schema: str) -> bool:
    """Whether a type has fields."""
    return any("properties" in part for part in parts(schema))


def is_sent(schema: str) -> bool:
    """Whether a type goes into requests, where unknown fields are refused."""
    return SCHEMAS[schema].get("additionalProperties") is False


def has_name(schema: str) -> bool:
    """Whether a type that is not an object has a name. Words have one if they are used in several places."""
    uses = json.dumps(DOCUMENT).count(f'"#/components/schemas/{schema}"')
    return schema in UNIONS or ("enum" in SCHEMAS[schema] and uses > 1)


def wrapped(schema: str) -> Field | None:
    """The only field of an answer, apart from `next` in pages; None if there are several."""
    found = [each for each in fields(schema) if each.key != "next"]
    return found[0] if len(found) == 1 else None


def answer(operation: Schema) -> str | None:
    """The type of the JSON that an operation answers with."""
    good = next(response for status, response in operation["responses"].items() if status.startswith("2"))
    reference: str = good["content"].get("application/json", {}).get("schema", {}).get("$ref", "")
    return reference.rpartition("/")[2] or None


def hint(described: Schema, *, sent: bool, top: bool = False) -> str:
    """The type of a value that is sent, at the top of a body or within it, or that comes back."""
    name = described.get("$ref", "").rpartition("/")[2]
    if not name:
        return plain_hint(described, sent=sent, top=top)
    if is_object(name) or has_name(name):
        return ours(name)
    return "Ref" if top and name.endswith("Id") else plain_hint(SCHEMAS[name], sent=sent)


def plain_hint(described: Schema, *, sent: bool, top: bool = False) -> str:
    """The type of a value that is described in place."""
    if "oneOf" in described:
        return " | ".join(hint(each, sent=sent, top=top) for each in described["oneOf"])
    if "enum" in described:
        return brackets("Literal[", [f'"{word}"' for word in described["enum"]], "]").strip()
    if "properties" in described:
        # The document describes the arms of a duel in place instead of by name.
        return next(ours(name) for name in SCHEMAS if SCHEMAS[name].get("properties") == described["properties"])
    hints = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None", "any": "Any"}
    if described.get("format") == "date-time":
        hints["string"] = "Time" if sent else "datetime"
    if "items" in described:
        item = hint(described["items"], sent=sent)
        hints["array"] = f"{'Iterable' if top else 'Sequence'}[{item}]" if sent else f"tuple[{item}, ...]"
        if sent and described["items"].get("$ref", "").endswith("/Rank"):
            hints["array"] = "Ranks"
    if "additionalProperties" in described:
        hints["object"] = f"Mapping[str, {hint(described['additionalProperties'], sent=sent)}]"
    kinds = described.get("type", "any")
    return " | ".join(hints[kind] for kind in (kinds if isinstance(kinds, list) else [kinds]))


def left_out(kind: str) -> str:
    """The end of an annotation whose value may be missing."""
    return " = None" if kind == "Any" or kind.endswith("None") else " | None = None"


def ours(schema: str) -> str:
    """The name of a type in Python."""
    return NAMES.get(schema, schema.removesuffix("View"))


def identifier(key: str) -> str:
    """A key as a Python identifier."""
    return key + "_" if keyword.iskeyword(key) else key


def description(described: Schema) -> str:
    """The description in one line, with `None` for `null`."""
    texts = [described, *described.get("oneOf", [])]
    text = next((each["description"] for each in texts if "description" in each), "")
    return re.sub(r"\bnull\b", "None", " ".join(text.split()))


def comment(described: Schema, indent: str = "    ") -> str:
    """The description as a comment."""
    mark = f"{indent}#: "
    return textwrap.fill(description(described), 100, initial_indent=mark, subsequent_indent=mark) + "\n"


def docstring(described: Schema, args: Sequence[str] = ()) -> str:
    """A docstring. If the text does not fit in one line, the first sentence is a paragraph by itself."""
    text = " ".join(described.get("summary", "").split() + description(described).split())
    paragraphs = [text] if len(text) <= 90 else re.split(r"(?<=\.) ", text, maxsplit=1)
    if args:
        told = [textwrap.fill(each, 96, initial_indent="    ", subsequent_indent="        ") for each in args]
        paragraphs.append("\n".join(["Args:", *told]))
    if len(paragraphs) == 1 and len(text) <= 90:
        return f'    """{text}"""\n'
    filled = "\n\n".join(textwrap.fill(each, 92) if "\n" not in each else each for each in paragraphs)
    return textwrap.indent(f'"""{filled}\n"""\n', "    ")


def brackets(head: str, inputs: list[str], tail: str, *, indent: str = "    ") -> str:
    """Code with inputs in brackets, in one line if it fits."""
    line = f"{indent}{head}{', '.join(inputs)}{tail}"
    if len(line) <= 100:
        return line
    return f"{indent}{head}\n" + "".join(f"{indent}    {each},\n" for each in inputs) + f"{indent}{tail}"


if __name__ == "__main__":
    main()
