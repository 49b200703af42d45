//! Errors as they travel: `application/problem+json` (RFC 9457), all from one table.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

macro_rules! codes {
    ($($name:ident = $status:literal $code:literal $title:literal $advice:literal,)*) => {
        /// What went wrong, in a word that programs may rely on.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum ProblemCode {
            $(#[doc = $title] $name,)*
        }

        impl ProblemCode {
            /// Every code.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The word.
            pub fn word(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }

            /// The status it goes with.
            pub fn status(self) -> u16 {
                match self { $(Self::$name => $status,)* }
            }

            /// What it means.
            pub fn title(self) -> &'static str {
                match self { $(Self::$name => $title,)* }
            }

            /// What to do about it.
            pub fn advice(self) -> &'static str {
                match self { $(Self::$name => $advice,)* }
            }
        }
    };
}

codes! {
    BadRequest = 400 "bad_request" "The request cannot be read"
        "Send JSON as RFC 8259 has it, nested no deeper than 100 levels, and a path that is UTF-8; `detail` names the place.",
    Unauthorized = 401 "unauthorized" "A valid key is needed"
        "Send `Authorization: Bearer KEY` with a key that is neither expired nor revoked.",
    Forbidden = 403 "forbidden" "The key does not allow this"
        "Use a key of another scope, or of this experiment. A server without keys answers to `localhost` and loopback addresses only.",
    NotFound = 404 "not_found" "There is nothing at this address"
        "Look the address up in `/openapi.json`.",
    NoExperiment = 404 "no_experiment" "There is no such experiment"
        "Use the `id` that making the experiment returned, or list all.",
    NoDuel = 404 "no_duel" "There is no such duel"
        "Use the `id` that getting the duel returned, all of it: its last part is a secret.",
    NoArm = 404 "no_arm" "There is no such arm"
        "Use a name from the experiment's arms, with characters that are special in an address percent-encoded.",
    NoImport = 404 "no_import" "No votes were imported at that place"
        "Use the `place` that importing the votes returned.",
    NoApprentice = 409 "no_apprentice" "The experiment has no apprentice"
        "Begin one first.",
    NoKey = 404 "no_key" "There is no such key"
        "Use the `id` of a key from the list of keys, not the key itself.",
    MethodNotAllowed = 405 "method_not_allowed" "The address knows other methods"
        "Use one of those that the header `Allow` lists.",
    BodyTooSlow = 408 "body_too_slow" "The body did not come in time"
        "Send it again, all at once. Nothing was done.",
    ArmState = 409 "arm_state" "The arm is not in the state for this"
        "Read the arms first: only active ones can be retired, only retired ones restored, and two must stay.",
    HasApprentice = 409 "has_apprentice" "The experiment has an apprentice already"
        "Let it take over, or dismiss it.",
    NotElastic = 409 "not_elastic" "The policy cannot change its arms while it runs"
        "Make an experiment with a policy that can, such as `rex3`.",
    ExperimentPaused = 409 "experiment_paused" "The experiment is paused"
        "Resume it, or ask later.",
    ExperimentClosed = 409 "experiment_closed" "The experiment is closed"
        "That is for good: make another experiment.",
    ClientIdReused = 409 "client_id_reused" "The client id was used for another request"
        "Use another `client_id`, or ask for as many duels as before, or send the same votes.",
    ImportVoided = 409 "import_voided" "The votes were imported, and voided"
        "That is remembered by the `client_id`: use another to import the same votes once more.",
    OutcomeContradicts = 409 "outcome_contradicts" "The duel has another outcome"
        "The first outcome, with its voter, counts. To take it back, void the duel.",
    DuelVoided = 409 "duel_voided" "The duel was voided"
        "Get another duel.",
    DuelExpired = 409 "duel_expired" "The duel has expired"
        "Get another duel. The setting `late` decides whether late outcomes are taken.",
    ListsContradict = 409 "lists_contradict" "The duel's lists were merged before, from others"
        "The first lists, with their method and length, count. Get another duel for other lists.",
    NotInterleaved = 409 "not_interleaved" "The duel has no merged list"
        "Bring the lists of its rankers first, or say its outcome in a word.",
    IsSlate = 409 "is_slate" "The duel is a slate of several arms"
        "Say its ranking, or the best of it, at `/v1/duels/{duel}/ranking`; `skip` is fine where it is.",
    NotASlate = 409 "not_a_slate" "The duel is not a slate"
        "It is of two arms: say its outcome.",
    NothingToEvaluate = 409 "nothing_to_evaluate" "No vote says anything about other play"
        "Votes do where the chance of their pair is known and every pair has one: use a policy such as `rex3`, or the setting `holdout`.",
    BodyTooLarge = 413 "body_too_large" "The body is too large"
        "Send less at once, or start the server with a larger `max_body_bytes`.",
    UnsupportedMediaType = 415 "unsupported_media_type" "The body must be JSON"
        "Send `Content-Type: application/json`.",
    Invalid = 422 "invalid" "A value is not allowed"
        "Change what `detail` names.",
    UnknownArms = 422 "unknown_arms" "Votes name arms that the experiment does not have"
        "Bring the arms in first, if the policy can change its arms, or make an experiment with all of them.",
    BadPolicy = 422 "bad_policy" "The policy cannot be used"
        "`tiltyard policy list` shows all policies; those that must see each outcome before the next duel cannot be used live.",
    RateLimited = 429 "rate_limited" "The key makes too many requests"
        "Wait as long as `Retry-After` says. Nothing was done.",
    VoterLimit = 429 "voter_limit" "The voter has voted too often"
        "Wait as long as `Retry-After` says; without it, this voter's votes are no longer taken.",
    TooManyInFlight = 429 "too_many_in_flight" "Too many duels wait for an answer"
        "Answer or void some, wait until some expire, or make an experiment with a larger `max_in_flight`.",
    Internal = 500 "internal" "The server made a mistake"
        "Report it with the server's log. Whether the request was carried out is not known: ask again with the same ids.",
    Overloaded = 503 "overloaded" "The server has too much to do; nothing was done"
        "Ask again after as long as `Retry-After` says.",
    StoreUnavailable = 503 "store_unavailable" "The store failed; ask again, with the same ids"
        "Whether the request was carried out is not known. Asked again with the same duel id or `client_id` it is carried out once.",
    TimedOut = 503 "timed_out" "It took too long; ask again, with the same ids"
        "Whether the request was carried out is not known. Asked again with the same duel id or `client_id` it is carried out once.",
    Stopping = 503 "stopping" "The server is about to stop; nothing was done"
        "Ask again when it has started anew.",
}

/// An error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Problem {
    /// Where the code is explained.
    #[serde(rename = "type")]
    #[schema(example = "/docs/errors#no_duel")]
    pub kind: String,
    /// What the code means.
    pub title: String,
    /// The status of the response.
    pub status: u16,
    /// What went wrong, in a word that programs may rely on.
    pub code: ProblemCode,
    /// What went wrong, in words.
    pub detail: String,
    /// After how many seconds it is worth trying again.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub retry_after: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_words_are_those_of_the_wire() {
        for &code in ProblemCode::ALL {
            assert_eq!(serde_json::to_value(code).expect("a word"), code.word());
        }
    }
}
