"""What is known about policies and worlds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tiltyard import _native


@dataclass(frozen=True)
class Param:
    """A parameter."""

    key: str
    """Its key in specifications."""
    default: str
    """The default, as it would be typed, or in words."""
    legal: str
    """The legal values."""
    meaning: str
    """What it does."""


@dataclass(frozen=True)
class PolicyInfo:
    """The facts of a policy."""

    name: str
    """Its name in specifications."""
    title: str
    """One line."""
    assumptions: tuple[str, ...]
    """What it assumes of the world."""
    horizon: str | None
    """What it needs T for; `None` if no form of it does."""
    settles: str
    """Where its play ends up."""
    minimises: str
    """Which regret it is made for."""
    binary: bool
    """Whether it must be fed wins and losses only."""
    version: int
    """Raised whenever the same tickets and outcomes teach it something else."""
    cost: str
    """Time for a round, and memory."""
    params: tuple[Param, ...]
    """Its parameters."""
    reference: str
    """Where it was published."""
    page: str = field(repr=False)
    """All about it, in Markdown."""


@dataclass(frozen=True)
class WorldInfo:
    """The facts of a world."""

    name: str
    """The text that names it."""
    arms: int
    """How many arms it has."""
    best: int | None
    """The arm that regret is measured against; `None` in a continuous world, which has no arms."""
    best_kind: str
    """What makes it the best: Condorcet winner, Copeland winner, highest utility or best point."""
    regret: str
    """The regret that its paper uses."""
    names: tuple[str, ...] | None
    """What its arms are called."""
    utilities: bool
    """Whether it is made of utilities."""
    segments: tuple[tuple[int, int], ...]
    """Where it changes: the first round of each stretch, and the best arm in it."""
    title: str | None
    """One line, if it is built in."""
    provenance: str | None
    """Where it comes from, if it is built in."""
    params: tuple[Param, ...]
    """Its parameters."""


def policy_names() -> list[str]:
    """The names of all policies."""
    return _native.policy_names()


def policy_info(name: str) -> PolicyInfo:
    """The facts of a policy."""
    facts = _native.policy_info(name)
    params = tuple(Param(**param) for param in facts.pop("params"))
    return PolicyInfo(**{**facts, "params": params, "assumptions": tuple(facts["assumptions"])})


def world_names() -> list[str]:
    """The names of all built-in worlds."""
    return _native.world_names()


def world_info(text: str, rounds: int = 100_000) -> WorldInfo:
    """The facts of the world that a text names, in a run of so many rounds. It is made for that, which may take a while."""
    facts = _native.world_info(text, rounds)
    params = tuple(Param(**param) for param in facts.pop("params"))
    names = facts.pop("names")
    segments = tuple(tuple(part) for part in facts.pop("segments"))
    rest: dict[str, Any] = {"name": text, "params": params, "names": names and tuple(names), "segments": segments}
    return WorldInfo(**facts, **rest)


def regret_names() -> list[str]:
    """The names of all kinds of regret; each also exists as `dynamic-...`, against the best arm of each round."""
    return _native.regret_names()
