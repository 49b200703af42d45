//! The query of an address, which follows the question mark.

use core::fmt::Write as _;

/// Far more pairs than a person selects. The rest is ignored.
const MOST: usize = 4096;

/// Names and values, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Query(Vec<(String, String)>);

impl Query {
    /// Parses a query as browsers send forms.
    pub(super) fn parse(text: &str) -> Self {
        let pairs = text.split('&').filter(|pair| !pair.is_empty()).take(MOST).map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (unescaped(name), unescaped(value))
        });
        Self(pairs.collect())
    }

    /// The first value of a name that is not empty.
    pub(super) fn first(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }

    /// All values of a name that are not empty.
    pub(super) fn all<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> {
        self.0
            .iter()
            .filter(move |(other, value)| other == name && !value.is_empty())
            .map(|(_, value)| value.as_str())
    }

    pub(super) fn push(&mut self, name: &str, value: &str) {
        self.0.push((name.to_owned(), value.to_owned()));
    }
}

impl core::fmt::Display for Query {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        for (i, (name, value)) in self.0.iter().enumerate() {
            let separator = if i == 0 { "" } else { "&" };
            write!(f, "{separator}{}={}", escaped(name), escaped(value))?;
        }
        Ok(())
    }
}

fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~:/,".contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            write!(escaped, "%{byte:02X}").expect("writing to a string cannot fail");
        }
    }
    escaped
}

/// Leaves invalid escapes as they are, and replaces invalid UTF-8 by U+FFFD.
fn unescaped(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut i = 0;
    while let Some(&byte) = bytes.get(i) {
        let digit = |at: usize| bytes.get(at).and_then(|&digit| char::from(digit).to_digit(16));
        match (byte, digit(i + 1), digit(i + 2)) {
            (b'%', Some(high), Some(low)) => {
                plain.push(u8::try_from(high * 16 + low).expect("two hexadecimal digits"));
                i += 3;
                continue;
            }
            (b'+', ..) => plain.push(b' '),
            _ => plain.push(byte),
        }
        i += 1;
    }
    String::from_utf8_lossy(&plain).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn trace_a_form_as_browsers_send_it() {
        let query = Query::parse("run=a+b&run=c%2Fd&x-from=&y&%zz=%4&b=%ff");
        assert_eq!(query.all("run").collect::<Vec<_>>(), ["a b", "c/d"]);
        assert_eq!((query.first("x-from"), query.first("y"), query.first("%zz")), (None, None, Some("%4")));
        assert_eq!(query.first("b"), Some("\u{fffd}"));
    }

    proptest! {
        #[test]
        fn law_queries_come_back(pairs in proptest::collection::vec((".{1,8}", ".{1,8}"), 0..6)) {
            let query = Query(pairs);
            prop_assert_eq!(Query::parse(&query.to_string()), query);
        }

        #[test]
        fn law_anything_can_be_read(text in ".{0,40}") {
            let _ = Query::parse(&text);
        }
    }
}
