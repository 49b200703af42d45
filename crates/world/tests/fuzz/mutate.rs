//! Mutates inputs.

use rand::{Rng, RngExt};

/// Numbers that are hard to read.
const NUMBERS: &[&str] = &[
    "0",
    "-0",
    "-1",
    "1e999",
    "1e-999",
    "nan",
    "inf",
    "-inf",
    "+1",
    ".",
    "1.",
    ".5",
    "0x10",
    "1_000",
    "4294967296",
    "18446744073709551616",
    "2147483648",
    "999999999999999999999999999999",
    "0.1e+1",
    "1e",
    "\u{660}",
];

/// Mutates an input one to five times, with pieces of another input and words of the format.
pub(crate) fn mutate(input: &mut Vec<u8>, other: &[u8], dictionary: &[&str], rng: &mut impl Rng) {
    for _ in 0..rng.random_range(1..=5) {
        let at = rng.random_range(0..=input.len());
        match rng.random_range(0..12) {
            0 if at < input.len() => input[at] ^= 1 << rng.random_range(0..8),
            1 if at < input.len() => input[at] = rng.random(),
            2 => input.insert(at, rng.random()),
            3 => input.truncate(at),
            4 => {
                let end = rng.random_range(at..=input.len());
                input.drain(at..end.min(at + 64));
            }
            5 => {
                // Repeat a piece of the input.
                let end = rng.random_range(at..=input.len()).min(at + 256);
                let piece = input[at..end].repeat(rng.random_range(1..=8));
                insert(input, at, &piece);
            }
            6 => {
                let start = rng.random_range(0..=other.len());
                let end = rng.random_range(start..=other.len()).min(start + 512);
                insert(input, at, &other[start..end]);
            }
            7 => {
                input.truncate(at);
                input.extend(&other[rng.random_range(0..=other.len())..]);
            }
            8 => {
                let word = NUMBERS[rng.random_range(0..NUMBERS.len())];
                replace_word(input, at, word.as_bytes());
            }
            9 if !dictionary.is_empty() => {
                let word = dictionary[rng.random_range(0..dictionary.len())];
                replace_word(input, at, word.as_bytes());
            }
            10 if !dictionary.is_empty() => {
                let word = dictionary[rng.random_range(0..dictionary.len())];
                insert(input, at, word.as_bytes());
            }
            11 => {
                // Swap two pieces.
                let half = at / 2;
                input[..at].rotate_left(half);
            }
            _ => {}
        }
    }
}

fn insert(input: &mut Vec<u8>, at: usize, piece: &[u8]) {
    input.splice(at..at, piece.iter().copied());
}

/// Replaces the word around `at`.
fn replace_word(input: &mut Vec<u8>, at: usize, word: &[u8]) {
    let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b':' | b',' | b'#');
    let start = input[..at].iter().rposition(ends).map_or(0, |i| i + 1);
    let end = input[at..].iter().position(ends).map_or(input.len(), |i| at + i);
    input.splice(start..end, word.iter().copied());
}
