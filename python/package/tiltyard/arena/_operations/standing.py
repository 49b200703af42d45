"""Where an experiment stands and what happened."""

from __future__ import annotations

from .._call import Call, Flow, Pages, Ref, Stream, path
from .._decode import reader
from .._events import EventReader
from .._inputs import Time
from .._operation import operation, series
from .._types import Event, Experiment, History
from .._verdicts import (
    ArmStanding,
    Evaluation,
    PairStanding,
    Ratings,
    SegmentList,
    Standing,
    VoterList,
)


class Standings:
    """What the votes say, and the log that they are in."""

    @operation
    def standing(
        self,
        experiment: Ref,
        *,
        arms_from: int | None = None,
        pairs_after: str | None = None,
        limit: int | None = None,
    ) -> Call[Standing]:
        """See where an experiment stands: the verdict, and some arms and pairs.

        ``limit`` is how many of either at most; 100 if left out.
        """
        return _standing(experiment, arms_from, pairs_after, limit)

    @series
    def arm_standings(self, experiment: Ref) -> Flow[ArmStanding]:
        """Go through the standings of all arms, in the order of coming in."""
        return Pages(
            _standing(experiment, 0, None, 1000),
            lambda said: said.arms,
            lambda said: (
                None if said.arms_next is None else _standing(experiment, said.arms_next, None, 1000)
            ),
        )

    @series
    def pairs(self, experiment: Ref) -> Flow[PairStanding]:
        """Go through all pairs that were compared."""
        return Pages(
            _standing(experiment, None, None, 1000),
            lambda said: said.pairs,
            lambda said: (
                None if said.pairs_next is None else _standing(experiment, None, said.pairs_next, 1000)
            ),
        )

    @operation
    def ratings(self, experiment: Ref) -> Call[Ratings]:
        """Put the arms on one scale (Bradley-Terry), or say why that cannot be."""
        return Call("GET", path("/v1/experiments/{}/ratings", experiment), reader(Ratings), repeatable=True)

    @operation
    def segments(
        self,
        experiment: Ref,
        key: str | None = None,
        *,
        value: str | None = None,
        since: Time | None = None,
        until: Time | None = None,
        limit: int | None = None,
    ) -> Call[SegmentList]:
        """See how parts of an experiment stand.

        Parts are told apart by a key of the duels' contexts (``user.country``), by time, or both.
        """
        query = {"key": key, "value": value, "since": since, "until": until, "limit": limit}
        where = path("/v1/experiments/{}/segments", experiment)
        return Call("GET", where, reader(SegmentList), query, repeatable=True)

    @operation
    def voters(
        self, experiment: Ref, *, voter: str | None = None, limit: int | None = None
    ) -> Call[VoterList]:
        """See how far voters agree with the others. Those who stand out come first."""
        query = {"voter": voter, "limit": limit}
        return Call(
            "GET", path("/v1/experiments/{}/voters", experiment), reader(VoterList), query, repeatable=True
        )

    @operation
    def evaluation(
        self,
        experiment: Ref,
        *,
        policy: str | None = None,
        arm: str | None = None,
        against: str | None = None,
    ) -> Call[Evaluation]:
        """See what another policy, or one arm, would have scored on the experiment's traffic.

        This reads the whole log.
        ``against`` is ``policy`` (what the experiment's policy drew; this holds if nothing is said),
        ``uniform``, or ``arm:NAME``.
        """
        query = {"policy": policy, "arm": arm, "against": against}
        where = path("/v1/experiments/{}/evaluation", experiment)
        return Call("GET", where, reader(Evaluation), query, repeatable=True)

    @series
    def history(self, experiment: Ref, *, after: int = 0) -> Flow[Event]:
        """Go through the log, behind a place of it."""

        def page(after: int) -> Call[History]:
            query = {"limit": 1000, "after": after}
            return Call(
                "GET", path("/v1/experiments/{}/history", experiment), reader(History), query, repeatable=True
            )

        return Pages(
            page(after), lambda said: said.events, lambda said: None if said.next is None else page(said.next)
        )

    @series
    def watch(self, experiment: Ref, *, after: int | None = None) -> Flow[Event]:
        """Watch an experiment: every event of its log as it happens, without end.

        Begins behind the place ``after``, or where the log is when the first event is asked for. If the
        connection breaks or the server is started anew, it goes on where it was: nothing is missed and
        nothing comes twice.
        """
        where = path("/v1/experiments/{}/events", experiment)
        if after is not None:
            return Stream(EventReader(where, after))
        # Where the log is now: told by the server when it begins, it would be forgotten if the stream broke
        # before an event.
        read = reader(Experiment)
        begin = path("/v1/experiments/{}", experiment)
        return Stream(Call("GET", begin, lambda said: EventReader(where, read(said).seq), repeatable=True))


def _standing(
    experiment: Ref, arms_from: int | None, pairs_after: str | None, limit: int | None
) -> Call[Standing]:
    query = {"arms_from": arms_from, "pairs_after": pairs_after, "limit": limit}
    return Call(
        "GET", path("/v1/experiments/{}/standing", experiment), reader(Standing), query, repeatable=True
    )
