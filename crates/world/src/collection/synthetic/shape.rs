//! The shape of a synthetic collection, and its presets.

use tiltyard_bandit::hint::{FrontEnd, Hint};
use tiltyard_bandit::params::{Context, Param, ParamError, Params, Range};
use tiltyard_bandit::spec::Spec;

use crate::collection::letor::{MAX_DOCUMENTS, MAX_FEATURE};
use crate::collection::query::MAX_LABEL;

/// The shape of a synthetic collection. The comment at the top of `collection/synthetic.rs`
/// explains how the numbers work together.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// The number of queries.
    pub queries: usize,
    /// The mean number of documents per query.
    pub documents: f64,
    /// The number of documents of a query is uniform between `1 - spread` and `1 + spread` times
    /// the mean.
    pub spread: f64,
    /// The number of features.
    pub features: usize,
    /// How documents are labelled.
    pub labels: Labels,
    /// The part of the variance of relevance that all documents of a query share. With clumping,
    /// some queries have many good documents.
    pub clumping: f64,
    /// Features see the true relevance up to this number of standard deviations. Above the knee
    /// they see it fall by `bend` times the excess.
    pub knee: f64,
    /// The slope of the fall above the knee. -1 leaves relevance as it is. With 0, all documents
    /// above the knee look alike. Above 0, the very best documents look worse than good ones.
    pub bend: f64,
    /// The quality of the best feature: its correlation with relevance as features see it.
    pub quality: f64,
    /// How far the best feature leads. All others have qualities up to `(1 - lead) * quality`.
    pub lead: f64,
    /// The quality at quantile `u` of the other useful features is
    /// `(1 - lead) * quality * u^tail`. With 0 all are equally good, with a large number few are
    /// good.
    pub tail: f64,
    /// The share of features that on average do not correlate with relevance.
    pub useless: f64,
    /// The share of features with negative correlation, in the same range as the useful ones.
    pub harmful: f64,
    /// The standard deviation of a feature's quality between queries.
    pub wobble: f64,
    /// The number of groups of features. Feature `i` is in group `i % groups`.
    pub groups: usize,
    /// The part of the variance of the noise that the features of a group share.
    pub shared: f64,
    /// The mean share of documents that lack the field of a group, in which all features of the
    /// group are 0. The share grows from near 0 in the first group to near twice the mean in the
    /// last.
    pub missing: f64,
    /// The share of features with few distinct values.
    pub coarse: f64,
    /// The number of distinct values of those features.
    pub levels: usize,
    /// The share of features that are constant within a query.
    pub constant: f64,
}

/// How documents are labelled.
#[derive(Debug, Clone, PartialEq)]
pub enum Labels {
    /// The most relevant document of each query has label 1, all others 0.
    One,
    /// The share of each label from 0. The shares need not sum to 1.
    Shares(Vec<f64>),
}

impl Shape {
    /// Like NP2004 of LETOR 3 (named pages): 64 features and one relevant document per query. The
    /// real collection has about a thousand documents per query. A tenth of that is enough, because
    /// only the first ten documents count.
    ///
    /// With these numbers, the matrix of its feature rankers (team draft, ten documents) behaves
    /// like the published matrix of 64 rankers. `lab/tests/slow/presets.rs` checks this.
    pub fn np2004() -> Self {
        Self {
            queries: 400,
            documents: 100.0,
            spread: 0.2,
            features: 64,
            labels: Labels::One,
            clumping: 0.0,
            knee: 0.0,
            bend: -1.0,
            quality: 0.6,
            lead: 0.18,
            tail: 0.35,
            useless: 0.06,
            harmful: 0.12,
            wobble: 0.4,
            groups: 5,
            shared: 0.3,
            missing: 0.04,
            coarse: 0.1,
            levels: 8,
            constant: 0.03,
        }
    }

