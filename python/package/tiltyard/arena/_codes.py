"""An exception for each code of the API.

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
        "Send JSON as RFC 8259 has it, nested no deeper than 100 levels, and a path that is "
        "UTF-8; `detail` names the place."
    )


class UnauthorizedError(ArenaError, PermissionError):
    """A valid key is needed."""

    code = "unauthorized"
    hint = "Send `Authorization: Bearer KEY` with a key that is neither expired nor revoked."


class ForbiddenError(ArenaError, PermissionError):
    """The key does not allow this."""

    code = "forbidden"
    hint = (
        "Use a key of another scope, or of this experiment. A server without keys answers to "
        "`localhost` and loopback addresses only."
    )


class NotFoundError(ArenaError, LookupError):
    """There is nothing at this address."""

    code = "not_found"
    hint = "Look the address up in `/openapi.json`."


class NoExperimentError(ArenaError, LookupError):
    """There is no such experiment."""

    code = "no_experiment"
    hint = "Use the `id` that making the experiment returned, or list all."


class NoDuelError(ArenaError, LookupError):
    """There is no such duel."""

    code = "no_duel"
    hint = "Use the `id` that getting the duel returned, all of it: its last part is a secret."


class NoArmError(ArenaError, LookupError):
    """There is no such arm."""

    code = "no_arm"
    hint = (
        "Use a name from the experiment's arms, with characters that are special in an address "
        "percent-encoded."
    )


class NoImportError(ArenaError, LookupError):
    """No votes were imported at that place."""

    code = "no_import"
    hint = "Use the `place` that importing the votes returned."


class NoApprenticeError(ArenaError, LookupError):
    """The experiment has no apprentice."""

    code = "no_apprentice"
    hint = "Begin one first."


class NoKeyError(ArenaError, LookupError):
    """There is no such key."""

    code = "no_key"
    hint = "Use the `id` of a key from the list of keys, not the key itself."


class MethodNotAllowedError(ArenaError):
    """The address knows other methods."""

    code = "method_not_allowed"
    hint = "Use one of those that the header `Allow` lists."


class BodyTooSlowError(ArenaError, TimeoutError):
    """The body did not come in time."""

    code = "body_too_slow"
    hint = "Send it again, all at once. Nothing was done."
    again = Again.ALWAYS


class ArmStateError(ArenaError):
    """The arm is not in the state for this."""

    code = "arm_state"
    hint = (
        "Read the arms first: only active ones can be retired, only retired ones restored, and "
        "two must stay."
    )


class HasApprenticeError(ArenaError):
    """The experiment has an apprentice already."""

    code = "has_apprentice"
    hint = "Let it take over, or dismiss it."


class NotElasticError(ArenaError):
    """The policy cannot change its arms while it runs."""

    code = "not_elastic"
    hint = "Make an experiment with a policy that can, such as `rex3`."


class ExperimentPausedError(ArenaError):
    """The experiment is paused."""

    code = "experiment_paused"
    hint = "Resume it, or ask later."


class ExperimentClosedError(ArenaError):
    """The experiment is closed."""

    code = "experiment_closed"
    hint = "That is for good: make another experiment."


class ClientIdReusedError(ArenaError, ValueError):
    """The client id was used for another request."""

    code = "client_id_reused"
    hint = "Use another `client_id`, or ask for as many duels as before, or send the same votes."


class ImportVoidedError(ArenaError):
    """The votes were imported, and voided."""

    code = "import_voided"
    hint = "That is remembered by the `client_id`: use another to import the same votes once more."


class OutcomeContradictsError(ArenaError):
    """The duel has another outcome."""

    code = "outcome_contradicts"
    hint = "The first outcome, with its voter, counts. To take it back, void the duel."


class DuelVoidedError(ArenaError):
    """The duel was voided."""

    code = "duel_voided"
    hint = "Get another duel."


class DuelExpiredError(ArenaError):
    """The duel has expired."""

    code = "duel_expired"
    hint = "Get another duel. The setting `late` decides whether late outcomes are taken."


class ListsContradictError(ArenaError):
    """The duel's lists were merged before, from others."""

    code = "lists_contradict"
    hint = (
        "The first lists, with their method and length, count. Get another duel for other "
        "lists."
    )


class NotInterleavedError(ArenaError):
    """The duel has no merged list."""

    code = "not_interleaved"
    hint = "Bring the lists of its rankers first, or say its outcome in a word."


class IsSlateError(ArenaError):
    """The duel is a slate of several arms."""

    code = "is_slate"
    hint = (
        "Say its ranking, or the best of it, at `/v1/duels/{duel}/ranking`; `skip` is fine "
        "where it is."
    )


class NotASlateError(ArenaError):
    """The duel is not a slate."""

    code = "not_a_slate"
    hint = "It is of two arms: say its outcome."


class NothingToEvaluateError(ArenaError):
    """No vote says anything about other play."""

    code = "nothing_to_evaluate"
    hint = (
        "Votes do where the chance of their pair is known and every pair has one: use a policy "
        "such as `rex3`, or the setting `holdout`."
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
    hint = "Change what `detail` names."


class UnknownArmsError(ArenaError, ValueError):
    """Votes name arms that the experiment does not have."""

    code = "unknown_arms"
    hint = (
        "Bring the arms in first, if the policy can change its arms, or make an experiment with "
        "all of them."
    )


class BadPolicyError(ArenaError, ValueError):
    """The policy cannot be used."""

    code = "bad_policy"
    hint = (
        "`tiltyard policy list` shows all policies; those that must see each outcome before the "
        "next duel cannot be used live."
    )


class RateLimitedError(ArenaError):
    """The key makes too many requests."""

    code = "rate_limited"
    hint = "Wait as long as `Retry-After` says. Nothing was done."
    again = Again.WHEN_TOLD


class VoterLimitError(ArenaError):
    """The voter has voted too often."""

    code = "voter_limit"
    hint = (
        "Wait as long as `Retry-After` says; without it, this voter's votes are no longer "
        "taken."
    )
    again = Again.WHEN_TOLD


class TooManyInFlightError(ArenaError):
    """Too many duels wait for an answer."""

    code = "too_many_in_flight"
    hint = (
        "Answer or void some, wait until some expire, or make an experiment with a larger "
        "`max_in_flight`."
    )
    again = Again.WHEN_TOLD


class InternalError(ArenaError):
    """The server made a mistake."""

    code = "internal"
    hint = (
        "Report it with the server's log. Whether the request was carried out is not known: ask "
        "again with the same ids."
    )
    again = Again.IF_REPEATABLE


class OverloadedError(ArenaError):
    """The server has too much to do; nothing was done."""

    code = "overloaded"
    hint = "Ask again after as long as `Retry-After` says."
    again = Again.ALWAYS


class StoreUnavailableError(ArenaError):
    """The store failed; ask again, with the same ids."""

    code = "store_unavailable"
    hint = (
        "Whether the request was carried out is not known. Asked again with the same duel id or "
        "`client_id` it is carried out once."
    )
    again = Again.IF_REPEATABLE


class TimedOutError(ArenaError, TimeoutError):
    """It took too long; ask again, with the same ids."""

    code = "timed_out"
    hint = (
        "Whether the request was carried out is not known. Asked again with the same duel id or "
        "`client_id` it is carried out once."
    )
    again = Again.IF_REPEATABLE


class StoppingError(ArenaError):
    """The server is about to stop; nothing was done."""

    code = "stopping"
    hint = "Ask again when it has started anew."
    again = Again.ALWAYS
