//! The cookie that remembers which results a visitor has opened.

use std::collections::BTreeSet;

use axum::http::{HeaderMap, HeaderValue};

use crate::app::cookie;
use crate::id::DuelId;
use crate::pages::visitor::set_cookie;

/// The name of the cookie. Its value is the duel, a full stop, and the positions separated by
/// hyphens.
const COOKIE: &str = "tiltyard_search";

/// How long browsers keep the cookie: a day. Few people return to yesterday's search.
const SECONDS: u32 = 24 * 3600;

/// The largest position: no merged list is longer.
const MOST: u64 = 100;

/// The current search of a visitor, and the results that they opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Opened {
    pub(super) duel: DuelId,
    /// Positions in the list, from 1.
    pub(super) positions: BTreeSet<u64>,
}

impl Opened {
    /// A search of which nothing has been opened yet.
    pub(super) fn new(duel: DuelId) -> Self {
        Self { duel, positions: BTreeSet::new() }
    }

    /// Reads the cookie. A cookie that cannot be read is ignored.
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

    /// Deletes the cookie.
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
