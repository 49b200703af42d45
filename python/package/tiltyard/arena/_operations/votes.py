"""Import and export of votes."""

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

#: The most votes in a request, which is the limit of the API, and the most bytes of a body, which is
#: half of the API's default limit.
BATCH_VOTES = 1000
BATCH_BYTES = 512 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """The result of an import."""

    batches: tuple[Import, ...]
    #: The number of skipped duels, which are not votes.
    skipped: int

    @property
    def recorded(self) -> int:
        """The number of votes imported now."""
        return sum(batch.votes for batch in self.batches if batch.status == "recorded")

    @property
    def already(self) -> int:
        """The number of votes imported before."""
        return sum(batch.votes for batch in self.batches if batch.status == "already")


def import_votes(
    experiment: Ref,
    votes: Iterable[VoteInput],
    *,
    source: str,
    client_id: str | None = None,
) -> Plan[ImportReport]:
    """Import any number of votes that were given elsewhere, in batches.

    ``source`` says where they come from. ``client_id`` is your own id for this import: the same votes under the same id
    count once, so that you can repeat an interrupted import. The default is a new UUID; the same votes then count
    again.
    """
    name = fresh(client_id)
    return Plan(lambda: _bring_in(experiment, votes, source, name))


def import_file(
    experiment: Ref, file: str | os.PathLike[str], *, source: str | None = None, run: str = "1"
) -> Plan[ImportReport]:
    """Import the votes of a file: CSV or JSON lines, as `export_file` writes them.

    The file is read twice and never kept in memory. The first pass finds mistakes before anything is sent. Batches are
    named after the content of the file, so that the same file counts once, even if it was renamed. To count it again,
    give ``run`` another name. The default of ``source`` is the file's name.
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
    """Iterate over all votes that count, up to the current end of the log.

    ``after`` leaves out the votes of an earlier export: it is the largest ``seq`` of these votes. If the connection
    breaks, this raises `ConnectionLostError`: the votes until then are correct, but not complete.
    """
    return Stream(ExportReader(requests.export_votes(experiment, format="jsonl", after=after)))


def export_file(
    experiment: Ref,
    file: str | os.PathLike[str],
    *,
    format: Literal["csv", "jsonl"] | None = None,
    after: int = 0,
) -> Work[Path]:
    """Write all votes that count into a file, completely or not at all. Returns its path.

    The default format is the ending of the file's name. The votes are never kept in memory.
    """
    into = Path(file)
    chosen = into.suffix.removeprefix(".") if format is None else format
    if chosen not in ("csv", "jsonl"):
        raise ValueError(f"`{into}`: the format is `csv` or `jsonl`, not `{chosen}`; choose one with `format`")
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
    """Yields batches that the API accepts. The same votes always give the same batches."""
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
    """Returns the number of votes that it counts for: one per pair that it decides."""
    if ranking := vote.get("ranking"):
        n = sum(1 if isinstance(rank, str) else len(rank) for rank in ranking)
        return n * (n - 1) // 2
    if of := vote.get("of"):
        return len(of) - 1
    return 1
