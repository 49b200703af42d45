"""Bounds on regret: upper bounds from theorems, and lower bounds that no policy can beat.

K is the number of `arms` and T the number of `rounds`. Regret is bandit regret unless a name says otherwise. If the
world compares utilities, Condorcet regret is half of it. For a rate outside the range of a theorem, which then promises
nothing, the bound is infinity.
"""

from __future__ import annotations

from tiltyard import _native

__all__ = [
    "accuracy_ceiling",
    "any_matrices",
    "anytime_bound",
    "anytime_gamma",
    "bound",
    "bound_tight",
    "condorcet",
    "corollary1",
    "corollary2",
    "exp3_anytime",
    "exp3_bound",
    "exp3_gamma",
    "feed_exp3_order",
    "gamma_star",
    "gamma_tight",
    "global_exp3_order",
    "least_log_factor",
    "lower_bound",
    "tau",
    "theorem1",
]


def lower_bound(arms: int, duels: int) -> float:
    """The lower bound for every policy in the worst case: min(sqrt(2 K N), 2 N) / 40 after N duels."""
    return _native.lower_bound(arms, duels)


def least_log_factor(matrix: _native.Matrix) -> float | None:
    """The smallest possible factor of ln T in the Condorcet regret of a consistent policy; `None` without a Condorcet
    winner."""
    return matrix.least_log_factor()


def condorcet(bandit_regret: float) -> float:
    """Converts bandit regret, or a bound on it, to Condorcet regret, which is half of it."""
    return bandit_regret / 2


def tau(gmax: float, gmin: float = 0.0) -> float:
    """The paper's e Gmax - (4 - e) Gmin, from the gains of the best and the worst arm."""
    return _native.tau(gmax, gmin)


def gamma_star(arms: int, tau: float) -> float:
    """The rate that minimises `bound`: min(1/2, sqrt(K ln K / tau))."""
    return _native.gamma_star(arms, tau)


def gamma_tight(arms: int, tau: float) -> float:
    """The rate that minimises the bound before its last simplification."""
    return _native.gamma_tight(arms, tau)


def bound(arms: int, gamma: float, tau: float) -> float:
    """The bound of REX3 at a rate in (0, 1/2]: K ln K / gamma + gamma max(tau, 0)."""
    return _native.bound(arms, gamma, tau)


def bound_tight(arms: int, tau: float) -> float:
    """The bound of REX3 at the rate `gamma_tight`, before the last simplification of the proof."""
    return _native.bound_tight(arms, tau)


def theorem1(arms: int, gamma: float, *, policy: float, uniform: float) -> float:
    """Theorem 1 of the REX3 paper, from the expected gains of the policy and of uniform play."""
    return _native.theorem1(arms, gamma, policy, uniform)


def corollary1(arms: int, gamma: float, gmax: float, gmin: float = 0.0) -> float:
    """Corollary 1: the bound of REX3 at a given rate, from the gains of the best and the worst arm."""
    return _native.corollary1(arms, gamma, gmax, gmin)


def corollary2(arms: int, gmax: float, gmin: float = 0.0) -> float:
    """Corollary 2: the bound of REX3 at the best rate, 2 sqrt(K ln K tau) if that rate is below 1/2."""
    return _native.corollary2(arms, gmax, gmin)


def anytime_gamma(arms: int, tau_per_round: float, round: int) -> float:
    """The rate of anytime REX3 in round t: min(1/2, sqrt(K ln K / (c t))), where c is `tau_per_round`."""
    return _native.anytime_gamma(arms, tau_per_round, round)


def anytime_bound(arms: int, tau_per_round: float, bracket: float, rounds: int) -> float:
    """The bound of anytime REX3 after T rounds, if one round adds at most `bracket` to the second-order term."""
    return _native.anytime_bound(arms, tau_per_round, bracket, rounds)


def accuracy_ceiling(arms: int, gamma: float) -> float:
    """The share of duels (best, best) that REX3 cannot exceed at a rate, because it explores."""
    return _native.accuracy_ceiling(arms, gamma)


def any_matrices(arms: int, gamma: float, rounds: int, mean_g: float) -> float:
    """The bound of REX3 for any sequence of preference matrices, which need not come from utilities."""
    return _native.any_matrices(arms, gamma, rounds, mean_g)


def exp3_gamma(arms: int, gain_bound: float) -> float:
    """The rate of EXP3 for a bound on the best arm's gain."""
    return _native.exp3_gamma(arms, gain_bound)


def exp3_bound(arms: int, gain_bound: float) -> float:
    """The bound of EXP3 at the rate `exp3_gamma`."""
    return _native.exp3_bound(arms, gain_bound)


def exp3_anytime(arms: int, rounds: int) -> float:
    """The bound of EXP3 without a known horizon."""
    return _native.exp3_anytime(arms, rounds)


def global_exp3_order(arms: int, rounds: int) -> float:
    """The growth of the bound of GlobalExp3, without its constant."""
    return _native.global_exp3_order(arms, rounds)


def feed_exp3_order(arms: int, rounds: int) -> float:
    """The growth of the bound of anytime FeedExp3, without its constant."""
    return _native.feed_exp3_order(arms, rounds)
