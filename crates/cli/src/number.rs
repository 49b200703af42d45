//! Numbers as people type them: `100000`, `100_000` or `1e5`.

/// A whole number above 0.
pub(crate) fn count(text: &str) -> Result<u64, String> {
    match whole(text)? {
        0 => Err("must be at least 1".to_owned()),
        number => Ok(number),
    }
}

/// A whole number, which may be written with an exponent.
pub(crate) fn whole(text: &str) -> Result<u64, String> {
    let digits = text.replace('_', "");
    if let Ok(number) = digits.parse() {
        return Ok(number);
    }
    let number: f64 = digits.parse().map_err(|_| "not a number such as 100000 or 1e5".to_owned())?;
    // 2^53: above it, an f64 cannot represent every whole number.
    if number.fract() == 0.0 && (0.0..=9_007_199_254_740_992.0).contains(&number) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole and in range")]
        Ok(number as u64)
    } else {
        Err("not a whole number from 0 to 2^53".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_numbers() {
        for (text, number) in
            [("7", 7), ("1e5", 100_000), ("100_000", 100_000), ("2.5e3", 2500), ("1E3", 1000)]
        {
            assert_eq!(count(text), Ok(number), "{text}");
        }
        assert_eq!(whole("18446744073709551615"), Ok(u64::MAX));
        for text in ["", "0", "-1", "1.5", "1e30", "nan", "inf", "ten", "1e-3"] {
            assert!(count(text).is_err(), "{text}");
        }
    }
}
