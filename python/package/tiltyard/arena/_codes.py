"""One exception per code of the API.

Written by `cargo xtask docs` (python/wire.py) from docs/errors.md.
"""

from __future__ import annotations

from ._errors import Again, ArenaError

__all__ = [
    "ArmStateError",
    "BadPolicyError",
    "BadRequestError",
    "BodyTooLargeError",
    "BodyTooSlowError",
    "ClientIdReusedError",
    "DuelExpiredError",
    "DuelVoidedError",
    "ExperimentClosedError",
    "ExperimentDamagedError",
    "ExperimentPausedError",
    "ForbiddenError",
    "HasApprenticeError",
    "ImportVoidedError",
    "InternalError",
    "InvalidError",
    "IsSlateError",
    "ListsContradictError",
    "MethodNotAllowedError",
    "NoApprenticeError",
    "NoArmError",
    "NoDuelError",
    "NoExperimentError",
    "NoImportError",
    "NoKeyError",
    "NotASlateError",
    "NotElasticError",
    "NotFoundError",
    "NotInterleavedError",
    "NothingToEvaluateError",
    "OutcomeContradictsError",
    "OverloadedError",
    "RateLimitedError",
    "StoppingError",
    "StoreUnavailableError",
    "TimedOutError",
    "TooManyInFlightError",
    "UnauthorizedError",
    "UnknownArmsError",
    "UnsupportedMediaTypeError",
    "VoterLimitError",
]


class BadRequestError(ArenaError, ValueError):
    """The request cannot be read."""

    code = "bad_request"
    hint = (
        "Send valid JSON (RFC 8259), nested at most 100 levels deep, and a path in UTF-8. "
        "`detail` says what cannot be read."
    )


class UnauthorizedError(ArenaError, PermissionError):
    """A valid key is needed."""

    code = "unauthorized"
    hint = "Send `Authorization: Bearer KEY` with a key that is neither expired nor revoked."


class ForbiddenError(ArenaError, PermissionError):
    """The key does not allow this."""

    code = "forbidden"
    hint = (
        "Use a key whose scope and experiment allow this request. A server without keys accepts "
        "requests to `localhost` and loopback addresses only."
    )


class NotFoundError(ArenaError, LookupError):
    """There is nothing at this address."""

    code = "not_found"
    hint = "`/openapi.json` lists all addresses."


class NoExperimentError(ArenaError, LookupError):
    """The experiment does not exist."""

    code = "no_experiment"
    hint = (
        "Use the `id` that the server returned when the experiment was created, or list all "
        "experiments."
    )


class NoDuelError(ArenaError, LookupError):
    """The duel does not exist."""

    code = "no_duel"
    hint = (
        "Use the complete `id` that the server returned with the duel. Its last part is a "
        "secret."
    )


class NoArmError(ArenaError, LookupError):
    """The arm does not exist."""

    code = "no_arm"
    hint = (
        "Use a name from the experiment's list of arms. Percent-encode special characters in "
        "the address."
    )


class NoImportError(ArenaError, LookupError):
    """No votes were imported at this log position."""

    code = "no_import"
    hint = "Use the `place` that the server returned with the import."


class NoApprenticeError(ArenaError, LookupError):
    """The experiment has no apprentice."""

    code = "no_apprentice"
    hint = "Start an apprentice first."


class NoKeyError(ArenaError, LookupError):
    """The key does not exist."""

    code = "no_key"
    hint = "Use the `id` of a key from the list of keys, not the key itself."


class MethodNotAllowedError(ArenaError):
    """Method not allowed at this address."""

    code = "method_not_allowed"
    hint = "Use one of the methods that the header `Allow` lists."


class BodyTooSlowError(ArenaError, TimeoutError):
    """The body did not arrive in time."""

    code = "body_too_slow"
    hint = "Send the request again, all at once. Nothing was done."
    again = Again.ALWAYS


class ArmStateError(ArenaError):
    """The state of the arm does not allow this."""

    code = "arm_state"
    hint = (
        "Read the list of arms first. Only an active arm can be retired, only a retired arm can "
        "be restored, and two arms must stay active."
    )


class HasApprenticeError(ArenaError):
    """The experiment already has an apprentice."""

    code = "has_apprentice"
    hint = "Let the apprentice take over, or dismiss it."


class NotElasticError(ArenaError):
    """The policy cannot change its arms while it runs."""

    code = "not_elastic"
    hint = "Create an experiment with a policy that can, such as `rex3`."


class ExperimentPausedError(ArenaError):
    """The experiment is paused."""

    code = "experiment_paused"
    hint = "Resume the experiment, or try again later."


class ExperimentClosedError(ArenaError):
    """The experiment is closed."""

    code = "experiment_closed"
    hint = "A closed experiment cannot be reopened. Create another one."


class ClientIdReusedError(ArenaError, ValueError):
    """The client id was used for another request."""

    code = "client_id_reused"
    hint = (
        "Use a new `client_id`. To repeat the earlier request, ask for the same number of duels "
        "or send the same votes."
    )


