//! Random streams with addresses: a seed and a path of labels name a stream of random numbers.
//!
//! Run 17 of a job draws the same numbers on one thread, on sixteen threads and on another machine,
//! because its stream follows from its name and not from the runs before it.

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// The name of a stream: a seed and the labels added so far.
///
/// ```
/// use tiltyard_bandit::Stream;
/// let run = Stream::new(1).label("world").index(17);
/// assert_eq!(run.rng(), Stream::new(1).label("world").index(17).rng());
/// assert_ne!(run.rng(), Stream::new(1).label("world").index(18).rng());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stream {
    lanes: [u64; 2],
}

/// The fractional bits of the golden ratio and of sqrt(3): odd constants without structure that
/// make the two lanes different.
const LANES: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xbb67_ae85_84ca_a73b];

impl Stream {
    /// The root of all streams with this seed.
    pub fn new(seed: u64) -> Self {
        Self { lanes: LANES }.absorb(seed)
    }

    /// The sub-stream with this name.
    #[must_use]
    pub fn label(self, label: &str) -> Self {
        let mut stream = self;
        for chunk in label.as_bytes().chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            stream = stream.absorb(u64::from_le_bytes(word));
        }
        // The length ends the label, so that "ab" then "c" differs from "a" then "bc". Its high bit
        // distinguishes names from indices.
        stream.absorb(label.len() as u64 | 1 << 63)
    }

    /// The sub-stream with this number.
    #[must_use]
    pub fn index(self, index: u64) -> Self {
        self.absorb(index).absorb(1 << 62)
    }

    /// The generator at the start of this stream.
    pub fn rng(self) -> Xoshiro256PlusPlus {
        let mut seed = [0; 32];
        for (i, bytes) in seed.chunks_exact_mut(8).enumerate() {
            let word = mix(self.lanes[i % 2].wrapping_add(LANES[1].wrapping_mul(i as u64 + 1)));
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        Xoshiro256PlusPlus::from_seed(seed)
    }

    fn absorb(self, word: u64) -> Self {
        let [a, b] = self.lanes;
        Self {
            lanes: [
                mix(a ^ word).wrapping_add(b),
                mix(b.rotate_left(23) ^ word.wrapping_mul(LANES[0])).wrapping_add(a.rotate_left(41)),
            ],
        }
    }
}

/// The output function of `SplitMix64` (Steele, Lea and Flood 2014): a bijection that spreads every
/// input bit.
#[inline]
pub(crate) fn mix(word: u64) -> u64 {
    let word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    #[test]
    fn stable_stream() {
        let mut rng = Stream::new(1).label("world").index(17).rng();
        let drawn: [u64; 3] = core::array::from_fn(|_| rng.random());
        assert_eq!(drawn, [3_363_800_600_544_737_376, 5_641_393_884_773_369_435, 12_475_366_227_941_261_470]);
    }

    #[test]
    fn law_labels_do_not_run_together() {
        let root = Stream::new(1);
        let streams = [
            root,
            root.label(""),
            root.label("a"),
            root.label("b"),
            root.label("ab"),
            root.label("a").label("b"),
            root.label("b").label("a"),
            root.index(0),
            root.index(1),
            root.index(0).index(1),
            root.index(1).index(0),
            root.label("a").index(0),
            Stream::new(2),
        ];
        for (i, a) in streams.iter().enumerate() {
            for b in &streams[..i] {
                assert_ne!(a, b);
            }
        }
    }

    /// Neighbouring streams must look independent: the mean of products of 10,000 pairs of uniforms
    /// on [-1/2, 1/2] has standard error 1/1200. The test allows five standard errors.
    #[test]
    fn stat_neighbouring_streams_are_uncorrelated() {
        let mut sum = 0.0;
        for i in 0..10_000 {
            let mut a = Stream::new(7).index(i).rng();
            let mut b = Stream::new(7).index(i + 1).rng();
            sum += (a.random::<f64>() - 0.5) * (b.random::<f64>() - 0.5);
        }
        assert!((sum / 10_000.0).abs() < 5.0 / 1200.0, "correlation {}", sum / 10_000.0);
    }
}
