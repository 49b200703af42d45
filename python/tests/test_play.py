"""Playing: tables, policies written in Python, and results that do not depend on threads or sources."""

import pickle
import random
import sys
from importlib.abc import MetaPathFinder
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tiltyard
from tiltyard import Contender, Results, Ticket, errors


@pytest.fixture(scope="module")
def results() -> Results:
    return tiltyard.play("arxiv6", ["rex3", "rucb"], rounds=500, runs=3, at=[10, 100, 500])


def test_results(results: Results) -> None:
    assert (results.world, results.arms, results.best, results.regret_kind) == ("arxiv6", 6, 0, "condorcet")
    assert results.best_kind == "Condorcet winner"
    assert [result.policy for result in results.policies] == ["rex3", "rucb"]
    assert results["rex3"].params["schedule"] == "dual-averaging"
    assert results["rex3"].regret.shape == (3, 3)
    assert (np.diff(results["rucb"].regret, axis=1) >= 0).all()
    assert len(results) == 2 * 3 * 3
    with pytest.raises(KeyError):
        results["dts"]


def test_the_table_is_tidy(results: Results) -> None:
    arrow = results.to_arrow()
    assert isinstance(arrow, pa.Table)
    assert arrow.column_names == ["world", "policy", "run", "round", "regret", "hit"]
    frame, polars = results.to_pandas(), results.to_polars()
    assert isinstance(frame, pd.DataFrame) and isinstance(polars, pl.DataFrame)
    for i, policy in enumerate(results.policies):
        for run in range(3):
            for j, round in enumerate(results.rounds):
                row = (i * 3 + run) * 3 + j
                expected = ("arxiv6", policy.policy, run, round, policy.regret[run, j], policy.hit[run, j])
                assert tuple(frame.iloc[row]) == expected
                assert polars.row(row) == expected
                assert tuple(arrow.slice(row, 1).to_pylist()[0].values()) == expected


def test_arrow_is_not_copied(results: Results) -> None:
    addresses = {results.to_arrow()["regret"].chunks[0].buffers()[1].address for _ in range(2)}
    assert len(addresses) == 1


def test_the_summary(results: Results) -> None:
    rows = results.summary()
    assert len(rows) == 6
    last = rows[-1]
    regret = results["rucb"].regret[:, -1]
    assert last["mean"] == pytest.approx(regret.mean())
    assert last["sem"] == pytest.approx(regret.std(ddof=1) / np.sqrt(3))
    assert (last["policy"], last["round"], last["runs"]) == ("rucb", 500, 3)


def test_threads_change_nothing() -> None:
    one = tiltyard.play("arxiv6", "rex3", rounds=300, runs=4, threads=1)
    two = tiltyard.play("arxiv6", "rex3", rounds=300, runs=4, threads=2)
    assert (one["rex3"].regret == two["rex3"].regret).all()


def native(arms: int, run: int) -> Any:
    return tiltyard.Rex3(arms=arms, seed=1, run=run)


class Shell:
    """A policy written in Python that delegates to another one. Its duels are plain pairs."""

    def __init__(self, arms: int, run: int) -> None:
        self.policy = native(arms, run)
        self.ticket: Ticket | None = None

    def decide(self) -> tuple[int, int]:
        self.ticket = self.policy.decide()
        return self.ticket.left, self.ticket.right

    def update(self, duel: tuple[int, int], outcome: float) -> None:
        self.policy.update(self.ticket, outcome)


@pytest.mark.parametrize("world", ["arxiv6", "bernoulli10", "waves10"])
@pytest.mark.parametrize("make", [native, Shell])
def test_a_python_policy_has_the_curve_of_the_native_one(world: str, make: Any) -> None:
    results = tiltyard.play(world, ["rex3", Contender("mine", make), "random"], rounds=400, runs=3)
    assert [result.policy for result in results.policies] == ["rex3", "mine", "random"]
    assert (results["mine"].regret == results["rex3"].regret).all()
    assert (results["mine"].hit == results["rex3"].hit).all()
    assert (results["random"].regret != results["rex3"].regret).any()


def test_binary_contenders_get_no_ties() -> None:
    seen: set[float] = set()

    class Watcher:
        def __init__(self, arms: int, run: int) -> None:
            self.arms, self.random = arms, random.Random(run)

        def decide(self) -> list[int]:
            return [self.random.randrange(self.arms), self.random.randrange(self.arms)]

        def update(self, duel: list[int], outcome: float) -> None:
            seen.add(outcome)

    tiltyard.play("bernoulli10", Contender("w", Watcher, binary=True), rounds=100, runs=1)
    assert seen == {-1.0, 1.0}
    tiltyard.play("bernoulli10", Contender("w", Watcher), rounds=100, runs=1)
    assert seen == {-1.0, 0.0, 1.0}


