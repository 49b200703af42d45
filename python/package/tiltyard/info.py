"""Metadata of policies and worlds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tiltyard import _native


@dataclass(frozen=True)
class Param:
    """A parameter of a policy or of a world."""

    key: str
    """Its key in specifications."""
    default: str
    """The default value, as you would type it, or a description of it."""
    legal: str
    """The allowed values."""
    meaning: str
    """The effect of the parameter."""


@dataclass(frozen=True)
class PolicyInfo:
    """Metadata of a policy."""

    name: str
    """Its name in specifications."""
    title: str
    """A one-line description."""
    assumptions: tuple[str, ...]
    """The assumptions it makes about the world."""
    horizon: str | None
    """Why it needs the horizon T; `None` if no variant needs it."""
    settles: str
    """The long-run behaviour: plays the best pair, keeps the best arm in one slot, keeps exploring, or never learns."""
    minimises: str
    """The kind of regret it is designed to minimise."""
    binary: bool
    """Whether it accepts only wins and losses, no ties or scores."""
    version: int
    """Increases whenever the policy learns differently from the same tickets and outcomes."""
    cost: str
    """Time per round, and memory."""
    params: tuple[Param, ...]
    """Its parameters."""
    reference: str
    """The publication that describes it."""
    page: str = field(repr=False)
    """Its full documentation page, in Markdown."""


@dataclass(frozen=True)
class WorldInfo:
    """Metadata of a world."""

    name: str
    """The specification it was made from, such as `"arxiv6"`."""
    arms: int
    """The number of arms."""
    best: int | None
    """The arm that regret is measured against; `None` in a continuous world, which has no arms."""
    best_kind: str
    """Why that arm is the best: Condorcet winner, Copeland winner, highest utility or best point."""
    regret: str
    """The kind of regret that the paper of this world uses."""
    names: tuple[str, ...] | None
    """The names of the arms."""
    utilities: bool
    """Whether preferences are derived from utilities."""
    segments: tuple[tuple[int, int], ...]
    """The change points: the first round of each segment, and the best arm in that segment."""
    title: str | None
    """A one-line description, for built-in worlds."""
    provenance: str | None
    """The source of its data, for built-in worlds."""
    params: tuple[Param, ...]
    """Its parameters."""


def policy_names() -> list[str]:
    """Returns the names of all policies."""
    return _native.policy_names()


def policy_info(name: str) -> PolicyInfo:
    """Returns the metadata of a policy."""
    facts = _native.policy_info(name)
    params = tuple(Param(**param) for param in facts.pop("params"))
    return PolicyInfo(**{**facts, "params": params, "assumptions": tuple(facts["assumptions"])})


def world_names() -> list[str]:
    """Returns the names of all built-in worlds."""
    return _native.world_names()


def world_info(text: str, rounds: int = 100_000) -> WorldInfo:
    """Returns the metadata of a world, for runs of `rounds` rounds.

    The world is built to find them out, which can take a while.
    """
    facts = _native.world_info(text, rounds)
    params = tuple(Param(**param) for param in facts.pop("params"))
    names = facts.pop("names")
    segments = tuple(tuple(part) for part in facts.pop("segments"))
    rest: dict[str, Any] = {"name": text, "params": params, "names": names and tuple(names), "segments": segments}
    return WorldInfo(**facts, **rest)


def regret_names() -> list[str]:
    """Returns the names of all kinds of regret.

    Each kind also has a variant `dynamic-...`, which compares with the best arm of each round.
    """
    return _native.regret_names()