class ImportVoidedError(ArenaError):
    """The votes were imported and then voided."""

    code = "import_voided"
    hint = (
        "The server remembers imports by their `client_id`. Use a new one to import the same "
        "votes again."
    )


class OutcomeContradictsError(ArenaError):
    """The duel already has a different outcome."""

    code = "outcome_contradicts"
    hint = "The first outcome and its voter count. To take them back, void the duel."


class DuelVoidedError(ArenaError):
    """The duel was voided."""

    code = "duel_voided"
    hint = "Get another duel."


class DuelExpiredError(ArenaError):
    """The duel has expired."""

    code = "duel_expired"
    hint = (
        "Get another duel. The setting `late` decides whether the experiment accepts late "
        "outcomes."
    )


class ListsContradictError(ArenaError):
    """The duel already has a list that was merged differently."""

    code = "lists_contradict"
    hint = (
        "The first lists, their method and their length count. Get another duel for other "
        "lists."
    )


class NotInterleavedError(ArenaError):
    """The duel has no merged list."""

    code = "not_interleaved"
    hint = "Send the lists of its rankers first, or answer the duel with an outcome."


class IsSlateError(ArenaError):
    """The duel is a slate of several arms."""

    code = "is_slate"
    hint = (
        "Send a ranking or the best arm to `/v1/duels/{duel}/ranking`. The only outcome that a "
        "slate accepts is `skip`."
    )


class NotASlateError(ArenaError):
    """The duel is not a slate."""

    code = "not_a_slate"
    hint = "The duel has two arms. Answer it with an outcome."


class NothingToEvaluateError(ArenaError):
    """No vote can be used for the evaluation."""

    code = "nothing_to_evaluate"
    hint = (
        "A vote can be used if the probability of its pair is known and every pair could be "
        "drawn. Use a policy such as `rex3`, or the setting `holdout`."
    )


class BodyTooLargeError(ArenaError, ValueError):
    """The body is too large."""

    code = "body_too_large"
    hint = "Send less at once, or start the server with a larger `max_body_bytes`."


class UnsupportedMediaTypeError(ArenaError, ValueError):
    """The body must be JSON."""

    code = "unsupported_media_type"
    hint = "Send `Content-Type: application/json`."


class InvalidError(ArenaError, ValueError):
    """A value is not allowed."""

    code = "invalid"
    hint = "Correct the value that the message names."


class UnknownArmsError(ArenaError, ValueError):
    """Votes name arms that the experiment does not have."""

    code = "unknown_arms"
    hint = (
        "Add the arms first if the policy can change its arms. Otherwise create an experiment "
        "that has all of them."
    )


class BadPolicyError(ArenaError, ValueError):
    """The policy cannot be used."""

    code = "bad_policy"
    hint = (
        "`tiltyard policy list` lists all policies. A policy that needs each outcome before its "
        "next duel cannot be used live."
    )


class RateLimitedError(ArenaError):
    """Too many requests with this key."""

    code = "rate_limited"
    hint = "Wait as long as `Retry-After` says. Nothing was done."
    again = Again.WHEN_TOLD


class VoterLimitError(ArenaError):
    """The voter has reached the limit of votes."""

    code = "voter_limit"
    hint = (
        "Wait as long as `Retry-After` says. Without this header, the experiment accepts no "
        "more votes from this voter."
    )
    again = Again.WHEN_TOLD


class TooManyInFlightError(ArenaError):
    """Too many duels are in flight."""

    code = "too_many_in_flight"
    hint = (
        "Answer or void some duels, wait until some expire, or create an experiment with a "
        "larger `max_in_flight`."
    )
    again = Again.WHEN_TOLD


class InternalError(ArenaError):
    """The server failed."""

    code = "internal"
    hint = (
        "Report the failure with the server's log. The request may or may not have been carried "
        "out: repeat it with the same ids."
    )
    again = Again.IF_REPEATABLE


class ExperimentDamagedError(ArenaError):
    """The data of the experiment is damaged."""

    code = "experiment_damaged"
    hint = (
        "The message says what is damaged and where. The records before the damage can still be "
        "read in the experiment's history. Stop the server and run `tiltyard verify`, which "
        "says how to repair it."
    )


class OverloadedError(ArenaError):
    """The server is overloaded; nothing was done."""

    code = "overloaded"
    hint = "Wait as long as `Retry-After` says, then repeat the request."
    again = Again.ALWAYS


class StoreUnavailableError(ArenaError):
    """The store failed; repeat the request with the same ids."""

    code = "store_unavailable"
    hint = (
        "The request may or may not have been carried out. If you repeat it with the same duel "
        "id or `client_id`, it takes effect only once."
    )
    again = Again.IF_REPEATABLE


class TimedOutError(ArenaError, TimeoutError):
    """The request took too long; repeat it with the same ids."""

    code = "timed_out"
    hint = (
        "The request may or may not have been carried out. If you repeat it with the same duel "
        "id or `client_id`, it takes effect only once."
    )
    again = Again.IF_REPEATABLE


class StoppingError(ArenaError):
    """The server is stopping; nothing was done."""

    code = "stopping"
    hint = "Repeat the request when the server has restarted."
    again = Again.ALWAYS
