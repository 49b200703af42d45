"""Bounds: the numbers of the example in the Rust library, and its conventions."""

import math

import pytest

from tiltyard import theory


def test_six_arms() -> None:
    """Six arms, 100,000 rounds, and the paper's guess that no arm gains more than T/2."""
    tau = theory.tau(50_000)
    assert tau == pytest.approx(math.e * 50_000)
    gamma = theory.gamma_star(6, tau)
    assert gamma == pytest.approx(0.0089, abs=5e-5)
    assert theory.corollary2(6, 50_000) == pytest.approx(2417.6, abs=0.1)
    assert theory.corollary1(6, gamma, 50_000) == pytest.approx(theory.corollary2(6, 50_000))
    assert theory.bound(6, gamma, tau) == pytest.approx(theory.corollary2(6, 50_000))
    assert theory.lower_bound(6, 100_000) == pytest.approx(27.4, abs=0.1)
    assert theory.condorcet(2.0) == 1.0
    assert theory.bound_tight(6, tau) <= theory.corollary2(6, 50_000)


def test_conventions() -> None:
    assert theory.bound(1, 0.1, 5) == 0
    assert theory.bound(6, 0.7, 5) == math.inf
    assert theory.theorem1(6, 0.1, policy=10, uniform=5) > 0
    assert theory.anytime_gamma(6, math.e / 2, 0) == 0.5
    assert 0 < theory.accuracy_ceiling(6, 0.1) < 1
    assert theory.exp3_bound(6, 1000) > 0 and theory.exp3_gamma(6, 1000) < 1
    for order in (theory.exp3_anytime, theory.global_exp3_order, theory.feed_exp3_order):
        assert order(6, 4000) > order(6, 1000) > 0
    assert theory.anytime_bound(6, math.e / 2, 1.0, 1000) > 0
    assert theory.any_matrices(6, 0.1, 1000, 0.1) > 0
    assert theory.gamma_tight(6, 1000.0) <= 1
