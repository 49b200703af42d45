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
    """Add arms.

    The policy must be elastic. A new arm starts with the log-mean of the present weights.

    Args:
        arms: The arms to add.
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
    """Answer a duel. You can safely repeat the same outcome. A different outcome is refused.

    Args:
        outcome: The outcome as a word.
        score: The outcome as a score from -1 (right is better) to 1 (left is better).
        time: When the vote was given, by your clock.
        voter: Your id for the voter.
    """
    body = given(outcome=outcome, score=score, time=time, voter=voter)
    return Call(
        "POST",
        path("/v1/duels/{}/outcome", duel),
        reader(DoneView),
        body=body,
    ).then(lambda said: said.status)


def answer_duels(outcomes: Iterable[OutcomeInput]) -> Call[tuple[OutcomeResult, ...]]:
    """Answer several duels. Each outcome is accepted or refused independently of the others.

    Args:
        outcomes: From 1 to 1000 outcomes.
    """
    body = given(outcomes=listed(outcomes))
    return Call(
        "POST",
        "/v1/outcomes",
        reader(OutcomeResults),
        body=body,
    ).then(lambda said: said.results)


def begin_apprentice(experiment: Ref, policy: str) -> Call[Apprentice]:
    """Start an apprentice: a policy that learns from every outcome without drawing duels.

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
    """Report the clicks on a merged list.

    The clicks are the outcome of the duel. You can safely repeat the same clicks. Different
    clicks are refused. If nothing was clicked, send an empty list; otherwise only users who
    click count.

    Args:
        positions: The clicked positions in the merged list, counted from 1.
        documents: The clicked documents of the merged list.
        time: When that happened, by your clock.
        voter: Your id for the person who clicked.
    """
    body = given(clicks=listed(positions), documents=listed(documents), time=time, voter=voter)
    return Call(
        "POST",
        path("/v1/duels/{}/clicks", duel),
        reader(DoneView),
        body=body,
    ).then(lambda said: said.status)


def close_experiment(experiment: Ref) -> Call[Experiment]:
    """Close an experiment for good.

    It issues no duels and accepts no outcomes any more. To wait for the outcomes of duels in
    flight, pause it first.
    """
    return Call("POST", path("/v1/experiments/{}/close", experiment), reader(Experiment))


def create_experiment(
    name: str,
    arms: Iterable[str | ArmInput],
    *,
    policy: str | None = None,
    settings: SettingsInput | None = None,
) -> Call[Experiment]:
    """Create an experiment.

    Args:
        name: The name of the experiment.
        arms: The arms to compare, at least two.
        policy: The policy, as `name` or `name:key=value,...`. `tiltyard policy list` lists all
            policies. Default: `rex3`.
        settings: Settings that differ from their defaults.
    """
    body = given(name=name, arms=listed(arms), policy=policy, settings=settings)
    return Call("POST", "/v1/experiments", reader(Experiment), body=body)


def digest(experiment: Ref) -> Call[Digest]:
    """Read a fingerprint of an experiment's state.

    Compare it with the fingerprint that `tiltyard verify` finds in a copy of the data.
    """
    return Call(
        "GET",
        path("/v1/experiments/{}/digest", experiment),
        reader(Digest),
        repeatable=True,
    )


def dismiss_apprentice(experiment: Ref) -> Call[Done]:
    """Dismiss the apprentice."""
    return Call(
        "DELETE",
        path("/v1/experiments/{}/apprentice", experiment),
        reader(DoneView),
    ).then(lambda said: said.status)


def export_log(experiment: Ref) -> Call[Any]:
    """Export the log of an experiment with its hashes.

    Each line is a record, as JSON: its `body` is the text that its hash covers. The last line
    has the head of the log. `tiltyard verify FILE` checks the file. The log has the secrets of
    duels in flight: close the experiment before you publish it.
    """
    return Call("GET", path("/v1/experiments/{}/log", experiment), as_it_is, repeatable=True)


