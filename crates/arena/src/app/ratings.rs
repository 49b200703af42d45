//! Ratings: the arms on one scale, or the reason why there is no scale.

use tiltyard_bandit::Arm;
use tiltyard_bandit::verdict::{Bounds, ELO, RatingsError};
use tiltyard_wire::{Rating, Ratings, RatingsStatus};

use crate::domain::Evidence;

/// The ratings of the active arms.
pub(crate) fn ratings(evidence: &Evidence, active: &[Arm], names: &[String], confidence: f64) -> Ratings {
    let list = |arms: &[Arm]| {
        let names: Vec<_> = arms.iter().take(5).map(|arm| names[arm.index()].as_str()).collect();
        let more = if arms.len() > 5 { ", ..." } else { "" };
        format!("\"{}\"{more}", names.join("\", \""))
    };
    let nothing = |status, words| Ratings { status, words, confidence, arms: Vec::new() };
    let rated = match evidence.ratings(active) {
        Ok(rated) => rated,
        Err(RatingsError::Apart { apart }) => {
            let words = format!(
                "No votes connect {} with the other arms, so there is no common scale yet.",
                list(&apart)
            );
            return nothing(RatingsStatus::Apart, words);
        }
        Err(RatingsError::Unbeaten { unbeaten }) => {
            let words = format!(
                "{} never lost a vote to the other arms, so no finite rating is high enough.",
                list(&unbeaten)
            );
            return nothing(RatingsStatus::Unbeaten, words);
        }
    };
    let (status, words, limits) = match rated.bounds {
        Bounds::Intervals(limits) => {
            let words = "The votes do not contradict a common scale. If one scale explains them, the intervals hold at all times.";
            (RatingsStatus::Rated, words, Some(limits))
        }
        Bounds::Contradicted => {
            let words = "The votes contradict every common scale, for example because preferences form a cycle. The ratings are only a summary.";
            (RatingsStatus::Contradicted, words, None)
        }
        Bounds::TooManyArms { .. } => {
            (RatingsStatus::WithoutLimits, "There are too many arms to compute intervals.", None)
        }
    };
    let mut arms: Vec<_> = active
        .iter()
        .zip(&rated.ratings)
        .enumerate()
        .map(|(place, (arm, &rating))| Rating {
            name: names[arm.index()].clone(),
            rating,
            elo: 1500.0 + ELO * rating,
            low: limits.as_ref().map(|limits| limits[place].low),
            high: limits.as_ref().map(|limits| limits[place].high),
        })
        .collect();
    arms.sort_by(|one, other| other.rating.total_cmp(&one.rating));
    Ratings { status, words: words.to_owned(), confidence, arms }
}
