//! Parameters that know their default and their range. `parameters!` declares each of them once.

use super::{Context, Param, ParamError, Params, Range};
use crate::expr::Expr;

/// A number with a default.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Number {
    /// As lists show it.
    pub(crate) doc: Param,
    pub(crate) default: f64,
    pub(crate) range: Range,
}

impl Number {
    pub(crate) fn read(&self, params: &mut Params<'_>) -> Result<f64, ParamError> {
        params.number_or(self.doc.key, self.range, self.default)
    }

    pub(crate) fn check(&self, value: f64) -> Result<(), ParamError> {
        self.range.check(self.doc.key, value)
    }
}

/// A whole number with a default.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Whole {
    /// As lists show it.
    pub(crate) doc: Param,
    pub(crate) default: u64,
    pub(crate) range: Range,
}

impl Whole {
    pub(crate) fn read(&self, params: &mut Params<'_>) -> Result<u64, ParamError> {
        params.whole_or(self.doc.key, self.range, self.default)
    }
}

/// A number that may be left out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Optional {
    /// As lists show it.
    pub(crate) doc: Param,
    pub(crate) range: Range,
}

impl Optional {
    pub(crate) fn read(&self, params: &mut Params<'_>) -> Result<Option<f64>, ParamError> {
        params.number(self.doc.key, self.range)
    }

    pub(crate) fn check(&self, value: f64) -> Result<(), ParamError> {
        self.range.check(self.doc.key, value)
    }
}

/// A number whose default is an expression, such as `1/T`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Formula {
    /// As lists show it.
    pub(crate) doc: Param,
    pub(crate) range: Range,
}

impl Formula {
    /// The value of a default that uses no other letter than K.
    pub(crate) fn default(&self, n_arms: usize) -> f64 {
        let expr: Expr = self.doc.default.parse().expect("defaults are expressions");
        expr.value(Context { n_arms, horizon: None }.letters()).expect("the default uses K alone")
    }

    /// What was typed, or the default.
    pub(crate) fn expr(&self, params: &mut Params<'_>) -> Result<Expr, ParamError> {
        params.expr_or(self.doc.key, self.doc.default)
    }

    /// Its value, which is not compared with the range yet.
    pub(crate) fn read(&self, params: &mut Params<'_>) -> Result<f64, ParamError> {
        let expr = self.expr(params)?;
        params.value(self.doc.key, &expr)
    }

    pub(crate) fn check(&self, value: f64) -> Result<(), ParamError> {
        self.range.check(self.doc.key, value)
    }
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

    /// With another default than the first word.
    pub(crate) fn read_or(&self, params: &mut Params<'_>, default: &'static str) -> Result<T, ParamError> {
        params.choice_or(self.doc.key, self.words, default)
    }

    /// The first word.
    pub(crate) const fn default(&self) -> T {
        self.words[0].1
    }
}

/// A text that its policy reads by itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Text {
    /// As lists show it.
    pub(crate) doc: Param,
}
