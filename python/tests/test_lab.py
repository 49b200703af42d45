"""The native functions of the lab: shards, and merging them."""

from pathlib import Path

import pytest

from tiltyard import _native, errors

SPECIFICATION = """
title = "two policies"
seed = 3
runs = 4
horizon = 200
checkpoints = [10, 200]

[[world]]
world = "arxiv6"

[[policy]]
policy = "rex3"

[[policy]]
policy = "rucb"
"""


def test_shards_merge_to_the_same_bytes(tmp_path: Path) -> None:
    plan = _native.plan_specification(SPECIFICATION)
    assert plan["items"] == 8 and plan["rounds"] == 1600
    told: list[tuple[int, int]] = []
    _native.run_specification(SPECIFICATION, tmp_path / "whole", tell=lambda done, total: told.append((done, total)))
    assert told[-1] == (1600, 1600)
    parts = [tmp_path / f"part{i}" for i in (1, 2, 3)]
    for i, part in enumerate(parts, start=1):
        ended = _native.run_specification(SPECIFICATION, part, shard=(i, 3), threads=1)
        assert ended == {"resumed": 0, "lost_bytes": 0, "already_complete": False}
    _native.merge_shards(parts[::-1], tmp_path / "merged")
    for name in ("results.parquet", "summary.csv"):
        assert (tmp_path / "merged" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    ended = _native.run_specification(SPECIFICATION, tmp_path / "whole", resume=True)
    assert ended["already_complete"]
    with pytest.raises(errors.RunFinished, match="nothing to do"):
        _native.run_specification(SPECIFICATION, tmp_path / "whole")
    with pytest.raises(errors.MergeMissing) as caught:
        _native.merge_shards(parts[:2], tmp_path / "other")
    assert (caught.value.missing, caught.value.count) == ([3], 3)
    with pytest.raises(errors.RunOtherShard):
        _native.run_specification(SPECIFICATION, parts[0], shard=(2, 3))


def test_what_is_refused(tmp_path: Path) -> None:
    with pytest.raises(errors.SpecificationToml) as caught:
        _native.run_specification("rnus = 3", tmp_path / "a", origin="mine.toml")
    assert (caught.value.origin, caught.value.line) == ("mine.toml", 1)
    with pytest.raises(errors.NoSuchShard):
        _native.run_specification(SPECIFICATION, tmp_path / "a", shard=(4, 3))
    with pytest.raises(errors.SpecificationPolicy, match="did you mean"):
        _native.run_specification(SPECIFICATION.replace("rucb", "ruccb"), tmp_path / "a")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("mine")
    with pytest.raises(errors.RunNotEmpty):
        _native.run_specification(SPECIFICATION, tmp_path / "full")
    with pytest.raises(errors.RunDirectory) as broken:
        _native.run_specification(SPECIFICATION, tmp_path / "full" / "letter.txt" / "below")
    assert isinstance(broken.value, OSError)
    with pytest.raises(errors.MergeNone):
        _native.merge_shards([], tmp_path / "b")
