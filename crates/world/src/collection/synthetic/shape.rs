//! The numbers that a made-up collection is made from, and their presets.

use tiltyard_bandit::hint::{FrontEnd, Hint};
use tiltyard_bandit::params::{Context, Param, ParamError, Params, Range};
use tiltyard_bandit::spec::Spec;

use crate::collection::letor::{MAX_DOCUMENTS, MAX_FEATURE};
use crate::collection::query::MAX_LABEL;

/// The shape of a made-up collection. The module tells how the numbers work together.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// How many queries.
    pub queries: usize,
    /// The mean number of documents of a query.
    pub documents: f64,
    /// The number of documents of a query is uniform between `1 - spread` and `1 + spread` times
    /// the mean.
    pub spread: f64,
    /// How many features.
    pub features: usize,
    /// How documents are labelled.
    pub labels: Labels,
    /// The part of relevance's variance that all documents of a query share: some queries have many
    /// good documents.
    pub clumping: f64,
    /// Features see relevance as it is up to this number of standard deviations; above it they see
    /// it fall by `bend` times the excess.
    pub knee: f64,
    /// How much what features see falls beyond the knee: -1 leaves relevance as it is, 0 makes all
    /// documents beyond it look alike, above 0 the very best look worse than the good.
    pub bend: f64,
    /// The quality of the best feature: its correlation with relevance as features see it.
    pub quality: f64,
    /// How far the best feature is ahead: all others have qualities below `(1 - lead) * quality`.
    pub lead: f64,
    /// The quality of the feature at quantile `u` of the others that are useful is
    /// `(1 - lead) * quality * u^tail`: 0 makes all alike, large makes few good.
    pub tail: f64,
    /// The share of features that say nothing.
    pub useless: f64,
    /// The share of features that are against relevance, by as much as others are for it.
    pub harmful: f64,
    /// The standard deviation of a feature's quality from query to query.
    pub wobble: f64,
    /// How many groups the features are in; feature `i` is in group `i % groups`.
    pub groups: usize,
    /// The part of the noise's variance that the features of a group share.
    pub shared: f64,
    /// The mean share of documents that lack the field of a group, which leaves 0 in all its
    /// features; from 0 in the first group to twice the mean in the last.
    pub missing: f64,
    /// The share of features that have few distinct values.
    pub coarse: f64,
    /// How many values those have.
    pub levels: usize,
    /// The share of features that are constant within a query.
    pub constant: f64,
}

/// How documents are labelled.
#[derive(Debug, Clone, PartialEq)]
pub enum Labels {
    /// The most relevant document of each query has label 1, all others 0.
    One,
    /// The share of each label from 0 on, in any unit.
    Shares(Vec<f64>),
}

impl Shape {
    /// Like NP2004 of LETOR 3 (named pages): 64 features and one relevant document a query. The
    /// real one has about a thousand documents a query; a tenth of that is enough for its first
    /// ten.
    ///
    /// The numbers are chosen so that the matrix of its feature rankers (team draft, ten documents)
    /// behaves like the published one of 64 rankers: `lab/tests/slow/presets.rs` holds it to that.
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

    /// Like MSLR-WEB: 136 features, labels 0 to 4 with the shares of the real one, most documents
    /// of little relevance, features in five fields of a page.
    ///
    /// The numbers are chosen so that the matrices of its feature rankers (team draft, ten
    /// documents) behave like the published ones under each of the three users:
    /// `lab/tests/slow/presets.rs` holds them to that. The informational user is so noisy that its
    /// matrix comes near the others only if features tell relevant documents from the rest but not
    /// the good from the very good; hence the knee.
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
        // 2^53: beyond it a number that was typed is not the seed that it would become.
        let range = Range::closed(0.0, 9_007_199_254_740_992.0);
        let seed = params.whole_or("seed", range, 1)?;
        params.finish()?;
        shape.check()?;
        Ok((shape, seed))
    }

    /// Whether there is such a collection.
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
        // A third three times is a little more than 1.
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

/// A spread of 1 doubles the mean, and a query has a limit.
const MAX_MEAN: f64 = MAX_DOCUMENTS as f64 / 2.0;

/// Where relevance may bend, in standard deviations.
const KNEES: Range = Range::closed(-8.0, 8.0);

/// How it may bend.
const BENDS: Range = Range::closed(-1.0, 8.0);

/// The parameters of a made-up collection, as a text gives them.
pub static PARAMS: &[Param] = &[
    param("like", "mslr", "mslr, np2004", "the preset that gives all other defaults"),
    param("queries", "by `like`", "[1, 1e7]", "how many queries"),
    param("documents", "by `like`", "[1, 5e5]", "mean number of documents of a query"),
    param("spread", "by `like`", "[0, 1]", "how much that number varies"),
    param("features", "by `like`", "[1, 1e6]", "how many features"),
    param(
        "labels",
        "by `like`",
        "`one`, or shares as in 50:30:20",
        "one relevant document a query, or the shares of labels 0, 1, ...",
    ),
    param("clumping", "by `like`", "[0, 1]", "how much of relevance a query's documents share"),
    param("knee", "by `like`", "[-8, 8]", "up to which relevance features see it as it is"),
    param("bend", "by `like`", "[-1, 8]", "how much they see it fall beyond that; -1 is not at all"),
    param(
        "quality",
        "by `like`",
        "[0, 1]",
        "correlation of the best feature with relevance as features see it",
    ),
    param("lead", "by `like`", "[0, 1]", "how far the best feature is ahead of all others"),
    param("tail", "by `like`", "at least 0", "how quickly qualities fall from the best"),
    param("useless", "by `like`", "[0, 1]", "share of features that say nothing"),
    param("harmful", "by `like`", "[0, 1]", "share of features that are against relevance"),
    param("wobble", "by `like`", "[0, 1]", "how much a quality varies between queries"),
    param("groups", "by `like`", "[1, 1e6]", "how many groups of features"),
    param("shared", "by `like`", "[0, 1]", "how much of the noise a group shares"),
    param("missing", "by `like`", "[0, 1]", "mean share of documents that lack a group's field"),
    param("coarse", "by `like`", "[0, 1]", "share of features with few distinct values"),
    param("levels", "by `like`", "[1, 1e6]", "how many values those have"),
    param("constant", "by `like`", "[0, 1]", "share of features that are constant within a query"),
    param("seed", "1", "[0, 2^53]", "the seed"),
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

/// Why there is no such made-up collection.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// A parameter was refused.
    #[error(transparent)]
    Param(#[from] ParamError),
    /// Labels that are no shares.
    #[error(
        "`labels={text}`: `labels` is `one`, or up to 32 shares such as 50:30:20, none negative and not all 0"
    )]
    Labels {
        /// What was given.
        text: String,
    },
    /// More than all features are of a kind that is not useful.
    #[error("`useless`, `harmful` and `constant` make {sum} of the features, but can make at most 1")]
    TooManyKinds {
        /// Their sum.
        sum: f64,
    },
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

    /// Every key that is listed is read, and every number of a shape has a key.
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
            "`useless`, `harmful` and `constant` make 1.5 of the features, but can make at most 1"
        );
        let bad = Shape { wobble: f64::NAN, ..Shape::mslr() };
        assert!(bad.check().is_err());
    }
}