def test_misbehaving_contenders_are_told() -> None:
    class Broken:
        def __init__(self, arms: int, run: int) -> None: ...
        def decide(self) -> Any:
            return "nobody"

        def update(self, duel: Any, outcome: float) -> None: ...

    with pytest.raises(errors.PolicyMisbehaved, match="'nobody'"):
        tiltyard.play("arxiv6", Contender("broken", Broken), rounds=10, runs=1)

    class Outside(Broken):
        def decide(self) -> Any:
            return 0, 6

    with pytest.raises(errors.SessionArmOutOfRange):
        tiltyard.play("arxiv6", Contender("outside", Outside), rounds=10, runs=1)


def test_a_matrix_plays_as_its_file_and_its_name(tmp_path: Path) -> None:
    matrix = tiltyard.world("arxiv6").matrix()
    path = tmp_path / "m.csv"
    np.savetxt(path, matrix.to_numpy(), delimiter=",", fmt="%.17g")
    setting: Any = {"rounds": 300, "runs": 2}
    named = tiltyard.play("arxiv6", "rex3", **setting)["rex3"].regret
    for world in (matrix, matrix.to_numpy(), str(path), path, pd.DataFrame(matrix.to_numpy())):
        assert (tiltyard.play(world, "rex3", **setting)["rex3"].regret == named).all()


def test_contenders_alone() -> None:
    told: list[tuple[int, int]] = []
    matrix = tiltyard.Matrix([[0.5, 0.3], [0.7, 0.5]], names=["left", "right"])
    setting: Any = {"rounds": 100, "runs": 2, "progress": lambda done, total: told.append((done, total))}
    results = tiltyard.play(matrix, Contender("mine", native), **setting)
    assert (results.world, results.best, results.best_name) == ("matrix", 1, "right")
    assert told == [(100, 200), (200, 200)]
    with pytest.raises(errors.PlayNoRuns):
        tiltyard.play(matrix, Contender("mine", native), runs=0)


