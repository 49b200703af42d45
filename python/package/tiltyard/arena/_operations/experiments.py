"""Making, reading and changing experiments, their arms and their apprentices."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from .._call import Call, Flow, Pages, Ref, path
from .._decode import reader
from .._encode import given
from .._errors import NoExperimentError, SeveralExperimentsError
from .._inputs import ArmInput, SettingsInput
from .._operation import operation, series
from .._types import Apprentice, Arm, ArmList, Digest, Done, DoneView, Experiment, ExperimentList

_ONE = "/v1/experiments/{}"
_ARMS = "/v1/experiments/{}/arms"
_APPRENTICE = "/v1/experiments/{}/apprentice"


class Experiments:
    """Experiments. Wherever one is asked for, its id does, or the experiment itself."""

    @operation
    def create_experiment(
        self,
        name: str,
        arms: Iterable[str | ArmInput],
        *,
        policy: str | None = None,
        settings: SettingsInput | None = None,
    ) -> Call[Experiment]:
        """Make an experiment with these arms.

        The policy is ``name`` or ``name:key=value,...``; ``rex3`` if left out. If the connection breaks this
        is not sent again, since two experiments would come of it.
        """
        body = given(name=name, arms=list(arms), policy=policy, settings=settings)
        return Call("POST", "/v1/experiments", reader(Experiment), body=body)

    @series
    def experiments(self, *, name: str | None = None) -> Flow[Experiment]:
        """Go through all experiments, or those of a name."""

        def page(after: str | None) -> Call[ExperimentList]:
            query = {"limit": 1000, "name": name, "after": after}
            return Call("GET", "/v1/experiments", reader(ExperimentList), query, repeatable=True)

        return Pages(
            page(None), lambda said: said.experiments, lambda said: page(said.next) if said.next else None
        )

    @operation
    def experiment(self, experiment: Ref) -> Call[Experiment]:
        """Read an experiment."""
        return Call("GET", path(_ONE, experiment), reader(Experiment), repeatable=True)

    @operation
    def find_experiment(self, name: str) -> Call[Experiment]:
        """Read the one experiment of this name.

        Raises `NoExperimentError` if there is none, `SeveralExperimentsError` if there are more: both are a `LookupError`.
        """

        def only(said: Any) -> Experiment:
            found = reader(ExperimentList)(said).experiments
            if not found:
                raise NoExperimentError(f"no experiment is called `{name}`", hint="`experiments` lists all there are")
            if len(found) > 1:
                ids = " or ".join(each.id for each in found)
                raise SeveralExperimentsError(f"{len(found)} experiments are called `{name}`: name it by its id, {ids}")
            return found[0]

        return Call("GET", "/v1/experiments", only, {"name": name}, repeatable=True)

    @operation
    def pause_experiment(self, experiment: Ref) -> Call[Experiment]:
        """Pause an experiment: no duels, but outcomes of those in flight."""
        return _become("pause", experiment)

    @operation
    def resume_experiment(self, experiment: Ref) -> Call[Experiment]:
        """Let a paused experiment run again."""
        return _become("resume", experiment)

    @operation
    def close_experiment(self, experiment: Ref) -> Call[Experiment]:
        """Close an experiment for good: neither duels nor outcomes.

        Pause it first to wait for outcomes of duels in flight.
        """
        return _become("close", experiment)

    @operation
    def digest(self, experiment: Ref) -> Call[Digest]:
        """A fingerprint of the state, to compare with what ``tiltyard verify`` finds in a copy."""
        return Call("GET", path("/v1/experiments/{}/digest", experiment), reader(Digest), repeatable=True)

    @series
    def arms(self, experiment: Ref) -> Flow[Arm]:
        """Go through all arms, retired ones included, in the order of coming in."""

        def page(first: int) -> Call[ArmList]:
            query = {"limit": 1000, "from": first}
            return Call("GET", path(_ARMS, experiment), reader(ArmList), query, repeatable=True)

        return Pages(
            page(0), lambda said: said.arms, lambda said: None if said.next is None else page(said.next)
        )

    @operation
    def add_arms(self, experiment: Ref, arms: Iterable[str | ArmInput]) -> Call[tuple[Arm, ...]]:
        """Bring arms in. If the connection breaks this is not sent again.

        The policy must be elastic; a new arm starts with the log-mean of the present weights.
        """
        read = reader(ArmList)
        return Call("POST", path(_ARMS, experiment), lambda said: read(said).arms, body={"arms": list(arms)})

    @operation
    def retire_arm(self, experiment: Ref, arm: str | Arm) -> Call[Arm]:
        """Retire an arm: it is no longer proposed. Outcomes of its duels in flight are still taken."""
        return Call("POST", path(_ARMS + "/{}/retire", experiment, _arm(arm)), reader(Arm))

    @operation
    def restore_arm(self, experiment: Ref, arm: str | Arm) -> Call[Arm]:
        """Bring a retired arm back, with what was learned of it."""
        return Call("POST", path(_ARMS + "/{}/restore", experiment, _arm(arm)), reader(Arm))

    @operation
    def apprentice(self, experiment: Ref) -> Call[Apprentice]:
        """See how the apprentice does."""
        return Call("GET", path(_APPRENTICE, experiment), reader(Apprentice), repeatable=True)

    @operation
    def begin_apprentice(self, experiment: Ref, policy: str) -> Call[Apprentice]:
        """Let another policy learn from every outcome, without drawing a duel."""
        return Call("POST", path(_APPRENTICE, experiment), reader(Apprentice), body={"policy": policy})

    @operation
    def promote_apprentice(self, experiment: Ref) -> Call[Experiment]:
        """Let the apprentice draw the duels from now on, with what it has learned."""
        return Call("POST", path(_APPRENTICE + "/take-over", experiment), reader(Experiment))

    @operation
    def dismiss_apprentice(self, experiment: Ref) -> Call[Done]:
        """Send the apprentice away."""
        read = reader(DoneView)
        return Call("DELETE", path(_APPRENTICE, experiment), lambda said: read(said).status)


def _become(what: Literal["pause", "resume", "close"], experiment: Ref) -> Call[Experiment]:
    return Call("POST", path(_ONE + "/" + what, experiment), reader(Experiment), repeatable=True)


def _arm(arm: str | Arm) -> str:
    return arm if isinstance(arm, str) else arm.name
