//! Errors as `application/problem+json` (RFC 9457), all from one table.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

macro_rules! codes {
    ($($name:ident = $status:literal $code:literal $title:literal $advice:literal,)*) => {
        /// The code of an error: a fixed word on which programs can rely.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum ProblemCode {
            $(#[doc = $title] $name,)*
        }

        impl ProblemCode {
            /// All codes, in the order of the table.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The code as it is written in JSON.
            pub fn word(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }

            /// The HTTP status of the response.
            pub fn status(self) -> u16 {
                match self { $(Self::$name => $status,)* }
            }

            /// What the code means.
            pub fn title(self) -> &'static str {
                match self { $(Self::$name => $title,)* }
            }

            /// What to do about the error.
            pub fn advice(self) -> &'static str {
                match self { $(Self::$name => $advice,)* }
            }
        }
    };
}

codes! {
    BadRequest = 400 "bad_request" "The request cannot be read"
        "Send valid JSON (RFC 8259), nested at most 100 levels deep, and a path in UTF-8. `detail` says what cannot be read.",
    Unauthorized = 401 "unauthorized" "A valid key is needed"
        "Send `Authorization: Bearer KEY` with a key that is neither expired nor revoked.",
    Forbidden = 403 "forbidden" "The key does not allow this"
        "Use a key whose scope and experiment allow this request. A server without keys accepts requests to `localhost` and loopback addresses only.",
    NotFound = 404 "not_found" "There is nothing at this address"
        "`/openapi.json` lists all addresses.",
    NoExperiment = 404 "no_experiment" "The experiment does not exist"
        "Use the `id` that the server returned when the experiment was created, or list all experiments.",
    NoDuel = 404 "no_duel" "The duel does not exist"
        "Use the complete `id` that the server returned with the duel. Its last part is a secret.",
    NoArm = 404 "no_arm" "The arm does not exist"
        "Use a name from the experiment's list of arms. Percent-encode special characters in the address.",
    NoImport = 404 "no_import" "No votes were imported at this log position"
        "Use the `place` that the server returned with the import.",
    NoApprentice = 409 "no_apprentice" "The experiment has no apprentice"
        "Start an apprentice first.",
    NoKey = 404 "no_key" "The key does not exist"
        "Use the `id` of a key from the list of keys, not the key itself.",
    MethodNotAllowed = 405 "method_not_allowed" "Method not allowed at this address"
        "Use one of the methods that the header `Allow` lists.",
    BodyTooSlow = 408 "body_too_slow" "The body did not arrive in time"
        "Send the request again, all at once. Nothing was done.",
    ArmState = 409 "arm_state" "The state of the arm does not allow this"
        "Read the list of arms first. Only an active arm can be retired, only a retired arm can be restored, and two arms must stay active.",
    HasApprentice = 409 "has_apprentice" "The experiment already has an apprentice"
        "Let the apprentice take over, or dismiss it.",
    NotElastic = 409 "not_elastic" "The policy cannot change its arms while it runs"
        "Create an experiment with a policy that can, such as `rex3`.",
    ExperimentPaused = 409 "experiment_paused" "The experiment is paused"
        "Resume the experiment, or try again later.",
    ExperimentClosed = 409 "experiment_closed" "The experiment is closed"
        "A closed experiment cannot be reopened. Create another one.",
    ClientIdReused = 409 "client_id_reused" "The client id was used for another request"
        "Use a new `client_id`. To repeat the earlier request, ask for the same number of duels or send the same votes.",
    ImportVoided = 409 "import_voided" "The votes were imported and then voided"
        "The server remembers imports by their `client_id`. Use a new one to import the same votes again.",
    OutcomeContradicts = 409 "outcome_contradicts" "The duel already has a different outcome"
        "The first outcome and its voter count. To take them back, void the duel.",
    DuelVoided = 409 "duel_voided" "The duel was voided"
        "Get another duel.",
    DuelExpired = 409 "duel_expired" "The duel has expired"
        "Get another duel. The setting `late` decides whether the experiment accepts late outcomes.",
    ListsContradict = 409 "lists_contradict" "The duel already has a list that was merged differently"
        "The first lists, their method and their length count. Get another duel for other lists.",
    NotInterleaved = 409 "not_interleaved" "The duel has no merged list"
        "Send the lists of its rankers first, or answer the duel with an outcome.",
    IsSlate = 409 "is_slate" "The duel is a slate of several arms"
        "Send a ranking or the best arm to `/v1/duels/{duel}/ranking`. The only outcome that a slate accepts is `skip`.",
    NotASlate = 409 "not_a_slate" "The duel is not a slate"
        "The duel has two arms. Answer it with an outcome.",
    NothingToEvaluate = 409 "nothing_to_evaluate" "No vote can be used for the evaluation"
        "A vote can be used if the probability of its pair is known and every pair could be drawn. Use a policy such as `rex3`, or the setting `holdout`.",
    BodyTooLarge = 413 "body_too_large" "The body is too large"
        "Send less at once, or start the server with a larger `max_body_bytes`.",
    UnsupportedMediaType = 415 "unsupported_media_type" "The body must be JSON"
        "Send `Content-Type: application/json`.",
    Invalid = 422 "invalid" "A value is not allowed"
        "Correct the value that the message names.",
    UnknownArms = 422 "unknown_arms" "Votes name arms that the experiment does not have"
        "Add the arms first if the policy can change its arms. Otherwise create an experiment that has all of them.",
    BadPolicy = 422 "bad_policy" "The policy cannot be used"
        "`tiltyard policy list` lists all policies. A policy that needs each outcome before its next duel cannot be used live.",
    RateLimited = 429 "rate_limited" "Too many requests with this key"
        "Wait as long as `Retry-After` says. Nothing was done.",
    VoterLimit = 429 "voter_limit" "The voter has reached the limit of votes"
        "Wait as long as `Retry-After` says. Without this header, the experiment accepts no more votes from this voter.",
    TooManyInFlight = 429 "too_many_in_flight" "Too many duels are in flight"
        "Answer or void some duels, wait until some expire, or create an experiment with a larger `max_in_flight`.",
    Internal = 500 "internal" "The server failed"
        "Report the failure with the server's log. The request may or may not have been carried out: repeat it with the same ids.",
    ExperimentDamaged = 500 "experiment_damaged" "The data of the experiment is damaged"
        "The message says what is damaged and where. The records before the damage can still be read in the experiment's history. Stop the server and run `tiltyard verify`, which says how to repair it.",
    Overloaded = 503 "overloaded" "The server is overloaded; nothing was done"
        "Wait as long as `Retry-After` says, then repeat the request.",
    StoreUnavailable = 503 "store_unavailable" "The store failed; repeat the request with the same ids"
        "The request may or may not have been carried out. If you repeat it with the same duel id or `client_id`, it takes effect only once.",
    TimedOut = 503 "timed_out" "The request took too long; repeat it with the same ids"
        "The request may or may not have been carried out. If you repeat it with the same duel id or `client_id`, it takes effect only once.",
    Stopping = 503 "stopping" "The server is stopping; nothing was done"
        "Repeat the request when the server has restarted.",
}

/// An error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Problem {
    /// The address of the page that explains the code.
    #[serde(rename = "type")]
    #[schema(example = "/docs/errors#no_duel")]
    pub kind: String,
    /// What the code means.
    pub title: String,
    /// The HTTP status of the response.
    pub status: u16,
    /// The code of the error: a fixed word on which programs can rely.
    pub code: ProblemCode,
    /// What went wrong in this request.
    pub detail: String,
    /// How many seconds to wait before trying again.
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