    /// Like MSLR-WEB: 136 features for five fields of a page, and labels 0 to 4 with the shares of
    /// the real collection. Most documents have little relevance.
    ///
    /// With these numbers, the matrices of its feature rankers (team draft, ten documents) behave
    /// like the published matrices under each of the three users. `lab/tests/slow/presets.rs`
    /// checks this. The informational user is very noisy. The matrix of that user comes near the
    /// published one only if features separate relevant documents from the rest, but not good from
    /// very good documents. Hence the knee.
    pub fn mslr() -> Self {
        Self {
            queries: 200,
            documents: 110.0,
            spread: 0.6,
            features: 136,
            labels: Labels::Shares(vec![51.4, 32.5, 13.4, 1.9, 0.8]),
            clumping: 0.2,
            knee: 0.6,
            bend: 0.35,
            quality: 0.98,
            lead: 0.32,
            tail: 0.5,
            useless: 0.04,
            harmful: 0.36,
            wobble: 0.2,
            groups: 5,
            shared: 0.1,
            missing: 0.12,
            coarse: 0.1,
            levels: 6,
            constant: 0.04,
        }
    }

    /// Reads a shape and a seed from `synthetic:like=mslr,queries=200,seed=1`; [`PARAMS`] lists the
    /// keys.
    ///
    /// # Errors
    ///
    /// If a key is unknown or a value is out of range.
    pub fn from_spec(spec: &Spec) -> Result<(Self, u64), ShapeError> {
        let mut params = Params::new(spec, Context { n_arms: 1, horizon: None }, &[PARAMS])?;
        let preset =
            params.choice("like", &[("mslr", Self::mslr as fn() -> Self), ("np2004", Self::np2004)])?;
        let base = preset();
        let unit = Range::closed(0.0, 1.0);
        let labels = match params.text("labels") {
            None => base.labels,
            Some("one") => Labels::One,
            Some(text) => Labels::Shares(shares(text)?),
        };
        let shape = Self {
            queries: whole(&mut params, "queries", 1e7, base.queries)?,
            documents: params.number_or("documents", Range::closed(1.0, MAX_MEAN), base.documents)?,
            spread: params.number_or("spread", unit, base.spread)?,
            features: whole(&mut params, "features", f64::from(MAX_FEATURE), base.features)?,
            labels,
            clumping: params.number_or("clumping", unit, base.clumping)?,
            knee: params.number_or("knee", KNEES, base.knee)?,
            bend: params.number_or("bend", BENDS, base.bend)?,
            quality: params.number_or("quality", unit, base.quality)?,
            lead: params.number_or("lead", unit, base.lead)?,
            tail: params.number_or("tail", Range::at_least(0.0), base.tail)?,
            useless: params.number_or("useless", unit, base.useless)?,
            harmful: params.number_or("harmful", unit, base.harmful)?,
            wobble: params.number_or("wobble", unit, base.wobble)?,
            groups: whole(&mut params, "groups", f64::from(MAX_FEATURE), base.groups)?,
            shared: params.number_or("shared", unit, base.shared)?,
            missing: params.number_or("missing", unit, base.missing)?,
            coarse: params.number_or("coarse", unit, base.coarse)?,
            levels: whole(&mut params, "levels", 1e6, base.levels)?,
            constant: params.number_or("constant", unit, base.constant)?,
        };
        // Above 2^53 a typed number would be rounded to another seed.
        let range = Range::closed(0.0, 9_007_199_254_740_992.0);
        let seed = params.whole_or("seed", range, 1)?;
        params.finish()?;
        shape.check()?;
        Ok((shape, seed))
    }

