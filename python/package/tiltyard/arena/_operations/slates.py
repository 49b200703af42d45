"""Several arms shown together, and rankings of them."""

from __future__ import annotations

from typing import Any

from .._call import Call, Ref, path
from .._decode import reader
from .._encode import given
from .._inputs import Ranks, Time
from .._operation import operation
from .._types import Done, Slate
from .duels import done, fresh


class Slates:
    """Slates: duels of several arms."""

    @operation
    def slate(
        self, experiment: Ref, size: int, *, context: Any = None, client_id: str | None = None
    ) -> Call[Slate]:
        """Get several arms to show together, 3 to 20. ``client_id`` is as for `duels`."""
        body = given(size=size, context=context, client_id=fresh(client_id))
        return Call(
            "POST", path("/v1/experiments/{}/slates", experiment), reader(Slate), body=body, repeatable=True
        )

    @operation
    def rank(
        self,
        slate: Ref,
        ranking: Ranks | None = None,
        *,
        best: str | None = None,
        voter: str | None = None,
        time: Time | None = None,
    ) -> Call[Done]:
        """Rank the arms of a slate, best first, or name the best. A sequence within the ranking is a tie.

        Said again, the same is ``already`` and another raises `OutcomeContradictsError`.
        """
        body = given(ranking=ranking, best=best, voter=voter, time=time)
        return done("POST", path("/v1/duels/{}/ranking", slate), body)
