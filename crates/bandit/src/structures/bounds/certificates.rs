//! The arms that are shown to lose, by confidence bounds that widen with time.
//!
//! Arm i is shown to lose against j while its upper bound w_ij / n + sqrt(alpha ln t / n) is below
//! 1/2. Solved for the time, this is ln t < key with key = (w_ji - w_ij)^2 / (4 alpha n), if w_ji >
//! w_ij. So between two outcomes of a pair, nothing needs to be checked until ln t reaches the key.
//! This is a certificate with an expiry time. The upper bound of i below 1/2 and the lower bound of
//! j above 1/2 are the same statement, so each unordered pair has at most one certificate.

use crate::Arm;
use crate::structures::collections::arm_set::ArmSet;
use crate::structures::collections::pairs::{n_pairs, pair_of};

/// Certificates in a heap by expiry. The position of each pair's certificate is known, so replacing
/// a certificate leaves no stale entry, and memory does not grow with rounds. Everything follows
/// from the counts and the time, and is rebuilt instead of saved.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Certificates<S = Unbeaten> {
    /// ln t.
    now: f64,
    /// A summary of the certificates in force.
    losses: S,
    /// The first `len` certificates are in force, as a heap with the earliest expiry first. The
    /// length is fixed, so nothing is allocated later.
    heap: Vec<Certificate>,
    len: usize,
    /// The position of each pair's certificate in the heap.
    place: Vec<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Certificate {
    /// The certificate is in force while ln t is below this.
    key: f64,
    /// The pair that it is about.
    pair: u32,
    loser: Arm,
}

/// The position of a pair without a certificate.
const NOWHERE: u32 = u32::MAX;

/// The number of children of a node. Four fit in one cache line, and the tree is half as deep as a
/// binary tree.
const ARITY: usize = 4;

/// A summary of certificates, updated as they are added and removed.
pub(crate) trait LossCounts {
    /// The summary of no certificates.
    fn new(n_arms: usize) -> Self;

    /// Adds a certificate: `loser` loses against the other arm of this pair.
    fn add_loss(&mut self, loser: Arm, pair: usize);

    /// Removes such a certificate.
    fn remove_loss(&mut self, loser: Arm, pair: usize);
}

/// The arms that no certificate shows to lose.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Unbeaten {
    /// The number of certificates that show each arm to lose.
    beaten: Vec<u32>,
    /// The arms without such a certificate.
    unbeaten: ArmSet,
}

impl LossCounts for Unbeaten {
    fn new(n_arms: usize) -> Self {
        Self { beaten: vec![0; n_arms], unbeaten: ArmSet::full(n_arms) }
    }

    #[inline]
    fn add_loss(&mut self, loser: Arm, _: usize) {
        let beaten = &mut self.beaten[loser.index()];
        *beaten += 1;
        if *beaten == 1 {
            self.unbeaten.remove(loser);
        }
    }

    #[inline]
    fn remove_loss(&mut self, loser: Arm, _: usize) {
        let beaten = &mut self.beaten[loser.index()];
        *beaten -= 1;
        if *beaten == 0 {
            self.unbeaten.insert(loser);
        }
    }
}

impl Certificates<Unbeaten> {
    /// The arms that no certificate shows to lose against any other arm.
    #[inline]
    pub(crate) fn unbeaten(&self) -> &ArmSet {
        &self.losses.unbeaten
    }
}

/// ln t, and ln 2 in the first round, because ln 1 = 0 would give bounds without width.
pub(crate) fn ln_of_round(round: u64) -> f64 {
    libm::log(round.max(2) as f64)
}

impl<S: LossCounts> Certificates<S> {
    /// No certificates yet, at this ln t.
    pub(crate) fn new(n_arms: usize, now: f64) -> Self {
        let nothing = Certificate { key: 0.0, pair: 0, loser: Arm::new(0) };
        Self {
            now,
            losses: S::new(n_arms),
            heap: vec![nothing; n_pairs(n_arms)],
            len: 0,
            place: vec![NOWHERE; n_pairs(n_arms)],
        }
    }

