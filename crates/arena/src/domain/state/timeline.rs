//! The timeline: traffic and votes over the life of an experiment.
//!
//! The timeline has at most 128 buckets of equal width. At first a bucket is one second wide. When
//! a record comes after the end of the 128th bucket, neighbouring buckets are merged and the width
//! doubles. An experiment therefore has 65 to 128 buckets once it is older than two minutes, and
//! fewer before.
//!
//! **The past does not change.** A bucket counts what happened in its time. A vote that is voided
//! later stays in the bucket of the vote, and its voiding is counted in the bucket of the voiding.
//! A duel that expires and is answered late counts as unanswered in the bucket of the expiry, and
//! as a vote in the bucket of the answer. The totals of an experiment are the sums over its
//! buckets, less what was taken back.
//!
//! **Memory.** A past bucket stores the 256 arms that were shown most, and the sum of the others.
//! Only the newest bucket stores all arms that were shown.
//!
//! If the clock goes back, records count in the bucket of the time that it shows. If the clock
//! jumps far ahead, buckets become wide and stay wide.

use core::cmp::Reverse;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tiltyard_bandit::Arm;

use crate::domain::{Event, Record, Totals};
use crate::time::Time;

/// The most buckets.
const MOST_BUCKETS: usize = 128;

/// The most arms that a bucket stores once it is no longer the newest.
const MOST_ARMS: usize = 256;

/// A second in microseconds, the unit of the clock.
const SECOND: u64 = 1_000_000;

/// Traffic and votes over time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timeline {
    start: Time,
    width: u64,
    buckets: Vec<Bucket>,
}

/// Counts of one period of time.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bucket {
    /// Duels issued.
    pub duels: u64,
    /// Votes, as [`Totals`] counts them: each decided pair of a ranking is one vote, and so is each
    /// imported vote.
    pub votes: u64,
    /// Duels that were skipped.
    pub skipped: u64,
    /// Duels that were voided, no matter when they were issued or answered. Voided imports are not
    /// included.
    pub voided: u64,
    /// Duels that expired without an answer. Those that expired without being shown are not
    /// included.
    pub unanswered: u64,
    /// How often each arm was shown in the duels issued: twice in a duel with itself, once in a
    /// slate. Arms that were not shown have no entry.
    pub arms: BTreeMap<Arm, u32>,
    /// How often arms were shown that `arms` does not count.
    pub others: u64,
}

impl Bucket {
    /// How often any arm was shown: the denominator of traffic shares.
    pub fn shown(&self) -> u64 {
        self.arms.values().map(|&n| u64::from(n)).sum::<u64>() + self.others
    }

    /// Counts one showing of an arm.
    fn show(&mut self, arm: Arm, most_arms: usize) {
        if let Some(n) = self.arms.get_mut(&arm) {
            // A log of 2^32 duels is out of reach.
            *n = n.saturating_add(1);
        } else if self.arms.len() < most_arms {
            self.arms.insert(arm, 1);
        } else {
            self.others += 1;
        }
    }

    fn merge(&mut self, next: Self) {
        let Self { duels, votes, skipped, voided, unanswered, arms, others } = next;
        self.duels += duels;
        self.votes += votes;
        self.skipped += skipped;
        self.voided += voided;
        self.unanswered += unanswered;
        self.others += others;
        for (arm, n) in arms {
            let all = self.arms.entry(arm).or_default();
            *all = all.saturating_add(n);
        }
    }

    /// Keeps only the arms shown most, and adds the others to `others`.
    fn trim(&mut self) {
        if self.arms.len() <= MOST_ARMS {
            return;
        }
        let mut arms: Vec<(Arm, u32)> = core::mem::take(&mut self.arms).into_iter().collect();
        arms.select_nth_unstable_by_key(MOST_ARMS, |&(arm, n)| (Reverse(n), arm));
        self.others += arms.drain(MOST_ARMS..).map(|(_, n)| u64::from(n)).sum::<u64>();
        self.arms = arms.into_iter().collect();
    }
}

impl Timeline {
    pub(crate) fn new(start: Time) -> Self {
        Self { start, width: 1, buckets: vec![Bucket::default()] }
    }

