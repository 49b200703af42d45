"""The policies, one class each.

All take the number of `arms`, the parameters of their paper as keywords, and what `Common` lists. A parameter is a
number, a word, or an expression in T and K such as `"1/T"`; where T is used, `rounds=` says what it is.
`tiltyard.policy_info(name)` has the whole page.

Sparring, Doubler and MultiSBM are made of classical players: `player` names the player, and the keywords after it are
the player's own. `player_rounds` is the parameter `rounds` of `exp3ix`, since `rounds` alone is the horizon T.
"""

# Written by `cargo xtask docs` from what the policies declare.

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from tiltyard._native import Policy
from tiltyard.policy import Common, new

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from tiltyard.types import Value


class OfPlayers(Policy):
    """A policy that is made of classical players."""

    _name: ClassVar[str]

    def __new__(
        cls,
        arms: int,
        *,
        player: Value = None,
        schedule: Value = None,
        gamma: Value = None,
        gmax: Value = None,
        alpha: Value = None,
        estimator: Value = None,
        player_rounds: Value = None,
        switches: Value = None,
        **common: Unpack[Common],
    ) -> Self:
        params = {
            "player": player,
            "schedule": schedule,
            "gamma": gamma,
            "gmax": gmax,
            "alpha": alpha,
            "estimator": estimator,
            "rounds": player_rounds,
            "switches": switches,
        }
        return new(cls, cls._name, arms, common, params)


class Rex3(Policy):
    """Exponential weights with relative feedback (the paper's algorithm).

    It needs `rounds=` only where a gain bound uses T, as in gmax=T/2.

    Args:
        schedule: where gamma comes from; `fixed` if `gamma` is given or `gmax` uses no `t`; dual-averaging, literal,
            epochs, fixed [dual-averaging].
        gamma: the learning and exploration rate itself; (0, 1/2] [none].
        gmax: bound on the best arm's gain; the paper's runs use `T/2` and `T/10`; above 0, in T, K, or a multiple of t
            [t/2].
        gmin: bound on the worst arm's gain, from below; as gmax [0].
        feedback: which variance term sets tau: utilities (graded or win/tie/loss), or answers that are always +1 or -1;
            graded, binary [graded].
        transfer: what is made of a score before it is learned; identity, sign, indicator [identity].
        guard: skip duels of an arm with itself (line 9 of the paper); true, false [true].
        mixing: uniform exploration as a fraction of gamma; below 1 learns faster in benign worlds and has a worse tail;
            [1/6, 1] [1].

    Gajane, Urvoy and Clérot. A relative exponential weighing algorithm for adversarial utility-based dueling bandits.
    ICML, PMLR 37:218-227, 2015. doi:10.48550/arXiv.1601.03855
    """

    def __new__(
        cls,
        arms: int,
        *,
        schedule: Value = None,
        gamma: Value = None,
        gmax: Value = None,
        gmin: Value = None,
        feedback: Value = None,
        transfer: Value = None,
        guard: Value = None,
        mixing: Value = None,
        **common: Unpack[Common],
    ) -> Self:
        params = {
            "schedule": schedule,
            "gamma": gamma,
            "gmax": gmax,
            "gmin": gmin,
            "feedback": feedback,
            "transfer": transfer,
            "guard": guard,
            "mixing": mixing,
        }
        return new(cls, "rex3", arms, common, params)


class Sparring(OfPlayers):
    """Two classical players meet.

    It needs `rounds=` for exp3 with a gain bound that uses T, which is its default, and for exp3s.

    Args:
        player: the algorithm of both players; exp3, ucb1, thompson, tsallis, exp3ix, exp3s [exp3].
        schedule: exp3: where gamma comes from; `dual-averaging` if `gmax` uses `t`; fixed, dual-averaging, literal,
            loss [fixed].
        gamma: exp3: the rate itself; (0, 1] [none].
        gmax: exp3: bound on the best arm's gain; `t/2` where anytime; above 0, in T, K, or a multiple of t [T/2].
        alpha: ucb1: width of the confidence interval; above 0 [2].
        estimator: tsallis: importance weights, or those of reduced variance; iw, rv [iw].
        player_rounds: exp3ix: the rounds that its rate is made for; `t` for no horizon; at least 1, in T, K; or t [t].
        switches: exp3s: stretches of time with a best arm each: 1 and the changes of it; whole, 1 or more [1].

    Ailon, Karnin and Joachims. Reducing dueling bandits to cardinal bandits. ICML, PMLR 32(2):856-864, 2014.
    doi:10.48550/arXiv.1405.3396
    """

    _name = "sparring"


