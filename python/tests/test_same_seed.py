"""The same seed gives the same duels in Rust and in Python: the digests are those of `crates/bandit/tests/it/seeded.rs`."""

import re
from pathlib import Path

import pytest

import tiltyard

RUST = Path(__file__).parents[2] / "crates" / "bandit" / "tests" / "it" / "seeded.rs"


def digests() -> list[tuple[str, int]]:
    rows = re.findall(r'\("([^"]+)", 0x([0-9a-f_]+)\)', RUST.read_text())
    return [(spec, int(digest.replace("_", ""), 16)) for spec, digest in rows]


def digest(spec: str) -> int:
    policy = tiltyard.policy(spec, arms=5, seed=1, rounds=200, ties="coin")
    digest = 0xCBF29CE484222325
    for round in range(200):
        ticket = policy.decide()
        for arm in (ticket.left, ticket.right):
            digest = (digest ^ arm) * 0x100000001B3 % 2**64
        policy.update(ticket, "tie" if round % 5 == 4 else ticket.left <= ticket.right)
    return digest


def test_digests_are_of_policies() -> None:
    assert {spec for spec, _ in digests()} <= set(tiltyard.policy_names())


@pytest.mark.parametrize(("spec", "expected"), digests())
def test_same_duels(spec: str, expected: int) -> None:
    assert digest(spec) == expected