    /// When the first bucket begins: at the creation of the experiment.
    pub fn start(&self) -> Time {
        self.start
    }

    /// The width of each bucket, in seconds.
    pub fn width(&self) -> u64 {
        self.width
    }

    /// The buckets, from the start to the latest time of any record.
    pub fn buckets(&self) -> &[Bucket] {
        &self.buckets
    }

    /// Folds a record. It counts by how much the totals have grown.
    pub(crate) fn fold(&mut self, record: &Record, before: &Totals, after: &Totals) {
        let (bucket, most_arms) = self.at(record.at);
        let grown = |count: fn(&Totals) -> u64| count(after).saturating_sub(count(before));
        bucket.duels += grown(|totals| totals.duels);
        bucket.votes += grown(|totals| totals.votes);
        bucket.skipped += grown(|totals| totals.skipped);
        bucket.voided += grown(|totals| totals.voided);
        bucket.unanswered += grown(|totals| totals.unanswered);
        if let Event::Issued(issued) = &record.event {
            for arm in issued.comparison().arms() {
                bucket.show(arm, most_arms);
            }
        }
    }

    /// The bucket of a time, and the number of arms that it may store.
    fn at(&mut self, at: Time) -> (&mut Bucket, usize) {
        // A time before the start is in the first bucket.
        let since = u64::try_from(at.0.saturating_sub(self.start.0)).unwrap_or(0);
        let mut place = since / self.width.saturating_mul(SECOND);
        if place >= MOST_BUCKETS as u64 {
            while place >= MOST_BUCKETS as u64 {
                self.widen();
                place /= 2;
            }
            // The record comes after all of them, so none of them is the newest.
            self.buckets.iter_mut().for_each(Bucket::trim);
        }
        let place = usize::try_from(place).expect("it is below 128");
        if place >= self.buckets.len() {
            self.buckets.last_mut().expect("there is a first bucket").trim();
            self.buckets.resize_with(place + 1, Bucket::default);
        }
        let is_newest = place + 1 == self.buckets.len();
        (&mut self.buckets[place], if is_newest { usize::MAX } else { MOST_ARMS })
    }

    /// Merges buckets in pairs of neighbours.
    fn widen(&mut self) {
        self.width *= 2;
        let mut old = core::mem::take(&mut self.buckets).into_iter();
        while let Some(mut bucket) = old.next() {
            if let Some(next) = old.next() {
                bucket.merge(next);
            }
            self.buckets.push(bucket);
        }
    }

