"""The client offers every operation of the API, and each does what the document says."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from tiltyard.arena import (
    ApprenticeArm,
    Client,
    Experiment,
    NoApprenticeError,
    NoExperimentError,
    NothingToEvaluateError,
    OutcomeContradictsError,
    SeveralExperimentsError,
)

from .support.clients import Clients
from .support.faults import Faults
from .support.server import ROOT, Server

DOCUMENT: dict[str, Any] = json.loads((ROOT / "docs/openapi.json").read_text())

#: Operations that the client does not offer, and why.
LEFT_OUT = {
    "errors": "a page for people; the hints of exceptions have the same content",
    "export_log": "a file for `tiltyard verify`, which `tiltyard export --format log` writes",
    "metrics": "text for Prometheus, which fetches it itself",
    "openapi": "a document for programs that generate clients",
    "void_outcome": "the same as `void_duel`",
}


def test_every_operation_is_offered(clients: Clients, server: Server, tmp_path: Path) -> None:
    """Calls all methods and compares the requests with the document."""
    asked = Faults()
    arena = clients.make(server.url, server.key, faults=asked)
    walk(arena, tmp_path)
    templates = {
        (method.upper(), re.compile(re.sub(r"\{\w+\}", "[^/]+", path))): operation["operationId"]
        for path, methods in DOCUMENT["paths"].items()
        for method, operation in methods.items()
    }
    offered = set()
    for request in asked.requests:
        path = request.url.raw_path.decode().partition("?")[0]
        found = [
            name
            for (method, pattern), name in templates.items()
            if method == request.method and pattern.fullmatch(path)
        ]
        assert len(found) == 1, f"{request.method} {path}"
        offered |= set(found)
    assert offered | set(LEFT_OUT) == set(templates.values())
    assert not offered & set(LEFT_OUT)


def walk(arena: Client, folder: Path) -> None:
    assert arena.health().status == "ok"
    assert arena.ready().status == "ok"

    experiment = arena.create_experiment(
        "walk",
        ["a", "b", {"name": "c", "label": "See", "payload": {"n": 1}}],
        policy="rex3",
        settings={"holdout": 0.25, "late": "refuse", "voter_votes": 1000},
    )
    assert (experiment.status, experiment.n_arms, experiment.totals.votes) == ("running", 3, 0)
    assert (experiment.settings.holdout, experiment.settings.late) == (0.25, "refuse")
    assert datetime.now(timezone.utc) - experiment.created_at < timedelta(minutes=1)
    assert experiment.id in {each.id for each in arena.experiments(name="walk")}
    assert experiment.id in {each.id for each in arena.experiments()}
    arms(arena, experiment)
    duels(arena, experiment)
    rankers(arena)
    slates(arena)
    votes(arena, experiment, folder)
    standings(arena, experiment)
    apprentices(arena, experiment)
    keys(arena, experiment)

    assert arena.pause_experiment(experiment).status == "paused"
    assert arena.resume_experiment(experiment.id).status == "running"
    assert arena.close_experiment(experiment).status == "closed"
    assert arena.digest(experiment).seq == arena.experiment(experiment).seq


def arms(arena: Client, experiment: Experiment) -> None:
    (added,) = arena.add_arms(experiment, ["d"])
    assert (added.name, added.index) == ("d", 3)
    assert arena.retire_arm(experiment, added).retired
    assert not arena.restore_arm(experiment, "d").retired
    assert arena.retire_arm(experiment, "d").retired
    found = list(arena.arms(experiment))
    assert [arm.name for arm in found] == ["a", "b", "c", "d"]
    assert (found[2].label, found[2].payload) == ("See", {"n": 1})


def duels(arena: Client, experiment: Experiment) -> None:
    duel = arena.duel(experiment, context={"language": "fr"})
    assert {duel.left, duel.right} < {"a", "b", "c"}
    assert duel.propensity.pair is not None
    assert 0 < duel.propensity.pair < 1
    assert duel.expires_at > datetime.now(timezone.utc)
    if "c" in (duel.left, duel.right):
        assert duel.arms is not None
    assert arena.shown(duel) in ("recorded", "already")
    assert arena.read_duel(duel).status == "open"
    assert arena.vote(duel, "left", voter="u1", time=datetime.now(timezone.utc)) == "recorded"
    assert arena.read_duel(duel.id).outcome == "left"
    scored = arena.duel(experiment, distinct=True)
    assert arena.vote(scored, 0.25) == "recorded"
    assert arena.vote(scored, 0.25) == "already"
    with pytest.raises(OutcomeContradictsError):
        arena.vote(scored, 0.5)
    assert arena.read_duel(scored).outcome == 0.25
    more = arena.duels(experiment, 3)
    results = arena.vote_many(
        [
            {"duel": more[0].id, "outcome": "right", "voter": "u2"},
            {"duel": more[1].id, "score": -1.0},
            {"duel": "nobody", "outcome": "tie"},
        ]
    )
    assert [result.status for result in results] == ["recorded", "recorded", "refused"]
    problem = results[2].problem
    assert problem is not None
    assert isinstance(problem.error(), LookupError)
    assert arena.void_duel(more[2]) == "recorded"
    assert arena.void_duel(more[2]) == "already"
    would = arena.void_votes(experiment, "u2", dry_run=True)
    assert (would.found, would.voided) == (1, 0)
    since = datetime.now(timezone.utc) - timedelta(hours=1)
    assert arena.void_votes(experiment, "u2", since=since).voided == 1


def rankers(arena: Client) -> None:
    experiment = arena.create_experiment("search", ["bm25", "titles"], settings={"distinct": True})
    drawn = arena.interleave(experiment, context={"query": "tilt yard"}, length=3)
    assert drawn.list is None
    lists = {"bm25": ["d1", "d2", "d3"], "titles": ["d2", "d4", "d1"]}
    merged = arena.merge_lists(drawn.duel, {name: lists[name] for name in drawn.run}, length=3)
    assert merged.list is not None
    assert [each.position for each in merged.list] == list(range(1, len(merged.list) + 1))
    assert arena.click(merged.duel, [1], voter="s17") == "recorded"
    at_once = arena.interleave(experiment, lists=lists, method="balanced")
    assert at_once.method == "balanced"
    assert at_once.list is not None
    assert arena.click(at_once.duel, documents=[at_once.list[0].document]) == "recorded"


def slates(arena: Client) -> None:
    experiment = arena.create_experiment("slates", ["a", "b", "c", "d"])
    slate = arena.slate(experiment, 3)
    first, second, third = slate.arms
    assert arena.rank(slate, [first, [second, third]], voter="u") == "recorded"
    state = arena.read_duel(slate)
    assert state.slate == slate.arms
    assert state.ranked is not None
    ranking = state.ranked.ranking
    assert ranking is not None
    assert [set(rank) for rank in ranking] == [{first}, {second, third}]
    other = arena.slate(experiment, 4)
    assert arena.rank(other, best=other.arms[0]) == "recorded"
    said = arena.read_duel(other).ranked
    assert said is not None
    assert said.best == other.arms[0]


def votes(arena: Client, experiment: Experiment, folder: Path) -> None:
    report = arena.import_votes(
        experiment, [{"left": "a", "right": "b", "outcome": "left"}] * 3, source="elsewhere"
    )
    assert (report.recorded, report.already) == (3, 0)
    assert arena.void_import(experiment, report.batches[0].place).votes == 3
    exported = list(arena.export_votes(experiment))
    assert len(exported) == arena.experiment(experiment).totals.votes
    assert arena.export_file(experiment, folder / "votes.csv").read_text().startswith("seq,duel,")


def standings(arena: Client, experiment: Experiment) -> None:
    # Enough duels that some have arm `a` and some are not holdouts.
    arena.vote_many({"duel": duel.id, "outcome": "tie"} for duel in arena.duels(experiment, 100))
    standing = arena.standing(experiment)
    assert (standing.leader, standing.verdict.status) == (None, "undecided")
    assert standing.alarms.side.left.low <= standing.alarms.side.left.high
    assert [arm.name for arm in arena.arm_standings(experiment)] == ["a", "b", "c", "d"]
    assert sum(pair.votes for pair in arena.pairs(experiment)) == standing.votes
    assert arena.standing(experiment, limit=1).arms_next == 1
    assert arena.ratings(experiment).words
    by_language = arena.segments(experiment, "language", since=experiment.created_at)
    assert {segment.value for segment in by_language.segments} == {"fr", None}
    assert arena.voters(experiment, voter="u1").voters[0].votes == 1
    evaluation = arena.evaluation(experiment, arm="a", against="uniform")
    assert {estimate.method for estimate in evaluation.estimates} >= {"ips", "snips"}
    assert evaluation.target == "a"
    log = list(arena.history(experiment))
    assert [event.seq for event in log] == list(range(1, len(log) + 1))
    assert log[0].type == "created"
    voided = next(event for event in log if event.type == "import_voided")
    assert voided.import_ is not None
    event = next(iter(arena.watch(experiment, after=0)))
    assert event == log[0]


def apprentices(arena: Client, experiment: Experiment) -> None:
    with pytest.raises(NoApprenticeError):
        arena.apprentice(experiment)
    assert arena.begin_apprentice(experiment, "rex3:gamma=0.1").lessons == 0
    assert arena.dismiss_apprentice(experiment) == "recorded"
    arena.begin_apprentice(experiment, "vdb")
    arena.vote(arena.duel(experiment), "left")
    apprentice = arena.apprentice(experiment)
    assert all(isinstance(arm, ApprenticeArm) for arm in apprentice.arms)
    assert arena.promote_apprentice(experiment).policy.startswith("vdb")


def keys(arena: Client, experiment: Experiment) -> None:
    expires = datetime.now(timezone.utc) + timedelta(days=1)
    made = arena.make_key("voter", experiment=experiment, label="page", expires_at=expires)
    assert made.key.startswith("tiltyard_")
    assert made.key not in repr(made)
    (found,) = (key for key in arena.keys() if key.id == made.id)
    assert (found.scope, found.label, found.experiment) == ("voter", "page", experiment.id)
    assert found.expires_at is not None
    assert abs(found.expires_at - expires) < timedelta(milliseconds=1)
    assert arena.revoke_key(found) == "recorded"
    assert arena.revoke_key(made.id) == "already"


def test_an_experiment_is_found_by_its_name(arena: Client) -> None:
    made = arena.create_experiment("only one is called so", ["a", "b"])
    if len(list(arena.experiments(name=made.name))) == 1:
        assert arena.find_experiment(made.name).id == made.id
    arena.create_experiment("twins", ["a", "b"])
    arena.create_experiment("twins", ["a", "b"])
    with pytest.raises(SeveralExperimentsError, match="experiments are called `twins`: use the id") as several:
        arena.find_experiment("twins")
    with pytest.raises(NoExperimentError, match="no experiment is called `nobody`") as nobody:
        arena.find_experiment("nobody")
    assert isinstance(several.value, LookupError) and isinstance(nobody.value, LookupError)


@pytest.mark.parametrize("name", ["a/b ?#%25", "..", ".", "é", "50%"])
def test_names_of_arms_are_encoded(arena: Client, name: str) -> None:
    experiment = arena.create_experiment("odd", ["plain", "other", name])
    assert arena.retire_arm(experiment, name).name == name


def test_lists_come_in_pages(arena: Client) -> None:
    names = [f"arm {i}" for i in range(2500)]
    experiment = arena.create_experiment("many", names)
    assert [arm.name for arm in arena.arms(experiment)] == names
    assert [arm.name for arm in arena.arm_standings(experiment)] == names


def test_more_outcomes_than_the_api_takes_at_once(arena: Client, experiment: Experiment) -> None:
    issued = arena.duels(experiment, 1000) + arena.duels(experiment, 234)
    results = arena.vote_many({"duel": duel.id, "outcome": "tie"} for duel in issued)
    assert [result.duel for result in results] == [duel.id for duel in issued]
    assert {result.status for result in results} == {"recorded"}
    assert arena.experiment(experiment).totals.ties == 1234
    assert arena.vote_many([]) == ()


def test_nothing_to_evaluate_is_told(arena: Client, experiment: Experiment) -> None:
    with pytest.raises(NothingToEvaluateError):
        arena.evaluation(experiment, arm="a")
