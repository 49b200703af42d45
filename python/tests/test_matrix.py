"""Matrices and worlds."""

import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import tiltyard
from tiltyard import Matrix, errors

ENTRIES = [[0.5, 0.6, 0.7], [0.4, 0.5, 0.8], [0.3, 0.2, 0.5]]
CYCLE = [[0.5, 0.6, 0.3], [0.4, 0.5, 0.8], [0.7, 0.2, 0.5]]


def test_sources(tmp_path: Path) -> None:
    plain = Matrix(ENTRIES)
    assert plain.names is None and plain.arms == len(plain) == 3
    array = np.array(ENTRIES)
    assert Matrix(array) == Matrix(np.asfortranarray(array)) == Matrix(array.astype("float64")[:]) == plain
    assert Matrix(pd.DataFrame(array)) == plain
    named = Matrix(ENTRIES, names=["a", "b", "c"])
    assert Matrix(pd.DataFrame(array, columns=["a", "b", "c"])) == named
    assert Matrix(pl.DataFrame(array, schema=["a", "b", "c"])) == named
    assert Matrix(pl.DataFrame(array)) == plain
    path = tmp_path / "m.csv"
    path.write_text("a,b,c\n" + "\n".join(",".join(map(str, row)) for row in ENTRIES))
    assert Matrix(path) == Matrix(str(path)) == named
    np.save(tmp_path / "m.npy", array)
    assert Matrix(tmp_path / "m.npy") == plain
    assert pickle.loads(pickle.dumps(named)) == named
    # Pairs are adjusted to sum to exactly 1, which may change the last bit.
    assert np.asarray(named) == pytest.approx(array, abs=1e-15)


def test_rows_of_a_frame_are_those_of_its_columns() -> None:
    names = ["a", "b", "c"]
    assert Matrix(pd.DataFrame(ENTRIES, columns=names, index=names)) == Matrix(ENTRIES, names)
    turned = pd.DataFrame(ENTRIES, columns=names, index=names).loc[["b", "a", "c"]]
    with pytest.raises(errors.MatrixRowNames, match=r"another order(.|\n)*frame\.loc\[frame\.columns\]") as caught:
        Matrix(turned)
    assert (caught.value.rows, caught.value.columns) == (["b", "a", "c"], names)
    assert Matrix(turned.loc[turned.columns]) == Matrix(ENTRIES, names)
    with pytest.raises(errors.MatrixRowNames):
        Matrix(turned, names=["x", "y", "z"])
    for index in (["x", "y", "z"], [1, 2, 3]):
        frame = pd.DataFrame(ENTRIES, columns=names, index=index)
        with pytest.raises(errors.MatrixRowNames, match="other names"):
            Matrix(frame)
        assert Matrix(frame.reset_index(drop=True)) == Matrix(ENTRIES, names)
    # Row names that are numbers are checked too.
    with pytest.raises(errors.MatrixRowNames, match="another order"):
        Matrix(pd.DataFrame(ENTRIES).iloc[[1, 0, 2]])
    with pytest.raises(errors.MatrixShape):
        Matrix(pd.DataFrame(ENTRIES[:2], index=["x", "y"]))


def test_what_is_said_of_one() -> None:
    matrix = Matrix(ENTRIES)
    assert matrix.condorcet_winner == 0 and matrix.best == (0, "condorcet")
    assert matrix.borda() == pytest.approx([0.65, 0.6, 0.25])
    assert matrix.borda(normalised=False, diagonal=True) == pytest.approx([1.8, 1.7, 1.0])
    assert matrix.copeland() == pytest.approx([1, 0.5, 0])
    assert (matrix.copeland_winners, matrix.borda_winners) == ([0], [0])
    assert matrix.preference(0, 2) == pytest.approx(0.7)
    assert matrix.gaps()["smallest"] == (1, pytest.approx(0.1))
    assert matrix.tournament()["tiers"] == [[0], [1], [2]]
    found = matrix.check()
    assert found.condorcet and found.condorcet.value == 0
    assert found.total_order.value == [0, 1, 2]
    # The gap of 0 over 2 is smaller than the gap of 1 over 2.
    assert not found.strong_transitivity and "arm 1" in (found.strong_transitivity.why or "")
    assert tiltyard.theory.least_log_factor(matrix) is not None


def test_a_circle() -> None:
    matrix = Matrix(CYCLE)
    assert matrix.condorcet_winner is None and matrix.best[1] == "copeland"
    assert tiltyard.theory.least_log_factor(matrix) is None
    assert not matrix.check().condorcet
    assert matrix.tournament()["shortest_cycle"] is not None


def test_parts() -> None:
    matrix = Matrix(ENTRIES, names=["a", "b", "c"])
    part = matrix.submatrix([2, 0])
    assert part.check().condorcet.value == 1
    assert part.names == ["c", "a"] and part.preference(0, 1) == pytest.approx(0.3)
    drawn = matrix.random_submatrix(2, seed=4)
    assert drawn == matrix.random_submatrix(2, seed=4) and drawn.arms == 2
    with pytest.raises(errors.SubmatrixRepeated):
        matrix.submatrix([0, 0])
    with pytest.raises(errors.SubmatrixTooMany):
        matrix.random_submatrix(4)
    with pytest.raises(errors.NoSuchArm):
        matrix.preference(0, 3)


def test_what_is_refused(tmp_path: Path) -> None:
    with pytest.raises(errors.MatrixAsymmetric) as caught:
        Matrix([[0.5, 0.6], [0.5, 0.5]])
    assert (caught.value.row, caught.value.column, caught.value.value) == (0, 1, 0.6)
    assert "hint: write K rows of K numbers" in str(caught.value)
    for entries, error in [
        ([[0.5, float("nan")], [0.5, 0.5]], errors.MatrixNotFinite),
        ([[0.5, 1.5], [-0.5, 0.5]], errors.MatrixOutOfRange),
        ([[0.4]], errors.MatrixDiagonal),
        ([[0.5, 0.5]], errors.MatrixShape),
        ([0.5], errors.MatrixShape),
        (np.empty((0, 0)), errors.MatrixNoArms),
    ]:
        with pytest.raises(error):
            Matrix(entries)
    with pytest.raises(errors.NamesLength):
        Matrix(ENTRIES, names=["a"])
    with pytest.raises(errors.ReadMatrixUnreadable) as missing:
        Matrix(tmp_path / "none.csv")
    assert isinstance(missing.value, OSError)
    (tmp_path / "bad.csv").write_text("0.5,x\n0.5,0.5\n0.1")
    with pytest.raises(errors.ParseMatrixError, match=r"bad\.csv"):
        Matrix(tmp_path / "bad.csv")


def test_worlds() -> None:
    assert "arxiv6" in tiltyard.world_names()
    world = tiltyard.world("arxiv6")
    assert world.info().arms == 6 and world.info().best_kind == "Condorcet winner"
    assert world.matrix().condorcet_winner == 0
    assert tiltyard.world("bernoulli10:arms=4").info().utilities
    assert len(tiltyard.world_info("piecewise", 1000).segments) > 1
    with pytest.raises(errors.NoMatrix):
        tiltyard.world("bernoulli10").matrix()
    with pytest.raises(errors.WorldUnknown):
        tiltyard.world("nowhere")
