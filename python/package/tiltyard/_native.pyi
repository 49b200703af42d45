"""What the native core offers. The documentation of what `tiltyard` exports from here is the package's."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar, final, overload

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Self, disjoint_base

from tiltyard.info import PolicyInfo
from tiltyard.types import Draw, Outcome, Tell, Ties

__all__ = [
    "ClickModel",
    "Matrix",
    "MergedList",
    "Merger",
    "Policy",
    "Session",
    "Sessions",
    "Table",
    "Ticket",
    "__version__",
    "accuracy_ceiling",
    "any_matrices",
    "anytime_bound",
    "anytime_gamma",
    "bound",
    "bound_tight",
    "corollary1",
    "corollary2",
    "exp3_anytime",
    "exp3_bound",
    "exp3_gamma",
    "feed_exp3_order",
    "gamma_star",
    "gamma_tight",
    "global_exp3_order",
    "lower_bound",
    "mean_half_width",
    "merge_shards",
    "plan_specification",
    "play",
    "policy_info",
    "policy_look",
    "policy_names",
    "regret_names",
    "restore_policy",
    "run_specification",
    "share_interval",
    "tau",
    "theorem1",
    "world_info",
    "world_names",
]

__version__: str

@final
class Ticket:
    """A proposed duel, and everything that learning from its outcome will need. Immutable; equal if all fields are."""

    def __new__(
        cls, round: int, left: int, right: int, rate: float = 1.0, epoch: int = 0, draw: Draw = None
    ) -> Self: ...
    @property
    def round(self) -> int:
        """The round it was proposed for, counted from 1; 0 for a lesson."""
    @property
    def left(self) -> int:
        """The arm in the left slot."""
    @property
    def right(self) -> int:
        """The arm in the right slot; it may be the same arm."""
    @property
    def rate(self) -> float:
        """The learning rate in force when it was drawn."""
    @property
    def epoch(self) -> int:
        """The phase of the policy that proposed it."""
    @property
    def draw(self) -> Draw:
        """How the pair was drawn."""
    @property
    def propensity(self) -> float | None:
        """The exact probability of this ordered pair, where it is known."""
    @property
    def is_lesson(self) -> bool:
        """Whether the policy that it is for did not draw it."""
    def to_json(self) -> str:
        """As JSON, the same as in Rust."""
    @staticmethod
    def from_json(text: str) -> Ticket:
        """From what `to_json` wrote, here or in Rust."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@disjoint_base
