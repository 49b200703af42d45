//! Arms on one scale.

use serde::Deserialize;
use tiltyard::bandit::verdict::ELO;

use crate::cli::client::plain;
use crate::cli::table;

/// What is needed of ratings.
#[derive(Debug, Deserialize)]
pub(super) struct Ratings {
    pub(super) words: String,
    arms: Vec<RatedArm>,
}

#[derive(Debug, Deserialize)]
struct RatedArm {
    name: String,
    rating: f64,
    elo: f64,
    low: Option<f64>,
    high: Option<f64>,
}

impl Ratings {
    /// Whether there is no scale.
    pub(super) fn is_empty(&self) -> bool {
        self.arms.is_empty()
    }

    /// The arms, best first. Limits are told on the scale of Elo, which more people can read than logarithms.
    pub(super) fn table(&self, interval: &str) -> table::Rows {
        let mut rows = table::Rows::numbers(3, &["elo", interval, "rating", "arm"]);
        for RatedArm { name, rating, elo, low, high } in &self.arms {
            let limit = |limit: f64| elo + ELO * (limit - rating);
            let interval = low.zip(*high);
            rows.push(vec![
                format!("{elo:.0}"),
                interval.map_or_else(
                    || "-".to_owned(),
                    |(low, high)| format!("{:.0} to {:.0}", limit(low), limit(high)),
                ),
                format!("{rating:.3}"),
                plain(name),
            ]);
        }
        rows
    }
}
