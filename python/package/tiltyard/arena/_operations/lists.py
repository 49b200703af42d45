"""Lists that the API sends in pages, and the log as it grows."""

from __future__ import annotations

from collections.abc import Iterable

from .. import _requests as requests
from .._call import Call, Flow, Pages, Ref, Stream
from .._codes import NoExperimentError
from .._errors import SeveralExperimentsError
from .._events import EventReader
from .._types import Arm, ArmInput, ArmStanding, Event, Experiment, ExperimentList, PairStanding

#: The largest page of the API.
PAGE = 1000


def experiments(*, name: str | None = None) -> Flow[Experiment]:
    """Iterate over all experiments, or those with a name."""
    return Pages(
        lambda after: requests.list_experiments(after=after, name=name, limit=PAGE),
        lambda page: page.experiments,
        lambda page: page.next,
    )


def find_experiment(name: str) -> Call[Experiment]:
    """Read the only experiment with this name.

    Raises `NoExperimentError` if no experiment has the name, and `SeveralExperimentsError` if several have it. Both are
    a `LookupError`.
    """

    def only(page: ExperimentList) -> Experiment:
        found = page.experiments
        if not found:
            raise NoExperimentError(f"no experiment is called `{name}`", hint="`experiments` lists all of them")
        if len(found) > 1:
            ids = " or ".join(each.id for each in found)
            raise SeveralExperimentsError(f"{len(found)} experiments are called `{name}`: use the id, {ids}")
        return found[0]

    return requests.list_experiments(name=name).then(only)


def arms(experiment: Ref) -> Flow[Arm]:
    """Iterate over all arms, including retired ones, in the order in which they were added."""
    return Pages(
        lambda first: requests.list_arms(experiment, from_=first, limit=PAGE),
        lambda page: page.arms,
        lambda page: page.next,
    )


def add_arms(experiment: Ref, arms: Iterable[str | ArmInput]) -> Call[tuple[Arm, ...]]:
    """Add arms. If the connection breaks, the request is not sent again.

    The policy must be elastic. A new arm starts with the log-mean of the current weights.
    """
    return requests.add_arms(experiment, arms).then(lambda page: page.arms)


def arm_standings(experiment: Ref) -> Flow[ArmStanding]:
    """Iterate over the standings of all arms, in the order in which they were added."""
    return Pages(
        lambda first: requests.standing(experiment, arms_from=first, limit=PAGE),
        lambda page: page.arms,
        lambda page: page.arms_next,
    )


def pairs(experiment: Ref) -> Flow[PairStanding]:
    """Iterate over all pairs that were compared."""
    return Pages(
        lambda after: requests.standing(experiment, pairs_after=after, limit=PAGE),
        lambda page: page.pairs,
        lambda page: page.pairs_next,
    )


def history(experiment: Ref, *, after: int = 0) -> Flow[Event]:
    """Iterate over the log, after a position."""
    return Pages(
        lambda after: requests.history(experiment, after=after, limit=PAGE),
        lambda page: page.events,
        lambda page: page.next,
        after,
    )


def watch(experiment: Ref, *, after: int | None = None) -> Flow[Event]:
    """Watch an experiment: yields every event of its log as it happens, without end.

    Begins after the position ``after``. The default is the end of the log when the first event is requested. If the
    connection breaks or the server restarts, it continues after the last event: no event is missed or repeated.
    """
    if after is not None:
        return Stream(EventReader(experiment, after))
    # Asks for the end of the log first. Otherwise, a stream that breaks before its first event
    # would lose its position.
    return Stream(requests.read_experiment(experiment).then(lambda found: EventReader(experiment, found.seq)))
