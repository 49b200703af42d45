//! The evidence of the duels so far against each arm being the best.

/// The winning rates of all pairs, and the empirical divergence of each arm: the sum of n kl(rate,
/// 1/2) over the arms against which it loses more often than not. Arms are places 0, 1, ..., K - 1.
///
/// A sum is recomputed, always in the same order, whenever one of its terms changes. So rounding
/// errors do not accumulate, and a state restored from counts is equal to the last bit.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Divergences {
    n_arms: usize,
    /// K, rounded up to whole lanes.
    stride: usize,
    /// The share of wins of i over j, row by row; 1/2 for an arm against itself and for arms that
    /// never met.
    rates: Vec<f64>,
    /// kl(rate, 1/2) if i loses against j more often than not, else 0.
    kls: Vec<f64>,
    /// The same, times the number of duels.
    terms: Vec<f64>,
    /// The divergences.
    sums: Vec<f64>,
    least: f64,
}

/// The number of values processed together. They are independent, so the compiler can use vector
/// instructions.
const LANES: usize = 8;

/// The relative tolerance for sums of the same terms in another order.
const SLACK: f64 = 1e-9;

/// The lowest of several numbers, and how many of the numbers are equal to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Lowest {
    pub(crate) value: f64,
    pub(crate) count: usize,
}

impl Divergences {
    /// No pair has met yet.
    pub(crate) fn new(n_arms: usize) -> Self {
        let stride = n_arms.next_multiple_of(LANES);
        let mut rates = vec![0.5; n_arms * stride];
        for row in rates.chunks_exact_mut(stride) {
            // Padding that is never the lowest.
            row[n_arms..].fill(f64::INFINITY);
        }
        let mut sums = vec![0.0; stride];
        sums[n_arms..].fill(f64::INFINITY);
        let zeros = vec![0.0; n_arms * stride];
        Self { n_arms, stride, rates, kls: zeros.clone(), terms: zeros, sums, least: 0.0 }
    }

    /// Sets the counts of a pair of different arms.
    #[inline]
    pub(crate) fn set(&mut self, i: usize, j: usize, wins: u64, losses: u64) {
        let n = (wins + losses) as f64;
        let (rate, other) = if n > 0.0 { (wins as f64 / n, losses as f64 / n) } else { (0.5, 0.5) };
        let kl = if wins == losses { 0.0 } else { kl_half(wins.abs_diff(losses) as f64 / n) };
        self.set_one(i, j, rate, if wins < losses { kl } else { 0.0 }, n);
        self.set_one(j, i, other, if losses < wins { kl } else { 0.0 }, n);
    }

    #[inline]
    fn set_one(&mut self, i: usize, j: usize, rate: f64, kl: f64, n: f64) {
        let place = i * self.stride + j;
        self.rates[place] = rate;
        self.kls[place] = kl;
        let (old, new) = (self.terms[place], n * kl);
        // At most one arm of a pair loses more often than not, so usually one of the two terms
        // stays 0.
        if old.to_bits() == new.to_bits() {
            return;
        }
        self.terms[place] = new;
        let sum = sum(&self.terms[i * self.stride..(i + 1) * self.stride]);
        let before = core::mem::replace(&mut self.sums[i], sum);
        if sum <= self.least {
            self.least = sum;
        } else if before <= self.least {
            self.least = lowest(&self.sums).value;
        }
    }

    /// The share of wins of i over j.
    #[inline]
    pub(crate) fn rate(&self, i: usize, j: usize) -> f64 {
        self.rates[i * self.stride + j]
    }

    /// Whether j is another arm against which i does not win more often than not.
    #[inline]
    pub(crate) fn is_opponent(&self, i: usize, j: usize) -> bool {
        i != j && self.rate(i, j) <= 0.5
    }

    /// The divergence of an arm.
    pub(crate) fn of(&self, i: usize) -> f64 {
        self.sums[i]
    }

    /// The least divergence plus `excess`, with a tolerance for rounding.
    #[inline]
    pub(crate) fn limit(&self, excess: f64) -> f64 {
        self.least + excess + SLACK * self.least.max(1.0)
    }

    /// The number of arms with a divergence of at most `limit`.
    #[inline]
    pub(crate) fn n_within(&self, limit: f64) -> usize {
        let (chunks, _) = self.sums.as_chunks::<LANES>();
        chunks.iter().map(|chunk| count_up_to(chunk, limit)).sum()
    }

    /// The arms with a divergence of at most `limit`.
    pub(crate) fn within(&self, limit: f64) -> impl Iterator<Item = usize> {
        (0..self.n_arms).filter(move |&i| self.sums[i] <= limit)
    }

    /// The arm with a divergence of at most `limit` that has `rank` such arms before it.
    #[inline]
    pub(crate) fn nth_within(&self, limit: f64, rank: usize) -> usize {
        nth_up_to(&self.sums, limit, rank)
    }

