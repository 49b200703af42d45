"""Lists that come in pages, and the log as it grows."""

from __future__ import annotations

from collections.abc import Iterable

from .. import _requests as requests
from .._call import Call, Flow, Pages, Ref, Stream
from .._codes import NoExperimentError
from .._errors import SeveralExperimentsError
from .._events import EventReader
from .._types import Arm, ArmInput, ArmStanding, Event, Experiment, ExperimentList, PairStanding

#: The most that the API gives at once.
PAGE = 1000


def experiments(*, name: str | None = None) -> Flow[Experiment]:
    """Go through all experiments, or those of a name."""
    return Pages(
        lambda after: requests.list_experiments(after=after, name=name, limit=PAGE),
        lambda page: page.experiments,
        lambda page: page.next,
    )


def find_experiment(name: str) -> Call[Experiment]:
    """Read the one experiment of this name.

    Raises `NoExperimentError` if there is none, `SeveralExperimentsError` if there are more: both are a `LookupError`.
    """

    def only(page: ExperimentList) -> Experiment:
        found = page.experiments
        if not found:
            raise NoExperimentError(f"no experiment is called `{name}`", hint="`experiments` lists all there are")
        if len(found) > 1:
            ids = " or ".join(each.id for each in found)
            raise SeveralExperimentsError(f"{len(found)} experiments are called `{name}`: name it by its id, {ids}")
        return found[0]

    return requests.list_experiments(name=name).then(only)


def arms(experiment: Ref) -> Flow[Arm]:
    """Go through all arms, retired ones included, in the order of coming in."""
    return Pages(
        lambda first: requests.list_arms(experiment, from_=first, limit=PAGE),
        lambda page: page.arms,
        lambda page: page.next,
    )


def add_arms(experiment: Ref, arms: Iterable[str | ArmInput]) -> Call[tuple[Arm, ...]]:
    """Bring arms in. If the connection breaks this is not sent again.

    The policy must be elastic; a new arm starts with the log-mean of the present weights.
    """
    return requests.add_arms(experiment, arms).then(lambda page: page.arms)


def arm_standings(experiment: Ref) -> Flow[ArmStanding]:
    """Go through the standings of all arms, in the order of coming in."""
    return Pages(
        lambda first: requests.standing(experiment, arms_from=first, limit=PAGE),
        lambda page: page.arms,
        lambda page: page.arms_next,
    )


def pairs(experiment: Ref) -> Flow[PairStanding]:
    """Go through all pairs that were compared."""
    return Pages(
        lambda after: requests.standing(experiment, pairs_after=after, limit=PAGE),
        lambda page: page.pairs,
        lambda page: page.pairs_next,
    )


def history(experiment: Ref, *, after: int = 0) -> Flow[Event]:
    """Go through the log, behind a place of it."""
    return Pages(
        lambda after: requests.history(experiment, after=after, limit=PAGE),
        lambda page: page.events,
        lambda page: page.next,
        after,
    )


def watch(experiment: Ref, *, after: int | None = None) -> Flow[Event]:
    """Watch an experiment: every event of its log as it happens, without end.

    Begins behind the place ``after``, or where the log is when the first event is asked for. If the connection
    breaks or the server is started anew, it goes on where it was: nothing is missed and nothing comes twice.
    """
    if after is not None:
        return Stream(EventReader(experiment, after))
    # Where the log is now: told by the server when it begins, it would be forgotten if the stream broke
    # before an event.
    return Stream(requests.read_experiment(experiment).then(lambda found: EventReader(experiment, found.seq)))
