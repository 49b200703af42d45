"""Policies by name, and the arguments that all of them have."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict, TypeVar

from tiltyard._native import Policy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tiltyard.types import Ties, Value

P = TypeVar("P", bound=Policy)


class Common(TypedDict, total=False):
    """Arguments of every policy."""

    seed: int
    """The seed of the policy's random numbers [1]. The same seed gives the same duels in Rust."""
    rounds: int | None
    """The horizon T, for parameters that use it [unknown]."""
    run: int | None
    """The number of a run: the policy then decides as in that run of `tiltyard.play` with this seed [no run]."""
    ties: Ties
    """How a policy that accepts only wins and losses handles ties: `"refuse"` raises an error, `"coin"` breaks them at
    random [refuse]."""


def policy(
    spec: str,
    arms: int,
    *,
    seed: int = 1,
    rounds: int | None = None,
    run: int | None = None,
    ties: Ties = "refuse",
) -> Policy:
    """Makes the policy that a specification names, as an instance of its class.

    >>> tiltyard.policy("rex3:gamma=0.05", arms=10)
    Rex3(arms=10, gamma=0.05, seed=1)
    """
    # Imported here, because that module imports this one.
    from tiltyard.policies import CLASSES

    known = CLASSES.get(spec.partition(":")[0].strip(), Policy)
    return Policy.__new__(known, spec, arms=arms, seed=seed, rounds=rounds, run=run, ties=ties)


def new(cls: type[P], name: str, arms: int, common: Common, params: Mapping[str, Value]) -> P:
    """Makes a policy of a class from its keywords. For unknown keywords, the registry's error suggests the right one."""
    told = dict(common)
    known = {key: told.pop(key) for key in Common.__annotations__ if key in told}
    given = [(key, value) for key, value in [*params.items(), *told.items()] if value is not None]
    spec = name + (":" if given else "") + ",".join(f"{key}={_text(value)}" for key, value in given)
    return Policy.__new__(cls, spec, arms=arms, **known)  # type: ignore[arg-type]


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