class Rucb(Policy):
    """Relative upper confidence bounds.

    It counts wins and losses: ties are refused, or broken by a coin with `ties="coin"`.

    Args:
        alpha: width of the confidence interval; the paper's runs use 0.51; above 1/2 [0.51].
        form: whether to remember the hypothesised best arm B; icml, arxiv [icml].
        unplayed: upper bound of a pair that has not met; inf, 2 [inf].

    Zoghi, Whiteson, Munos and de Rijke. Relative upper confidence bound for the K-armed dueling bandit problem. ICML,
    PMLR 32(2):10-18, 2014. doi:10.48550/arXiv.1312.3393
    """

    def __new__(
        cls,
        arms: int,
        *,
        alpha: Value = None,
        form: Value = None,
        unplayed: Value = None,
        **common: Unpack[Common],
    ) -> Self:
        return new(cls, "rucb", arms, common, {"alpha": alpha, "form": form, "unplayed": unplayed})


class Btm(Policy):
    """Beat the Mean: drop the arm that does worst against the rest.

    It counts wins and losses: ties are refused, or broken by a coin with `ties="coin"`.

    It needs `rounds=` for its confidence radius, with delta = 1/T as by default.

    Args:
        gamma: how far preferences may be from transitive; 1 is strong stochastic transitivity; at least 1 [1.1].
        delta: chance of a wrong decision that the radius allows for; (0, 1] [1/T].
        radius: scale of the confidence radius; above 0 [3].
        opponent: whether an arm may meet itself, as in the paper, or not; any, other [any].

    Yue and Joachims. Beat the mean bandit. ICML, pages 241-248, 2011. doi:10.5555/3104482.3104513
    """

    def __new__(
        cls,
        arms: int,
        *,
        gamma: Value = None,
        delta: Value = None,
        radius: Value = None,
        opponent: Value = None,
        **common: Unpack[Common],
    ) -> Self:
        return new(cls, "btm", arms, common, {"gamma": gamma, "delta": delta, "radius": radius, "opponent": opponent})


class Savage(Policy):
    """Compares all pairs in turn and drops those that no longer matter.

    It counts wins and losses: ties are refused, or broken by a coin with `ties="coin"`.

    It needs `rounds=` unless radius=anytime and delta does not use T.

    Args:
        rule: what a winner is; condorcet, copeland, borda [condorcet].
        delta: the probability that any interval fails at any time; the paper's anytime runs use `1e-8`; (0, 1] [1/T].
        radius: whether intervals hold for T rounds, or for ever; finite, anytime [finite].

    Urvoy, Clérot, Féraud and Naamane. Generic exploration and K-armed voting bandits. ICML, PMLR 28(2):91-99, 2013.
    https://proceedings.mlr.press/v28/urvoy13.html
    """

    def __new__(
        cls,
        arms: int,
        *,
        rule: Value = None,
        delta: Value = None,
        radius: Value = None,
        **common: Unpack[Common],
    ) -> Self:
        return new(cls, "savage", arms, common, {"rule": rule, "delta": delta, "radius": radius})


class If1(Policy):
    """Interleaved Filter without pruning: a candidate meets all others in turn.

    It counts wins and losses: ties are refused, or broken by a coin with `ties="coin"`.

    It needs `rounds=` for its confidence radius, with delta = 1/(T K^2) as by default.

    Args:
        delta: chance of a wrong decision that the radius allows for; (0, 1] [1/(T*K^2)].

    Yue, Broder, Kleinberg and Joachims. The K-armed dueling bandits problem. Journal of Computer and System Sciences
    78(5):1538-1556, 2012. doi:10.1016/j.jcss.2011.12.028
    """

    def __new__(cls, arms: int, *, delta: Value = None, **common: Unpack[Common]) -> Self:
        return new(cls, "if1", arms, common, {"delta": delta})


