//! SHA-256 of bytes in memory, and of everything written to or read from a stream.

use std::fmt::Write as _;
use std::io::{self, Read, Write};

use sha2::{Digest as _, Sha256};

/// The digest of some bytes, in hexadecimal.
pub(crate) fn of(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// The digest of everything that a reader yields, in hexadecimal.
pub(crate) fn of_reader(mut reader: impl Read) -> io::Result<String> {
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match reader.read(&mut buffer)? {
            0 => return Ok(hexadecimal(&hasher.finalize())),
            n => hasher.update(&buffer[..n]),
        }
    }
}

/// The digest of some bytes, in base 64.
pub(crate) fn base64_of(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in Sha256::digest(bytes).chunks(3) {
        let byte = |i: usize| u32::from(group.get(i).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * i) & 63) as usize];
            text.push(if i > group.len() { '=' } else { char::from(digit) });
        }
    }
    text
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("writing to a string cannot fail");
        text
    })
}

/// A writer that computes the digest of everything written through it.
pub(crate) struct Digesting<W> {
    inner: W,
    hasher: Sha256,
}

impl<W> Digesting<W> {
    pub(crate) fn new(inner: W) -> Self {
        Self { inner, hasher: Sha256::new() }
    }

    /// The digest of everything written so far, in hexadecimal.
    pub(crate) fn finish(self) -> String {
        hexadecimal(&self.hasher.finalize())
    }
}

impl<W: Write> Write for Digesting<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.inner.write(bytes)?;
        self.hasher.update(&bytes[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The digest of "abc" from FIPS 180-4's examples.
    #[test]
    fn trace_abc() {
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(of(b"abc"), expected);
        assert_eq!(of_reader(&b"abc"[..]).unwrap(), expected);
        let mut writer = Digesting::new(Vec::new());
        writer.write_all(b"ab").unwrap();
        writer.write_all(b"c").unwrap();
        assert_eq!(writer.finish(), expected);
        // The same bits, six at a time.
        assert_eq!(base64_of(b"abc"), "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
    }
}