def export_votes(
    experiment: Ref,
    *,
    format: Literal["csv", "jsonl"] | None = None,
    after: int | None = None,
) -> Call[Any]:
    """Export all votes that count.

    The votes are in the order of the log, up to its present end. The body is chunked. A body
    that ends without its last chunk is incomplete.

    Args:
        format: The format. Default: `csv`.
        after: Only votes recorded after this log position. Default: 0.
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
    """Check that the process is alive, and read its version."""
    return Call("GET", "/healthz", reader(Health), repeatable=True)


def history(
    experiment: Ref,
    *,
    after: int | None = None,
    limit: int | None = None,
) -> Call[History]:
    """Read the log of an experiment.

    Args:
        after: Start after this log position. Default: 0.
        limit: The maximum number of events. Default: 100.
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
    """Import votes that were given elsewhere.

    They count like other votes, and are also counted separately. They have no duel.

    Args:
        client_id: Your id for this request. A repeated request with the same id imports nothing
            twice.
        source: Where the votes come from, such as the name of a file.
        votes: From 1 to 1000 votes. Either all of them are imported or none.
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
    """Draw two rankers, and merge their lists.

    If you send the lists of all rankers, the response has the merged list. Otherwise it names
    the rankers to run.

    Args:
        client_id: Your id for this request. A repeated request with the same id returns the same
            duel and the same list.
        context: Any data to store with the duel, such as the query, at most 16 KiB.
        length: The maximum length of the merged list. Default: 10.
        lists: The lists of all arms that are not retired, best document first. Without them, the
            response names the rankers to run.
        method: The method of merging: `team-draft`, `balanced`, `probabilistic` or `optimized`,
            with parameters as in `probabilistic:tau=1`. Default: `team-draft`.
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
        client_id: Your id for this request. A repeated request with the same id returns the same
            duels.
        context: Any data to store with the duels, at most 16 KiB.
        count: The number of duels. Default: 1.
        distinct: Whether the two arms of a duel must be different. Default: the experiment's
            setting `distinct`.
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
    """Get a slate of 3 to 20 arms to show together.

    Args:
        size: The number of arms, at most the number of arms that are not retired.
        client_id: Your id for this request. A repeated request with the same id returns the same
            slate.
        context: Any data to store with the slate, at most 16 KiB.
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
        from_: The index of the first arm. Default: 0.
        limit: The maximum number of arms. Default: 100.
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
        after: Start after the experiment with this id.
        name: Only experiments with this name.
        limit: The maximum number of experiments. Default: 100.
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
    """Create a key. The key is shown only this once.

    Args:
        scope: What the key allows.
        experiment: The only experiment for which the key is valid. Required for the scope `voter`.
        expires_at: When the key expires.
        label: Whose key it is, in your own words.
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
    """Merge the lists of a duel's rankers.

    Repeating the request with the same lists returns the same merged list.

    Args:
        lists: The lists of at least the duel's rankers, best document first, at most 1000 documents
            each.
        length: The maximum length of the merged list. Default: the length given when the duel was
            drawn, or 10.
        method: The method of merging. Default: the method given when the duel was drawn, or `team-
            draft`.
    """
    body = given(lists=lists, length=length, method=method)
    return Call("POST", path("/v1/duels/{}/lists", duel), reader(Interleaving), body=body)


def pause_experiment(experiment: Ref) -> Call[Experiment]:
    """Pause an experiment.

    It issues no duels until it is resumed, but it accepts outcomes of duels in flight.
    """
    return Call("POST", path("/v1/experiments/{}/pause", experiment), reader(Experiment))


def promote_apprentice(experiment: Ref) -> Call[Experiment]:
    """Let the apprentice take over. From now on it draws the duels, with what it has learned."""
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
    """Rank the arms of a slate, or name the best one.

    You can safely repeat the same answer. A different answer is refused.

    Args:
        best: The best arm of the slate.
        ranking: Every arm of the slate, best first. An inner list holds arms that are equally good.
        time: When the vote was given, by your clock.
        voter: Your id for the voter.
    """
    body = given(best=best, ranking=listed(ranking), time=time, voter=voter)
    return Call(
        "POST",
        path("/v1/duels/{}/ranking", slate),
        reader(DoneView),
        body=body,
    ).then(lambda said: said.status)