class If2(Policy):
    """Interleaved Filter with pruning: a candidate meets all others in turn.

    It counts wins and losses: ties are refused, or broken by a coin with `ties="coin"`.

    It needs `rounds=` for its confidence radius, with delta = 1/(T K^2) as by default.

    Args:
        delta: chance of a wrong decision that the radius allows for; (0, 1] [1/(T*K^2)].

    Yue, Broder, Kleinberg and Joachims. The K-armed dueling bandits problem. Journal of Computer and System Sciences
    78(5):1538-1556, 2012. doi:10.1016/j.jcss.2011.12.028
    """

    def __new__(cls, arms: int, *, delta: Value = None, **common: Unpack[Common]) -> Self:
        return new(cls, "if2", arms, common, {"delta": delta})


class Doubler(OfPlayers):
    """A classical player meets its own past.

    It needs `rounds=` for the players exp3, whose gain bound uses T unless told otherwise, and exp3s; not for ucb1, its
    default.

    Args:
        player: the algorithm of the player; exp3, ucb1, thompson, tsallis, exp3ix, exp3s [ucb1].
        schedule: exp3: where gamma comes from; `dual-averaging` if `gmax` uses `t`; fixed, dual-averaging, literal,
            loss [fixed].
        gamma: exp3: the rate itself; (0, 1] [none].
        gmax: exp3: bound on the best arm's gain; `t/2` where anytime; above 0, in T, K, or a multiple of t [T/2].
        alpha: ucb1: width of the confidence interval; above 0 [2].
        estimator: tsallis: importance weights, or those of reduced variance; iw, rv [iw].
        player_rounds: exp3ix: the rounds that its rate is made for; `t` for no horizon; at least 1, in T, K; or t [t].
        switches: exp3s: stretches of time with a best arm each: 1 and the changes of it; whole, 1 or more [1].

    Ailon, Karnin and Joachims. Reducing dueling bandits to cardinal bandits. ICML, PMLR 32(2):856-864, 2014.
    doi:10.48550/arXiv.1405.3396
    """

    _name = "doubler"


class MultiSbm(OfPlayers):
    """A classical player for every opponent.

    It needs `rounds=` for the players exp3, whose gain bound uses T unless told otherwise, and exp3s; not for ucb1, its
    default.

    Args:
        player: the algorithm of all players; exp3, ucb1, thompson, tsallis, exp3ix, exp3s [ucb1].
        schedule: exp3: where gamma comes from; `dual-averaging` if `gmax` uses `t`; fixed, dual-averaging, literal,
            loss [fixed].
        gamma: exp3: the rate itself; (0, 1] [none].
        gmax: exp3: bound on the best arm's gain; `t/2` where anytime; above 0, in T, K, or a multiple of t [T/2].
        alpha: ucb1: width of the confidence interval; above 0 [2.5].
        estimator: tsallis: importance weights, or those of reduced variance; iw, rv [iw].
        player_rounds: exp3ix: the rounds that its rate is made for; `t` for no horizon; at least 1, in T, K; or t [t].
        switches: exp3s: stretches of time with a best arm each: 1 and the changes of it; whole, 1 or more [1].

    Ailon, Karnin and Joachims. Reducing dueling bandits to cardinal bandits. ICML, PMLR 32(2):856-864, 2014.
    doi:10.48550/arXiv.1405.3396
    """

    _name = "multisbm"


class FeedExp3(Policy):
    """Exponential weights over pairs, the general method of partial monitoring.

    It needs `rounds=` with schedule=fixed only, which uses T.

    Args:
        schedule: where eta and gamma come from; `fixed` needs T; anytime, fixed, link [anytime].
        reference: what losses are measured against; uniform, or an arm from 0 to K - 1 [uniform].

    Cesa-Bianchi, Lugosi and Stoltz. Regret minimization under partial monitoring. Mathematics of Operations Research
    31(3), 2006. doi:10.1287/moor.1060.0206
    """

    def __new__(cls, arms: int, *, schedule: Value = None, reference: Value = None, **common: Unpack[Common]) -> Self:
        return new(cls, "feedexp3", arms, common, {"schedule": schedule, "reference": reference})