class Policy:
    """A dueling-bandit algorithm with the generator that it draws from.

    `repr` is source that makes the same policy anew, at its first round. Pickles, copies and JSON go on bit for bit, the generator included.
    """

    def __new__(
        cls,
        spec: str,
        *,
        arms: int,
        seed: int = 1,
        rounds: int | None = None,
        run: int | None = None,
        ties: Ties = "refuse",
    ) -> Self: ...
    @overload
    def decide(self, n: None = None, /) -> Ticket: ...
    @overload
    def decide(self, n: int, /) -> list[Ticket]:
        """The next duel, or the next n of them: all are in flight until they are updated or void.

        Raises:
            InFlight: if the policy is sequential and waits for an outcome.
        """
    def decide_distinct(self) -> Ticket:
        """The next duel, of two different arms.

        Raises:
            NotCapable: if the policy is not `distinct`.
            TooFewArms: if fewer than two arms are left.
        """
    @overload
    def update(self, ticket: Ticket, outcome: Outcome, /) -> None: ...
    @overload
    def update(self, ticket: Iterable[Ticket], outcome: Iterable[Outcome], /) -> None:
        """Learns from an outcome, or from several: late, in any order. Of several none is learned if one is refused.

        Raises:
            TicketError, UpdateError, NoLesson: if the ticket cannot be one of this policy's, or the outcome is one it cannot use.
            OutcomeError: if it is no outcome.
        """
    def void(self, ticket: Ticket, /) -> None:
        """Takes note that the outcome will never come."""
    def take_back(self, ticket: Ticket, outcome: Outcome, /) -> None:
        """Un-learns what was learned from this ticket and outcome.

        Raises:
            NotCapable: if the policy is not `additive`.
        """
    def recommend(self) -> int:
        """The arm it would bet on now."""
    def probabilities(self) -> NDArray[np.float64] | None:
        """How likely each arm is in a slot of the next duel; `None` where no exact value is cheap."""
    def lesson(self, left: int, right: int, propensity: float | None = None) -> Ticket:
        """The ticket with which it learns from a duel that someone else drew, with that probability.

        Raises:
            NoLesson: if it learns from its own duels only, or needs to know the probability.
        """
    def sums(self) -> NDArray[np.float64]:
        """What it has learned, as sums that nodes can exchange, if it is `additive`."""
    def add(self, increments: Sequence[float] | NDArray[np.float64], /) -> None:
        """Adds what another node has learned: the difference of its sums, if it is `additive`."""
    def add_arm(self) -> int:
        """Adds an arm of average standing, if it is `elastic`."""
    def retire(self, arm: int, /) -> bool:
        """Stops proposing an arm, if it is `elastic`. False if that changes nothing."""
    def restore(self, arm: int, /) -> bool:
        """Proposes a retired arm again, if it is `elastic`. False if it was not retired."""
    @property
    def arms(self) -> int:
        """How many arms there are, retired ones included."""
    @property
    def round(self) -> int:
        """How many duels were issued so far."""
    @property
    def rounds(self) -> int | None:
        """T, where it was told."""
    @property
    def seed(self) -> int:
        """The seed."""
    @property
    def run(self) -> int | None:
        """The run of a job, if it is in one."""
    @property
    def ties(self) -> str:
        """What it makes of ties: `"refuse"` or `"coin"`."""
    @property
    def name(self) -> str:
        """Its name in specifications."""
    @property
    def spec(self) -> str:
        """The specification it was made from."""
    @property
    def binary(self) -> bool:
        """Whether it counts wins and losses only."""
    @property
    def capabilities(self) -> list[str]:
        """What it can do, or needs: `additive`, `elastic`, `distinct`, `sequential`."""
    @property
    def info(self) -> PolicyInfo:
        """What is known about this algorithm."""
    def page(self) -> str:
        """All about it, in Markdown."""
    def to_json(self) -> str:
        """Everything needed to go on later, bit for bit."""
    @staticmethod
    def from_json(text: str) -> Policy:
        """Goes on from what `to_json` wrote, as an instance of the policy's class.

        Raises:
            RestoreError: if the text is damaged, or of another version.
        """
    def __eq__(self, other: object, /) -> bool: ...

_P = TypeVar("_P", bound=Policy)

def restore_policy(class_: type[_P], text: str, /) -> _P: ...