    /// Whether this can be the timeline of an experiment with `n_arms` arms.
    pub(crate) fn fits(&self, n_arms: usize) -> bool {
        let last_arm = |bucket: &Bucket| bucket.arms.keys().next_back().copied();
        self.width > 0
            && (1..=MOST_BUCKETS).contains(&self.buckets.len())
            && self.buckets.iter().filter_map(last_arm).all(|arm| arm.index() < n_arms)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Not a round number, so that nothing depends on it being one.
    const START: i64 = 1_234_567_891;

    fn timeline() -> Timeline {
        Timeline::new(Time(START))
    }

    fn time(seconds: f64) -> Time {
        #[expect(clippy::cast_possible_truncation, reason = "times of tests are small")]
        let micros = (seconds * 1e6) as i64;
        Time(START + micros)
    }

    /// Issues a duel or slate of these arms, `seconds` after the start.
    fn show(timeline: &mut Timeline, seconds: f64, arms: &[usize]) {
        let (bucket, most_arms) = timeline.at(time(seconds));
        bucket.duels += 1;
        for &arm in arms {
            bucket.show(Arm::new(arm), most_arms);
        }
    }

    fn duels(timeline: &Timeline) -> Vec<u64> {
        timeline.buckets().iter().map(|bucket| bucket.duels).collect()
    }

    fn arms(bucket: &Bucket) -> Vec<(usize, u32)> {
        bucket.arms.iter().map(|(arm, &n)| (arm.index(), n)).collect()
    }

    #[test]
    fn trace_seconds_one_by_one() {
        let mut timeline = timeline();
        assert_eq!((timeline.start(), timeline.width(), timeline.buckets().len()), (Time(START), 1, 1));
        show(&mut timeline, 0.0, &[0, 1]);
        show(&mut timeline, 0.999_999, &[2, 2]);
        show(&mut timeline, 1.0, &[1, 0]);
        show(&mut timeline, 3.5, &[5, 1, 4]);
        assert_eq!(duels(&timeline), [2, 1, 0, 1]);
        assert_eq!(arms(&timeline.buckets()[0]), [(0, 1), (1, 1), (2, 2)]);
        assert_eq!(arms(&timeline.buckets()[3]), [(1, 1), (4, 1), (5, 1)]);
        assert_eq!(timeline.buckets()[0].shown(), 4);
    }

    #[test]
    fn trace_neighbours_become_one() {
        let mut timeline = timeline();
        for second in 0..128_u8 {
            show(&mut timeline, f64::from(second), &[0, 1 + usize::from(second % 2)]);
        }
        assert_eq!((timeline.width(), timeline.buckets().len()), (1, 128));
        // The 129th second: 64 buckets of two seconds, and the 65th.
        show(&mut timeline, 128.0, &[3, 4]);
        assert_eq!((timeline.width(), timeline.buckets().len()), (2, 65));
        assert!(timeline.buckets()[..64].iter().all(|bucket| bucket.duels == 2));
        assert_eq!(arms(&timeline.buckets()[63]), [(0, 2), (1, 1), (2, 1)]);
        assert_eq!(arms(&timeline.buckets()[64]), [(3, 1), (4, 1)]);
        // 1000 s are in bucket 500 of 2 s, 250 of 4 s and 125 of 8 s. Second 128 is alone in bucket
        // 16 of 8 s.
        show(&mut timeline, 1000.0, &[0, 0]);
        assert_eq!((timeline.width(), timeline.buckets().len()), (8, 126));
        assert!(timeline.buckets()[..16].iter().all(|bucket| bucket.duels == 8));
        assert_eq!((duels(&timeline)[16], duels(&timeline)[17..125].iter().sum()), (1, 0));
        assert_eq!(arms(&timeline.buckets()[125]), [(0, 2)]);
    }

    #[test]
    fn trace_an_odd_one_is_left_alone() {
        let mut timeline = timeline();
        for second in 0..3 {
            show(&mut timeline, f64::from(second), &[0, 1]);
        }
        show(&mut timeline, 128.5, &[0, 1]);
        assert_eq!((timeline.width(), timeline.buckets().len()), (2, 65));
        assert_eq!(duels(&timeline)[..3], [2, 1, 0]);
    }

    #[test]
    fn trace_a_clock_that_is_set() {
        let mut timeline = timeline();
        show(&mut timeline, 10.0, &[0, 1]);
        show(&mut timeline, 4.0, &[0, 1]);
        show(&mut timeline, -1000.0, &[0, 2]);
        assert_eq!(timeline.buckets().len(), 11);
        assert_eq!([duels(&timeline)[0], duels(&timeline)[4], duels(&timeline)[10]], [1, 1, 1]);
        // The extreme values of clocks.
        for (start, at) in [(i64::MIN, i64::MAX), (0, i64::MAX), (i64::MAX, i64::MIN), (-1, i64::MIN)] {
            let mut timeline = Timeline::new(Time(start));
            timeline.at(Time(at)).0.duels += 1;
            let n_buckets = timeline.buckets().len();
            assert_eq!(timeline.buckets()[n_buckets - 1].duels, 1);
            assert_eq!(at < start, n_buckets == 1);
            assert!(n_buckets == 1 || (65..=128).contains(&n_buckets));
        }
    }

    #[test]
    fn trace_the_arms_shown_most_are_kept() {
        let mut timeline = timeline();
        // Arms 0 to 299 once, and the last three of them once more.
        for arm in (0..300).chain(297..300) {
            show(&mut timeline, 0.5, &[arm]);
        }
        assert_eq!((timeline.buckets()[0].arms.len(), timeline.buckets()[0].others), (300, 0));
        // Time goes on: the bucket keeps the last three, and of the rest those with the lowest
        // index.
        show(&mut timeline, 1.0, &[7]);
        let bucket = &timeline.buckets()[0];
        let kept: Vec<usize> = bucket.arms.keys().map(|arm| arm.index()).collect();
        assert_eq!(kept, (0..253).chain(297..300).collect::<Vec<_>>());
        assert_eq!((bucket.others, bucket.shown()), (44, 303));
        // The clock is set back: a stored arm is counted, and another one goes to `others`.
        show(&mut timeline, 0.5, &[299, 280]);
        let bucket = &timeline.buckets()[0];
        assert_eq!((bucket.arms.len(), bucket.arms[&Arm::new(299)], bucket.others), (256, 3, 45));
        // The bucket is merged with the next, which has arms 7 and 253 to 256. Of the 260 arms, the
        // four from 253 to 256 are dropped: of the arms shown once, they have the highest index.
        for arm in 253..257 {
            show(&mut timeline, 1.0, &[arm]);
        }
        show(&mut timeline, 128.0, &[0]);
        let bucket = &timeline.buckets()[0];
        assert_eq!(bucket.arms.len(), 256);
        assert_eq!((bucket.arms[&Arm::new(7)], bucket.arms.contains_key(&Arm::new(253))), (2, false));
        assert_eq!((bucket.others, bucket.shown()), (49, 310));
    }

    #[test]
    fn trace_what_cannot_go_on() {
        let mut sound = timeline();
        show(&mut sound, 0.0, &[0, 4]);
        assert!(sound.fits(5) && !sound.fits(4));
        assert!(!Timeline { width: 0, ..sound.clone() }.fits(5));
        assert!(!Timeline { buckets: Vec::new(), ..sound.clone() }.fits(5));
        assert!(!Timeline { buckets: vec![Bucket::default(); 129], ..sound }.fits(5));
    }

    /// The steps of a clock: a little ahead, far ahead, or back.
    fn any_step() -> impl Strategy<Value = f64> {
        prop_oneof![8 => 0.0..3.0, 2 => 0.0..100.0, 1 => 0.0..100_000.0, 2 => -500.0..0.0]
    }

    proptest! {
        /// For any steps of the clock: there are at most 128 buckets, and at most 256 arms in each
        /// but the newest. Each duel is in the bucket of its time, and each showing of an arm
        /// counts once. A timeline that is saved and restored on the way is the same.
        #[test]
        fn law_room_is_bounded_and_nothing_is_lost(
            steps in prop::collection::vec((any_step(), prop::collection::vec(0_usize..2000, 1..40)), 1..300),
            saved_at in 0_usize..300,
        ) {
            let (mut timeline, mut now, mut shown) = (timeline(), 0.0_f64, 0);
            let mut restored = None;
            let mut times = Vec::new();
            for (i, (step, arms)) in steps.iter().enumerate() {
                now += step;
                times.push(time(now));
                shown += arms.len() as u64;
                show(&mut timeline, now, arms);
                if let Some(restored) = &mut restored {
                    show(restored, now, arms);
                }
                if i == saved_at {
                    let text = serde_json::to_string(&timeline).expect("plain data");
                    restored = Some(serde_json::from_str::<Timeline>(&text).expect("it was just written"));
                }
                let (_, passed) = timeline.buckets().split_last().expect("there is one");
                prop_assert!(passed.len() < 128);
                prop_assert!(passed.iter().all(|bucket| bucket.arms.len() <= 256));
                prop_assert!(timeline.width() == 1 || passed.len() >= 64);
            }
            if let Some(restored) = restored {
                prop_assert_eq!(&restored, &timeline);
            }
            prop_assert!(timeline.width().is_power_of_two() && timeline.fits(2000) && timeline.start() == Time(START));
            prop_assert_eq!(timeline.buckets().iter().map(Bucket::shown).sum::<u64>(), shown);
            let mut expected = vec![0; timeline.buckets().len()];
            for at in times {
                let seconds = (at.0 - START).max(0).cast_unsigned() / 1_000_000;
                expected[usize::try_from(seconds / timeline.width()).expect("a small number")] += 1;
            }
            prop_assert_eq!(duels(&timeline), expected);
        }
    }
}