class Vdb(Policy):
    """Tsallis entropy in both slots: best of both worlds.

    Args:
        form: one learner for both slots, or one for each; shared, players [shared].
        estimator: importance weights, or those of reduced variance; iw, rv [iw].

    Saha and Gaillard. Versatile dueling bandits: best-of-both world analyses for learning from relative preferences.
    ICML, PMLR 162:19011-19026, 2022. doi:10.48550/arXiv.2202.06694
    """

    def __new__(cls, arms: int, *, form: Value = None, estimator: Value = None, **common: Unpack[Common]) -> Self:
        return new(cls, "vdb", arms, common, {"form": form, "estimator": estimator})


class Dts(Policy):
    """Double Thompson sampling.

    It counts wins and losses: ties are refused, or broken by a coin with `ties="coin"`.

    Args:
        alpha: width of the confidence interval; the authors' program uses 0.51; above 1/2 [0.51].

    Wu and Liu. Double Thompson sampling for dueling bandits. Advances in Neural Information Processing Systems 29,
    2016. doi:10.48550/arXiv.1604.07101
    """

    def __new__(cls, arms: int, *, alpha: Value = None, **common: Unpack[Common]) -> Self:
        return new(cls, "dts", arms, common, {"alpha": alpha})


class DtsPlus(Policy):
    """Double Thompson sampling with ties broken by regret.

    It counts wins and losses: ties are refused, or broken by a coin with `ties="coin"`.

    Args:
        alpha: width of the confidence interval; the authors' program uses 0.51; above 1/2 [0.51].

    Wu and Liu. Double Thompson sampling for dueling bandits. Advances in Neural Information Processing Systems 29,
    2016. doi:10.48550/arXiv.1604.07101
    """

    def __new__(cls, arms: int, *, alpha: Value = None, **common: Unpack[Common]) -> Self:
        return new(cls, "dts+", arms, common, {"alpha": alpha})


class Rcs(Policy):
    """Relative confidence sampling.

    It counts wins and losses: ties are refused, or broken by a coin with `ties="coin"`.

    Args:
        alpha: width of the confidence interval; above 1/2 [0.501].

    Zoghi, Whiteson, de Rijke and Munos. Relative confidence sampling for efficient on-line ranker evaluation. WSDM,
    pages 73-82, 2014. doi:10.1145/2556195.2556256
    """

    def __new__(cls, arms: int, *, alpha: Value = None, **common: Unpack[Common]) -> Self:
        return new(cls, "rcs", arms, common, {"alpha": alpha})


class Rmed1(Policy):
    """Relative minimum empirical divergence.

    It counts wins and losses: ties are refused, or broken by a coin with `ties="coin"`.

    Args:
        f: f(K): how much longer an arm gets turns than ln t alone would give it; at least 0 [0.3*K^1.01].

    Komiyama, Honda, Kashima and Nakagawa. Regret lower bound and optimal algorithm in dueling bandit problem. COLT,
    PMLR 40:1141-1154, 2015. doi:10.48550/arXiv.1506.02550
    """

    def __new__(cls, arms: int, *, f: Value = None, **common: Unpack[Common]) -> Self:
        return new(cls, "rmed1", arms, common, {"f": f})


class Rmed2(Policy):
    """Relative minimum empirical divergence, each arm against its most telling opponent.

    It counts wins and losses: ties are refused, or broken by a coin with `ties="coin"`.

    Args:
        f: f(K): how much longer an arm gets turns than ln t alone would give it; at least 0 [0.3*K^1.01].
        alpha: how often each pair meets at least, in ln ln t; above 0 [3].

    Komiyama, Honda, Kashima and Nakagawa. Regret lower bound and optimal algorithm in dueling bandit problem. COLT,
    PMLR 40:1141-1154, 2015. doi:10.48550/arXiv.1506.02550
    """

    def __new__(cls, arms: int, *, f: Value = None, alpha: Value = None, **common: Unpack[Common]) -> Self:
        return new(cls, "rmed2", arms, common, {"f": f, "alpha": alpha})


class Rmed2Fh(Policy):
    """Relative minimum empirical divergence for a fixed horizon.

    It counts wins and losses: ties are refused, or broken by a coin with `ties="coin"`.

    It needs `rounds=` for the length of its first phase, in which each pair meets alpha ln ln T times.

    Args:
        f: f(K): how much longer an arm gets turns than ln t alone would give it; at least 0 [0.3*K^1.01].
        alpha: how often each pair meets at first, in ln ln T; above 0 [3].

    Komiyama, Honda, Kashima and Nakagawa. Regret lower bound and optimal algorithm in dueling bandit problem. COLT,
    PMLR 40:1141-1154, 2015. doi:10.48550/arXiv.1506.02550
    """

    def __new__(cls, arms: int, *, f: Value = None, alpha: Value = None, **common: Unpack[Common]) -> Self:
        return new(cls, "rmed2fh", arms, common, {"f": f, "alpha": alpha})


