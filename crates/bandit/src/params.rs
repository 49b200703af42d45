//! Parameters of policies and worlds: reading them from a [`Spec`], checking them, and recording
//! the values in force, defaults included.

use core::fmt;
use core::ops::Bound;

use crate::expr::{Expr, Letter, Letters};
use crate::hint::{FrontEnd, Hint, did_you_mean};
use crate::spec::{Spec, suggest};

mod declared;

pub use declared::{Choice, Number};
pub(crate) use declared::{Formula, Optional, Text, Whole};

/// A parameter as listed in the documentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Param {
    pub key: &'static str,
    /// The default, as a user would type it, or in words.
    pub default: &'static str,
    pub legal: &'static str,
    /// The effect of the parameter.
    pub meaning: &'static str,
}

/// The facts that are known when a policy or world is built: the number of arms and, perhaps, the
/// horizon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Context {
    /// K.
    pub n_arms: usize,
    /// T, if it is known in advance.
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

/// A reader of the parameters of one policy or world.
#[derive(Debug)]
pub struct Params<'a> {
    spec: &'a Spec,
    context: Context,
    /// Defaults that take precedence over those that the methods are called with.
    defaults: Vec<(&'static str, &'static str)>,
    read: Vec<(&'static str, String)>,
}

impl<'a> Params<'a> {
    /// Starts reading.
    ///
    /// # Errors
    ///
    /// If there are no arms, if the horizon is 0, or if a key is not in `known`.
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

    /// Gives a key a default that takes precedence over any other default, as if the user had typed
    /// it. Reductions use this to set the defaults of their players.
    pub fn default_to(&mut self, key: &'static str, value: &'static str) {
        self.defaults.push((key, value));
    }