    /// The arms from 64 w to 64 w + 63 with a divergence of at most `limit`, as bits.
    #[inline]
    pub(crate) fn bits_within(&self, w: usize, limit: f64) -> u64 {
        let end = ((w + 1) * 64).min(self.stride);
        let (chunks, _) = self.sums[w * 64..end].as_chunks::<LANES>();
        let mut bits = 0;
        for (i, chunk) in chunks.iter().enumerate() {
            let mut byte = 0;
            for (lane, &sum) in chunk.iter().enumerate() {
                byte |= u64::from(sum <= limit) << lane;
            }
            bits |= byte << (i * LANES);
        }
        bits
    }

    /// The share of wins of an arm against its strongest opponents, and the number of these
    /// opponents. It is the lowest rate of the arm against any other, if that is at most 1/2. The
    /// number is 0 if the arm has no opponents.
    #[inline]
    pub(crate) fn strongest(&self, i: usize) -> Lowest {
        let Lowest { value, count } = lowest(self.row(&self.rates, i));
        // At 1/2 the arm itself was counted too.
        Lowest { value, count: count - usize::from(value >= 0.5) }
    }

    /// The strongest opponent that has `rank` strongest opponents before it.
    #[inline]
    pub(crate) fn nth_strongest(&self, i: usize, strongest: Lowest, rank: usize) -> usize {
        let place = nth_up_to(self.row(&self.rates, i), strongest.value, rank);
        if strongest.value >= 0.5 && place >= i {
            // The arm itself is skipped.
            return nth_up_to(self.row(&self.rates, i), strongest.value, rank + 1);
        }
        place
    }

    /// The lowest price of a duel of i with an opponent against which it loses more often than not.
    /// The price is the cost of the duel divided by its information, kl. The cost is the sum of the
    /// gaps of `best` over the two arms, and at least `floor`. The count is 0 if there is no such
    /// opponent.
    #[inline]
    pub(crate) fn cheapest(&self, i: usize, best: usize, floor: f64) -> Lowest {
        let own = self.rate(best, i) - 1.0;
        let (rates, _) = self.row(&self.rates, best).as_chunks::<LANES>();
        let (kls, _) = self.row(&self.kls, i).as_chunks::<LANES>();
        let mut low = [f64::INFINITY; LANES];
        for (rates, kls) in rates.iter().zip(kls) {
            for lane in 0..LANES {
                let price = price(own + rates[lane], kls[lane], floor);
                low[lane] = if price < low[lane] { price } else { low[lane] };
            }
        }
        let value = low.into_iter().fold(f64::INFINITY, |a, b| if b < a { b } else { a });
        if value < f64::INFINITY {
            Lowest { value, count: self.cheapest_ones(i, best, floor, value).count() }
        } else {
            Lowest { value, count: 0 }
        }
    }

    /// The opponents with at most this price.
    pub(crate) fn cheapest_ones(
        &self,
        i: usize,
        best: usize,
        floor: f64,
        value: f64,
    ) -> impl Iterator<Item = usize> {
        let own = self.rate(best, i) - 1.0;
        let (rates, kls) = (self.row(&self.rates, best), self.row(&self.kls, i));
        (0..self.n_arms).filter(move |&j| price(own + rates[j], kls[j], floor) <= value)
    }

    #[inline]
    fn row<'a>(&self, table: &'a [f64], i: usize) -> &'a [f64] {
        &table[i * self.stride..(i + 1) * self.stride]
    }
}

/// The price of a duel; infinite if the duel carries no information.
#[inline]
fn price(cost: f64, kl: f64, floor: f64) -> f64 {
    (if cost > floor { cost } else { floor }) / kl
}

/// kl(p, 1/2) = p ln 2p + (1 - p) ln 2(1 - p), for p = (1 - lead) / 2 and a lead in (0, 1]. In the
/// form used here, little cancels for small leads.
#[inline]
pub(crate) fn kl_half(lead: f64) -> f64 {
    if lead >= 1.0 {
        return core::f64::consts::LN_2;
    }
    let sum = (1.0 + lead) * libm::log1p(lead) + (1.0 - lead) * libm::log1p(-lead);
    (0.5 * sum).max(0.0)
}

/// The sum of all terms, first within each lane and then across lanes.
#[inline]
fn sum(terms: &[f64]) -> f64 {
    let (chunks, _) = terms.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for chunk in chunks {
        for (sum, term) in sums.iter_mut().zip(chunk) {
            *sum += term;
        }
    }
    sums.iter().sum()
}

#[inline]
fn lowest(values: &[f64]) -> Lowest {
    let (chunks, _) = values.as_chunks::<LANES>();
    let mut low = [f64::INFINITY; LANES];
    for chunk in chunks {
        for (low, &value) in low.iter_mut().zip(chunk) {
            // Not `min`, which needs an extra instruction or two per number to handle NaN.
            *low = if value < *low { value } else { *low };
        }
    }
    let value = low.into_iter().fold(f64::INFINITY, |a, b| if b < a { b } else { a });
    Lowest { value, count: chunks.iter().map(|chunk| count_up_to(chunk, value)).sum() }
}

