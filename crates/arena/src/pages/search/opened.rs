//! What someone has opened so far, in a cookie of theirs.

use std::collections::BTreeSet;

use axum::http::{HeaderMap, HeaderValue};

use crate::app::cookie;
use crate::id::DuelId;
use crate::pages::visitor::set_cookie;

/// The cookie: the duel, a full stop, and positions with hyphens in between.
const COOKIE: &str = "tiltyard_search";

/// How long it is kept: a day. Few come back to a search of yesterday.
const SECONDS: u32 = 24 * 3600;

/// No merged list is longer.
const MOST: u64 = 100;

/// The search that someone is at, and what they opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Opened {
    pub(super) duel: DuelId,
    /// Positions in the list, from 1.
    pub(super) positions: BTreeSet<u64>,
}

impl Opened {
    /// Nothing was opened yet.
    pub(super) fn new(duel: DuelId) -> Self {
        Self { duel, positions: BTreeSet::new() }
    }

    /// What a browser brings. A cookie that is not one of ours is none.
    pub(super) fn of(headers: &HeaderMap) -> Option<Self> {
        Self::read(cookie(headers, COOKIE)?)
    }

    fn read(text: &str) -> Option<Self> {
        let (duel, positions) = text.split_once('.')?;
        let position = |text: &str| text.parse().ok().filter(|position| (1..=MOST).contains(position));
        let positions = positions.split('-').filter(|text| !text.is_empty()).map(position);
        Some(Self { duel: duel.parse().ok()?, positions: positions.collect::<Option<_>>()? })
    }

    fn text(&self) -> String {
        let positions: Vec<String> = self.positions.iter().map(u64::to_string).collect();
        format!("{}.{}", self.duel, positions.join("-"))
    }

    pub(super) fn cookie(&self) -> HeaderValue {
        set_cookie(COOKIE, &self.text(), SECONDS)
    }

    /// A cookie that ends it.
    pub(super) fn no_cookie() -> HeaderValue {
        set_cookie(COOKIE, "", 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::ExperimentId;

    #[test]
    fn trace_what_was_opened_is_read_back() {
        let duel = DuelId { experiment: ExperimentId::from_random(7), seq: 12, token: 99 };
        let mut opened = Opened::new(duel);
        assert_eq!(opened.text(), format!("{duel}."));
        assert_eq!(Opened::read(&opened.text()), Some(opened.clone()));
        opened.positions.extend([10, 2]);
        assert_eq!(opened.text(), format!("{duel}.2-10"));
        assert_eq!(Opened::read(&opened.text()), Some(opened));
        for bad in ["", ".", "x.1", &format!("{duel}"), &format!("{duel}.0"), &format!("{duel}.1-101")] {
            assert_eq!(Opened::read(bad), None, "{bad}");
        }
    }
}
