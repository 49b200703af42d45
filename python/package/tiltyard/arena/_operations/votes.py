"""Votes in and out, many at once."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from .. import _requests as requests
from .._call import Call, Flow, Plan, Ref, Save, Stream, Work
from .._encode import fresh, text
from .._files import read_votes
from .._lines import ExportedVote, ExportReader
from .._types import Import, VoteInput

#: The most votes that the API takes at once, and the most of a body: half of what it takes unless told
#: otherwise.
BATCH_VOTES = 1000
BATCH_BYTES = 512 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """What became of votes that were brought in."""

    batches: tuple[Import, ...]
    #: Duels that were skipped, which are no votes.
    skipped: int

    @property
    def recorded(self) -> int:
        """How many votes came in now."""
        return sum(batch.votes for batch in self.batches if batch.status == "recorded")

    @property
    def already(self) -> int:
        """How many had come in before."""
        return sum(batch.votes for batch in self.batches if batch.status == "already")


def import_votes(
    experiment: Ref,
    votes: Iterable[VoteInput],
    *,
    source: str,
    client_id: str | None = None,
) -> Plan[ImportReport]:
    """Bring votes in that were given elsewhere, any number of them, in batches.

    ``source`` is where they are from. ``client_id`` is your name for this import: the same votes under
    the same name count once, so that whoever was interrupted can do it again. Left out, it is a fresh
    UUID, and the same votes brought in again count again.
    """
    name = fresh(client_id)
    return Plan(lambda: _bring_in(experiment, votes, source, name))


def import_file(
    experiment: Ref, file: str | os.PathLike[str], *, source: str | None = None, run: str = "1"
) -> Plan[ImportReport]:
    """Bring the votes of a file in: CSV or JSON lines, as `export_file` writes them.

    The file is read twice and never held in memory: first to its end, so that a mistake is found while
    nothing was done. Batches are named by what is in the file, so that the same file counts once, also
    if it was renamed; to count it a second time, give ``run`` another name. ``source`` is the file's
    name if left out.
    """
    path = Path(file)

    def steps() -> Generator[Call[Import], Import, ImportReport]:
        digest = hashlib.sha256()
        for vote in read_votes(path):
            digest.update(text(vote).encode() + b"\n")
        name = f"{digest.hexdigest()[:32]}-{run}"
        votes = read_votes(path)
        return (yield from _bring_in(experiment, votes, path.name if source is None else source, name))

    return Plan(steps)


def export_votes(experiment: Ref, *, after: int = 0) -> Flow[ExportedVote]:
    """Go through all votes that count, up to where the log is now, but what an earlier export had.

    ``after`` is the place of the log up to which that one went: the largest ``seq`` of its votes.
    If the connection breaks this raises `ConnectionLostError`: what came before is right, and not all.
    """
    return Stream(ExportReader(requests.export_votes(experiment, format="jsonl", after=after)))


def export_file(
    experiment: Ref,
    file: str | os.PathLike[str],
    *,
    format: Literal["csv", "jsonl"] | None = None,
    after: int = 0,
) -> Work[Path]:
    """Write all votes that count into a file, which is there whole or not at all; returns its path.

    The format is the ending of the file's name if left out. The votes are never held in memory.
    """
    into = Path(file)
    chosen = into.suffix.removeprefix(".") if format is None else format
    if chosen not in ("csv", "jsonl"):
        raise ValueError(f"`{into}`: the format is `csv` or `jsonl`, not `{chosen}`; say which with `format`")
    known: Literal["csv", "jsonl"] = "csv" if chosen == "csv" else "jsonl"
    return Save(requests.export_votes(experiment, format=known, after=after), into)


def _bring_in(
    experiment: Ref, votes: Iterable[VoteInput | None], source: str, name: str
) -> Generator[Call[Import], Import, ImportReport]:
    done = []
    skipped = 0

    def counted() -> Iterator[VoteInput]:
        nonlocal skipped
        for vote in votes:
            if vote is None:
                skipped += 1
            else:
                yield vote

    for number, batch in enumerate(_batches(counted())):
        done.append((yield requests.import_votes(experiment, f"{name}-{number}", source, batch)))
    return ImportReport(batches=tuple(done), skipped=skipped)


def _batches(votes: Iterable[VoteInput]) -> Iterator[list[VoteInput]]:
    """The votes in batches that the API takes, always the same ones of the same votes."""
    batch: list[VoteInput] = []
    n_votes = n_bytes = 0
    for vote in votes:
        pairs, size = _pairs(vote), len(text(vote).encode())
        if batch and (n_votes + pairs > BATCH_VOTES or n_bytes + size > BATCH_BYTES):
            yield batch
            batch, n_votes, n_bytes = [], 0, 0
        batch.append(vote)
        n_votes += pairs
        n_bytes += size
    if batch:
        yield batch


def _pairs(vote: VoteInput) -> int:
    """How many votes it counts for: each pair that is decided is one."""
    if ranking := vote.get("ranking"):
        n = sum(1 if isinstance(rank, str) else len(rank) for rank in ranking)
        return n * (n - 1) // 2
    if of := vote.get("of"):
        return len(of) - 1
    return 1
