//! Draws from a Beta distribution, conditioned on being above 1/2.

use rand::{Rng, RngExt};
use rand_distr::{Beta, Distribution, OpenClosed01};

/// theta ~ Beta(wins + 1, losses + 1), given that theta > 1/2. `chance` is the probability of
/// theta > 1/2. It only decides how theta is drawn and does not change the distribution.
///
/// Few draws are rejected, whatever the counts are. If the distribution has much of its mass above
/// 1/2, it is drawn from until a draw is above 1/2. If it has little mass there, the upper tail is
/// drawn by rejection from its tangent, which is an exponential distribution.
#[inline]
pub(crate) fn upper_half<R: Rng + ?Sized>(wins: u64, losses: u64, chance: f64, rng: &mut R) -> f64 {
    let (w, l) = (wins as f64, losses as f64);
    if losses == 0 {
        // theta^(w + 1) is uniform above 2^-(w + 1).
        let u: f64 = rng.sample(OpenClosed01);
        if wins == 0 {
            return 0.5 + 0.5 * u;
        }
        let least = libm::exp2(-(w + 1.0));
        return libm::exp(libm::log(least + (1.0 - least) * u) / (w + 1.0)).max(0.5);
    }
    if wins == 0 {
        // (1 - theta)^(l + 1) is uniform below 2^-(l + 1).
        let u: f64 = rng.sample(OpenClosed01);
        return 1.0 - 0.5 * libm::exp(libm::log(u) / (l + 1.0));
    }
    if chance < RARE {
        return far_end(w, l, rng);
    }
    let beta = Beta::new(w + 1.0, l + 1.0).expect("both parameters are above 1");
    loop {
        let theta = beta.sample(rng);
        if theta > 0.5 {
            return theta;
        }
    }
}

/// Below this probability the tangent is a better proposal than the distribution itself. It accepts
/// at least four of five draws, and more for smaller probabilities.
const RARE: f64 = 0.05;

/// The upper tail, drawn by rejection. The logarithm of the density is concave, so at 1/2 + y it is
/// at most its value at 1/2 minus 2 (l - w) y.
fn far_end<R: Rng + ?Sized>(w: f64, l: f64, rng: &mut R) -> f64 {
    let slope = 2.0 * (l - w);
    // The mass of the exponential distribution below y = 1/2.
    let whole = -libm::expm1(-0.5 * slope);
    loop {
        let y = -libm::log1p(-whole * rng.random::<f64>()) / slope;
        let below = w * libm::log1p(2.0 * y) + l * libm::log1p(-2.0 * y) + slope * y;
        // Written so that the end y = 1/2, where the density is 0, is rejected.
        if libm::log(rng.sample(OpenClosed01)) <= below {
            return 0.5 + y;
        }
    }
}

/// kl(theta, 1/2) = theta ln 2 theta + (1 - theta) ln 2 (1 - theta) for theta in [1/2, 1].
#[inline]
pub(crate) fn kl_half(theta: f64) -> f64 {
    let d = 2.0 * theta - 1.0;
    if d < 1e-3 {
        // The terms of order d cancel: d^2/2 + d^4/12 + d^6/30 + ...
        return 0.5 * d * d * (1.0 + d * d / 6.0);
    }
    if d >= 1.0 {
        return core::f64::consts::LN_2;
    }
    0.5 * ((1.0 + d) * libm::log1p(d) + (1.0 - d) * libm::log1p(-d))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::structures::bounds::superiority::chance_of;

    /// The distribution above 1/2 is compared with its integral in 20 cells. Chi-square with 19
    /// degrees of freedom exceeds 55 with probability 1/40,000.
    #[test]
    fn stat_laws() {
        // All methods: no duel, no loss, no win, the distribution itself, its tail with few duels
        // and with many.
        for (wins, losses) in [
            (0, 0),
            (1, 0),
            (7, 0),
            (0, 1),
            (0, 6),
            (3, 2),
            (2, 3),
            (40, 44),
            (1, 9),
            (5, 25),
            (400, 480),
            (100, 300),
        ] {
            let mut rng = crate::Stream::new(1).index(wins).index(losses).rng();
            let n = 4000;
            let draws: Vec<f64> =
                (0..n).map(|_| upper_half(wins, losses, chance_of(wins, losses), &mut rng)).collect();
            assert!(draws.iter().all(|theta| (0.5..=1.0).contains(theta)));
            // The distribution function by the midpoint rule, relative to the density at the mode
            // or at 1/2.
            let (w, l) = (wins as f64, losses as f64);
            let mode = if w + l > 0.0 { (w / (w + l)).max(0.5) } else { 0.5 };
            let term = |count: f64, x: f64| if count > 0.0 { count * x.ln() } else { 0.0 };
            let ln_density = |x: f64| term(w, x) + term(l, 1.0 - x);
            let steps = 20_000;
            let density: Vec<f64> = (0..steps)
                .map(|i| {
                    let x = 0.5 + (f64::from(i) + 0.5) / f64::from(2 * steps);
                    (ln_density(x) - ln_density(mode.min(1.0 - 1e-9))).exp()
                })
                .collect();
            let total: f64 = density.iter().sum();
            let mut cumulated = vec![0.0];
            for d in density {
                cumulated.push(cumulated.last().expect("not empty") + d / total);
            }
            // Twenty cells of about the same probability.
            let ends: Vec<usize> = (1..20)
                .map(|cell| cumulated.partition_point(|&below| below < f64::from(cell) / 20.0))
                .chain([cumulated.len() - 1])
                .collect();
            let (mut chi, mut start) = (0.0, 0);
            for end in ends {
                let x = |step: usize| 0.5 + step as f64 / f64::from(2 * steps);
                let inside = |theta: f64| x(start) < theta && theta <= x(end);
                let count = draws.iter().filter(|&&theta| inside(theta)).count() as f64;
                let expected = f64::from(n) * (cumulated[end] - cumulated[start]);
                chi += (count - expected) * (count - expected) / expected;
                start = end;
            }
            assert!(chi < 55.0, "Beta({wins} + 1, {losses} + 1): {chi}");
        }
    }

    /// kl(3/4, 1/2) = ln 2 + 3/4 ln 3/4 + 1/4 ln 1/4 = 0.130812; the two forms are equal at theta =
    /// 0.5005.
    #[test]
    fn trace_kl() {
        assert!((kl_half(0.75) - 0.130_812_035_941).abs() < 1e-12);
        assert!((kl_half(1.0) - core::f64::consts::LN_2).abs() < 1e-15);
        let (below, above) = (kl_half(0.5005 - 1e-12), kl_half(0.5005 + 1e-12));
        assert!((above / below - 1.0).abs() < 1e-8);
        assert!(kl_half(0.5) <= 0.0);
    }
}
