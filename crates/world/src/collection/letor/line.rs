//! Parses one line of a LETOR file. Bytes are parsed in place. A field becomes a string only for an
//! error message.

use super::{MAX_DOCUMENTS, MAX_FEATURE, MAX_ID, MAX_VALUES};
use crate::collection::error::{LineError, excerpt};
use crate::collection::query::{MAX_LABEL, Query};

/// Whether the line is neither blank nor a comment.
pub(super) fn holds_document(line: &[u8]) -> bool {
    line.iter().find(|&&byte| !is_space(byte)).is_some_and(|&byte| byte != b'#')
}

/// The first two fields of a line.
pub(super) struct Head<'a> {
    label: u8,
    pub(super) id: &'a str,
    rest: &'a [u8],
}

pub(super) fn head(line: &[u8]) -> Result<Head<'_>, LineError> {
    let (first, rest) = word(line);
    let label = label(first).ok_or_else(|| LineError::Label { text: excerpt(first) })?;
    let (second, rest) = word(rest);
    let id = second.strip_prefix(b"qid:").ok_or_else(|| LineError::NoQueryId { text: excerpt(second) })?;
    let fits = (1..=MAX_ID).contains(&id.len()) && !id.contains(&b'#');
    match str::from_utf8(id) {
        Ok(id) if fits => Ok(Head { label, id, rest }),
        _ => Err(LineError::QueryId { text: excerpt(second) }),
    }
}

/// The first word, and the text after it.
fn word(text: &[u8]) -> (&[u8], &[u8]) {
    let start = text.iter().position(|&byte| !is_space(byte)).unwrap_or(text.len());
    let text = &text[start..];
    let end = text.iter().position(|&byte| is_space(byte)).unwrap_or(text.len());
    text.split_at(end)
}

fn label(text: &[u8]) -> Option<u8> {
    if let [digit @ b'0'..=b'9'] = text {
        return Some(digit - b'0');
    }
    let (value, length) = number(text)?;
    if length != text.len() || value.fract() != 0.0 || !(0.0..=f32::from(MAX_LABEL)).contains(&value) {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole and in range")]
    Some(value as u8)
}

/// Adds the document of a line to the query.
pub(super) fn document(head: &Head<'_>, keep_names: bool, query: &mut Query) -> Result<(), LineError> {
    if query.n_documents() == MAX_DOCUMENTS {
        return Err(LineError::TooManyDocuments { id: query.id().to_owned() });
    }
    let comment = features(head.rest, query)?;
    if query.n_values() > MAX_VALUES {
        return Err(LineError::TooManyValues { id: query.id().to_owned() });
    }
    query.close_document(head.label);
    if keep_names {
        query.name_last(name(comment));
    }
    Ok(())
}

/// Adds the values of a line and returns its comment.
fn features<'a>(text: &'a [u8], query: &mut Query) -> Result<&'a [u8], LineError> {
    let mut last = 0;
    let mut rising = true;
    let mut rest = text;
    loop {
        let start = rest.iter().position(|&byte| !is_space(byte)).unwrap_or(rest.len());
        rest = &rest[start..];
        if let None | Some(b'#') = rest.first() {
            break;
        }
        let Some((feature, value, behind)) = pair(rest) else { return Err(wrong_pair(text, rest)) };
        rising &= feature > last;
        last = feature;
        query.push_value(feature - 1, value);
        rest = behind;
    }
    if !rising {
        sort_features(query)?;
    }
    Ok(rest)
}

/// `feature:value`, and the text after it.
fn pair(text: &[u8]) -> Option<(u32, f32, &[u8])> {
    let mut feature: u32 = 0;
    let mut at = 0;
    while let Some(digit @ b'0'..=b'9') = text.get(at) {
        feature = feature.saturating_mul(10).saturating_add(u32::from(digit - b'0'));
        at += 1;
    }
    if !(1..=MAX_FEATURE).contains(&feature) || text.get(at) != Some(&b':') {
        return None;
    }
    let text = &text[at + 1..];
    let (value, length) = number(text)?;
    let rest = &text[length..];
    let ends = rest.first().is_none_or(|&byte| is_space(byte) || byte == b'#');
    (ends && value.is_finite()).then_some((feature, value, rest))
}

/// The error in the field that `rest` starts with.
#[cold]
fn wrong_pair(text: &[u8], rest: &[u8]) -> LineError {
    let before = &text[..text.len() - rest.len()];
    let field = 3 + before.split(|&byte| is_space(byte)).filter(|word| !word.is_empty()).count();
    let (word, _) = word(rest);
    let word = word.split(|&byte| byte == b'#').next().unwrap_or_default();
    let Some(colon) = word.iter().position(|&byte| byte == b':') else {
        return LineError::Feature { field, text: excerpt(word) };
    };
    let (feature, value) = (&word[..colon], &word[colon + 1..]);
    let whole = str::from_utf8(feature).ok().and_then(|text| text.parse::<u32>().ok());
    if whole.is_some_and(|whole| (1..=MAX_FEATURE).contains(&whole)) && feature[0] != b'+' {
        LineError::Value { field, text: excerpt(value) }
    } else {
        LineError::FeatureId { field, text: excerpt(feature) }
    }
}

/// Sorts the values of the last document by feature.
#[cold]
fn sort_features(query: &mut Query) -> Result<(), LineError> {
    let (index, value) = query.open_values();
    let mut pairs: Vec<(u32, f32)> = index.iter().copied().zip(value.iter().copied()).collect();
    pairs.sort_unstable_by_key(|&(feature, _)| feature);
    if let Some(twice) = pairs.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(LineError::RepeatedFeature { feature: twice[0].0 + 1 });
    }
    for (i, &(feature, number)) in pairs.iter().enumerate() {
        (index[i], value[i]) = (feature, number);
    }
    Ok(())
}

/// The number at the start of a text, rounded to single precision, and its length.
fn number(text: &[u8]) -> Option<(f32, usize)> {
    fast_float2::parse_partial(text).ok()
}

/// The document's name in a comment.
fn name(comment: &[u8]) -> String {
    let text = String::from_utf8_lossy(comment.strip_prefix(b"#").unwrap_or(comment));
    let text = text.trim();
    let named = text.strip_prefix("docid").and_then(|rest| rest.trim_start().strip_prefix('='));
    named.and_then(|rest| rest.split_whitespace().next()).unwrap_or(text).to_owned()
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\x0b' | b'\x0c')
}
