//! Parameters of policies and worlds: read from a [`Spec`], checked, and recorded with their
//! defaults.

use core::fmt;
use core::ops::Bound;

use crate::expr::{Expr, Letter, Letters};
use crate::hint::{FrontEnd, Hint, did_you_mean};
use crate::spec::{Spec, suggest};

mod declared;

pub use declared::{Choice, Number};
pub(crate) use declared::{Formula, Optional, Text, Whole};

/// A parameter as the documentation lists it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Param {
    /// Its key.
    pub key: &'static str,
    /// The default, as it would be typed, or in words.
    pub default: &'static str,
    /// The legal values.
    pub legal: &'static str,
    /// What it does.
    pub meaning: &'static str,
}

/// What is known where something is built: the number of arms and, perhaps, the horizon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Context {
    /// K.
    pub n_arms: usize,
    /// T, where it is known in advance.
    pub horizon: Option<u64>,
}

impl Context {
    fn letters(self) -> Letters {
        Letters {
            arms: Some(self.n_arms as f64),
            horizon: self.horizon.map(|horizon| horizon as f64),
            round: None,
        }
    }
}

/// The parameters of one policy or world, being read.
#[derive(Debug)]
pub struct Params<'a> {
    spec: &'a Spec,
    context: Context,
    /// Defaults that go before the reader's own.
    defaults: Vec<(&'static str, &'static str)>,
    read: Vec<(&'static str, String)>,
}

impl<'a> Params<'a> {
    /// Starts reading.
    ///
    /// # Errors
    ///
    /// If there are no arms, if the horizon is 0, or if a key is none of `known`.
    pub fn new(spec: &'a Spec, context: Context, known: &[&[Param]]) -> Result<Self, ParamError> {
        if context.n_arms == 0 {
            return Err(ParamError::NoArms);
        }
        if context.horizon == Some(0) {
            return Err(ParamError::NoRounds);
        }
        let known = || known.iter().flat_map(|params| params.iter()).map(|param| param.key);
        for key in spec.keys() {
            if !known().any(|other| other == key) {
                return Err(ParamError::UnknownKey {
                    name: spec.name().to_owned(),
                    key: key.to_owned(),
                    suggestion: suggest(key, known()),
                    known: known().collect(),
                });
            }
        }
        Ok(Self { spec, context, defaults: Vec::new(), read: Vec::new() })
    }

    /// K and T.
    pub fn context(&self) -> Context {
        self.context
    }

    /// Gives a key a default that goes before its reader's own, as if it had been typed: what a
    /// reduction prefers for its players.
    pub fn default_to(&mut self, key: &'static str, value: &'static str) {
        self.defaults.push((key, value));
    }