class MergeRucb(Policy):
    """Upper confidence bounds in small batches that merge.

    It counts wins and losses: ties are refused, or broken by a coin with `ties="coin"`.

    Args:
        alpha: width of the confidence interval; above 1/2, or above 0 with `c` [1.01].
        batch: arms of a batch; whole, 4 to 64 [4].
        delta: chance of error for which the offset C is computed; (0, 1] [0.01].
        c: the offset C itself, in place of `delta`; at least 0 [none].

    Zoghi, Whiteson and de Rijke. MergeRUCB: a method for large-scale online ranker evaluation. WSDM, pages 17-26, 2015.
    doi:10.1145/2684822.2685290
    """

    def __new__(
        cls,
        arms: int,
        *,
        alpha: Value = None,
        batch: Value = None,
        delta: Value = None,
        c: Value = None,
        **common: Unpack[Common],
    ) -> Self:
        return new(cls, "mergerucb", arms, common, {"alpha": alpha, "batch": batch, "delta": delta, "c": c})


class MergeDts(Policy):
    """Thompson sampling in small batches that merge.

    It counts wins and losses: ties are refused, or broken by a coin with `ties="coin"`.

    Args:
        alpha: width of the confidence interval; above 1/2, or above 0 with `c` [1.01].
        batch: arms of a batch; whole, 4 to 64 [4].
        delta: chance of error for which the offset C is computed; (0, 1] [0.01].
        c: the offset C itself, in place of `delta`; at least 0 [none].

    Li, Markov, de Rijke and Zoghi. MergeDTS: a method for effective large-scale online ranker evaluation. ACM
    Transactions on Information Systems 38(4), 2020. doi:10.1145/3411753
    """

    def __new__(
        cls,
        arms: int,
        *,
        alpha: Value = None,
        batch: Value = None,
        delta: Value = None,
        c: Value = None,
        **common: Unpack[Common],
    ) -> Self:
        return new(cls, "mergedts", arms, common, {"alpha": alpha, "batch": batch, "delta": delta, "c": c})


class Ccb(Policy):
    """Copeland confidence bounds.

    It counts wins and losses: ties are refused, or broken by a coin with `ties="coin"`.

    Args:
        alpha: width of the confidence interval; above 1/2 [0.51].

    Zoghi, Karnin, Whiteson and de Rijke. Copeland dueling bandits. NIPS, pages 307-315, 2015.
    doi:10.48550/arXiv.1506.00312
    """

    def __new__(cls, arms: int, *, alpha: Value = None, **common: Unpack[Common]) -> Self:
        return new(cls, "ccb", arms, common, {"alpha": alpha})


class Scb(Policy):
    """Scalable Copeland bandits.

    It counts wins and losses: ties are refused, or broken by a coin with `ties="coin"`.

    Zoghi, Karnin, Whiteson and de Rijke. Copeland dueling bandits. NIPS, pages 307-315, 2015.
    doi:10.48550/arXiv.1506.00312
    """

    def __new__(cls, arms: int, **common: Unpack[Common]) -> Self:
        return new(cls, "scb", arms, common, {})


class SelfSparring(Policy):
    """Thompson sampling in both slots, from the same beliefs.

    It counts wins and losses: ties are refused, or broken by a coin with `ties="coin"`.

    Args:
        eta: how much one duel weighs in the belief; larger explores less; (0, 1e6] [1].
        selfduels: whether a duel of an arm with itself is a win and a loss of it, or nothing; count, skip [count].

    Sui, Zhuang, Burdick and Yue. Multi-dueling bandits with dependent arms. UAI, 2017. doi:10.48550/arXiv.1705.00253
    """

    def __new__(cls, arms: int, *, eta: Value = None, selfduels: Value = None, **common: Unpack[Common]) -> Self:
        return new(cls, "selfsparring", arms, common, {"eta": eta, "selfduels": selfduels})


