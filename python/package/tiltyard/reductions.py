"""The policies that are made of classical players: Sparring, Doubler and MultiSBM.

`player` names the player, and the keywords after it are the player's own. `player_rounds` is the parameter `rounds` of `exp3ix`,
since `rounds` alone is the horizon T, as everywhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiltyard._native import Policy
from tiltyard.policy import Common, new

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from tiltyard.types import Value


class Sparring(Policy):
    """Two classical players meet.

    It needs `rounds=` for exp3 with a gain bound that uses T, which is its default, and for exp3s.

    Args:
        player: the algorithm of both players; exp3, ucb1, thompson, tsallis, exp3ix, exp3s [exp3].
        schedule: exp3: where gamma comes from; fixed, dual-averaging, literal, loss [fixed].
        gamma: exp3: the rate itself; (0, 1] [none].
        gmax: exp3: bound on the best arm's gain; above 0, in T, K, or a multiple of t [T/2].
        alpha: ucb1: width of the confidence interval; above 0 [2].
        estimator: tsallis: importance weights, or those of reduced variance; iw, rv [iw].
        player_rounds: exp3ix: the rounds that its rate is made for; t for no horizon; at least 1, in T, K; or t
            [t].
        switches: exp3s: stretches of time with a best arm each: 1 and the changes of it; whole, 1 or more [1].

    Ailon, Karnin and Joachims. Reducing dueling bandits to cardinal bandits. ICML, PMLR 32(2):856-864, 2014.
    doi:10.48550/arXiv.1405.3396
    """

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
        return new(cls, "sparring", arms, common, params)


class Doubler(Policy):
    """A classical player meets its own past.

    It needs `rounds=` for the players exp3, whose gain bound uses T unless told otherwise, and exp3s; not for ucb1, its default.

    Args:
        player: the algorithm of the player; exp3, ucb1, thompson, tsallis, exp3ix, exp3s [ucb1].
        schedule: exp3: where gamma comes from; fixed, dual-averaging, literal, loss [fixed].
        gamma: exp3: the rate itself; (0, 1] [none].
        gmax: exp3: bound on the best arm's gain; above 0, in T, K, or a multiple of t [T/2].
        alpha: ucb1: width of the confidence interval; above 0 [2].
        estimator: tsallis: importance weights, or those of reduced variance; iw, rv [iw].
        player_rounds: exp3ix: the rounds that its rate is made for; t for no horizon; at least 1, in T, K; or t
            [t].
        switches: exp3s: stretches of time with a best arm each: 1 and the changes of it; whole, 1 or more [1].

    Ailon, Karnin and Joachims. Reducing dueling bandits to cardinal bandits. ICML, PMLR 32(2):856-864, 2014.
    doi:10.48550/arXiv.1405.3396
    """

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
        return new(cls, "doubler", arms, common, params)


class MultiSbm(Policy):
    """A classical player for every opponent.

    It needs `rounds=` for the players exp3, whose gain bound uses T unless told otherwise, and exp3s; not for ucb1, its default.

    Args:
        player: the algorithm of all players; exp3, ucb1, thompson, tsallis, exp3ix, exp3s [ucb1].
        schedule: exp3: where gamma comes from; fixed, dual-averaging, literal, loss [fixed].
        gamma: exp3: the rate itself; (0, 1] [none].
        gmax: exp3: bound on the best arm's gain; above 0, in T, K, or a multiple of t [T/2].
        alpha: ucb1: width of the confidence interval; above 0 [2.5].
        estimator: tsallis: importance weights, or those of reduced variance; iw, rv [iw].
        player_rounds: exp3ix: the rounds that its rate is made for; t for no horizon; at least 1, in T, K; or t
            [t].
        switches: exp3s: stretches of time with a best arm each: 1 and the changes of it; whole, 1 or more [1].

    Ailon, Karnin and Joachims. Reducing dueling bandits to cardinal bandits. ICML, PMLR 32(2):856-864, 2014.
    doi:10.48550/arXiv.1405.3396
    """

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
        return new(cls, "multisbm", arms, common, params)
