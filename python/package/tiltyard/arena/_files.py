"""Files of votes: written completely or not at all, and read one vote at a time."""

from __future__ import annotations

import contextlib
import csv
import json
import os
import uuid
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any

from . import _time
from ._types import VoteInput

#: The columns that make a vote.
USED = ("left", "right", "outcome", "weight", "time", "voter", "pscore")

#: Other columns of an export, which an import does not need.
EXPORTED = (
    "seq",
    "duel",
    "recorded_at",
    "score",
    "pscore_left",
    "pscore_right",
    "swapped",
    "holdout",
    "late",
    "context",
    "source",
)

#: Outcomes that are words. All other outcomes are scores.
WORDS = ("left", "right", "tie", "both_bad")


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """Writes a file that appears only when it is complete. If that fails, an existing file stays unchanged."""
    draft = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        with open(draft, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def read_votes(path: Path) -> Iterator[VoteInput | None]:
    """Yields the votes of a file in the format of an export; None for a duel that was skipped.

    The file is CSV if its name ends in `.csv`. Otherwise it has one JSON object per line.
    """
    with open(path, encoding="utf-8", newline="") as file:
        reached = 1
        try:
            for line, row in _csv(file) if path.suffix == ".csv" else _json_lines(file):
                reached = line
                yield _vote(row())
        except csv.Error as error:
            raise ValueError(f"{path}, after line {reached}: {error}") from error
        except ValueError as error:
            raise ValueError(f"{path}, line {reached}: {error}") from error


#: Reads a row of a file. It is called when the number of the line is known.
Row = Callable[[], dict[str, Any]]


def _csv(file: IO[str]) -> Iterator[tuple[int, Row]]:
    rows = csv.reader(file, strict=True)
    names = next(rows, [])
    _known(names)

    def row(fields: list[str]) -> dict[str, Any]:
        if len(fields) != len(names):
            raise ValueError(f"{len(fields)} columns, but the first line has {len(names)}")
        # CSV cannot distinguish a missing value from an empty one. Names and numbers are never
        # empty.
        return {name: field for name, field in zip(names, fields, strict=True) if field != ""}

    for fields in rows:
        yield rows.line_num, partial(row, fields)


def _json_lines(file: IO[str]) -> Iterator[tuple[int, Row]]:
    def row(line: str) -> dict[str, Any]:
        said = json.loads(line)
        if not isinstance(said, dict):
            raise ValueError("a vote must be a JSON object")
        _known(said)
        return {name: value for name, value in said.items() if value is not None}

    for number, line in enumerate(file, start=1):
        if line.strip():
            yield number, partial(row, line)


def _known(names: Iterable[str]) -> None:
    for name in names:
        if name not in USED and name not in EXPORTED:
            known = ", ".join(f"`{each}`" for each in USED)
            raise ValueError(f"`{name}` is not known; a vote has {known}, and an export has more")


def _vote(row: dict[str, Any]) -> VoteInput | None:
    for name in ("left", "right", "outcome"):
        if name not in row:
            raise ValueError(f"`{name}` is missing")
    if row["outcome"] == "skip":
        return None
    vote: VoteInput = {"left": str(row["left"]), "right": str(row["right"])}
    if row["outcome"] in WORDS:
        vote["outcome"] = row["outcome"]
    else:
        vote["score"] = _number(
            row, "outcome", -1.0, 1.0, "a word (left, right, tie, both_bad, skip) or a score"
        )
    if "weight" in row:
        vote["weight"] = _number(row, "weight", 0.0, 1.0, "a weight")
    if "pscore" in row:
        vote["propensity"] = _number(row, "pscore", 0.0, 1.0, "a probability")
    if "time" in row:
        vote["time"] = _time.parse(str(row["time"]))
    if "voter" in row:
        vote["voter"] = str(row["voter"])
    return vote


def _number(row: dict[str, Any], name: str, low: float, high: float, wanted: str) -> float:
    try:
        number = float(row[name])
    except (TypeError, ValueError):
        number = float("nan")
    # In this form, NaN is refused too.
    if not low <= number <= high:
        raise ValueError(f"`{name}` is `{row[name]}`, which is not {wanted} from {low:g} to {high:g}")
    return number