class Wsw(Policy):
    """Winner Stays for weak regret: the winner of a series meets the next arm.

    It counts wins and losses: ties are refused, or broken by a coin with `ties="coin"`.

    Chen and Frazier. Dueling bandits with weak regret. ICML, PMLR 70:731-739, 2017. doi:10.48550/arXiv.1706.04304
    """

    def __new__(cls, arms: int, **common: Unpack[Common]) -> Self:
        return new(cls, "wsw", arms, common, {})


class Wss(Policy):
    """Winner Stays for strong regret: the winner of a pass meets itself, longer each time.

    It counts wins and losses: ties are refused, or broken by a coin with `ties="coin"`.

    Args:
        beta: by what factor the exploitation of each pass is longer than that of the last; above 1 [1.1].

    Chen and Frazier. Dueling bandits with weak regret. ICML, PMLR 70:731-739, 2017. doi:10.48550/arXiv.1706.04304
    """

    def __new__(cls, arms: int, *, beta: Value = None, **common: Unpack[Common]) -> Self:
        return new(cls, "wss", arms, common, {"beta": beta})


class DExp3(Policy):
    """Exponential weights for Borda scores, whatever the preferences do.

    It needs `rounds=` with schedule=fixed, its default, which uses T.

    Args:
        schedule: where eta and gamma come from: the horizon T, or the round; fixed, anytime [fixed].

    Saha, Koren and Mansour. Adversarial dueling bandits. ICML, PMLR 139, 2021. doi:10.48550/arXiv.2010.14563
    """

    def __new__(cls, arms: int, *, schedule: Value = None, **common: Unpack[Common]) -> Self:
        return new(cls, "dexp3", arms, common, {"schedule": schedule})


class Btw(Policy):
    """Beat the Winner: the first to win r duels stays, and r grows.

    It counts wins and losses: ties are refused, or broken by a coin with `ties="coin"`.

    Args:
        reset: whether r returns to 1 when a challenger wins (Beat the Winner Reset); false, true [false].

    Kolpaczki, Bengs and Hüllermeier. Non-stationary dueling bandits. arXiv, 2022. doi:10.48550/arXiv.2202.00935
    """

    def __new__(cls, arms: int, *, reset: Value = None, **common: Unpack[Common]) -> Self:
        return new(cls, "btw", arms, common, {"reset": reset})


class Random(Policy):
    """Two arms drawn uniformly: the baseline.

    Gajane, Urvoy and Clérot. A relative exponential weighing algorithm for adversarial utility-based dueling bandits.
    ICML, PMLR 37:218-227, 2015. doi:10.48550/arXiv.1601.03855
    """

    def __new__(cls, arms: int, **common: Unpack[Common]) -> Self:
        return new(cls, "random", arms, common, {})


CLASSES: dict[str, type[Policy]] = {
    "rex3": Rex3,
    "sparring": Sparring,
    "rucb": Rucb,
    "btm": Btm,
    "savage": Savage,
    "if1": If1,
    "if2": If2,
    "doubler": Doubler,
    "multisbm": MultiSbm,
    "feedexp3": FeedExp3,
    "vdb": Vdb,
    "dts": Dts,
    "dts+": DtsPlus,
    "rcs": Rcs,
    "rmed1": Rmed1,
    "rmed2": Rmed2,
    "rmed2fh": Rmed2Fh,
    "mergerucb": MergeRucb,
    "mergedts": MergeDts,
    "ccb": Ccb,
    "scb": Scb,
    "selfsparring": SelfSparring,
    "wsw": Wsw,
    "wss": Wss,
    "dexp3": DExp3,
    "btw": Btw,
    "random": Random,
}
"""The class of each policy, by its name in specifications."""

__all__ = [
    "Btm",
    "Btw",
    "Ccb",
    "DExp3",
    "Doubler",
    "Dts",
    "DtsPlus",
    "FeedExp3",
    "If1",
    "If2",
    "MergeDts",
    "MergeRucb",
    "MultiSbm",
    "Random",
    "Rcs",
    "Rex3",
    "Rmed1",
    "Rmed2",
    "Rmed2Fh",
    "Rucb",
    "Savage",
    "Scb",
    "SelfSparring",
    "Sparring",
    "Vdb",
    "Wss",
    "Wsw",
]
