"""All methods of the clients.

`_requests` describes the operations of the OpenAPI document. The modules here describe methods that need several
requests, or have arguments that are easier to write.
"""

from __future__ import annotations

from .. import _requests as requests
from .._operation import operation, repeatable, series
from . import duels as about_duels
from . import lists, votes


class Operations:
    """The methods of a client. An experiment, a duel, a slate or a key can also be given by its id."""

    health = operation(requests.healthz)
    ready = operation(requests.readyz)

    create_experiment = operation(requests.create_experiment)
    experiments = series(lists.experiments)
    experiment = operation(requests.read_experiment)
    find_experiment = operation(lists.find_experiment)
    pause_experiment = repeatable(requests.pause_experiment)
    resume_experiment = repeatable(requests.resume_experiment)
    close_experiment = repeatable(requests.close_experiment)
    digest = operation(requests.digest)

    arms = series(lists.arms)
    add_arms = operation(lists.add_arms)
    retire_arm = operation(requests.retire_arm)
    restore_arm = operation(requests.restore_arm)

    apprentice = operation(requests.read_apprentice)
    begin_apprentice = operation(requests.begin_apprentice)
    promote_apprentice = operation(requests.promote_apprentice)
    dismiss_apprentice = operation(requests.dismiss_apprentice)

    duel = operation(about_duels.duel)
    duels = operation(about_duels.duels)
    read_duel = operation(requests.read_duel)
    shown = repeatable(requests.report_shown)
    vote = repeatable(about_duels.vote)
    vote_many = operation(about_duels.vote_many)
    void_duel = repeatable(requests.void_duel)
    void_votes = repeatable(requests.void_votes)

    interleave = operation(requests.interleave)
    merge_lists = repeatable(requests.merge_lists)
    click = repeatable(requests.click)

    slate = operation(requests.issue_slate)
    rank = repeatable(requests.rank_slate)

    standing = operation(requests.standing)
    arm_standings = series(lists.arm_standings)
    pairs = series(lists.pairs)
    ratings = operation(requests.ratings)
    segments = operation(requests.read_segments)
    voters = operation(requests.read_voters)
    evaluation = operation(requests.read_evaluation)
    history = series(lists.history)
    watch = series(lists.watch)

    import_votes = operation(votes.import_votes)
    import_file = operation(votes.import_file)
    void_import = repeatable(requests.void_import)
    export_votes = series(votes.export_votes)
    export_file = operation(votes.export_file)

    keys = operation(requests.list_keys)
    make_key = operation(requests.make_key)
    revoke_key = repeatable(requests.revoke_key)