def test_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    tiltyard.play("arxiv6", "rex3", rounds=1000, runs=5, progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (5000, 5000)


def test_what_is_refused() -> None:
    for kwargs, error in [
        ({"rounds": 0}, errors.PlayNoRounds),
        ({"runs": 0}, errors.PlayNoRuns),
        ({"at": [5, 5]}, errors.PlayUnsorted),
        ({"regret": "condrcet"}, errors.UnknownRegret),
        ({"regret": "bandit"}, errors.RegretNoUtilities),
    ]:
        with pytest.raises(error):
            tiltyard.play("arxiv6", "rex3", **kwargs)  # type: ignore[arg-type]
    with pytest.raises(errors.WorldUnknown, match="did you mean `arxiv6`"):
        tiltyard.play("arxiv7", "rex3")
    with pytest.raises(errors.EntrySequential):
        tiltyard.play("arxiv6+delayed", "wsw")
    with pytest.raises(errors.SessionNotPrompt):
        tiltyard.play("arxiv6+delayed", Contender("mine", native))
    with pytest.raises(errors.PlayNoPolicies):
        tiltyard.play("arxiv6", [])


@pytest.mark.parametrize(
    "policies",
    [
        ["rex3", "rucb", "rex3"],
        ["rex3", " rex3 "],
        ["rex3", "rex3:"],
        [tiltyard.Rex3(arms=6), tiltyard.Rex3(arms=6, seed=2)],
        ["rex3", Contender("rex3", native)],
        [Contender("rex3", native), Contender("rex3", native)],
    ],
)
def test_two_policies_of_one_name_are_refused_before_they_play(policies: Any) -> None:
    def tell(done: int, total: int) -> None:
        pytest.fail("a policy was played")

    with pytest.raises(errors.PlayPolicyTwice, match=r"`rex3`(.|\n)*Contender") as caught:
        tiltyard.play("arxiv6", policies, progress=tell)
    assert caught.value.policy == "rex3"


def test_policies_that_differ_may_look_alike() -> None:
    policies: list[str | Contender] = ["rex3", "rex3:gamma=0.1", Contender("rex 3", native), Contender("r ex3", native)]
    results = tiltyard.play("arxiv6", policies, rounds=10, runs=1)
    assert list(results.to_pandas()["policy"].cat.categories) == ["rex3", "rex3:gamma=0.1", "rex 3", "r ex3"]


@pytest.mark.parametrize("thing", [Shell, Shell(6, 0), tiltyard.Rex3, None, 3])
def test_what_is_no_policy(thing: Any) -> None:
    for policies in (thing, [thing], ["rex3", thing]):
        with pytest.raises(errors.NotAPolicy, match="Contender") as caught:
            tiltyard.play("arxiv6", policies)
        assert isinstance(caught.value, TypeError)


@pytest.mark.parametrize("world", ["arxiv6", "arxiv6+delayed", tiltyard.world("arxiv6").matrix()])
def test_a_policy_of_other_arms_is_refused(world: Any) -> None:
    with pytest.raises(errors.PlayOtherArms, match="for 5 arms, but the world has 6") as caught:
        tiltyard.play(world, ["rucb", tiltyard.Rex3(arms=5)])
    assert (caught.value.policy, caught.value.arms, caught.value.n_arms) == ("rex3", 5, 6)
    # Neither its seed nor its learned state matters.
    policy = tiltyard.Rex3(arms=6, seed=7)
    policy.update(policy.decide(), "left")
    played, named = (tiltyard.play(world, one, rounds=50, runs=2)["rex3"] for one in (policy, "rex3"))
    assert (played.regret == named.regret).all()


@pytest.mark.parametrize("wrong", [1.5, float("nan"), float("inf"), np.float32(2.5)])
def test_rounds_are_whole(wrong: Any) -> None:
    with pytest.raises(errors.ParamNotWhole, match="`at`"):
        tiltyard.play("arxiv6", "rex3", at=[1, wrong])
    with pytest.raises(errors.ParamNotWhole, match="`rounds`"):
        tiltyard.play("arxiv6", "rex3", rounds=wrong)
    whole: Any = [1.0, np.int64(10), 1e2]
    assert tiltyard.play("arxiv6", "rex3", at=whole, runs=1).rounds == [1, 10, 100]


def test_results_are_pickled_without_their_table(results: Results) -> None:
    table = results.to_pandas()
    again = pickle.loads(pickle.dumps(results))
    assert "table" not in vars(again)
    assert again.to_pandas().equals(table)
    assert again.best_kind == results.best_kind


@pytest.mark.parametrize(
    ("module", "extra", "method"),
    [
        ("pandas", "pandas", "to_pandas"),
        ("polars", "polars", "to_polars"),
        ("pyarrow", "arrow", "to_arrow"),
        ("matplotlib", "plot", "plot"),
    ],
)
def test_what_is_missing_is_said(
    results: Results, module: str, extra: str, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Missing(MetaPathFinder):
        def find_spec(self, fullname: str, path: Any, target: Any = None) -> None:
            if fullname == module:
                raise ModuleNotFoundError(f"No module named '{module}'", name=module)

    for name in (module, f"{module}.pyplot"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setattr(sys, "meta_path", [Missing(), *sys.meta_path])
    with pytest.raises(ModuleNotFoundError, match=rf'pip install "tiltyard\[{extra}\]"') as caught:
        getattr(results, method)()
    assert caught.value.name == module


def test_figures(results: Results, tmp_path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    for band in ("interval", "range", "none"):
        figure = results.plot(band=band, path=tmp_path / f"{band}.png")
        assert (tmp_path / f"{band}.png").stat().st_size > 10_000
        regret, accuracy = figure.axes
        assert (regret.get_xscale(), regret.get_yscale(), accuracy.get_yscale()) == ("log", "log", "linear")
        assert regret.lines[0].get_color() == "#0072b2"
    with pytest.raises(ValueError, match="band"):
        results.plot(band="wide")


def test_duels_of_points() -> None:
    results = tiltyard.play("linear-ranker:dims=3", ["dbgd", "dbgd:tuning=practice"], rounds=300, runs=2)
    assert (results.arms, results.best, results.regret_kind) == (0, None, "condorcet")
    assert results["dbgd"].params["dims"] == "3"
    assert (np.diff(results["dbgd:tuning=practice"].regret, axis=1) > 0).all()
    assert tiltyard.world_info("linear-ranker").best is None
    assert tiltyard.policy_info("dbgd").minimises == "condorcet"
    with pytest.raises(errors.BuildNotContinuous):
        tiltyard.play("linear-ranker", "rex3", rounds=10, runs=1)
    with pytest.raises(errors.BuildContinuous):
        tiltyard.play("arxiv6", "dbgd", rounds=10, runs=1)
