//! Parameters of worlds. Each is declared once: what is checked, what holds by default and what
//! lists show come from one line.

use tiltyard_bandit::params::{Param, ParamError, Params, Range};

use crate::utility::Answers;

/// A number with a default.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Number {
    /// As lists show it.
    pub(crate) doc: Param,
    pub(crate) range: Range,
    pub(crate) default: f64,
}

impl Number {
    pub(crate) fn read(&self, params: &mut Params<'_>) -> Result<f64, ParamError> {
        params.number_or(self.doc.key, self.range, self.default)
    }

    pub(crate) fn whole(&self, params: &mut Params<'_>) -> Result<u64, ParamError> {
        whole(self.doc.key, self.read(params)?)
    }

    /// A whole number of things that are held in memory.
    pub(crate) fn count(&self, params: &mut Params<'_>) -> Result<usize, ParamError> {
        Ok(usize::try_from(self.whole(params)?).expect("ranges of counts end far below 2^32"))
    }
}

/// The number itself if it is whole; it lies in a range within [0, 2^53].
pub(crate) fn whole(key: &'static str, value: f64) -> Result<u64, ParamError> {
    if value.fract() != 0.0 {
        return Err(ParamError::NotWhole { key, value });
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole and within range")]
    Ok(value as u64)
}

/// One of several words, of which the first is the default.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Choice<T: 'static> {
    /// As lists show it.
    pub(crate) doc: Param,
    pub(crate) words: &'static [(&'static str, T)],
}

impl<T: Copy> Choice<T> {
    pub(crate) fn read(&self, params: &mut Params<'_>) -> Result<T, ParamError> {
        params.choice(self.doc.key, self.words)
    }
}

/// Declares a [`Number`]: `number!("share" = 0.1 in [0, 1], "which share gets lost")`. `whole`
/// instead of `in` says so in lists.
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
            range: ::tiltyard_bandit::params::Range::$range($($end),*),
            default: $default as f64,
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
