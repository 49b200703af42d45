"""`tiltyard.play`: plays several policies in one world, over many runs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

from tiltyard import _native
from tiltyard.errors import (
    NotAPolicy,
    ParamNotWhole,
    PlayNoPolicies,
    PlayNoRuns,
    PlayOtherArms,
    PlayPolicyTwice,
    PolicyMisbehaved,
)
from tiltyard.results import PolicyResult, Results
from tiltyard.types import Tell
from tiltyard.world import WorldLike, resolve

if TYPE_CHECKING:
    from numpy.typing import NDArray


class PythonPolicy(Protocol):
    """The methods that a policy written in Python must have. Each run needs a new object: see `Contender`."""

    def decide(self) -> Any:
        """The next duel: a pair (left, right), or anything with `left` and `right`."""

    def update(self, duel: Any, outcome: Any, /) -> Any:
        """Learns the outcome of a duel: the value that `decide` returned, and the left arm's score in [-1, 1].

        `update` is not called for duels without an answer.
        """


@dataclass(frozen=True)
class Contender:
    """A policy written in Python, for `play`: its name, and a function that makes a new policy for each run."""

    name: str
    make: Callable[[int, int], PythonPolicy]
    """Called with the number of arms and the number of the run; returns the policy for that run."""
    binary: bool = field(default=False)
    """Whether the policy accepts only wins and losses. The world then breaks ties by a coin flip."""


PolicyLike: TypeAlias = "str | _native.Policy | Contender"
"""A specification, a policy (`play` uses its specification, not its seed or state), or a policy written in Python."""

Progress: TypeAlias = bool | Tell | None
"""Whether to show a progress bar; or a function of (rounds done, rounds in total).

