//! Traffic and votes over the life of an experiment, copied out of it. Of thousands of arms, only
//! the few that have a colour are copied.

use core::cmp::Reverse;

use tiltyard_bandit::Arm;

use crate::domain::Timeline;
use crate::pages::chart::{Bar, TimeAxis};

/// The number of arms that have their own colour in the figure of traffic.
const MOST_COLOURED: usize = 7;

/// Traffic and votes in each period.
pub(super) struct Traffic {
    pub(super) axis: TimeAxis,
    pub(super) bars: Vec<Bar>,
    /// How often arms were shown in each period, all arms together.
    pub(super) shown: Vec<f64>,
    /// The arms that were shown most often overall, and how often in each period.
    pub(super) most_shown: Vec<(String, Vec<f64>)>,
}

impl Traffic {
    pub(super) fn copy(timeline: &Timeline, n_arms: usize, name: impl Fn(Arm) -> String) -> Self {
        let buckets = timeline.buckets();
        let mut counts = vec![0_u64; n_arms];
        for (arm, &count) in buckets.iter().flat_map(|bucket| &bucket.arms) {
            counts[arm.index()] += u64::from(count);
        }
        let mut most: Vec<Arm> = Arm::all(n_arms).filter(|arm| counts[arm.index()] > 0).collect();
        let place = |&arm: &Arm| (Reverse(counts[arm.index()]), arm);
        if most.len() > MOST_COLOURED {
            most.select_nth_unstable_by_key(MOST_COLOURED, place);
            most.truncate(MOST_COLOURED);
        }
        most.sort_by_key(place);
        let along = |arm: Arm| {
            buckets.iter().map(|bucket| bucket.arms.get(&arm).copied().map_or(0.0, f64::from)).collect()
        };
        Self {
            axis: TimeAxis {
                start: timeline.start().0.div_euclid(1_000_000),
                width: timeline.width(),
                buckets: buckets.len(),
            },
            bars: buckets
                .iter()
                .map(|bucket| Bar {
                    votes: bucket.votes as f64,
                    skipped: bucket.skipped as f64,
                    unanswered: bucket.unanswered as f64,
                    voided: bucket.voided as f64,
                })
                .collect(),
            shown: buckets.iter().map(|bucket| bucket.shown() as f64).collect(),
            most_shown: most.into_iter().map(|arm| (name(arm), along(arm))).collect(),
        }
    }
}
