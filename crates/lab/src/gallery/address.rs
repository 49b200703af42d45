//! Names in addresses.
//!
//! A name may hold anything that a directory's name may. What is not a letter, digit, dot, dash,
//! underscore or slash is written as `~` and two hexadecimal digits for each byte: `~` means
//! nothing to browsers and servers, so that nobody on the way unescapes it once too often. Nothing
//! is ever turned back: what is asked for is compared with the addresses of what there is.

use core::fmt::Write as _;

/// A name as a part of an address.
pub(super) fn of(name: &str) -> String {
    let mut address = String::new();
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' | b'_' | b'/' => {
                address.push(char::from(byte));
            }
            byte => write!(address, "~{byte:02X}").expect("a string takes any text"),
        }
    }
    address
}

/// Whether what was asked for is this name: its address, or the name itself as somebody may have
/// typed it.
pub(super) fn leads_to(asked: &str, name: &str) -> bool {
    of(name) == asked || (name == asked && !asked.contains('~'))
}

/// A name as that of a file on somebody's disk.
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
        // What looks like the address of one name is not another.
        assert!(!leads_to("a~20b", "a~20b") && leads_to("a~7E20b", "a~20b"));
        assert_eq!(file_name("../a b\"\r\n<x>"), "-a-b----x-");
    }

    proptest! {
        /// No two names have one address, and none of them needs escaping.
        #[test]
        fn law_addresses_are_names(a in ".{0,12}", b in ".{0,12}") {
            prop_assert_eq!(of(&a) == of(&b), a == b);
            prop_assert!(leads_to(&of(&a), &a));
            prop_assert!(of(&a).bytes().all(|byte| byte.is_ascii_alphanumeric() || b"./~-_".contains(&byte)));
        }
    }
}
