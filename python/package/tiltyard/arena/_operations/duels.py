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

#: The most outcomes that the API accepts at once.
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

    ``distinct`` says whether the two arms must differ, and ``context`` is any data to store with the duels.
    ``client_id`` is your own id for the request: a repeated request with the same id gets the same duels. The default
    is a new UUID, so that the client itself can repeat the request.
    """
    return requests.issue_duels(experiment, count=count, distinct=distinct, context=context, client_id=client_id)


def vote(duel: Ref, outcome: Answer, *, voter: str | None = None, time: Time | None = None) -> Call[Done]:
    """Answer a duel with a word, or with a score from -1 to 1 that says how much better the left arm is.

    The same outcome may be sent again and returns ``already``. A different one raises `OutcomeContradictsError`.
    """
    if isinstance(outcome, str):
        return requests.answer_duel(duel, outcome=outcome, voter=voter, time=time)
    return requests.answer_duel(duel, score=outcome, voter=voter, time=time)


def vote_many(outcomes: Iterable[OutcomeInput]) -> Plan[tuple[OutcomeResult, ...]]:
    """Answer any number of duels.

    Each outcome is accepted or refused separately. The results are in the order of the outcomes; check their
    ``status``. An outcome that is ``unknown`` may be sent again.
    """

    def steps() -> Generator[Call[Any], tuple[OutcomeResult, ...], tuple[OutcomeResult, ...]]:
        results: list[OutcomeResult] = []
        rest = iter(outcomes)
        while batch := list(itertools.islice(rest, MOST_OUTCOMES)):
            results += yield replace(requests.answer_duels(batch), repeatable=True)
        return tuple(results)

    return Plan(steps)
