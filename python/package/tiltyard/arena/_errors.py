"""What went wrong, as exceptions: one for each code of the API, and some for answers that never came."""

from __future__ import annotations

import enum
from typing import ClassVar

__all__ = [
    "ArenaError",
    "ArmStateError",
    "BadPolicyError",
    "BadRequestError",
    "BodyTooLargeError",
    "BodyTooSlowError",
    "ClientClosedError",
    "ClientIdReusedError",
    "ConnectionLostError",
    "DuelExpiredError",
    "DuelVoidedError",
    "ExperimentClosedError",
    "ExperimentPausedError",
    "ForbiddenError",
    "ForeignAnswerError",
    "GatewayError",
    "HasApprenticeError",
    "ImportVoidedError",
    "InternalError",
    "InvalidError",
    "IsSlateError",
    "ListsContradictError",
    "MethodNotAllowedError",
    "NoAnswerError",
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
    "SeveralExperimentsError",
    "StoppingError",
    "StoreUnavailableError",
    "TimedOutError",
    "TooManyInFlightError",
    "UnauthorizedError",
    "UnknownArmsError",
    "UnreachableError",
    "UnsupportedMediaTypeError",
    "VoterLimitError",
]


class Again(enum.Enum):
    """Whether a request that failed may be sent once more."""

    NEVER = enum.auto()
    #: Nobody knows whether it was carried out: only what counts once however often it is sent.
    IF_REPEATABLE = enum.auto()
    #: Nothing was done, and it passes if the server says when.
    WHEN_TOLD = enum.auto()
    #: Nothing was done, and it passes.
    ALWAYS = enum.auto()


class ArenaError(Exception):
    """The arena did not do what it was asked for. The other errors are kinds of this one.

    ``status`` and ``code`` are the server's, and None if it gave no answer; a newer server may have codes
    that have no class here. ``detail`` says what went wrong, ``hint`` what to do about it, and
    ``retry_after`` after how many seconds it is worth trying again.
    """

    code: str | None = None
    hint: str | None = None
    again: ClassVar[Again] = Again.NEVER

    def __init__(
        self,
        detail: str,
        *,
        status: int | None = None,
        code: str | None = None,
        hint: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.status = status
        self.retry_after = retry_after
        if code is not None:
            self.code = code
        if hint is not None:
            self.hint = hint

    def __str__(self) -> str:
        code = f" ({self.code})" if self.code else ""
        hint = f"\nhint: {self.hint}" if self.hint else ""
        return f"{self.detail}{code}{hint}"

    def __reduce__(self) -> tuple[object, ...]:
        # What `OSError` pickles of itself would lose all but the detail.
        return type(self), (self.detail,), self.__dict__


class UnreachableError(ArenaError, ConnectionError):
    """There is no server at the address. Nothing was done."""

    hint = "`tiltyard serve` starts one; the argument `server` or TILTYARD_SERVER says where one is"
    again = Again.ALWAYS


class ConnectionLostError(ArenaError, ConnectionError):
    """The connection broke off. Whether the server did what it was asked for is not known."""

    again = Again.IF_REPEATABLE


class NoAnswerError(ArenaError, TimeoutError):
    """No answer came in time. Whether the server did what it was asked for is not known."""

    hint = "give the client a longer `timeout`"
    again = Again.IF_REPEATABLE


class ForeignAnswerError(ArenaError):
    """What answered is no arena, or one that this client does not understand."""

    hint: str | None = "the argument `server` or TILTYARD_SERVER says where the server is"


class GatewayError(ForeignAnswerError, ConnectionError):
    """What stands in front of the arena could not get an answer from it."""

    hint = None
    again = Again.IF_REPEATABLE


class ClientClosedError(ArenaError, RuntimeError):
    """The client was closed before. Nothing was sent."""

    hint = "make another, or ask within its `with`"


class SeveralExperimentsError(ArenaError, LookupError):
    """More than one experiment has the name that was asked for."""


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
        "Use a name from the experiment's arms, with characters that are special in an "
        "address percent-encoded."
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
        "Read the arms first: only active ones can be retired, only retired ones restored, and two must stay."
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
    hint = "The first lists, with their method and length, count. Get another duel for other lists."


class NotInterleavedError(ArenaError):
    """The duel has no merged list."""

    code = "not_interleaved"
    hint = "Bring the lists of its rankers first, or say its outcome in a word."


class IsSlateError(ArenaError):
    """The duel is a slate of several arms."""

    code = "is_slate"
    hint = "Say its ranking, or the best of it, at `/v1/duels/{duel}/ranking`; `skip` is fine where it is."


class NotASlateError(ArenaError):
    """The duel is not a slate."""

    code = "not_a_slate"
    hint = "It is of two arms: say its outcome."


class NothingToEvaluateError(ArenaError):
    """No vote says anything about other play."""

    code = "nothing_to_evaluate"
    hint = (
        "Votes do where the chance of their pair is known and every pair has one: use a "
        "policy such as `rex3`, or the setting `holdout`."
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
        "Bring the arms in first, if the policy can change its arms, or make an experiment with all of them."
    )


class BadPolicyError(ArenaError, ValueError):
    """The policy cannot be used."""

    code = "bad_policy"
    hint = (
        "`tiltyard policy list` shows all policies; those that must see each outcome before "
        "the next duel cannot be used live."
    )


class RateLimitedError(ArenaError):
    """The key makes too many requests."""

    code = "rate_limited"
    hint = "Wait as long as `Retry-After` says. Nothing was done."
    again = Again.WHEN_TOLD


class VoterLimitError(ArenaError):
    """The voter has voted too often."""

    code = "voter_limit"
    hint = "Wait as long as `Retry-After` says; without it, this voter's votes are no longer taken."
    again = Again.WHEN_TOLD


class TooManyInFlightError(ArenaError):
    """Too many duels wait for an answer."""

    code = "too_many_in_flight"
    hint = "Answer or void some, wait until some expire, or make an experiment with a larger `max_in_flight`."
    again = Again.WHEN_TOLD


class InternalError(ArenaError):
    """The server made a mistake."""

    code = "internal"
    hint = (
        "Report it with the server's log. Whether the request was carried out is not known: "
        "ask again with the same ids."
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
        "Whether the request was carried out is not known. Asked again with the same duel id "
        "or `client_id` it is carried out once."
    )
    again = Again.IF_REPEATABLE


class TimedOutError(ArenaError, TimeoutError):
    """It took too long; ask again, with the same ids."""

    code = "timed_out"
    hint = (
        "Whether the request was carried out is not known. Asked again with the same duel id "
        "or `client_id` it is carried out once."
    )
    again = Again.IF_REPEATABLE


class StoppingError(ArenaError):
    """The server is about to stop; nothing was done."""

    code = "stopping"
    hint = "Ask again when it has started anew."
    again = Again.ALWAYS


def _all_below(kind: type[ArenaError]) -> list[type[ArenaError]]:
    return [kind, *(each for child in kind.__subclasses__() for each in _all_below(child))]


#: The class of each code.
BY_CODE: dict[str, type[ArenaError]] = {kind.code: kind for kind in _all_below(ArenaError) if kind.code}


def error_of(code: str, detail: str, status: int, retry_after: float | None) -> ArenaError:
    """The error that a problem of the API tells of."""
    kind = BY_CODE.get(code, ArenaError)
    return kind(detail, status=status, code=code, retry_after=retry_after)