`None` shows a bar in a terminal or a notebook if the call takes longer than half a second.
"""


def play(
    world: WorldLike,
    policies: PolicyLike | Sequence[PolicyLike],
    rounds: int = 10_000,
    runs: int = 10,
    *,
    seed: int = 1,
    at: Sequence[int] | None = None,
    regret: str | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> Results:
    """Plays every policy `runs` times for `rounds` rounds and records the regret at checkpoints.

    Built-in policies run on `threads` threads, without the interpreter's lock. The results do not depend on the number
    of threads. Policies written in Python (`Contender`) run one after another in this thread. All policies share the
    random streams: in run 3, the world makes the same draws for each of them.

    Ctrl-C stops the call within a tenth of a second. A world that is still being built then finishes on its own thread.

    Args:
        world: a name such as `"arxiv6"`, a path, a `World`, a `Matrix`, or a source that `Matrix` accepts.
        policies: specifications such as `"rex3:gamma=0.05"`, policies, or contenders, with different names. `play` uses
            the specification of a policy, not its seed or state; the policy must have as many arms as the world.
        rounds: the number of rounds in a run.
        runs: the number of runs per policy.
        seed: the seed of all random numbers.
        at: the checkpoints, in increasing order; the last one replaces `rounds` [40 rounds, evenly spaced on a log scale].
        regret: the kind of regret [the default of the world]; see `tiltyard.regret_names`.
        threads: the number of threads [all cores].
        progress: whether to show a progress bar, or a function to call with (rounds done, rounds in total).
    """
    entries = _entries(policies)
    name, native_world = resolve(world)
    checkpoints = default_checkpoints(_whole("rounds", rounds)) if at is None else [_whole("at", round) for round in at]
    _check_arms(entries, native_world, checkpoints)
    specs = [_spec(entry) for entry in entries if not isinstance(entry, Contender)]
    setting: dict[str, Any] = {"checkpoints": checkpoints, "seed": seed, "regret": regret}
    facts: dict[str, Any] = {}
    results: dict[int, PolicyResult] = {}
    with telling(progress) as tell:
        if specs:
            facts = _native.play(native_world, specs, runs=runs, threads=threads, tell=tell, **setting)
            places = [i for i, entry in enumerate(entries) if not isinstance(entry, Contender)]
            results |= zip(places, map(PolicyResult.of_native, facts["policies"]), strict=True)
        if len(results) < len(entries):
            sessions = _native.Sessions(native_world, **setting)
            facts = facts or _facts(sessions)
            for i, entry in enumerate(entries):
                if isinstance(entry, Contender):
                    results[i] = _play_contender(entry, sessions, runs, checkpoints, tell)
    return Results(
        world=name,
        arms=facts["arms"],
        best=facts["best"],
        best_kind=facts["best_kind"],
        best_name=facts["best_name"],
        regret_kind=facts["regret"],
        rounds=checkpoints,
        runs=runs,
        seed=seed,
        policies=[results[i] for i in range(len(entries))],
    )


def default_checkpoints(rounds: int) -> list[int]:
    """Returns up to 40 rounds from 1 to `rounds`, evenly spaced on a log scale."""
    if rounds < 1:
        return []
    grid: NDArray[np.float64] = np.geomspace(1, rounds, 40)
    return sorted({round(float(x)) for x in grid} | {rounds})


def _entries(policies: PolicyLike | Sequence[PolicyLike]) -> list[PolicyLike]:
    """Returns the policies as a list, after checking that each can play and that their names differ."""
    if isinstance(policies, (str, _native.Policy, Contender)) or not isinstance(policies, Iterable):
        policies = [policies]
    entries = list(policies)
    if not entries:
        raise PlayNoPolicies("there must be at least one policy")
    seen: set[str] = set()
    for entry in entries:
        if not isinstance(entry, (str, _native.Policy, Contender)):
            raise NotAPolicy(
                f"{entry!r} is not a policy",
                hint="give a specification such as `\"rex3\"`, or a policy such as `tiltyard.Rex3(arms=10)`\n"
                "for a policy written in Python, give `tiltyard.Contender(name, make)`",
            )
        name = _name(entry)
        if name in seen:
            raise PlayPolicyTwice(
                f"two policies are called `{name}`",
                hint="keep one of them, or give them different parameters"
                "\n`tiltyard.Contender(\"another name\", make)` plays the same policy under another name",
                policy=name,
            )
        seen.add(name)
    return entries


def _name(entry: PolicyLike) -> str:
    """The name in tables: a specification without its spaces."""
    return entry.name if isinstance(entry, Contender) else "".join(_spec(entry).split()).removesuffix(":")


def _spec(entry: str | _native.Policy) -> str:
    return entry if isinstance(entry, str) else entry.spec


def _whole(key: str, value: float) -> int:
    # NaN and infinity fail this test too.
    if value % 1 != 0:
        raise ParamNotWhole(f"`{key}` must be a whole number of rounds, not {value}", key=key, value=value)
    return int(value)


def _check_arms(entries: list[PolicyLike], world: str | _native.Matrix, checkpoints: list[int]) -> None:
    """Checks that policy objects have as many arms as the world. The world is built only if there are any."""
    made = [entry for entry in entries if isinstance(entry, _native.Policy)]
    # A world needs at least one round; that error is raised elsewhere.
    if not made or not checkpoints or checkpoints[-1] < 1:
        return
    arms: int = world.arms if isinstance(world, _native.Matrix) else _native.world_info(world, checkpoints[-1])["arms"]
    for entry in made:
        if entry.arms != arms:
            raise PlayOtherArms(
                f"`{entry.spec}` was made for {entry.arms} arms, but the world has {arms}",
                hint=f"give its specification instead, which fits any number of arms: `\"{entry.spec}\"`",
                policy=entry.spec,
                arms=entry.arms,
                n_arms=arms,
            )


def _facts(sessions: _native.Sessions) -> dict[str, Any]:
    """The entries about the world that the native `play` returns."""
    return {
        "arms": sessions.arms,
        "best": sessions.best,
        "best_kind": sessions.best_kind,
        "best_name": sessions.best_name,
        "regret": sessions.regret,
    }


def _play_contender(
    entry: Contender, sessions: _native.Sessions, runs: int, checkpoints: list[int], tell: Tell | None
) -> PolicyResult:
    if runs < 1:
        raise PlayNoRuns("there must be at least one run")
    regret = np.empty((runs, len(checkpoints)))
    hit = np.empty((runs, len(checkpoints)), dtype=bool)
    for run in range(runs):
        policy = entry.make(sessions.arms, run)
        session = sessions.begin(run, binary=entry.binary)
        while not session.is_over:
            duel = policy.decide()
            left, right = _pair(entry.name, duel)
            outcome = session.duel(left, right)
            if outcome is not None:
                policy.update(duel, outcome)
            elif hasattr(policy, "void"):
                policy.void(duel)
        regret[run], hit[run] = session.curve
        if tell is not None:
            tell((run + 1) * checkpoints[-1], runs * checkpoints[-1])
    return PolicyResult(policy=entry.name, params={}, fixed_horizon=False, regret=regret, hit=hit)


def _pair(name: str, duel: Any) -> tuple[int, int]:
    try:
        left, right = (duel.left, duel.right) if hasattr(duel, "left") else duel
        return int(left), int(right)
    except (TypeError, ValueError, AttributeError):
        raise PolicyMisbehaved(f"`{name}` proposed {duel!r}, which is not a pair of arms") from None


@contextmanager
def telling(progress: Progress) -> Iterator[Tell | None]:
    """Yields the function to call with (rounds done, rounds in total), or `None`."""
    if progress is None:
        progress = sys.stderr is not None and (sys.stderr.isatty() or "ipykernel" in sys.modules)
    if not isinstance(progress, bool):
        yield progress
        return
    if not progress:
        yield None
        return
    from tqdm.auto import tqdm

    # Work that takes less than half a second needs no bar.
    with tqdm(unit=" rounds", unit_scale=True, delay=0.5, leave=False) as bar:

        def tell(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield tell