    /// The text that was typed for a key, or its default from [`Self::default_to`].
    pub fn text(&mut self, key: &'static str) -> Option<&'a str> {
        let preferred = || self.defaults.iter().find(|(other, _)| *other == key).map(|&(_, value)| value);
        let text = self.spec.get(key).or_else(preferred)?;
        self.record(key, text);
        Some(text)
    }

    /// Records the value in force for a key that was not typed.
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

    /// The expression that was typed for a key, if any.
    ///
    /// # Errors
    ///
    /// If the text is not an expression.
    pub fn expr(&mut self, key: &'static str) -> Result<Option<Expr>, ParamError> {
        let Some(text) = self.text(key) else { return Ok(None) };
        text.parse().map(Some).map_err(|_| ParamError::NotANumber { key, value: text.to_owned() })
    }

    /// The expression that was typed for a key, or else the default.
    ///
    /// # Errors
    ///
    /// If the typed text is not an expression.
    ///
    /// # Panics
    ///
    /// If the default is not an expression.
    pub fn expr_or(&mut self, key: &'static str, default: &str) -> Result<Expr, ParamError> {
        let expr = self.expr(key)?.unwrap_or_else(|| default.parse().expect("defaults are expressions"));
        self.record(key, &expr);
        Ok(expr)
    }

    /// The value of an expression, with the K and T of the context.
    ///
    /// # Errors
    ///
    /// If the expression uses a letter that has no value here.
    pub fn value(&self, key: &'static str, expr: &Expr) -> Result<f64, ParamError> {
        expr.value(self.context.letters()).map_err(|letter| match letter {
            Letter::Horizon => self.needs_horizon(key),
            Letter::Round | Letter::Arms => ParamError::NoRound { key, value: expr.to_string() },
        })
    }

    /// The error for a key that depends on the horizon when the horizon is unknown.
    pub fn needs_horizon(&self, key: &'static str) -> ParamError {
        ParamError::NeedsHorizon { name: self.spec.name().to_owned(), key }
    }

    /// A number in a range, if one was typed.
    ///
    /// # Errors
    ///
    /// If the text is not a number, depends on an unknown horizon, or is outside the range.
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
    /// As [`Self::number`], and if the number is not whole.
    pub fn whole_or(&mut self, key: &'static str, range: Range, default: u64) -> Result<u64, ParamError> {
        whole(key, self.number_or(key, range, default as f64)?)
    }

    /// The value of a bound on a gain over the whole horizon.
    ///
    /// # Errors
    ///
    /// If the bound uses a letter that has no value here, or is outside the range.
    pub fn gain(&self, key: &'static str, bound: &Expr, range: Range) -> Result<f64, ParamError> {
        let value = self.value(key, bound)?;
        range.check(key, value)?;
        Ok(value)
    }

    /// A bound on the gain of one round. The given bound, on the gain so far, must be a multiple of
    /// `t`.
    ///
    /// # Errors
    ///
    /// If it is not a multiple of `t`, or is negative.
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

    /// Ends reading and returns the parameters in force, each with its value.
    ///
    /// # Errors
    ///
    /// If a key was typed that has no effect in combination with the others.
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
#[expect(missing_docs, reason = "the names say it")]
pub struct Range {
    pub low: Bound<f64>,
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

    /// Whether a number is in it. NaN never is.
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

    /// Checks that the value of a key is in the range.
    ///
    /// # Errors
    ///
    /// If it is not.
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

/// Why parameters were rejected.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe them")]
#[non_exhaustive]
pub enum ParamError {
    /// There are so many arms that the policy would need too much memory, which grows like K^2.
    #[error("{n_arms} arms are too many: `{name}` takes at most {most}, because its memory grows like K^2")]
    TooManyArms { name: &'static str, n_arms: usize, most: usize },
    /// There are no arms.
    #[error("there must be at least one arm")]
    NoArms,
    /// The horizon is 0 rounds.
    #[error("the horizon must be at least 1 round")]
    NoRounds,
    /// There is no parameter with this key.
    #[error("`{name}` has no parameter `{key}`")]
    UnknownKey { name: String, key: String, suggestion: Option<&'static str>, known: Vec<&'static str> },
    /// The word is not one of the choices.
    #[error("`{key}={value}`: `{key}` is one of {}", choices.join(", "))]
    NoSuchChoice {
        key: &'static str,
        value: String,
        suggestion: Option<&'static str>,
        choices: Vec<&'static str>,
    },
    /// The text is neither a number nor an expression.
    #[error("`{key}={value}`: not a number or an expression in T and K such as `1/T`")]
    NotANumber { key: &'static str, value: String },
    /// The number is outside its range.
    #[error("`{key}` is {value}, but must lie in {range}")]
    OutOfRange { key: &'static str, value: f64, range: Range },
    /// The number is not whole.
    #[error("`{key}` is {value}, but must be a whole number")]
    NotWhole { key: &'static str, value: f64 },
    /// The value depends on a horizon that was not given.
    #[error("`{name}` needs a horizon: `{key}` depends on T")]
    NeedsHorizon { name: String, key: &'static str },
    /// The value depends on the current round, which has no meaning here.
    #[error("`{key}={value}`: `t`, the current round, has no meaning here")]
    NoRound { key: &'static str, value: String },
    /// The value of an anytime schedule does not grow in proportion to the round.
    #[error("`{key}={value}`: an anytime schedule needs a multiple of `t`, such as `t/2`")]
    NotProportional { key: &'static str, value: String },
    /// Two keys contradict each other.
    #[error("`{key}={value}` contradicts `{other}`")]
    Contradiction { key: &'static str, value: &'static str, other: &'static str },
    /// The key has no effect in combination with the others.
    #[error("`{key}` has no effect in `{spec}`")]
    Idle { spec: String, key: String },
}

impl Hint for ParamError {
    fn hints(&self, front: &dyn FrontEnd) -> Vec<String> {
        match self {
            Self::UnknownKey { name, suggestion, known, .. } if known.is_empty() => {
                did_you_mean(*suggestion, [format!("`{name}` has no parameters")])
            }
            Self::UnknownKey { name, suggestion, known, .. } => {
                did_you_mean(*suggestion, [format!("parameters of `{name}`: {}", known.join(", "))])
            }
            Self::NoSuchChoice { suggestion, .. } => did_you_mean(*suggestion, []),
            Self::NeedsHorizon { .. } => {
                vec![format!("give the number of rounds with {}", front.option("rounds"))]
            }
            Self::Contradiction { key, other, .. } => vec![format!("leave out `{key}` or `{other}`")],
            Self::Idle { key, .. } => vec![format!("leave out `{key}`, or change the other parameters")],
            _ => Vec::new(),
        }
    }
}
