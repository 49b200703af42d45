//! Arms on one scale.

use tiltyard::bandit::verdict::ELO;
use tiltyard_wire::Rating;

use crate::cli::client::plain;
use crate::cli::table;

/// The arms, best first. Limits are on the Elo scale, which more people can read than logarithms.
pub(super) fn table(arms: &[Rating], interval: &str) -> table::Rows {
    let mut rows = table::Rows::numbers(3, &["elo", interval, "rating", "arm"]);
    for Rating { name, rating, elo, low, high } in arms {
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
