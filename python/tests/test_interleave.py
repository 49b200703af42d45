"""Interleaving and click models."""

import pytest

from tiltyard import errors
from tiltyard.clicks import ClickModel
from tiltyard.interleave import Interleaver, Merged

LEFT, RIGHT = ["a", "b", "c", "d"], ["b", "e", "a", "f"]


@pytest.mark.parametrize("method", ["team-draft", "balanced", "probabilistic:tau=3", "optimized"])
def test_merging(method: str) -> None:
    interleaver = Interleaver(method, seed=2)
    merged = interleaver.merge(LEFT, RIGHT, length=4)
    assert len(merged) == 4 and set(merged.documents) <= {*LEFT, *RIGHT}
    again = Interleaver(method, seed=2).merge(LEFT, RIGHT, length=4)
    assert again.documents == merged.documents
    assert merged.credit([]).outcome == 0
    restored: Merged[str] = Merged.from_json(merged.to_json())
    for clicks in ([0], [1, 3], [0, 1, 2, 3]):
        assert restored.credit(clicks) == merged.credit(clicks)
    assert restored.documents == merged.documents
    with pytest.raises(errors.ClickOutside):
        merged.credit([4])


def test_clicks_on_one_side_win() -> None:
    """Documents that only the left list has are on its team."""
    merged = Interleaver("team-draft").merge(["a", "b"], ["c", "d"], length=4)
    own = [i for i, document in enumerate(merged.documents) if document in ("a", "b")]
    assert merged.credit(own).outcome == 1.0


def test_what_is_refused() -> None:
    with pytest.raises(errors.InterleavingUnknown, match="team-draft"):
        Interleaver("team-drft")
    for text in ("", "{}", "[]", '{"method": "balanced", "documents": [1], "merged": {"documents": [], "stakes": 3}}'):
        with pytest.raises(errors.MergedMalformed):
            Merged.from_json(text)


def test_users() -> None:
    user = ClickModel("navigational", largest=4, seed=1)
    assert set(user.clicks([4, 0, 2])) <= {0, 1, 2}
    grades = [4, 0, 2]
    counts = [0, 0, 0]
    for _ in range(4000):
        for position in user.clicks(grades):
            counts[position] += 1
    # Three standard errors of a share over 4,000 lists are at most 0.024.
    assert [count / 4000 for count in counts] == pytest.approx(list(user.probabilities(grades)), abs=0.024)
    for model, error in [
        ("navigatonal", errors.ClickUnknown),
        ("dependent", errors.ClickMissing),
        ("dependent:click=0.1/2,stop=0/0", errors.ClickNotAProbability),
        ("dependent:click=0.1,stop=0/0", errors.ClickLengths),
    ]:
        with pytest.raises(error):
            ClickModel(model, largest=1)
    with pytest.raises(errors.ClickNoSetting):
        ClickModel("perfect", largest=7)
