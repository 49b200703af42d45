"""Getting duels and answering them."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Callable, Generator, Iterable
from typing import Any, TypeVar

from .._call import Call, Plan, Ref, name_of, path
from .._decode import reader
from .._encode import given
from .._inputs import Answer, OutcomeInput, Time
from .._operation import operation
from .._types import Done, DoneView, Duel, DuelList, DuelState, OutcomeResult, OutcomeResults
from .._verdicts import Voided

T = TypeVar("T")

#: The most outcomes that the API takes at once.
MOST_OUTCOMES = 1000


class Duels:
    """Duels. Wherever one is asked for, its id does, or the duel itself."""

    @operation
    def duel(
        self,
        experiment: Ref,
        *,
        distinct: bool | None = None,
        context: Any = None,
        client_id: str | None = None,
    ) -> Call[Duel]:
        """Get a duel to show. The arguments are those of `duels`."""
        return _issue(experiment, 1, distinct, context, client_id, lambda duels: duels[0])

    @operation
    def duels(
        self,
        experiment: Ref,
        count: int,
        *,
        distinct: bool | None = None,
        context: Any = None,
        client_id: str | None = None,
    ) -> Call[tuple[Duel, ...]]:
        """Get duels to show, 1000 at most.

        ``distinct`` is whether the arms must differ, ``context`` whatever is to be kept with the duels.
        ``client_id`` is your name for the request: asked again, it gets the same duels. Left out, it is a
        fresh UUID, so that the client itself may ask again.
        """
        return _issue(experiment, count, distinct, context, client_id, lambda duels: duels)

    @operation
    def read_duel(self, duel: Ref) -> Call[DuelState]:
        """See where a duel stands."""
        return Call("GET", path("/v1/duels/{}", duel), reader(DuelState), repeatable=True)

    @operation
    def shown(self, duel: Ref) -> Call[Done]:
        """Say that a duel was shown."""
        return done("POST", path("/v1/duels/{}/shown", duel))

    @operation
    def vote(
        self, duel: Ref, outcome: Answer, *, voter: str | None = None, time: Time | None = None
    ) -> Call[Done]:
        """Say how a duel went: a word, or a score of how much better the left one is, from -1 to 1.

        Said again, the same is ``already`` and another outcome raises `OutcomeContradictsError`.
        """
        said = {"outcome": outcome} if isinstance(outcome, str) else {"score": outcome}
        return done("POST", path("/v1/duels/{}/outcome", duel), said | given(voter=voter, time=time))

    @operation
    def vote_many(self, outcomes: Iterable[OutcomeInput]) -> Plan[tuple[OutcomeResult, ...]]:
        """Say how several duels went, any number of them.

        Each is taken or refused on its own: look at ``status`` of the results, which are in the order of the
        outcomes. One that is ``unknown`` may be said again.
        """

        def steps() -> Generator[Call[OutcomeResults], OutcomeResults, tuple[OutcomeResult, ...]]:
            results: list[OutcomeResult] = []
            rest = iter(outcomes)
            while batch := list(itertools.islice(rest, MOST_OUTCOMES)):
                said = yield Call(
                    "POST", "/v1/outcomes", reader(OutcomeResults), body={"outcomes": batch}, repeatable=True
                )
                results.extend(said.results)
            return tuple(results)

        return Plan(steps)

    @operation
    def void_duel(self, duel: Ref) -> Call[Done]:
        """Void a duel and its outcome, if it has one. The log keeps both."""
        return done("DELETE", path("/v1/duels/{}", duel))

    @operation
    def void_votes(
        self, experiment: Ref, voter: str, *, since: Time | None = None, dry_run: bool = False
    ) -> Call[Voided]:
        """Void all votes of a voter, or with ``dry_run`` only tell how many and what would change."""
        body = given(voter=voter, since=since, dry_run=dry_run)
        return Call(
            "POST", path("/v1/experiments/{}/void", experiment), reader(Voided), body=body, repeatable=True
        )


def done(method: str, path: str, body: dict[str, Any] | None = None) -> Call[Done]:
    """Something that is recorded once, however often it is said."""
    read = reader(DoneView)
    return Call(method, path, lambda said: read(said).status, body=body, repeatable=True)


def fresh(client_id: str | None) -> str:
    """A name for a request, one that nobody can guess: whoever asks with it gets the same duels."""
    return str(uuid.uuid4()) if client_id is None else client_id


def _issue(
    experiment: Ref,
    count: int,
    distinct: bool | None,
    context: Any,
    client_id: str | None,
    chosen: Callable[[tuple[Duel, ...]], T],
) -> Call[T]:
    read = reader(DuelList)
    body = given(count=count, distinct=distinct, context=context, client_id=fresh(client_id))
    where = path("/v1/experiments/{}/duels", name_of(experiment))
    return Call("POST", where, lambda said: chosen(read(said).duels), body=body, repeatable=True)