@disjoint_base
class Matrix:
    """A preference matrix; `tiltyard.Matrix` reads more kinds of sources."""

    def __new__(cls, entries: NDArray[np.float64], names: list[str] | None = None) -> Self: ...
    @staticmethod
    def read(path: str | os.PathLike[str]) -> Matrix: ...
    @staticmethod
    def builtin(name: str) -> Matrix | None: ...
    @property
    def arms(self) -> int:
        """How many arms there are."""
    @property
    def names(self) -> list[str] | None:
        """What they are called."""
    def to_numpy(self) -> NDArray[np.float64]:
        """The entries, as a new array."""
    def preference(self, arm: int, other: int, /) -> float:
        """The probability that `arm` beats `other`."""
    def borda(self, *, normalised: bool = True, diagonal: bool = False) -> NDArray[np.float64]:
        """Borda scores: the chance to beat an arm drawn at random, itself included or not; or their sums."""
    def copeland(self, *, normalised: bool = True) -> NDArray[np.float64]:
        """Copeland scores: the share of the others that an arm beats; or how many."""
    @property
    def condorcet_winner(self) -> int | None:
        """The arm that beats every other."""
    @property
    def copeland_winners(self) -> list[int]:
        """The arms that beat the most others."""
    @property
    def borda_winners(self) -> list[int]:
        """The arms of the highest Borda score."""
    @property
    def best(self) -> tuple[int, str]:
        """The arm that regret is measured against: the `"condorcet"` winner, or a `"copeland"` winner where there is none."""
    def gaps(self) -> dict[str, Any]:
        """How close the arms are: `smallest` (arm, gap), `quartiles` of |P - 1/2|, share of `close` pairs, cost of `random_play`."""
    def assumptions(self) -> dict[str, tuple[Any, str | None]]:
        """What `tiltyard.Matrix.check` makes a class of."""
    def tournament(self) -> dict[str, Any]:
        """Who beats whom: `tiers`, `schwartz`, `shortest_cycle`, `cyclic_triples`, `ties`."""
    def least_log_factor(self) -> float | None:
        """The least factor of ln T in the regret of any consistent policy."""
    def submatrix(self, arms: Sequence[int], /) -> Matrix:
        """The matrix of these arms, in this order."""
    def random_submatrix(self, arms: int, *, seed: int = 1) -> Matrix:
        """The matrix of so many arms, drawn without replacement."""
    def __len__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class Sessions:
    """A world in which runs can be played duel by duel, on the streams of `play`."""

    def __new__(
        cls, world: str | Matrix, *, checkpoints: Sequence[int], seed: int = 1, regret: str | None = None
    ) -> Self: ...
    def begin(self, run: int, *, binary: bool = False) -> Session:
        """Begins a run. If `binary`, ties are broken by a coin of the world's."""
    @property
    def arms(self) -> int: ...
    @property
    def best(self) -> int: ...
    @property
    def best_kind(self) -> str: ...
    @property
    def best_name(self) -> str | None: ...
    @property
    def regret(self) -> str: ...

@final
class Session:
    """One run."""

    def duel(self, left: int, right: int, /) -> float | None:
        """Plays the next round: the score of the left arm, `None` if the duel stays unanswered."""
    @property
    def arms(self) -> int: ...
    @property
    def round(self) -> int:
        """Rounds played."""
    @property
    def regret(self) -> float:
        """The regret so far."""
    @property
    def is_over(self) -> bool:
        """Whether the last checkpoint was reached."""
    @property
    def curve(self) -> tuple[list[float], list[bool]]:
        """Regret at each checkpoint so far, and whether the pair was (best, best)."""

@final
class Table:
    """Results in Arrow's layout."""

    def __new__(
        cls,
        world: str,
        policies: Sequence[str],
        checkpoints: Sequence[int],
        regret: NDArray[np.float64],
        hit: NDArray[np.bool_],
    ) -> Self: ...
    def __len__(self) -> int: ...
    def columns(self) -> dict[str, NDArray[Any] | tuple[NDArray[np.int32], list[str]]]:
        """Each column as an array of numpy; one of words as a pair: which word each row has, and the words."""
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class Merger:
    """Interleaves lists of numbers; `tiltyard.interleave` knows what they are called."""

    def __new__(cls, method: str = "team-draft", *, seed: int = 1) -> Self: ...
    @property
    def method(self) -> str: ...
    def merge(self, left: Sequence[int], right: Sequence[int], length: int) -> MergedList: ...

@final
class MergedList:
    """A merged list of numbers."""

    @property
    def documents(self) -> list[int]: ...
    def credit(self, positions: Sequence[int]) -> tuple[float, float, float]: ...
    def to_json(self) -> str: ...
    @staticmethod
    def from_json(text: str, method: str) -> MergedList: ...