    /// What was typed for a key, if anything.
    pub fn text(&mut self, key: &'static str) -> Option<&'a str> {
        let preferred = || self.defaults.iter().find(|(other, _)| *other == key).map(|&(_, value)| value);
        let text = self.spec.get(key).or_else(preferred)?;
        self.record(key, text);
        Some(text)
    }

    /// Notes the value in force for a key that was not typed.
    pub fn record(&mut self, key: &'static str, value: impl fmt::Display) {
        if !self.read.iter().any(|&(other, _)| other == key) {
            self.read.push((key, value.to_string()));
        }
    }

    /// One of several words; the first is the default.
    ///
    /// # Errors
    ///
    /// If another word was typed.
    pub fn choice<T: Copy>(
        &mut self,
        key: &'static str,
        choices: &[(&'static str, T)],
    ) -> Result<T, ParamError> {
        self.choice_or(key, choices, choices[0].0)
    }

    /// One of several words, with a default.
    ///
    /// # Errors
    ///
    /// If another word was typed.
    pub fn choice_or<T: Copy>(
        &mut self,
        key: &'static str,
        choices: &[(&'static str, T)],
        default: &'static str,
    ) -> Result<T, ParamError> {
        let text = self.text(key).unwrap_or(default);
        let found = choices.iter().find(|(word, _)| *word == text);
        let Some(&(word, value)) = found else {
            let words = choices.iter().map(|&(word, _)| word);
            return Err(ParamError::NoSuchChoice {
                key,
                value: text.to_owned(),
                suggestion: suggest(text, words.clone()),
                choices: words.collect(),
            });
        };
        self.record(key, word);
        Ok(value)
    }

    /// An expression, as typed.
    ///
    /// # Errors
    ///
    /// If the text is none.
    pub fn expr(&mut self, key: &'static str) -> Result<Option<Expr>, ParamError> {
        let Some(text) = self.text(key) else { return Ok(None) };
        text.parse().map(Some).map_err(|_| ParamError::NotANumber { key, value: text.to_owned() })
    }

    /// An expression, or a default that this code wrote.
    ///
    /// # Errors
    ///
    /// If the typed text is no expression.
    ///
    /// # Panics
    ///
    /// If the default is none.
    pub fn expr_or(&mut self, key: &'static str, default: &str) -> Result<Expr, ParamError> {
        let expr = self.expr(key)?.unwrap_or_else(|| default.parse().expect("defaults are expressions"));
        self.record(key, &expr);
        Ok(expr)
    }

    /// The value of an expression under the K and T at hand.
    ///
    /// # Errors
    ///
    /// If it uses a letter that has no value here.
    pub fn value(&self, key: &'static str, expr: &Expr) -> Result<f64, ParamError> {
        expr.value(self.context.letters()).map_err(|letter| match letter {
            Letter::Horizon => self.needs_horizon(key),
            Letter::Round | Letter::Arms => ParamError::NoRound { key, value: expr.to_string() },
        })
    }

    /// The error of a key that depends on a horizon that is not known.
    pub fn needs_horizon(&self, key: &'static str) -> ParamError {
        ParamError::NeedsHorizon { name: self.spec.name().to_owned(), key }
    }

    /// A number in a range, if one was typed.
    ///
    /// # Errors
    ///
    /// If it is no number, needs a horizon that is not known, or lies outside.
    pub fn number(&mut self, key: &'static str, range: Range) -> Result<Option<f64>, ParamError> {
        let Some(expr) = self.expr(key)? else { return Ok(None) };
        let value = self.value(key, &expr)?;
        range.check(key, value)?;
        Ok(Some(value))
    }

    /// A number in a range, or a default.
    ///
    /// # Errors
    ///
    /// As [`Self::number`].
    pub fn number_or(&mut self, key: &'static str, range: Range, default: f64) -> Result<f64, ParamError> {
        let value = self.number(key, range)?.unwrap_or(default);
        self.record(key, value);
        Ok(value)
    }

    /// A whole number in a range within [0, 2^53], or a default.
    ///
    /// # Errors
    ///
    /// As [`Self::number`], and if it is not whole.
    pub fn whole_or(&mut self, key: &'static str, range: Range, default: u64) -> Result<u64, ParamError> {
        whole(key, self.number_or(key, range, default as f64)?)
    }

    /// A bound on a gain over the whole horizon.
    ///
    /// # Errors
    ///
    /// If it uses a letter that has no value here, or lies outside the range.
    pub fn gain(&self, key: &'static str, bound: &Expr, range: Range) -> Result<f64, ParamError> {
        let value = self.value(key, bound)?;
        range.check(key, value)?;
        Ok(value)
    }

    /// A bound on the gain of one round, where the bound on the gain so far is a multiple of `t`.
    ///
    /// # Errors
    ///
    /// If it is not, or is negative.
    pub fn gain_a_round(&self, key: &'static str, bound: &Expr) -> Result<f64, ParamError> {
        let not_proportional = || ParamError::NotProportional { key, value: bound.to_string() };
        let at = |round: f64| {
            let letters = Letters { horizon: None, round: Some(round), ..self.context.letters() };
            bound.value(letters).map_err(|_| not_proportional())
        };
        let slope = at(1.0)?;
        for round in [0.0, 7.0, 1e6] {
            // Written positively so that NaN fails.
            let fits = (at(round)? - round * slope).abs() <= 1e-9 * round * slope.abs();
            if !fits {
                return Err(not_proportional());
            }
        }
        Range::at_least(0.0).check(key, slope)?;
        Ok(slope)
    }

    /// Ends reading: the parameters in force, each with its value.
    ///
    /// # Errors
    ///
    /// If a key was typed that has no effect beside the others.
    pub fn finish(self) -> Result<Vec<(&'static str, String)>, ParamError> {
        for key in self.spec.keys() {
            if !self.read.iter().any(|(read, _)| *read == key) {
                let spec = self.spec.to_string();
                return Err(ParamError::Idle { spec, key: key.to_owned() });
            }
        }
        Ok(self.read)
    }
}

/// A number from [0, 2^53] as an integer.
///
/// # Errors
///
/// If it is not whole.
pub fn whole(key: &'static str, value: f64) -> Result<u64, ParamError> {
    if value.fract() != 0.0 {
        return Err(ParamError::NotWhole { key, value });
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole and within range")]
    Ok(value as u64)
}

/// An interval of legal numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// Its lower end.
    pub low: Bound<f64>,
    /// Its upper end.
    pub high: Bound<f64>,
}

impl Range {
    /// (0, high].
    pub const fn above_zero_to(high: f64) -> Self {
        Self { low: Bound::Excluded(0.0), high: Bound::Included(high) }
    }

    /// (low, infinity).
    pub const fn above(low: f64) -> Self {
        Self { low: Bound::Excluded(low), high: Bound::Excluded(f64::INFINITY) }
    }

    /// [low, infinity).
    pub const fn at_least(low: f64) -> Self {
        Self { low: Bound::Included(low), high: Bound::Excluded(f64::INFINITY) }
    }

    /// [low, high].
    pub const fn closed(low: f64, high: f64) -> Self {
        Self { low: Bound::Included(low), high: Bound::Included(high) }
    }

    /// Whether a number lies in it; NaN does not.
    pub fn contains(self, value: f64) -> bool {
        let above = match self.low {
            Bound::Included(low) => low <= value,
            Bound::Excluded(low) => low < value,
            Bound::Unbounded => true,
        };
        let below = match self.high {
            Bound::Included(high) => value <= high,
            Bound::Excluded(high) => value < high,
            Bound::Unbounded => true,
        };
        above && below && !value.is_nan()
    }

    /// Whether the value of a key lies in it.
    ///
    /// # Errors
    ///
    /// If it does not.
    pub fn check(self, key: &'static str, value: f64) -> Result<(), ParamError> {
        if self.contains(value) { Ok(()) } else { Err(ParamError::OutOfRange { key, value, range: self }) }
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.low {
            Bound::Included(low) => write!(f, "[{low}, ")?,
            Bound::Excluded(low) => write!(f, "({low}, ")?,
            Bound::Unbounded => write!(f, "(-inf, ")?,
        }
        match self.high {
            Bound::Included(high) => write!(f, "{high}]"),
            Bound::Excluded(high) => write!(f, "{high})"),
            Bound::Unbounded => write!(f, "inf)"),
        }
    }
}

/// Why parameters were refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParamError {
    /// K so large that K^2 numbers are more than a policy should hold.
    #[error("{n_arms} arms are too many: `{name}` holds their square in memory, and stops at {most}")]
    TooManyArms {
        /// The policy.
        name: &'static str,
        /// K.
        n_arms: usize,
        /// The most that it takes.
        most: usize,
    },
    /// K = 0.
    #[error("there must be at least one arm")]
    NoArms,
    /// T = 0.
    #[error("the horizon must be at least 1 round")]
    NoRounds,
    /// A key nobody reads.
    #[error("`{name}` has no parameter `{key}`")]
    UnknownKey {
        /// Whose parameter it would be.
        name: String,
        /// The key typed.
        key: String,
        /// What was probably meant.
        suggestion: Option<&'static str>,
        /// The keys there are.
        known: Vec<&'static str>,
    },
    /// A word that is none of the choices.
    #[error("`{key}={value}`: `{key}` is one of {}", choices.join(", "))]
    NoSuchChoice {
        /// The key.
        key: &'static str,
        /// The word typed.
        value: String,
        /// What was probably meant.
        suggestion: Option<&'static str>,
        /// The words there are.
        choices: Vec<&'static str>,
    },
    /// A text that is no number.
    #[error("`{key}={value}`: not a number, nor an expression in T and K such as `1/T`")]
    NotANumber {
        /// The key.
        key: &'static str,
        /// The text typed.
        value: String,
    },
    /// A number outside its range.
    #[error("`{key}` is {value}, but must lie in {range}")]
    OutOfRange {
        /// The key.
        key: &'static str,
        /// The number.
        value: f64,
        /// Where it must lie.
        range: Range,
    },
    /// A number that must be whole.
    #[error("`{key}` is {value}, but must be a whole number")]
    NotWhole {
        /// The key.
        key: &'static str,
        /// The number.
        value: f64,
    },
    /// The value depends on a horizon that was not given.
    #[error("`{name}` needs a horizon: `{key}` depends on T")]
    NeedsHorizon {
        /// The policy or world.
        name: String,
        /// The key.
        key: &'static str,
    },
    /// The value depends on the current round where it must not.
    #[error("`{key}={value}`: `t`, the current round, has no meaning here")]
    NoRound {
        /// The key.
        key: &'static str,
        /// The expression.
        value: String,
    },
    /// An anytime value that does not grow in proportion to the round.
    #[error("`{key}={value}`: an anytime schedule needs a multiple of `t`, such as `t/2`")]
    NotProportional {
        /// The key.
        key: &'static str,
        /// The expression.
        value: String,
    },
    /// Two keys that cannot be had together.
    #[error("`{key}={value}` contradicts `{other}`")]
    Contradiction {
        /// One key.
        key: &'static str,
        /// Its value.
        value: &'static str,
        /// The other key.
        other: &'static str,
    },
    /// A key that has no effect beside the others.
    #[error("`{key}` has no effect in `{spec}`")]
    Idle {
        /// The whole specification.
        spec: String,
        /// The key.
        key: String,
    },
}

impl Hint for ParamError {
    fn hints(&self, front: &dyn FrontEnd) -> Vec<String> {
        match self {
            Self::UnknownKey { name, suggestion, known, .. } if known.is_empty() => {
                did_you_mean(*suggestion, [format!("`{name}` has no parameters")])
            }
            Self::UnknownKey { name, suggestion, known, .. } => {
                did_you_mean(*suggestion, [format!("`{name}` knows {}", known.join(", "))])
            }
            Self::NoSuchChoice { suggestion, .. } => did_you_mean(*suggestion, []),
            Self::NeedsHorizon { .. } => {
                vec![format!("say how long it will play, with {}", front.option("rounds"))]
            }
            Self::Contradiction { key, other, .. } => vec![format!("leave out `{key}` or `{other}`")],
            Self::Idle { key, .. } => vec![format!("leave out `{key}`, or change the others")],
            _ => Vec::new(),
        }
    }
}
