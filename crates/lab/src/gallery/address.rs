//! Names in addresses.
//!
//! A name may contain everything that the name of a directory may. Every byte that is not a letter,
//! digit, dot, dash, underscore or slash is written as `~` and two hexadecimal digits. `~` has no
//! meaning for browsers and servers, so nothing on the way unescapes an address once too often.
//! Addresses are never decoded: the address in a request is compared with the addresses of existing
//! names.

use core::fmt::Write as _;

/// A name as a part of an address.
pub(super) fn of(name: &str) -> String {
    let mut address = String::new();
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' | b'_' | b'/' => {
                address.push(char::from(byte));
            }
            byte => write!(address, "~{byte:02X}").expect("writing to a string cannot fail"),
        }
    }
    address
}

/// Whether a request means this name: by its address, or by the name itself as somebody may have
/// typed it.
pub(super) fn leads_to(asked: &str, name: &str) -> bool {
    of(name) == asked || (name == asked && !asked.contains('~'))
}

/// A name that is safe as the name of a file.
pub(super) fn file_name(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '-' };
    let text: String = name.chars().take(80).map(plain).collect();
    text.trim_start_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn trace_addresses() {
        assert_eq!(of("rex3/results/arxiv"), "rex3/results/arxiv");
        assert_eq!(of("a b~\u{e9}?#%"), "a~20b~7E~C3~A9~3F~23~25");
        assert!(leads_to("a~20b", "a b") && leads_to("a b", "a b"));
        // A text that looks like the address of one name does not lead to another.
        assert!(!leads_to("a~20b", "a~20b") && leads_to("a~7E20b", "a~20b"));
        assert_eq!(file_name("../a b\"\r\n<x>"), "-a-b----x-");
    }

    proptest! {
        /// Different names have different addresses, and no address needs escaping.
        #[test]
        fn law_addresses_are_names(a in ".{0,12}", b in ".{0,12}") {
            prop_assert_eq!(of(&a) == of(&b), a == b);
            prop_assert!(leads_to(&of(&a), &a));
            prop_assert!(of(&a).bytes().all(|byte| byte.is_ascii_alphanumeric() || b"./~-_".contains(&byte)));
        }
    }
}