    /// The summary of the certificates in force.
    #[inline]
    pub(crate) fn losses(&self) -> &S {
        &self.losses
    }

    /// The arm of a pair that is now shown to lose, if there is one.
    #[inline]
    pub(crate) fn loser(&self, pair: usize) -> Option<Arm> {
        let place = self.place[pair];
        (place != NOWHERE).then(|| self.heap[place as usize].loser)
    }

    /// Whether `arm` is now shown to lose against `other`: the upper bound of `arm` over `other` is
    /// below 1/2 or, equivalently, the lower bound of `other` over `arm` is above 1/2.
    #[inline]
    pub(crate) fn loses(&self, arm: Arm, other: Arm) -> bool {
        arm != other && self.loser(pair_of(arm.index(), other.index())) == Some(arm)
    }

    /// Updates which of two different arms is shown to lose against the other, from the wins of the
    /// first and of the second.
    #[inline]
    pub(crate) fn judge(&mut self, i: Arm, j: Arm, (wins, losses): (u64, u64), alpha: f64) {
        let pair = pair_of(i.index(), j.index());
        if wins == losses {
            self.revoke(pair);
            return;
        }
        let lead = wins.abs_diff(losses) as f64;
        let key = lead * lead / (4.0 * alpha * (wins + losses) as f64);
        self.certify(pair, if wins < losses { i } else { j }, key);
    }

    /// Advances the time and removes expired certificates.
    #[inline]
    pub(crate) fn advance(&mut self, now: f64) {
        self.now = now;
        // Written so that a certificate is in force strictly below its key.
        while self.len > 0 && self.heap[0].key <= now {
            self.remove(0);
        }
    }

    /// Advances the time like [`Self::advance`], but removes at most one expired certificate.
    /// Returns its pair.
    #[inline]
    pub(crate) fn expire(&mut self, now: f64) -> Option<usize> {
        self.now = now;
        let first = self.heap[..self.len].first().filter(|first| first.key <= now)?.pair as usize;
        self.remove(0);
        Some(first)
    }

    /// Replaces the certificate of a pair by one that is in force while ln t < `key`. If that time
    /// is past, the pair has no certificate.
    #[inline]
    pub(crate) fn certify(&mut self, pair: usize, loser: Arm, key: f64) {
        if key <= self.now {
            self.revoke(pair);
            return;
        }
        let place = self.place[pair];
        if place == NOWHERE {
            let place = self.len;
            self.len += 1;
            // There are fewer than 2^32 pairs, because the policies that use this limit the number
            // of arms.
            self.heap[place] = Certificate { key, pair: u32::try_from(pair).unwrap_or(NOWHERE), loser };
            self.losses.add_loss(loser, pair);
            self.rise(place);
        } else {
            let place = place as usize;
            let Certificate { key: old, loser: other, .. } = self.heap[place];
            if other != loser {
                self.losses.remove_loss(other, pair);
                self.losses.add_loss(loser, pair);
                self.heap[place].loser = loser;
            }
            self.heap[place].key = key;
            if key < old {
                self.rise(place);
            } else {
                self.sink(place);
            }
        }
    }

    /// Removes the certificate of a pair, if there is one.
    #[inline]
    pub(crate) fn revoke(&mut self, pair: usize) {
        let place = self.place[pair];
        if place != NOWHERE {
            self.remove(place as usize);
        }
    }

    fn remove(&mut self, place: usize) {
        let Certificate { key, pair, loser } = self.heap[place];
        self.losses.remove_loss(loser, pair as usize);
        self.place[pair as usize] = NOWHERE;
        self.len -= 1;
        if place < self.len {
            self.heap[place] = self.heap[self.len];
            if self.heap[place].key < key {
                self.rise(place);
            } else {
                self.sink(place);
            }
        }
    }

    fn put(&mut self, place: usize, certificate: Certificate) {
        self.heap[place] = certificate;
        self.place[certificate.pair as usize] = u32::try_from(place).unwrap_or(NOWHERE);
    }

