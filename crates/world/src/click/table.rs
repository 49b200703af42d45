//! The usual settings of the dependent click model in the literature. `docs/matrices.md` has the
//! same numbers, with their sources.

use core::fmt;

/// A kind of user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum User {
    /// Clicks better documents more often, never clicks an irrelevant one, and never stops early.
    Perfect,
    /// Looks for one good document and stops when it seems found.
    Navigational,
    /// Gathers documents, clicks often, and stops late.
    Informational,
}

impl User {
    /// The name that texts use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Perfect => "perfect",
            Self::Navigational => "navigational",
            Self::Informational => "informational",
        }
    }
}

impl fmt::Display for User {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How a user treats documents of each grade.
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Setting {
    pub user: User,
    /// For each grade from 0, the probability of a click on a document that the user looks at.
    pub click: &'static [f64],
    /// For each grade from 0, the probability of stopping after a click.
    pub stop: &'static [f64],
}

/// All settings: for two grades (0, 1), three (0 to 2) and five (0 to 4).
///
/// Two grades: Hofmann, Whiteson and de Rijke, *Information Retrieval* 16 (2013),
/// doi:10.1007/s10791-012-9197-9. Three and five grades: as in Schuth, Oosterhuis, Whiteson and de
/// Rijke, WSDM 2016, doi:10.1145/2835776.2835804, and later work.
pub const TABLE: &[Setting] = &[
    Setting { user: User::Perfect, click: &[0.0, 1.0], stop: &[0.0, 0.0] },
    Setting { user: User::Navigational, click: &[0.05, 0.95], stop: &[0.2, 0.9] },
    Setting { user: User::Informational, click: &[0.4, 0.9], stop: &[0.1, 0.5] },
    Setting { user: User::Perfect, click: &[0.0, 0.5, 1.0], stop: &[0.0, 0.0, 0.0] },
    Setting { user: User::Navigational, click: &[0.05, 0.5, 0.95], stop: &[0.2, 0.5, 0.9] },
    Setting { user: User::Informational, click: &[0.4, 0.7, 0.9], stop: &[0.1, 0.3, 0.5] },
    Setting { user: User::Perfect, click: &[0.0, 0.2, 0.4, 0.8, 1.0], stop: &[0.0, 0.0, 0.0, 0.0, 0.0] },
    Setting {
        user: User::Navigational,
        click: &[0.05, 0.3, 0.5, 0.7, 0.95],
        stop: &[0.2, 0.3, 0.5, 0.7, 0.9],
    },
    Setting {
        user: User::Informational,
        click: &[0.4, 0.6, 0.7, 0.8, 0.9],
        stop: &[0.1, 0.2, 0.3, 0.4, 0.5],
    },
];
