//! Methods by name: `team-draft`, `probabilistic:tau=3`.

use core::fmt;
use core::str::FromStr;

use tiltyard_bandit::Spec;
use tiltyard_bandit::params::Params;

use crate::interleave::{CONTEXT, InterleavingError, MethodInfo, TAU_PARAM, read_tau};

/// How several lists are merged, and how clicks are credited.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub enum Multileaving {
    /// Captains pick in turns.
    #[default]
    TeamDraft,
    /// Lists as laws over documents; clicks are shared by the probability that each list gave the document.
    Probabilistic {
        /// How fast the weight of a document falls with its rank: r^-tau.
        tau: f64,
    },
}

impl Multileaving {
    /// All methods, in the order in which they are shown.
    pub const ALL: &[MethodInfo] = &[
        MethodInfo {
            name: "team-draft",
            title: "captains pick in turns; a click is a point for the captain who picked",
            provenance: "Schuth, Sietsma, Whiteson, Lefortier and de Rijke, CIKM 2014",
            params: &[],
        },
        MethodInfo {
            name: "probabilistic",
            title: "documents drawn by weights that fall with the rank; clicks shared by probability",
            provenance: "Schuth et al., SIGIR 2015",
            params: &[TAU_PARAM],
        },
    ];
}

impl FromStr for Multileaving {
    type Err = InterleavingError;

    fn from_str(text: &str) -> Result<Self, InterleavingError> {
        let spec: Spec = text.parse()?;
        let Some(info) = Self::ALL.iter().find(|info| info.name == spec.name()) else {
            return Err(InterleavingError::unknown(text, &spec, Self::ALL));
        };
        let mut params = Params::new(&spec, CONTEXT, &[info.params])?;
        let method = match info.name {
            "team-draft" => Self::TeamDraft,
            "probabilistic" => Self::Probabilistic { tau: read_tau(&mut params)? },
            name => unreachable!("`{name}` is listed, so it is read here"),
        };
        params.finish()?;
        Ok(method)
    }
}

impl fmt::Display for Multileaving {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TeamDraft => f.write_str("team-draft"),
            Self::Probabilistic { tau } => write!(f, "probabilistic:tau={tau}"),
        }
    }
}