#[inline]
fn count_up_to(chunk: &[f64; LANES], limit: f64) -> usize {
    chunk.iter().map(|&value| usize::from(value <= limit)).sum()
}

/// The place of the value of at most `limit` that has `rank` such values before it.
#[inline]
fn nth_up_to(values: &[f64], limit: f64, rank: usize) -> usize {
    let (chunks, _) = values.as_chunks::<LANES>();
    let mut rank = rank;
    for (group, chunk) in chunks.iter().enumerate() {
        let here = count_up_to(chunk, limit);
        if rank < here {
            let mut places = (0..LANES).filter(|&lane| chunk[lane] <= limit);
            return group * LANES + places.nth(rank).expect("the values were counted");
        }
        rank -= here;
    }
    unreachable!("the values were counted")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Arm 0 beat arm 1 in 3 of 4 duels and lost the only one against arm 2; arms 1 and 2 drew 1
    /// : 1.
    ///
    /// kl(1/4, 1/2) = 1/4 ln 1/2 + 3/4 ln 3/2 = -0.173287 + 0.304099 = 0.130812, times 4: I_1 =
    /// 0.523248. kl(0, 1/2) = ln 2 = 0.693147 (0 ln 0 counts as 0): I_0 = 0.693147. I_2 = 0,
    /// because a rate of 1/2 carries no information.
    #[test]
    fn trace_divergences() {
        let mut divergences = Divergences::new(3);
        divergences.set(0, 1, 3, 1);
        divergences.set(2, 0, 1, 0);
        divergences.set(1, 2, 1, 1);
        assert!((divergences.of(0) - core::f64::consts::LN_2).abs() < 1e-15);
        assert!((divergences.of(1) - 0.523_248).abs() < 1e-6);
        assert_eq!((divergences.of(2).to_bits(), divergences.n_within(divergences.limit(0.0))), (0, 1));
        assert_eq!(divergences.nth_within(divergences.limit(0.0), 0), 2);
        assert_eq!(divergences.bits_within(0, divergences.limit(0.6)), 0b110);
        // The strongest opponent of arm 0 is 2, of arm 1 it is 0, and of arm 2 it is 1, at 1/2. Arm
        // 2 itself is skipped.
        let strongest: Vec<(Lowest, usize)> = (0..3)
            .map(|i| (divergences.strongest(i), divergences.nth_strongest(i, divergences.strongest(i), 0)))
            .collect();
        let lowest = |value| Lowest { value, count: 1 };
        assert_eq!(strongest, [(lowest(0.0), 2), (lowest(0.25), 0), (lowest(0.5), 1)]);
        assert!(
            divergences.is_opponent(2, 1) && !divergences.is_opponent(2, 2) && !divergences.is_opponent(2, 0)
        );
        // Arm 2 leads all others, so it has no opponents.
        divergences.set(1, 2, 1, 2);
        assert_eq!(divergences.strongest(2).count, 0);
    }

    proptest! {
        /// Compared with the usual formula, where that loses no digits.
        #[test]
        fn law_kl(p in 0.001..0.499_f64) {
            let usual = p * libm::log(2.0 * p) + (1.0 - p) * libm::log(2.0 * (1.0 - p));
            prop_assert!((kl_half(1.0 - 2.0 * p) - usual).abs() < 1e-15 + 1e-12 * usual);
        }

        /// The numbers depend only on the last counts, and equal those of a plain scan.
        #[test]
        fn law_only_the_last_counts_matter(
            steps in proptest::collection::vec((0..11usize, 0..11usize, 0..5u64, 0..5u64), 1..200),
        ) {
            let mut walked = Divergences::new(11);
            let mut last = std::collections::BTreeMap::new();
            for &(i, j, wins, losses) in steps.iter().filter(|step| step.0 != step.1) {
                walked.set(i, j, wins, losses);
                last.insert((i.min(j), i.max(j)), if i < j { (wins, losses) } else { (losses, wins) });
            }
            let mut fresh = Divergences::new(11);
            for ((i, j), (wins, losses)) in last {
                fresh.set(i, j, wins, losses);
            }
            prop_assert_eq!(&walked, &fresh);
            let least = (0..11).map(|i| walked.of(i)).fold(f64::INFINITY, f64::min);
            prop_assert_eq!(walked.limit(0.0).to_bits(), (least + 1e-9 * least.max(1.0)).to_bits());
            let limit = walked.limit(1.0);
            let within: Vec<usize> = walked.within(limit).collect();
            prop_assert_eq!(walked.n_within(limit), within.len());
            for (rank, &i) in within.iter().enumerate() {
                prop_assert_eq!(walked.nth_within(limit, rank), i);
                prop_assert!(walked.bits_within(0, limit) >> i & 1 == 1);
            }
            prop_assert_eq!(walked.bits_within(0, limit).count_ones() as usize, within.len());
        }
    }
}