@final
class ClickModel:
    """A simulated user, for grades from 0 to `largest`."""

    def __new__(cls, model: str, *, largest: int, seed: int = 1) -> Self: ...
    @property
    def spec(self) -> str:
        """The model, with its parameters."""
    def clicks(self, grades: Sequence[int], /) -> list[int]:
        """The positions that the user clicks on a list of these grades, best first. Drawn anew each time."""
    def probabilities(self, grades: Sequence[int], /) -> NDArray[np.float64]:
        """The probability that each position is clicked."""

def policy_names() -> list[str]: ...
def policy_info(name: str, /) -> dict[str, Any]: ...
def policy_look(spec: str, /) -> tuple[str, str, list[float]]: ...
def world_names() -> list[str]: ...
def world_info(text: str, rounds: int, /) -> dict[str, Any]: ...
def regret_names() -> list[str]: ...
def mean_half_width(sem: float, runs: int, /) -> float: ...
def share_interval(hits: int, runs: int, /) -> tuple[float, float]: ...
def play(
    world: str | Matrix,
    policies: Sequence[str],
    *,
    checkpoints: Sequence[int],
    runs: int,
    seed: int,
    regret: str | None = None,
    threads: int | None = None,
    tell: Tell | None = None,
) -> dict[str, Any]: ...
def run_specification(
    text: str,
    directory: str | os.PathLike[str],
    *,
    origin: str = "specification",
    shard: tuple[int, int] | None = None,
    resume: bool = False,
    data: str | os.PathLike[str] | None = None,
    seed: int | None = None,
    threads: int | None = None,
    tell: Tell | None = None,
) -> dict[str, Any]:
    """Runs part (i, n) of a specification into a directory, as `tiltyard run --shard i/n` does.

    Returns `resumed` (runs finished before), `lost_bytes` (of a damaged journal) and `already_complete`. If it is interrupted, finished
    runs are kept there, and `resume=True` continues.
    """

def plan_specification(
    text: str, *, origin: str = "specification", data: str | os.PathLike[str] | None = None, seed: int | None = None
) -> dict[str, Any]:
    """What a specification would run: `title`, `hash`, `items`, `rounds`."""

def read_results(directory: str | os.PathLike[str], /) -> Table:
    """The table of the results in a directory."""

def draw_results(directory: str | os.PathLike[str], path: str | os.PathLike[str], /) -> list[Path]:
    """Draws results as `tiltyard plot` does, into a file that ends in .svg or .html, and says into which: many worlds make several figures."""

def merge_shards(shards: Sequence[str | os.PathLike[str]], out: str | os.PathLike[str], /) -> None:
    """Merges the shards in these directories: the same bytes as if all had been run in one place."""

def lower_bound(arms: int, duels: int) -> float: ...
def tau(gmax: float, gmin: float) -> float: ...
def gamma_star(arms: int, tau: float) -> float: ...
def gamma_tight(arms: int, tau: float) -> float: ...
def bound(arms: int, gamma: float, tau: float) -> float: ...
def bound_tight(arms: int, tau: float) -> float: ...
def theorem1(arms: int, gamma: float, policy: float, uniform: float) -> float: ...
def corollary1(arms: int, gamma: float, gmax: float, gmin: float) -> float: ...
def corollary2(arms: int, gmax: float, gmin: float) -> float: ...
def anytime_gamma(arms: int, tau_per_round: float, round: int) -> float: ...
def anytime_bound(arms: int, tau_per_round: float, bracket: float, rounds: int) -> float: ...
def accuracy_ceiling(arms: int, gamma: float) -> float: ...
def any_matrices(arms: int, gamma: float, rounds: int, mean_g: float) -> float: ...
def exp3_gamma(arms: int, gain_bound: float) -> float: ...
def exp3_bound(arms: int, gain_bound: float) -> float: ...
def exp3_anytime(arms: int, rounds: int) -> float: ...
def global_exp3_order(arms: int, rounds: int) -> float: ...
def feed_exp3_order(arms: int, rounds: int) -> float: ...
