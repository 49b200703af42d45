//! Parameters of worlds. Each is declared once, in one line: its check, its default and its row in
//! lists come from there.

pub(crate) use tiltyard_bandit::params::{Choice, Number, whole};

use crate::utility::Answers;

/// Declares a [`Number`]: `number!("share" = 0.1 in [0, 1], "which share gets lost")`. `whole`
/// instead of `in` tells readers of lists that the number is whole.
macro_rules! number {
    ($key:literal = $default:literal in $range:tt, $meaning:literal) => {
        number!(@ $key, $default, "", $range, $meaning)
    };
    ($key:literal = $default:literal whole $range:tt, $meaning:literal) => {
        number!(@ $key, $default, "whole, ", $range, $meaning)
    };
    ($key:literal = $default:literal above $low:literal, $meaning:literal) => {
        number!(@@ $key, $default, concat!("above ", $low), above($low as f64), $meaning)
    };
    (@ $key:literal, $default:literal, $prefix:literal, [0, 2 ^ 53], $meaning:literal) => {
        number!(@@ $key, $default, concat!($prefix, "[0, 2^53]"), closed(0.0, (1u64 << 53) as f64), $meaning)
    };
    (@ $key:literal, $default:literal, $prefix:literal, [$low:literal, $high:literal], $meaning:literal) => {
        number!(@@ $key, $default, concat!($prefix, "[", $low, ", ", $high, "]"),
            closed($low as f64, $high as f64), $meaning)
    };
    (@@ $key:literal, $default:literal, $legal:expr, $range:ident($($end:expr),*), $meaning:literal) => {
        $crate::param::Number {
            doc: ::tiltyard_bandit::params::Param {
                key: $key,
                default: stringify!($default),
                legal: $legal,
                meaning: $meaning,
            },
            default: $default as f64,
            range: ::tiltyard_bandit::params::Range::$range($($end),*),
        }
    };
}

/// Declares a [`Choice`]: `choice!("set": "ball" => false, "box" => true; "which set")`.
macro_rules! choice {
    ($key:literal: $first:literal => $value:expr $(, $word:literal => $other:expr)*; $meaning:literal) => {
        $crate::param::Choice {
            doc: ::tiltyard_bandit::params::Param {
                key: $key,
                default: $first,
                legal: concat!($first $(, ", ", $word)*),
                meaning: $meaning,
            },
            words: &[($first, $value) $(, ($word, $other))*],
        }
    };
}

/// How duels of utilities are answered.
pub(crate) const ANSWERS: Choice<Answers> = choice!("answers":
    "graded" => Answers::Graded, "binary" => Answers::Binary;
    "the difference of utilities, or wins and losses with ties broken by a coin");

/// Ten arms, or as many as there is memory for.
pub(crate) const ARMS: Number = number!("arms" = 10 in [1, 1e7], "how many arms");

pub(crate) use {choice, number};
