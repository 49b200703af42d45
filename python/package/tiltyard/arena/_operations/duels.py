"""Getting duels and answering them."""

from __future__ import annotations

import itertools
from collections.abc import Generator, Iterable
from dataclasses import replace
from typing import Any

from .. import _requests as requests
from .._call import Call, Plan, Ref
from .._inputs import Time
from .._types import Answer, Done, Duel, OutcomeInput, OutcomeResult

#: The most outcomes that the API takes at once.
MOST_OUTCOMES = 1000


def duel(
    experiment: Ref, *, distinct: bool | None = None, context: Any = None, client_id: str | None = None
) -> Call[Duel]:
    """Get a duel to show. The arguments are those of `duels`."""
    several = duels(experiment, 1, distinct=distinct, context=context, client_id=client_id)
    return several.then(lambda found: found[0])


def duels(
    experiment: Ref, count: int, *, distinct: bool | None = None, context: Any = None, client_id: str | None = None
) -> Call[tuple[Duel, ...]]:
    """Get duels to show, 1000 at most.

    ``distinct`` is whether the arms must differ, ``context`` whatever is to be kept with the duels.
    ``client_id`` is your name for the request: asked again, it gets the same duels. Left out, it is a fresh
    UUID, so that the client itself may ask again.
    """
    return requests.issue_duels(experiment, count=count, distinct=distinct, context=context, client_id=client_id)


def vote(duel: Ref, outcome: Answer, *, voter: str | None = None, time: Time | None = None) -> Call[Done]:
    """Say how a duel went: a word, or a score of how much better the left one is, from -1 to 1.

    Said again, the same is ``already`` and another outcome raises `OutcomeContradictsError`.
    """
    if isinstance(outcome, str):
        return requests.answer_duel(duel, outcome=outcome, voter=voter, time=time)
    return requests.answer_duel(duel, score=outcome, voter=voter, time=time)


def vote_many(outcomes: Iterable[OutcomeInput]) -> Plan[tuple[OutcomeResult, ...]]:
    """Say how several duels went, any number of them.

    Each is taken or refused on its own: look at ``status`` of the results, which are in the order of the
    outcomes. One that is ``unknown`` may be said again.
    """

    def steps() -> Generator[Call[Any], tuple[OutcomeResult, ...], tuple[OutcomeResult, ...]]:
        results: list[OutcomeResult] = []
        rest = iter(outcomes)
        while batch := list(itertools.islice(rest, MOST_OUTCOMES)):
            results += yield replace(requests.answer_duels(batch), repeatable=True)
        return tuple(results)

    return Plan(steps)