    fn rise(&mut self, place: usize) {
        let certificate = self.heap[place];
        let mut place = place;
        while place > 0 {
            let parent = (place - 1) / ARITY;
            if self.heap[parent].key <= certificate.key {
                break;
            }
            self.put(place, self.heap[parent]);
            place = parent;
        }
        self.put(place, certificate);
    }

    fn sink(&mut self, place: usize) {
        let certificate = self.heap[place];
        let mut place = place;
        loop {
            let first = ARITY * place + 1;
            let children = first..self.len.min(first + ARITY);
            let Some(least) = children.reduce(|a, b| if self.heap[b].key < self.heap[a].key { b } else { a })
            else {
                break;
            };
            if certificate.key <= self.heap[least].key {
                break;
            }
            self.put(place, self.heap[least]);
            place = least;
        }
        self.put(place, certificate);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::structures::collections::pairs::pair_of;

    /// Compares with a plain list of the certificates of all pairs.
    fn check(certificates: &Certificates, plain: &[Option<(usize, f64)>], n_arms: usize, now: f64) {
        let beaten =
            |arm: usize| plain.iter().flatten().filter(|&&(loser, key)| loser == arm && now < key).count();
        for arm in Arm::all(n_arms) {
            assert_eq!(certificates.losses.beaten[arm.index()] as usize, beaten(arm.index()));
            assert_eq!(certificates.unbeaten().contains(arm), beaten(arm.index()) == 0);
        }
        for place in 0..certificates.len {
            let Certificate { key, pair, .. } = certificates.heap[place];
            assert_eq!(certificates.place[pair as usize] as usize, place);
            assert_eq!(
                certificates.loser(pair as usize),
                plain[pair as usize].map(|(loser, _)| Arm::new(loser))
            );
            assert!(place == 0 || certificates.heap[(place - 1) / ARITY].key <= key, "no heap");
        }
    }

    proptest! {
        /// After any sequence of additions, replacements, removals and expiries, the counts equal
        /// those of a plain list.
        #[test]
        fn law_certificates(
            n_arms in 2..12usize,
            steps in proptest::collection::vec((any::<u64>(), any::<bool>(), 0..4u8, 0.0..40.0f64), 1..400),
        ) {
            let mut certificates = Certificates::<Unbeaten>::new(n_arms, 0.0);
            let mut plain = vec![None; n_pairs(n_arms)];
            let mut now = 0.0;
            for (word, first_loses, what, number) in steps {
                let word = usize::try_from(word % (1 << 20)).expect("20 bits");
                let high = 1 + word % (n_arms - 1);
                let low = word / n_arms % high;
                let place = pair_of(low, high);
                match what {
                    0 => {
                        now += number / 100.0;
                        certificates.advance(now);
                    }
                    1 => {
                        plain[place] = None;
                        certificates.revoke(place);
                    }
                    _ => {
                        let loser = if first_loses { low } else { high };
                        // Whole keys, so that some are equal.
                        plain[place] = Some((loser, number.round()));
                        certificates.certify(place, Arm::new(loser), number.round());
                    }
                }
                check(&certificates, &plain, n_arms, now);
            }
        }
    }

    /// Regression: a heap that drops stale entries only when they reach the top grows with every
    /// outcome.
    #[test]
    fn law_a_pair_has_one_certificate_however_often_it_is_replaced() {
        let mut certificates = Certificates::<Unbeaten>::new(4, 0.0);
        let size = (certificates.heap.len(), certificates.heap.capacity());
        for i in 0..100_000 {
            certificates.certify(0, Arm::new(0), 10.0 + f64::from(i % 17));
            certificates.certify(3, Arm::new(3), 10.0 + f64::from(i % 13));
            assert!(certificates.len <= 2);
        }
        assert_eq!((certificates.heap.len(), certificates.heap.capacity()), size);
        certificates.advance(1e9);
        assert_eq!((certificates.len, certificates.unbeaten().len()), (0, 4));
    }
}