def ratings(experiment: Ref) -> Call[Ratings]:
    """Rate the arms on one scale (Bradley-Terry), or read why that is not possible."""
    return Call(
        "GET",
        path("/v1/experiments/{}/ratings", experiment),
        reader(Ratings),
        repeatable=True,
    )


def read_apprentice(experiment: Ref) -> Call[Apprentice]:
    """Read the apprentice."""
    return Call(
        "GET",
        path("/v1/experiments/{}/apprentice", experiment),
        reader(Apprentice),
        repeatable=True,
    )


def read_duel(duel: Ref) -> Call[DuelState]:
    """Read a duel with its status and its answer."""
    return Call("GET", path("/v1/duels/{}", duel), reader(DuelState), repeatable=True)


def read_evaluation(
    experiment: Ref,
    *,
    policy: str | None = None,
    arm: str | None = None,
    against: str | None = None,
) -> Call[Evaluation]:
    """Estimate what another policy or one arm would have scored on the experiment's traffic.

    This reads the whole log.

    Args:
        policy: The policy to evaluate, as `name` or `name:key=value,...`. It learns while it reads
            the log. Give either `policy` or `arm`.
        arm: The name of the arm to evaluate. Give either `policy` or `arm`.
        against: The opponent: `policy` (arms as the experiment's policy drew them), `uniform`
            (every arm with the same probability) or `arm:NAME` (one arm). Default: `policy`.
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
    """Read the standing of segments: by a key of the duels' contexts, by time, or both.

    Args:
        key: A key of the duels' contexts, such as `language` or `user.country`. Without a key, all
            duels form one segment.
        value: Only the segment with this value of the key.
        since: Only duels issued at or after this time.
        until: Only duels issued before this time.
        limit: The maximum number of segments, and of arms per segment. Default: 100.
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
    """Read how far each voter agrees with the others. Those who stand out come first.

    Args:
        voter: Only this voter.
        limit: The maximum number of voters. Default: 100.
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
    """Check that the server accepts requests and can write what they change."""
    return Call("GET", "/readyz", reader(Health), repeatable=True)


def report_shown(duel: Ref) -> Call[Done]:
    """Report that a duel was shown."""
    return Call(
        "POST",
        path("/v1/duels/{}/shown", duel),
        reader(DoneView),
    ).then(lambda said: said.status)


def restore_arm(experiment: Ref, arm: str | Arm) -> Call[Arm]:
    """Restore a retired arm. The policy keeps what it has learned about the arm."""
    return Call(
        "POST",
        path("/v1/experiments/{}/arms/{}/restore", experiment, arm if isinstance(arm, str) else arm.name),
        reader(Arm),
    )


def resume_experiment(experiment: Ref) -> Call[Experiment]:
    """Resume a paused experiment."""
    return Call("POST", path("/v1/experiments/{}/resume", experiment), reader(Experiment))


def retire_arm(experiment: Ref, arm: str | Arm) -> Call[Arm]:
    """Retire an arm.

    The experiment no longer proposes it, but it accepts outcomes of the arm's duels in flight.
    """
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
    """Read the standing of an experiment.

    Args:
        arms_from: The index of the first arm. Default: 0.
        pairs_after: Start after this pair, as given by `pairs_next`.
        limit: The maximum number of arms and of pairs. Default: 100.
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
    """Watch an experiment.

    The response is a stream of `text/event-stream` with one event per record of the log. The id
    of an event is its log position.

    Args:
        after: Start after this log position. Default: the end of the log. The header `Last-Event-
            ID` takes precedence.
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
    """Void an import. Its votes no longer count. The log keeps the import and the voiding."""
    return Call(
        "DELETE",
        path("/v1/experiments/{}/votes/{}", experiment, str(place)),
        reader(Import),
    )


def void_outcome(duel: Ref) -> Call[Done]:
    """Void a duel and its outcome. Deleting the duel itself does the same."""
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
    """Void all votes of a voter.

    With `dry_run`, only report the number of votes and the effect on the verdict.

    Args:
        voter: The voter.
        dry_run: Void nothing; only report the number of votes and the effect on the verdict.
        since: Only votes recorded at or after this time.
    """
    body = given(voter=voter, dry_run=dry_run, since=since)
    return Call("POST", path("/v1/experiments/{}/void", experiment), reader(Voided), body=body)
