"""The requests of the API, under the names of its operations.

Written by `cargo xtask docs` (python/wire.py) from docs/openapi.json.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from ._call import Call, Ref, as_it_is, name_of, path
from ._decode import reader
from ._encode import fresh, given, listed
from ._inputs import Ranks, Time
from ._types import (
    Apprentice,
    Arm,
    ArmInput,
    ArmList,
    Digest,
    Done,
    DoneView,
    Duel,
    DuelList,
    DuelState,
    Evaluation,
    Experiment,
    ExperimentList,
    Health,
    History,
    Import,
    Interleaving,
    Key,
    KeyList,
    NewKey,
    Outcome,
    OutcomeInput,
    OutcomeResult,
    OutcomeResults,
    Ratings,
    Scope,
    SegmentList,
    SettingsInput,
    Slate,
    Standing,
    Voided,
    VoteInput,
    VoterList,
)


def add_arms(experiment: Ref, arms: Iterable[str | ArmInput]) -> Call[ArmList]:
    """Bring arms in.

    The policy must be elastic; a new arm starts with the log-mean of the present weights.

    Args:
        arms: The arms.
    """
    body = given(arms=listed(arms))
    return Call("POST", path("/v1/experiments/{}/arms", experiment), reader(ArmList), body=body)


def answer_duel(
    duel: Ref,
    *,
    outcome: Outcome | None = None,
    score: float | None = None,
    time: Time | None = None,
    voter: str | None = None,
) -> Call[Done]:
    """Say how a duel went. Said again, the same is fine and another outcome is refused.

    Args:
        outcome: The outcome in a word.
        score: How much better the left one is, from -1 to 1.
        time: When that was, by your clock.
        voter: Who says so.
    """
    body = given(outcome=outcome, score=score, time=time, voter=voter)
    return Call(
        "POST",
        path("/v1/duels/{}/outcome", duel),
        reader(DoneView),
        body=body,
    ).then(lambda said: said.status)


def answer_duels(outcomes: Iterable[OutcomeInput]) -> Call[tuple[OutcomeResult, ...]]:
    """Say how several duels went. Each is taken or refused on its own.

    Args:
        outcomes: At most 1000.
    """
    body = given(outcomes=listed(outcomes))
    return Call(
        "POST",
        "/v1/outcomes",
        reader(OutcomeResults),
        body=body,
    ).then(lambda said: said.results)


def begin_apprentice(experiment: Ref, policy: str) -> Call[Apprentice]:
    """Let another policy learn from every outcome, without drawing a duel.

    Args:
        policy: The policy, as `name` or `name:key=value,...`.
    """
    body = given(policy=policy)
    return Call(
        "POST",
        path("/v1/experiments/{}/apprentice", experiment),
        reader(Apprentice),
        body=body,
    )


def click(
    duel: Ref,
    positions: Iterable[int] | None = None,
    *,
    documents: Iterable[str] | None = None,
    time: Time | None = None,
    voter: str | None = None,
) -> Call[Done]:
    """Say what was clicked in a merged list: that is the outcome of its duel.

    Said again, the same is fine and other clicks are refused. Say so too when nothing was
    clicked, or only users who click are heard.

    Args:
        positions: Positions in the merged list, counted from 1.
        documents: Documents of the merged list.
        time: When that was, by your clock.
        voter: Who clicked.
    """
    body = given(clicks=listed(positions), documents=listed(documents), time=time, voter=voter)
    return Call(
        "POST",
        path("/v1/duels/{}/clicks", duel),
        reader(DoneView),
        body=body,
    ).then(lambda said: said.status)


def close_experiment(experiment: Ref) -> Call[Experiment]:
    """Close an experiment for good: neither duels nor outcomes.

    Pause it first to wait for outcomes of duels in flight.
    """
    return Call("POST", path("/v1/experiments/{}/close", experiment), reader(Experiment))


def create_experiment(
    name: str,
    arms: Iterable[str | ArmInput],
    *,
    policy: str | None = None,
    settings: SettingsInput | None = None,
) -> Call[Experiment]:
    """Make an experiment.

    Args:
        name: What people call it.
        arms: What is compared: two arms or more.
        policy: The policy, as `name:key=value,...`; `tiltyard policy list` shows all. Default:
            `rex3`.
        settings: What differs from the defaults.
    """
    body = given(name=name, arms=listed(arms), policy=policy, settings=settings)
    return Call("POST", "/v1/experiments", reader(Experiment), body=body)


def digest(experiment: Ref) -> Call[Digest]:
    """A fingerprint of an experiment's state, to compare with what `tiltyard verify` finds in a
    copy.
    """
    return Call(
        "GET",
        path("/v1/experiments/{}/digest", experiment),
        reader(Digest),
        repeatable=True,
    )


def dismiss_apprentice(experiment: Ref) -> Call[Done]:
    """Send the apprentice away."""
    return Call(
        "DELETE",
        path("/v1/experiments/{}/apprentice", experiment),
        reader(DoneView),
    ).then(lambda said: said.status)


def export_votes(
    experiment: Ref,
    *,
    format: Literal["csv", "jsonl"] | None = None,
    after: int | None = None,
) -> Call[Any]:
    """Read all votes that count, in the order of the log up to where it is now.

    The body is chunked; one that ends without its last chunk is not whole.

    Args:
        format: How they are written down; `csv`.
        after: Only those recorded behind this place of the log; 0.
    """
    query = {"format": format, "after": after}
    return Call(
        "GET",
        path("/v1/experiments/{}/votes", experiment),
        as_it_is,
        query,
        repeatable=True,
    )


def healthz() -> Call[Health]:
    """See that the process lives, and which version it is."""
    return Call("GET", "/healthz", reader(Health), repeatable=True)


def history(
    experiment: Ref,
    *,
    after: int | None = None,
    limit: int | None = None,
) -> Call[History]:
    """Read what happened, from the log.

    Args:
        after: Go on behind this place; 0.
        limit: How many events at most; 100.
    """
    query = {"after": after, "limit": limit}
    return Call(
        "GET",
        path("/v1/experiments/{}/history", experiment),
        reader(History),
        query,
        repeatable=True,
    )


def import_votes(
    experiment: Ref,
    client_id: str,
    source: str,
    votes: Iterable[VoteInput],
) -> Call[Import]:
    """Bring votes in that were given elsewhere.

    They count like others, and are counted apart; they have no duel.

    Args:
        client_id: Your name for this request: said again, it is done once.
        source: Where they are from, such as the name of a file.
        votes: From 1 to 1000 votes; all of them are taken or none.
    """
    body = given(client_id=client_id, source=source, votes=listed(votes))
    return Call(
        "POST",
        path("/v1/experiments/{}/votes", experiment),
        reader(Import),
        body=body,
        repeatable=True,
    )


def interleave(
    experiment: Ref,
    *,
    client_id: str | None = None,
    context: Any = None,
    length: int | None = None,
    lists: Mapping[str, Sequence[str]] | None = None,
    method: str | None = None,
) -> Call[Interleaving]:
    """Draw two rankers.

    With the lists of all of them the merged list comes back at once; without, the names of
    those to run.

    Args:
        client_id: Your name for this request: asked again, it gets the same duel and the same list.
        context: Whatever is to be kept with the duel, such as the query; at most 16 KiB.
        length: How long the merged list may be; 10.
        lists: The lists of all arms that are not retired, best first. Without them the answer says
            which rankers to run.
        method: How lists are merged: `team-draft`, `balanced`, `probabilistic`, `optimized`, with
            parameters as in `probabilistic:tau=1`; team draft.
    """
    body = given(
        client_id=fresh(client_id),
        context=context,
        length=length,
        lists=lists,
        method=method,
    )
    return Call(
        "POST",
        path("/v1/experiments/{}/interleave", experiment),
        reader(Interleaving),
        body=body,
        repeatable=True,
    )


def issue_duels(
    experiment: Ref,
    *,
    client_id: str | None = None,
    context: Any = None,
    count: int | None = None,
    distinct: bool | None = None,
) -> Call[tuple[Duel, ...]]:
    """Get duels to show.

    Args:
        client_id: Your name for this request: asked again, it gets the same duels.
        context: Whatever is to be kept with the duels; at most 16 KiB.
        count: How many; 1.
        distinct: Whether the arms must differ; what the settings say.
    """
    body = given(client_id=fresh(client_id), context=context, count=count, distinct=distinct)
    return Call(
        "POST",
        path("/v1/experiments/{}/duels", experiment),
        reader(DuelList),
        body=body,
        repeatable=True,
    ).then(lambda said: said.duels)


def issue_slate(
    experiment: Ref,
    size: int,
    *,
    client_id: str | None = None,
    context: Any = None,
) -> Call[Slate]:
    """Get several arms to show together, 3 to 20.

    Args:
        size: How many arms; no more than the experiment has that are not retired.
        client_id: Your name for this request: asked again, it gets the same slate.
        context: Whatever is to be kept with the slate; at most 16 KiB.
    """
    body = given(size=size, client_id=fresh(client_id), context=context)
    return Call(
        "POST",
        path("/v1/experiments/{}/slates", experiment),
        reader(Slate),
        body=body,
        repeatable=True,
    )


def list_arms(
    experiment: Ref,
    *,
    from_: int | None = None,
    limit: int | None = None,
) -> Call[ArmList]:
    """List arms.

    Args:
        from_: The first arm, by index; 0.
        limit: How many at most; 100.
    """
    query = {"from": from_, "limit": limit}
    return Call(
        "GET",
        path("/v1/experiments/{}/arms", experiment),
        reader(ArmList),
        query,
        repeatable=True,
    )


def list_experiments(
    *,
    after: str | None = None,
    name: str | None = None,
    limit: int | None = None,
) -> Call[ExperimentList]:
    """List experiments.

    Args:
        after: Go on behind this experiment.
        name: Only those of this name.
        limit: How many at most; 100.
    """
    query = {"after": after, "name": name, "limit": limit}
    return Call("GET", "/v1/experiments", reader(ExperimentList), query, repeatable=True)


def list_keys() -> Call[tuple[Key, ...]]:
    """List keys, without their secrets."""
    return Call("GET", "/v1/keys", reader(KeyList), repeatable=True).then(lambda said: said.keys)


def make_key(
    scope: Scope,
    *,
    experiment: Ref | None = None,
    expires_at: Time | None = None,
    label: str | None = None,
) -> Call[NewKey]:
    """Make a key. It is shown this once.

    Args:
        scope: What it is good for.
        experiment: The one experiment that it is good for; needed for `voter`.
        expires_at: From when on it is good for nothing.
        label: Whose it is.
    """
    body = given(
        scope=scope,
        experiment=None if experiment is None else name_of(experiment),
        expires_at=expires_at,
        label=label,
    )
    return Call("POST", "/v1/keys", reader(NewKey), body=body)


def merge_lists(
    duel: Ref,
    lists: Mapping[str, Sequence[str]],
    *,
    length: int | None = None,
    method: str | None = None,
) -> Call[Interleaving]:
    """Bring the lists of a duel's rankers. The same lists again give the same merged list.

    Args:
        lists: At least the lists of the duel's rankers, best first; at most 1000 documents each.
        length: How long the merged list may be; what was said when the duel was drawn, or 10.
        method: How they are merged; what was said when the duel was drawn, or team draft.
    """
    body = given(lists=lists, length=length, method=method)
    return Call("POST", path("/v1/duels/{}/lists", duel), reader(Interleaving), body=body)


def pause_experiment(experiment: Ref) -> Call[Experiment]:
    """Pause an experiment: no duels, but outcomes of those in flight."""
    return Call("POST", path("/v1/experiments/{}/pause", experiment), reader(Experiment))


def promote_apprentice(experiment: Ref) -> Call[Experiment]:
    """Let the apprentice draw the duels from now on, with what it has learned."""
    return Call(
        "POST",
        path("/v1/experiments/{}/apprentice/take-over", experiment),
        reader(Experiment),
    )


def rank_slate(
    slate: Ref,
    ranking: Ranks | None = None,
    *,
    best: str | None = None,
    time: Time | None = None,
    voter: str | None = None,
) -> Call[Done]:
    """Rank the arms of a slate, best first, or name the best.

    Said again, the same is fine and another is refused.

    Args:
        best: The best arm of the slate.
        ranking: Every arm of the slate, best first; a list within it holds arms that are equally
            good.
        time: When that was, by your clock.
        voter: Who says so.
    """
    body = given(best=best, ranking=listed(ranking), time=time, voter=voter)
    return Call(
        "POST",
        path("/v1/duels/{}/ranking", slate),
        reader(DoneView),
        body=body,
    ).then(lambda said: said.status)


def ratings(experiment: Ref) -> Call[Ratings]:
    """Put the arms on one scale (Bradley-Terry), or say why that cannot be."""
    return Call(
        "GET",
        path("/v1/experiments/{}/ratings", experiment),
        reader(Ratings),
        repeatable=True,
    )


def read_apprentice(experiment: Ref) -> Call[Apprentice]:
    """See how the apprentice does."""
    return Call(
        "GET",
        path("/v1/experiments/{}/apprentice", experiment),
        reader(Apprentice),
        repeatable=True,
    )


def read_duel(duel: Ref) -> Call[DuelState]:
    """See where a duel stands."""
    return Call("GET", path("/v1/duels/{}", duel), reader(DuelState), repeatable=True)


def read_evaluation(
    experiment: Ref,
    *,
    policy: str | None = None,
    arm: str | None = None,
    against: str | None = None,
) -> Call[Evaluation]:
    """See what another policy, or one arm, would have scored on the experiment's traffic.

    It reads the whole log.

    Args:
        policy: A policy that learns along the log, as `name` or `name:key=value,...`; or give
            `arm`.
        arm: An arm by its name; or give `policy`.
        against: Whom it meets: `policy`, what the experiment's policy put into its slots (this
            holds if nothing is said); `uniform`, every arm alike; or `arm:NAME`.
    """
    query = {"policy": policy, "arm": arm, "against": against}
    return Call(
        "GET",
        path("/v1/experiments/{}/evaluation", experiment),
        reader(Evaluation),
        query,
        repeatable=True,
    )


def read_experiment(experiment: Ref) -> Call[Experiment]:
    """Read an experiment."""
    return Call("GET", path("/v1/experiments/{}", experiment), reader(Experiment), repeatable=True)


def read_segments(
    experiment: Ref,
    key: str | None = None,
    *,
    value: str | None = None,
    since: Time | None = None,
    until: Time | None = None,
    limit: int | None = None,
) -> Call[SegmentList]:
    """See how parts of an experiment stand: by a key of the duels' contexts, by time, or both.

    Args:
        key: A key of the duels' contexts, such as `language` or `user.country`. Without it, all
            duels are one segment.
        value: Only this value of the key.
        since: Only duels issued from this moment on.
        until: Only duels issued before this moment.
        limit: How many segments, and how many arms of each, at most; 100.
    """
    query = {"key": key, "value": value, "since": since, "until": until, "limit": limit}
    return Call(
        "GET",
        path("/v1/experiments/{}/segments", experiment),
        reader(SegmentList),
        query,
        repeatable=True,
    )


def read_voters(
    experiment: Ref,
    *,
    voter: str | None = None,
    limit: int | None = None,
) -> Call[VoterList]:
    """See how far voters agree with the others. Those who stand out come first.

    Args:
        voter: Only this voter.
        limit: How many at most; 100.
    """
    query = {"voter": voter, "limit": limit}
    return Call(
        "GET",
        path("/v1/experiments/{}/voters", experiment),
        reader(VoterList),
        query,
        repeatable=True,
    )


def readyz() -> Call[Health]:
    """See that requests are welcome."""
    return Call("GET", "/readyz", reader(Health), repeatable=True)


def report_shown(duel: Ref) -> Call[Done]:
    """Say that a duel was shown."""
    return Call(
        "POST",
        path("/v1/duels/{}/shown", duel),
        reader(DoneView),
    ).then(lambda said: said.status)


def restore_arm(experiment: Ref, arm: str | Arm) -> Call[Arm]:
    """Bring a retired arm back, with what was learned of it."""
    return Call(
        "POST",
        path("/v1/experiments/{}/arms/{}/restore", experiment, arm if isinstance(arm, str) else arm.name),
        reader(Arm),
    )


def resume_experiment(experiment: Ref) -> Call[Experiment]:
    """Let a paused experiment run again."""
    return Call("POST", path("/v1/experiments/{}/resume", experiment), reader(Experiment))


def retire_arm(experiment: Ref, arm: str | Arm) -> Call[Arm]:
    """Retire an arm: it is no longer proposed. Outcomes of its duels in flight are still taken."""
    return Call(
        "POST",
        path("/v1/experiments/{}/arms/{}/retire", experiment, arm if isinstance(arm, str) else arm.name),
        reader(Arm),
    )


def revoke_key(key: Ref) -> Call[Done]:
    """Revoke a key."""
    return Call("DELETE", path("/v1/keys/{}", key), reader(DoneView)).then(lambda said: said.status)


def standing(
    experiment: Ref,
    *,
    arms_from: int | None = None,
    pairs_after: str | None = None,
    limit: int | None = None,
) -> Call[Standing]:
    """See where an experiment stands.

    Args:
        arms_from: The first arm, by index; 0.
        pairs_after: Go on behind this pair, as `pairs_next` said.
        limit: How many arms and how many pairs at most; 100.
    """
    query = {"arms_from": arms_from, "pairs_after": pairs_after, "limit": limit}
    return Call(
        "GET",
        path("/v1/experiments/{}/standing", experiment),
        reader(Standing),
        query,
        repeatable=True,
    )


def stream_events(experiment: Ref, *, after: int | None = None) -> Call[Any]:
    """Watch an experiment: a stream of `text/event-stream`, an event for each record of the log,
    its id the place.

    Args:
        after: Begin behind this place; now. The header `Last-Event-ID` does the same.
    """
    query = {"after": after}
    return Call(
        "GET",
        path("/v1/experiments/{}/events", experiment),
        as_it_is,
        query,
        repeatable=True,
    )


def void_duel(duel: Ref) -> Call[Done]:
    """Void a duel and its outcome, if it has one. The log keeps both."""
    return Call(
        "DELETE",
        path("/v1/duels/{}", duel),
        reader(DoneView),
    ).then(lambda said: said.status)


def void_import(experiment: Ref, place: int) -> Call[Import]:
    """Take votes out again that came in together. The log keeps both."""
    return Call(
        "DELETE",
        path("/v1/experiments/{}/votes/{}", experiment, str(place)),
        reader(Import),
    )


def void_outcome(duel: Ref) -> Call[Done]:
    """Void a duel and its outcome; the same as for the duel itself."""
    return Call(
        "DELETE",
        path("/v1/duels/{}/outcome", duel),
        reader(DoneView),
    ).then(lambda said: said.status)


def void_votes(
    experiment: Ref,
    voter: str,
    *,
    dry_run: bool = False,
    since: Time | None = None,
) -> Call[Voided]:
    """Void all votes of a voter, or with `dry_run` only count them.

    Args:
        voter: Whose.
        dry_run: Only tell how many there are, and what would change.
        since: Only those recorded from this moment on.
    """
    body = given(voter=voter, dry_run=dry_run, since=since)
    return Call("POST", path("/v1/experiments/{}/void", experiment), reader(Voided), body=body)
