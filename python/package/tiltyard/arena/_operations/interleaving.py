"""Merging the lists of two rankers, and credit for clicks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .._call import Call, Ref, path
from .._decode import reader
from .._encode import given
from .._inputs import Time
from .._operation import operation
from .._types import Done, Interleaving
from .duels import done, fresh


class Interleavings:
    """Arms that are rankers: nobody is asked, and clicks on a merged list are the vote."""

    @operation
    def interleave(
        self,
        experiment: Ref,
        *,
        lists: Mapping[str, Sequence[str]] | None = None,
        method: str | None = None,
        length: int | None = None,
        context: Any = None,
        client_id: str | None = None,
    ) -> Call[Interleaving]:
        """Draw two rankers.

        With the lists of all arms, best first, the merged list comes back at once; without, the names of
        those to ``run``, whose lists go to `merge_lists`. ``client_id`` is as for `duels`.
        """
        body = given(lists=lists, method=method, length=length, context=context, client_id=fresh(client_id))
        where = path("/v1/experiments/{}/interleave", experiment)
        return Call("POST", where, reader(Interleaving), body=body, repeatable=True)

    @operation
    def merge_lists(
        self,
        duel: Ref,
        lists: Mapping[str, Sequence[str]],
        *,
        method: str | None = None,
        length: int | None = None,
    ) -> Call[Interleaving]:
        """Bring the lists of a duel's rankers. The same lists again give the same merged list."""
        body = given(lists=lists, method=method, length=length)
        return Call(
            "POST", path("/v1/duels/{}/lists", duel), reader(Interleaving), body=body, repeatable=True
        )

    @operation
    def click(
        self,
        duel: Ref,
        positions: Iterable[int] | None = None,
        *,
        documents: Iterable[str] | None = None,
        voter: str | None = None,
        time: Time | None = None,
    ) -> Call[Done]:
        """Say what was clicked in a merged list, by positions from 1 or by documents: that is the outcome.

        Do say when nothing was clicked (``[]``, a tie), or only users who click are heard.
        """
        body = given(
            clicks=None if positions is None else list(positions),
            documents=None if documents is None else list(documents),
            voter=voter,
            time=time,
        )
        return done("POST", path("/v1/duels/{}/clicks", duel), body)