    pub(super) fn check(&self) -> Result<(), ShapeError> {
        let out_of_range = |key, value, range| Err(ParamError::OutOfRange { key, value, range }.into());
        let counts = [
            ("queries", self.queries, 1e7),
            ("features", self.features, f64::from(MAX_FEATURE)),
            ("groups", self.groups, f64::from(MAX_FEATURE)),
            ("levels", self.levels, 1e6),
        ];
        for (key, value, most) in counts {
            let range = Range::closed(1.0, most);
            if !range.contains(value as f64) {
                return out_of_range(key, value as f64, range);
            }
        }
        let unit = Range::closed(0.0, 1.0);
        let numbers = [
            ("documents", self.documents, Range::closed(1.0, MAX_MEAN)),
            ("spread", self.spread, unit),
            ("clumping", self.clumping, unit),
            ("knee", self.knee, KNEES),
            ("bend", self.bend, BENDS),
            ("quality", self.quality, unit),
            ("lead", self.lead, unit),
            ("tail", self.tail, Range::at_least(0.0)),
            ("useless", self.useless, unit),
            ("harmful", self.harmful, unit),
            ("wobble", self.wobble, unit),
            ("shared", self.shared, unit),
            ("missing", self.missing, unit),
            ("coarse", self.coarse, unit),
            ("constant", self.constant, unit),
        ];
        for (key, value, range) in numbers {
            if !range.contains(value) {
                return out_of_range(key, value, range);
            }
        }
        let sum = self.useless + self.harmful + self.constant;
        // Three times a rounded third may be slightly more than 1.
        if sum > 1.0 + 1e-9 {
            return Err(ShapeError::TooManyKinds { sum });
        }
        match &self.labels {
            Labels::Shares(shares) if !are_shares(shares) => {
                Err(ShapeError::Labels { text: format!("{shares:?}") })
            }
            _ => Ok(()),
        }
    }
}

/// With a spread of 1, a query may have twice the mean.
const MAX_MEAN: f64 = MAX_DOCUMENTS as f64 / 2.0;

/// In standard deviations of relevance.
const KNEES: Range = Range::closed(-8.0, 8.0);

const BENDS: Range = Range::closed(-1.0, 8.0);

/// The parameters of a synthetic collection in a text such as `synthetic:like=mslr,queries=200`.
pub static PARAMS: &[Param] = &[
    param("like", "mslr", "mslr, np2004", "the preset that gives all other defaults"),
    param("queries", "by `like`", "[1, 1e7]", "number of queries"),
    param("documents", "by `like`", "[1, 5e5]", "mean number of documents per query"),
    param("spread", "by `like`", "[0, 1]", "how much the number of documents varies"),
    param("features", "by `like`", "[1, 1e6]", "number of features"),
    param(
        "labels",
        "by `like`",
        "`one`, or shares as in 50:30:20",
        "one relevant document per query, or the shares of labels 0, 1, ...",
    ),
    param(
        "clumping",
        "by `like`",
        "[0, 1]",
        "share of the variance of relevance common to a query's documents",
    ),
    param("knee", "by `like`", "[-8, 8]", "relevance up to which features see it as it is"),
    param("bend", "by `like`", "[-1, 8]", "how much they see it fall above the knee; -1 is not at all"),
    param(
        "quality",
        "by `like`",
        "[0, 1]",
        "correlation of the best feature with relevance as features see it",
    ),
    param("lead", "by `like`", "[0, 1]", "how far the best feature leads all others"),
    param("tail", "by `like`", "at least 0", "how quickly qualities fall from the best"),
    param("useless", "by `like`", "[0, 1]", "share of features without correlation with relevance"),
    param("harmful", "by `like`", "[0, 1]", "share of features with negative correlation"),
    param("wobble", "by `like`", "[0, 1]", "standard deviation of a quality between queries"),
    param("groups", "by `like`", "[1, 1e6]", "number of groups of features"),
    param("shared", "by `like`", "[0, 1]", "share of the variance of the noise common to a group"),
    param("missing", "by `like`", "[0, 1]", "mean share of documents that lack a group's field"),
    param("coarse", "by `like`", "[0, 1]", "share of features with few distinct values"),
    param("levels", "by `like`", "[1, 1e6]", "number of values of such features"),
    param("constant", "by `like`", "[0, 1]", "share of features that are constant within a query"),
    param("seed", "1", "[0, 2^53]", "seed of the collection"),
];

const fn param(
    key: &'static str,
    default: &'static str,
    legal: &'static str,
    meaning: &'static str,
) -> Param {
    Param { key, default, legal, meaning }
}

