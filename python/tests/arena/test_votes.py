"""Import and export of votes, with and without files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tiltyard.arena import (
    Client,
    ConnectionLostError,
    Experiment,
    ImportVoidedError,
    UnknownArmsError,
    VoteInput,
)
from tiltyard.arena._operations.votes import _batches, _pairs

from .support.clients import Clients
from .support.faults import Faults, cut, lost, refused
from .support.server import Server


def full(arena: Client) -> Experiment:
    """An experiment with votes of all kinds, on arms with names that need quotes."""
    experiment = arena.create_experiment("full", ['a "quoted", name', "b", "c", "d: \u201cdé\u201d"])
    outcomes = ["left", "right", "tie", "both_bad", 0.25, "skip"]
    for i, duel in enumerate(arena.duels(experiment, 30, context={"n": [1, "x"]})):
        arena.vote(duel, outcomes[i % 6], voter=f"voter, {i % 4}")  # type: ignore[arg-type]
    slate = arena.slate(experiment, 4)
    arena.rank(slate, [slate.arms[0], list(slate.arms[1:3]), slate.arms[3]])
    votes: list[VoteInput] = [
        {"left": "b", "right": "c", "outcome": "left", "weight": 0.5, "propensity": 0.125},
        {"left": "b", "right": "c", "score": -0.75, "time": "2026-01-31T12:00:00.123456+02:00"},
    ]
    arena.import_votes(experiment, votes, source="elsewhere")
    return experiment


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_what_goes_out_can_come_in(arena: Client, tmp_path: Path, format: str) -> None:
    source = full(arena)
    file = arena.export_file(source, tmp_path / f"votes.{format}")
    arms = [arm.name for arm in arena.arms(source)]
    target = arena.create_experiment("copy", arms)
    report = arena.import_file(target, file)
    # 25 votes that were not skipped, 6 pairs of the ranking, 2 imported votes.
    assert (report.recorded, report.already, report.skipped) == (33, 0, 0)
    for ours, theirs in zip(arena.pairs(target), arena.pairs(source), strict=True):
        assert (ours.first, ours.second) == (theirs.first, theirs.second)
        assert (ours.votes, ours.first_wins, ours.ties) == (theirs.votes, theirs.first_wins, theirs.ties)
        # The same scores are summed in another order.
        assert ours.graded_sum == pytest.approx(theirs.graded_sum, abs=1e-12)
    # A second import of the same file does not count, even under another file name.
    again = arena.import_file(target, file)
    assert (again.recorded, again.already) == (0, 33)
    renamed = file.rename(tmp_path / f"renamed.{format}")
    assert arena.import_file(target, renamed).already == 33
    assert arena.import_file(target, renamed, run="again").recorded == 33


def test_votes_that_go_out_one_by_one(arena: Client) -> None:
    experiment = full(arena)
    votes = list(arena.export_votes(experiment))
    assert len(votes) == 33
    assert {vote.outcome for vote in votes} >= {"left", "right", "tie", "both_bad", 0.25, -0.75}
    assert votes[0].context == {"n": [1, "x"]}
    assert votes[0].voter == "voter, 0"
    assert votes[-1].source == "elsewhere"
    assert votes[-1].time is not None
    assert votes[-1].time.isoformat() == "2026-01-31T10:00:00.123456+00:00"
    later = list(arena.export_votes(experiment, after=votes[0].seq))
    assert later == votes[1:]


def test_files_are_whole_or_not_there(
    clients: Clients, server: Server, arena: Client, tmp_path: Path
) -> None:
    experiment = full(arena)
    whole = arena.export_file(experiment, tmp_path / "whole.jsonl").read_bytes()
    # The connection breaks twice, and then works.
    lucky = clients.make(server.url, server.key, faults=Faults(cut, cut))
    assert lucky.export_file(experiment, tmp_path / "lucky.jsonl").read_bytes() == whole
    # The connection breaks every time.
    (tmp_path / "kept.jsonl").write_text("what was there before")
    unlucky = clients.make(server.url, server.key, faults=Faults(*[cut] * 20))
    for name in ("kept.jsonl", "new.jsonl"):
        unlucky_too = clients.make(server.url, server.key, faults=Faults(*[cut] * 20))
        with pytest.raises(ConnectionLostError):
            unlucky_too.export_file(experiment, tmp_path / name)
    assert (tmp_path / "kept.jsonl").read_text() == "what was there before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept.jsonl", "lucky.jsonl", "whole.jsonl"]
    # An iteration cannot begin again without yielding votes twice.
    with pytest.raises(ConnectionLostError):
        list(unlucky.export_votes(experiment))


def test_an_import_that_is_interrupted_goes_on(
    clients: Clients, server: Server, arena: Client, tmp_path: Path
) -> None:
    experiment = arena.create_experiment("big", ["a", "b"])
    file = tmp_path / "votes.csv"
    rows = [f"a,b,{'left' if i % 3 else 'right'},u{i}" for i in range(4321)]
    file.write_text("left,right,outcome,voter\n" + "\n".join(rows) + "\n")
    # The answer to the second batch is lost; the third is refused for good.
    faults = Faults(None, lost, None, refused(403, "forbidden"))
    with pytest.raises(PermissionError):
        clients.make(server.url, server.key, faults=faults).import_file(experiment, file)
    assert arena.experiment(experiment).totals.imported == 2000
    report = arena.import_file(experiment, file)
    assert (report.already, report.recorded) == (2000, 2321)
    assert [batch.votes for batch in report.batches] == [1000, 1000, 1000, 1000, 321]
    assert arena.experiment(experiment).totals.imported == 4321
    arena.void_import(experiment, report.batches[0].place)
    with pytest.raises(ImportVoidedError):
        arena.import_file(experiment, file)


def test_a_name_for_an_import(arena: Client, experiment: Experiment) -> None:
    votes: list[VoteInput] = [{"ranking": ["a", ["b", "c"]]}, {"best": "a", "of": ["a", "b"]}]
    first = arena.import_votes(experiment, iter(votes), source="s", client_id="monday")
    assert arena.import_votes(experiment, votes, source="s", client_id="monday").already == first.recorded > 0
    assert arena.import_votes(experiment, votes, source="s").recorded == first.recorded
    assert arena.import_votes(experiment, [], source="s").batches == ()
    with pytest.raises(UnknownArmsError):
        arena.import_votes(experiment, [{"left": "a", "right": "nobody", "outcome": "left"}], source="s")


def test_batches_are_as_large_as_the_api_takes() -> None:
    small: VoteInput = {"left": "a", "right": "b", "outcome": "left"}
    assert [len(batch) for batch in _batches([small] * 2500)] == [1000, 1000, 500]
    long: VoteInput = {"left": "a" * 200, "right": "b" * 200, "outcome": "left", "voter": "é" * 200}
    for batch in _batches([long] * 2500):
        assert len(json.dumps(batch, ensure_ascii=False).encode()) < 1024 * 1024
    ranking: VoteInput = {"ranking": ["a", ["b", "c"], "d"]}
    assert _pairs(ranking) == 6
    assert _pairs({"best": "a", "of": ["a", "b", "c", "d"]}) == 3
    assert [len(batch) for batch in _batches([ranking] * 200)] == [166, 34]


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("v.csv", "left,right,outcome\na,b,left\na,b,lefft\n", r"v\.csv, line 3: `outcome` is `lefft`"),
        ("v.csv", "left,right,outcome,wieght\n", "line 1: `wieght` is not known"),
        ("v.csv", "left,right,outcome\na,b\n", "line 2: 2 columns, but the first line has 3"),
        ("v.csv", 'left,right,outcome\na,b,left\n"a', "after line 2"),
        ("v.csv", "left,right\na,b\n", "line 2: `outcome` is missing"),
        ("v.csv", "left,right,outcome,weight\na,b,left,nan\n", "line 2: `weight` is `nan`"),
        ("v.csv", "left,right,outcome,time\na,b,left,yesterday\n", "line 2: `yesterday` is not a time"),
        ("v.jsonl", '{"left": "a", "right": "b", "outcome": 0.5}\n[]\n', "line 2: a vote must be a JSON object"),
        ("v.jsonl", '\n{"left": "a"\n', "line 2: "),
        ("v.jsonl", '{"left": "a", "right": "b", "outcome": 2}', "line 1: `outcome` is `2`, which is not"),
    ],
)
def test_a_mistake_in_a_file_is_found_before_anything_is_sent(
    clients: Clients, server: Server, experiment: Experiment, tmp_path: Path, name: str, text: str, told: str
) -> None:
    (tmp_path / name).write_text(text)
    faults = Faults()
    with pytest.raises(ValueError, match=told):
        clients.make(server.url, server.key, faults=faults).import_file(experiment, tmp_path / name)
    assert not faults.requests


def test_skipped_duels_are_no_votes(arena: Client, experiment: Experiment, tmp_path: Path) -> None:
    (tmp_path / "v.csv").write_text("left,right,outcome\na,b,skip\na,b,left\n")
    report = arena.import_file(experiment, tmp_path / "v.csv")
    assert (report.recorded, report.skipped) == (1, 1)


def test_a_format_that_is_not_known(arena: Client, experiment: Experiment, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="`csv` or `jsonl`, not `parquet`"):
        arena.export_file(experiment, tmp_path / "votes.parquet")
    assert arena.export_file(experiment, tmp_path / "votes.txt", format="csv").exists()
