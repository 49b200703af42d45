"""Types of the native core. The package documents the names that `tiltyard` exports from here."""

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
    """A proposed duel, with everything needed to learn from its outcome. Immutable; equal if all fields are equal."""

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
        """The policy's epoch (phase) when it proposed the duel."""
    @property
    def draw(self) -> Draw:
        """How the pair was drawn."""
    @property
    def propensity(self) -> float | None:
        """The exact probability of this ordered pair, if known."""
    @property
    def is_lesson(self) -> bool:
        """Whether another policy drew the duel."""
    def to_json(self) -> str:
        """Returns the ticket as JSON, in the same format as in Rust."""
    @staticmethod
    def from_json(text: str) -> Ticket:
        """Reads a ticket that `to_json` wrote, in Python or in Rust."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@disjoint_base
class Policy:
    """A dueling-bandit algorithm with its random number generator.

    `repr` is Python source that makes the same policy, at its first round. Pickles, copies and JSON keep the complete
    state, including the generator, and continue bit for bit.
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
        """Draws the next duel, or the next n. Each is in flight until `update` or `void` is called.

        Raises:
            InFlight: if the policy is sequential and still waits for an outcome.
        """
    def decide_distinct(self) -> Ticket:
        """Draws the next duel, of two different arms.

        Raises:
            NotCapable: if the policy is not `distinct`.
            TooFewArms: if fewer than two arms are left.
        """
    @overload
    def update(self, ticket: Ticket, outcome: Outcome, /) -> None: ...
    @overload
    def update(self, ticket: Iterable[Ticket], outcome: Iterable[Outcome], /) -> None:
        """Learns from one outcome or from several, which may arrive late and in any order.

        If one of several is refused, the policy learns from none of them.

        Raises:
            TicketError, UpdateError, NoLesson: if the ticket cannot belong to this policy, or the policy cannot use
                the outcome.
            OutcomeError: if the value is not an outcome.
        """
    def void(self, ticket: Ticket, /) -> None:
        """Records that the outcome of this duel will never arrive."""
    def take_back(self, ticket: Ticket, outcome: Outcome, /) -> None:
        """Reverses the effect of an earlier `update` with this ticket and outcome.

        Raises:
            NotCapable: if the policy is not `additive`.
        """
    def recommend(self) -> int:
        """Returns the arm that the policy currently considers the best."""
    def probabilities(self) -> NDArray[np.float64] | None:
        """The probability of each arm in a slot of the next duel; `None` if costly to compute exactly."""
    def lesson(self, left: int, right: int, propensity: float | None = None) -> Ticket:
        """Makes a ticket for a duel that another policy drew, with the probability `propensity`.

        Raises:
            NoLesson: if the policy learns only from its own duels, or needs the propensity.
        """
    def sums(self) -> NDArray[np.float64]:
        """The learned state as sums that nodes can exchange. The policy must be `additive`."""
    def add(self, increments: Sequence[float] | NDArray[np.float64], /) -> None:
        """Adds the change of another node's sums. The policy must be `additive`."""
    def add_arm(self) -> int:
        """Adds an arm with an average score and returns it. The policy must be `elastic`."""
    def retire(self, arm: int, /) -> bool:
        """Stops proposing an arm. False if that changes nothing. The policy must be `elastic`."""
    def restore(self, arm: int, /) -> bool:
        """Proposes a retired arm again. False if it was not retired. The policy must be `elastic`."""
    @property
    def arms(self) -> int:
        """The number of arms, including retired arms."""
    @property
    def round(self) -> int:
        """The number of duels drawn so far."""
    @property
    def rounds(self) -> int | None:
        """The horizon T, if given."""
    @property
    def seed(self) -> int:
        """The seed of the policy's random numbers."""
    @property
    def run(self) -> int | None:
        """The number of the run, if the policy belongs to a job."""
    @property
    def ties(self) -> str:
        """How ties are handled: `"refuse"` raises an error, `"coin"` breaks them at random."""
    @property
    def name(self) -> str:
        """Its name in specifications."""
    @property
    def spec(self) -> str:
        """The specification it was made from."""
    @property
    def binary(self) -> bool:
        """Whether it accepts only wins and losses."""
    @property
    def capabilities(self) -> list[str]:
        """Its capabilities and needs: `additive`, `elastic`, `distinct`, `sequential`."""
    @property
    def info(self) -> PolicyInfo:
        """The metadata of this algorithm."""
    def page(self) -> str:
        """The documentation page of this algorithm, in Markdown."""
    def to_json(self) -> str:
        """Saves the complete state, so that `from_json` continues bit for bit."""
    @staticmethod
    def from_json(text: str) -> Policy:
        """Restores a policy that `to_json` saved, as an instance of its class.

        Raises:
            RestoreError: if the text is damaged or was saved by another version.
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
        """The number of arms."""
    @property
    def names(self) -> list[str] | None:
        """The names of the arms, if they have names."""
    def to_numpy(self) -> NDArray[np.float64]:
        """The entries, as a new array."""
    def preference(self, arm: int, other: int, /) -> float:
        """The probability that `arm` beats `other`."""
    def borda(self, *, normalised: bool = True, diagonal: bool = False) -> NDArray[np.float64]:
        """Borda scores: the probability of beating a random arm, or the sum over arms if not `normalised`.

        `diagonal` says whether an arm is also compared with itself.
        """
    def copeland(self, *, normalised: bool = True) -> NDArray[np.float64]:
        """Copeland scores: the share of the other arms that an arm beats, or their number."""
    @property
    def condorcet_winner(self) -> int | None:
        """The arm that beats every other arm, or `None`."""
    @property
    def copeland_winners(self) -> list[int]:
        """The arms that beat the most others."""
    @property
    def borda_winners(self) -> list[int]:
        """The arms with the highest Borda score."""
    @property
    def best(self) -> tuple[int, str]:
        """The arm that regret is measured against, and why: the `"condorcet"` winner, else a `"copeland"` winner."""
    def gaps(self) -> dict[str, Any]:
        """How close the arms are: `smallest` (arm, gap), `quartiles` of |P - 1/2|, share of `close` pairs, cost of `random_play`."""
    def assumptions(self) -> dict[str, tuple[Any, str | None]]:
        """The findings that `tiltyard.Matrix.check` returns, as a dictionary."""
    def tournament(self) -> dict[str, Any]:
        """The tournament: `tiers`, `schwartz`, `shortest_cycle`, `cyclic_triples`, `ties`."""
    def least_log_factor(self) -> float | None:
        """The smallest possible factor of ln T in the regret of a consistent policy."""
    def submatrix(self, arms: Sequence[int], /) -> Matrix:
        """The matrix of these arms, in this order."""
    def random_submatrix(self, arms: int, *, seed: int = 1) -> Matrix:
        """The matrix of `arms` random arms, drawn without replacement."""
    def __len__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class Sessions:
    """A world for runs played duel by duel, with the same random streams as `play`."""

    def __new__(
        cls, world: str | Matrix, *, checkpoints: Sequence[int], seed: int = 1, regret: str | None = None
    ) -> Self: ...
    def begin(self, run: int, *, binary: bool = False) -> Session:
        """Starts a run. If `binary`, the world breaks ties by a coin flip."""
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
        """Plays the next round. Returns the left arm's score, or `None` without an answer."""
    @property
    def arms(self) -> int: ...
    @property
    def round(self) -> int:
        """The number of rounds played."""
    @property
    def regret(self) -> float:
        """The regret so far."""
    @property
    def is_over(self) -> bool:
        """Whether the run has reached the last checkpoint."""
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
        """Each column as a numpy array. A column of words is a pair: the number of each row's word, and the words."""
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class Merger:
    """Interleaves lists of numbers; `tiltyard.interleave` knows which documents they stand for."""

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
        """The positions that the user clicks in a list with these grades, from the top down. Each call draws new clicks."""
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

    Returns `resumed` (runs finished before), `lost_bytes` (of a damaged journal) and `already_complete`. After an
    interruption, finished runs are kept in the directory, and `resume=True` continues.
    """

def plan_specification(
    text: str, *, origin: str = "specification", data: str | os.PathLike[str] | None = None, seed: int | None = None
) -> dict[str, Any]:
    """The work that a specification describes: `title`, `hash`, `items`, `rounds`."""

def read_results(directory: str | os.PathLike[str], /) -> Table:
    """The table of the results in a directory."""

def draw_results(directory: str | os.PathLike[str], path: str | os.PathLike[str], /) -> list[Path]:
    """Draws results as `tiltyard plot` does, into a file that ends in .svg or .html.

    Returns the files written: many worlds make several figures.
    """

def merge_shards(shards: Sequence[str | os.PathLike[str]], out: str | os.PathLike[str], /) -> None:
    """Merges the shards in these directories. The result has the same bytes as a run in one place."""

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