fn whole(params: &mut Params<'_>, key: &'static str, most: f64, default: usize) -> Result<usize, ParamError> {
    let value = params.whole_or(key, Range::closed(1.0, most), default as u64)?;
    Ok(usize::try_from(value).expect("at most ten million"))
}

fn shares(text: &str) -> Result<Vec<f64>, ShapeError> {
    let shares: Option<Vec<f64>> = text.split(':').map(|share| share.trim().parse().ok()).collect();
    shares.filter(|shares| are_shares(shares)).ok_or_else(|| ShapeError::Labels { text: text.to_owned() })
}

fn are_shares(shares: &[f64]) -> bool {
    let sum: f64 = shares.iter().sum();
    shares.len() <= usize::from(MAX_LABEL) + 1
        && shares.iter().all(|share| share.is_finite() && *share >= 0.0)
        && sum > 0.0
        && sum.is_finite()
}

/// Why the shape of a synthetic collection is invalid.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe them")]
#[non_exhaustive]
pub enum ShapeError {
    #[error(transparent)]
    Param(#[from] ParamError),
    #[error(
        "`labels={text}`: `labels` is `one`, or up to 32 shares such as 50:30:20, none negative and not all 0"
    )]
    Labels { text: String },
    #[error("`useless`, `harmful` and `constant` sum to {sum}, but may sum to at most 1")]
    TooManyKinds { sum: f64 },
}

impl Hint for ShapeError {
    fn hints(&self, front: &dyn FrontEnd) -> Vec<String> {
        match self {
            Self::Param(error) => error.hints(front),
            Self::Labels { .. } | Self::TooManyKinds { .. } => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(text: &str) -> Result<(Shape, u64), ShapeError> {
        Shape::from_spec(&text.parse().unwrap())
    }

    #[test]
    fn trace_presets_and_overrides() {
        assert_eq!(shape("synthetic"), Ok((Shape::mslr(), 1)));
        assert_eq!(shape("synthetic:like=np2004,seed=7"), Ok((Shape::np2004(), 7)));
        let (got, _) = shape("synthetic:queries=1e3,labels=1:1,levels=3,quality=0.9").unwrap();
        let labels = Labels::Shares(vec![1.0, 1.0]);
        assert_eq!(got, Shape { queries: 1000, labels, levels: 3, quality: 0.9, ..Shape::mslr() });
        assert_eq!(shape("synthetic:labels=one").unwrap().0.labels, Labels::One);
    }

    /// Every listed key is read, and every field of a shape has a key.
    #[test]
    fn trace_every_key_is_read() {
        for param in PARAMS {
            let value = match param.key {
                "like" => "mslr",
                "labels" => "one",
                "documents" | "groups" | "levels" | "features" | "queries" => "7",
                _ => "0",
            };
            let read = shape(&format!("synthetic:{}={value}", param.key));
            assert!(read.is_ok(), "{}: {read:?}", param.key);
        }
        assert_eq!(PARAMS.len(), 20 + 2);
    }

    #[test]
    fn trace_errors() {
        let message = |text: &str| shape(text).unwrap_err().to_string();
        assert_eq!(message("synthetic:like=trec"), "`like=trec`: `like` is one of mslr, np2004");
        assert_eq!(message("synthetic:query=3"), "`synthetic` has no parameter `query`");
        assert_eq!(message("synthetic:queries=0"), "`queries` is 0, but must lie in [1, 10000000]");
        assert_eq!(message("synthetic:queries=1.5"), "`queries` is 1.5, but must be a whole number");
        assert!(message("synthetic:labels=1:x").starts_with("`labels=1:x`: `labels` is `one`"));
        assert!(message("synthetic:labels=0:0").starts_with("`labels=0:0`"));
        assert!(message("synthetic:labels=-1:2").starts_with("`labels=-1:2`"));
        assert_eq!(
            message("synthetic:useless=0.5,harmful=0.5,constant=0.5"),
            "`useless`, `harmful` and `constant` sum to 1.5, but may sum to at most 1"
        );
        let bad = Shape { wobble: f64::NAN, ..Shape::mslr() };
        assert!(bad.check().is_err());
    }
}
