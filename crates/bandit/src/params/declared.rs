//! Parameters with their defaults and ranges. `parameters!` declares each of them once.

use super::{Context, Param, ParamError, Params, Range};
use crate::expr::Expr;

/// A number with a default.
#[derive(Debug, Clone, Copy)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Number {
    /// The parameter's row in lists.
    pub doc: Param,
    pub default: f64,
    pub range: Range,
}

impl Number {
    /// The number that was typed, or the default.
    ///
    /// # Errors
    ///
    /// As [`Params::number`].
    pub fn read(&self, params: &mut Params<'_>) -> Result<f64, ParamError> {
        params.number_or(self.doc.key, self.range, self.default)
    }

    /// The same for a whole number. The range must be within [0, 2^53].
    ///
    /// # Errors
    ///
    /// As [`Params::number`], and if the number is not whole.
    pub fn whole(&self, params: &mut Params<'_>) -> Result<u64, ParamError> {
        super::whole(self.doc.key, self.read(params)?)
    }

    /// The same for a number of things in memory. The range must end below 2^32.
    ///
    /// # Errors
    ///
    /// As [`Self::whole`].
    pub fn count(&self, params: &mut Params<'_>) -> Result<usize, ParamError> {
        Ok(usize::try_from(self.whole(params)?).expect("ranges of counts end far below 2^32"))
    }

    pub(crate) fn check(&self, value: f64) -> Result<(), ParamError> {
        self.range.check(self.doc.key, value)
    }
}

/// A whole number with a default.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Whole {
    /// The parameter's row in lists.
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
    /// The parameter's row in lists.
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
    /// The parameter's row in lists.
    pub(crate) doc: Param,
    pub(crate) range: Range,
}

impl Formula {
    /// The value of a default that uses no letter except K.
    pub(crate) fn default(&self, n_arms: usize) -> f64 {
        let expr: Expr = self.doc.default.parse().expect("defaults are expressions");
        expr.value(Context { n_arms, horizon: None }.letters()).expect("the default uses K alone")
    }

    /// The expression that was typed, or the default.
    pub(crate) fn expr(&self, params: &mut Params<'_>) -> Result<Expr, ParamError> {
        params.expr_or(self.doc.key, self.doc.default)
    }

    /// The value of [`Self::expr`], not yet checked against the range.
    pub(crate) fn read(&self, params: &mut Params<'_>) -> Result<f64, ParamError> {
        let expr = self.expr(params)?;
        params.value(self.doc.key, &expr)
    }

    pub(crate) fn check(&self, value: f64) -> Result<(), ParamError> {
        self.range.check(self.doc.key, value)
    }
}

/// One of several words; the first is the default.
#[derive(Debug, Clone, Copy)]
pub struct Choice<T: 'static> {
    /// The parameter's row in lists.
    pub doc: Param,
    /// Each word with its value.
    pub words: &'static [(&'static str, T)],
}

impl<T: Copy> Choice<T> {
    /// The value of the word that was typed, or of the first word.
    ///
    /// # Errors
    ///
    /// If the text is not one of the words.
    pub fn read(&self, params: &mut Params<'_>) -> Result<T, ParamError> {
        params.choice(self.doc.key, self.words)
    }

    /// The same with another default than the first word.
    pub(crate) fn read_or(&self, params: &mut Params<'_>, default: &'static str) -> Result<T, ParamError> {
        params.choice_or(self.doc.key, self.words, default)
    }

    /// The value of the first word.
    pub(crate) const fn default(&self) -> T {
        self.words[0].1
    }
}

/// A text that the policy itself parses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Text {
    /// The parameter's row in lists.
    pub(crate) doc: Param,
}
