//! Arms on one scale, or why there is none.

use tiltyard_bandit::Arm;
use tiltyard_bandit::verdict::{Bounds, ELO, RatingsError};
use tiltyard_wire::{Rating, Ratings, RatingsStatus};

use crate::domain::Evidence;

/// Arms on one scale.
pub(crate) fn ratings(evidence: &Evidence, active: &[Arm], names: &[String], confidence: f64) -> Ratings {
    let list = |arms: &[Arm]| {
        let names: Vec<_> = arms.iter().take(5).map(|arm| names[arm.index()].as_str()).collect();
        let more = if arms.len() > 5 { ", ..." } else { "" };
        format!("{}{more}", names.join(", "))
    };
    let nothing = |status, words| Ratings { status, words, confidence, arms: Vec::new() };
    let rated = match evidence.ratings(active) {
        Ok(rated) => rated,
        Err(RatingsError::Apart { apart }) => {
            let words = format!(
                "No votes connect {} with the other arms: there is no common scale yet.",
                list(&apart)
            );
            return nothing(RatingsStatus::Apart, words);
        }
        Err(RatingsError::Unbeaten { unbeaten }) => {
            let words = format!(
                "{} never lost a vote to the other arms: no finite rating is high enough.",
                list(&unbeaten)
            );
            return nothing(RatingsStatus::Unbeaten, words);
        }
    };
    let (status, words, limits) = match rated.bounds {
        Bounds::Intervals(limits) => {
            let words =
                "Limits hold at all times if one scale explains the votes; the votes do not contradict that.";
            (RatingsStatus::Rated, words, Some(limits))
        }
        Bounds::Contradicted => {
            let words = "The votes contradict every such scale, for example by going in circles: ratings are a summary and no more.";
            (RatingsStatus::Contradicted, words, None)
        }
        Bounds::TooManyArms { .. } => {
            (RatingsStatus::WithoutLimits, "There are too many arms to find limits for.", None)
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
