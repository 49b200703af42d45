//! Directions: unit vectors drawn uniformly.

use rand::{Rng, RngExt};
use rand_distr::StandardNormal;

use super::convex::norm;

/// Fills a vector with a uniform draw from the unit sphere. Independent normal numbers have a
/// distribution that no rotation changes, so their direction is uniform. A zero vector has no
/// direction and is drawn again.
pub fn draw_direction<R: Rng + ?Sized>(direction: &mut [f64], rng: &mut R) {
    if direction.is_empty() {
        // An empty vector always has length 0, so the loop would never end.
        return;
    }
    loop {
        for x in &mut *direction {
            *x = rng.sample(StandardNormal);
        }
        let length = norm(direction);
        if length > 0.0 {
            for x in &mut *direction {
                *x /= length;
            }
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use core::convert::Infallible;

    use rand::TryRng;

    use super::*;
    use crate::Stream;

    /// A generator whose first words make normal numbers that are exactly 0: the low bits select a
    /// layer of the ziggurat, and the high bit alone is the middle of that layer.
    struct ZerosFirst<R> {
        left: u32,
        then: R,
    }

    impl<R: Rng> TryRng for ZerosFirst<R> {
        type Error = Infallible;

        fn try_next_u32(&mut self) -> Result<u32, Infallible> {
            Ok(self.then.next_u32())
        }

        fn try_next_u64(&mut self) -> Result<u64, Infallible> {
            if self.left == 0 {
                return Ok(self.then.next_u64());
            }
            self.left -= 1;
            Ok(1 << 63 | 1)
        }

        fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
            self.then.fill_bytes(bytes);
            Ok(())
        }
    }

    #[test]
    fn trace_the_zero_vector_is_drawn_again() {
        let mut zeros = ZerosFirst { left: 1, then: Stream::new(1).rng() };
        let first: f64 = zeros.sample(StandardNormal);
        assert!(first.abs() <= 0.0, "the words must make zeros: {first}");

        let mut plain = [0.0; 3];
        draw_direction(&mut plain, &mut Stream::new(1).rng());
        let mut again = [0.0; 3];
        draw_direction(&mut again, &mut ZerosFirst { left: 6, then: Stream::new(1).rng() });
        assert_eq!(plain.as_slice(), again);
    }

    #[test]
    fn trace_one_dimension_has_two_directions() {
        let mut rng = Stream::new(1).rng();
        let mut ups = 0;
        for _ in 0..1000 {
            let mut direction = [0.0];
            draw_direction(&mut direction, &mut rng);
            let up = direction.as_slice() == [1.0];
            assert!(up || direction.as_slice() == [-1.0], "{direction:?}");
            ups += u32::from(up);
        }
        // Five standard errors of a fair coin: 5 * sqrt(1000) / 2 = 79.
        assert!(ups.abs_diff(500) < 79, "{ups}");
    }
}
