//! The facts about a policy, declared once, in the policy's own file.
//!
//! `declare!` takes, in this order:
//!
//! - the page as documentation comments, with the parameters at the place of their table,
//! - the type that carries the page,
//! - one entry of the registry per name: the facts, and how to build the policy from its
//!   parameters.
//!
//! It generates the documentation of the type, [`Info`](crate::policy::Info) with the page, and the
//! readers and checks of the parameters.

/// Declares one constant per parameter. The comment above a parameter is its meaning in lists of
/// parameters.
///
/// ```text
/// ALPHA: number("alpha" = 0.51, [above 1/2]);         a number and its range; see `range!`
/// BATCH: whole("batch" = 4, [4 to 64]);               a whole number
/// GAMMA: optional("gamma", [above 0 to 1]);           a number without a default
/// DELTA: formula("delta" = "1/T", [above 0 to 1]);    an expression in T and K
/// RESET: choice("reset", bool: "false" = false, "true" = true);     a word, the default first
/// REFERENCE: text("reference" = "uniform", "uniform, or an arm");   any other text
/// ```
///
/// Lists show a range in words. A text after the range replaces these words.
macro_rules! parameters {
    ($($(#[doc = $meaning:literal])+ $name:ident: $kind:ident($($given:tt)+);)*) => {
        $(parameter! { $kind $name [concat!($($meaning),+).trim_ascii_start()] $($given)+ })*
    };
}

macro_rules! parameter {
    (number $name:ident [$meaning:expr] $key:literal = $default:literal, $range:tt $($text:literal)?) => {
        pub(crate) const $name: $crate::params::Number = $crate::params::Number {
            doc: $crate::params::Param {
                key: $key,
                default: concat!($default),
                legal: legal!($range $($text)?),
                meaning: $meaning,
            },
            default: $default as f64,
            range: range!($range),
        };
    };
    (whole $name:ident [$meaning:expr] $key:literal = $default:literal, $range:tt $($text:literal)?) => {
        pub(crate) const $name: $crate::params::Whole = $crate::params::Whole {
            doc: $crate::params::Param {
                key: $key,
                default: concat!($default),
                legal: whole!($range $($text)?),
                meaning: $meaning,
            },
            default: $default,
            range: range!($range),
        };
    };
    (optional $name:ident [$meaning:expr] $key:literal $(= $default:literal)?, $range:tt) => {
        pub(crate) const $name: $crate::params::Optional = $crate::params::Optional {
            doc: $crate::params::Param {
                key: $key,
                default: or_none!($($default)?),
                legal: legal!($range),
                meaning: $meaning,
            },
            range: range!($range),
        };
    };
    (formula $name:ident [$meaning:expr] $key:literal = $default:literal, $range:tt $($text:literal)?) => {
        pub(crate) const $name: $crate::params::Formula = $crate::params::Formula {
            doc: $crate::params::Param {
                key: $key,
                default: $default,
                legal: legal!($range $($text)?),
                meaning: $meaning,
            },
            range: range!($range),
        };
    };
    (choice $name:ident [$meaning:expr] $key:literal, $type:ty:
        $first:literal = $value:expr $(, $word:literal = $other:expr)*) => {
        pub(crate) const $name: $crate::params::Choice<$type> = $crate::params::Choice {
            doc: $crate::params::Param {
                key: $key,
                default: $first,
                legal: concat!($first $(, ", ", $word)*),
                meaning: $meaning,
            },
            words: &[($first, $value) $(, ($word, $other))*],
        };
    };
    (text $name:ident [$meaning:expr] $key:literal = $default:literal, $legal:literal) => {
        pub(crate) const $name: $crate::params::Text = $crate::params::Text {
            doc: $crate::params::Param { key: $key, default: $default, legal: $legal, meaning: $meaning },
        };
    };
}

/// The `Range` of a declared interval.
macro_rules! range {
    ([above $low:literal $(/ $part:literal)?]) => {
        $crate::params::Range::above($low as f64 $(/ $part as f64)?)
    };
    ([at least $low:literal]) => {
        $crate::params::Range::at_least($low as f64)
    };
    ([above 0 to $high:literal $(/ $part:literal)?]) => {
        $crate::params::Range::above_zero_to($high as f64 $(/ $part as f64)?)
    };
    ([$low:literal $(/ $part:literal)? to $high:literal]) => {
        $crate::params::Range::closed($low as f64 $(/ $part as f64)?, $high as f64)
    };
}

/// A declared interval in words, or the text that replaces them.
macro_rules! legal {
    ($text:literal) => {
        $text
    };
    ([$($range:tt)+] $text:literal) => {
        $text
    };
    ([above $low:literal $(/ $part:literal)?]) => {
        concat!("above ", $low $(, "/", $part)?)
    };
    ([at least $low:literal]) => {
        concat!("at least ", $low)
    };
    ([above 0 to $high:literal $(/ $part:literal)?]) => {
        concat!("(0, ", $high $(, "/", $part)?, "]")
    };
    ([$low:literal $(/ $part:literal)? to $high:literal]) => {
        concat!("[", $low $(, "/", $part)?, ", ", $high, "]")
    };
}

/// As `legal!`, for whole numbers.
macro_rules! whole {
    ([$($range:tt)+] $text:literal) => {
        concat!("whole, ", $text)
    };
    ([$low:literal to $high:literal]) => {
        concat!("whole, ", $low, " to ", $high)
    };
}

macro_rules! or_none {
    () => {
        "none"
    };
    ($default:literal) => {
        $default
    };
}

/// A row of the table of parameters, for rustdoc.
macro_rules! row {
    ([$($meaning:literal)+] choice($key:literal, $type:ty: $first:literal = $value:expr $(, $word:literal = $other:expr)*)) => {
        concat!(" | `", $key, "` | `", $first, "` | `", $first, "`" $(, ", `", $word, "`")*, " |", $($meaning,)+ " |")
    };
    ([$($meaning:literal)+] optional($key:literal $(= $default:literal)?, $range:tt)) => {
        concat!(" | `", $key, "` | ", or_none!($($default)?), " | ", legal!($range), " |", $($meaning,)+ " |")
    };
    ([$($meaning:literal)+] whole($key:literal = $default:literal, $range:tt $($text:literal)?)) => {
        concat!(" | `", $key, "` | `", $default, "` | ", whole!($range $($text)?), " |", $($meaning,)+ " |")
    };
    ([$($meaning:literal)+] $kind:ident($key:literal = $default:literal, $range:tt $($text:literal)?)) => {
        concat!(" | `", $key, "` | `", $default, "` | ", legal!($range $($text)?), " |", $($meaning,)+ " |")
    };
}

/// Declares a policy; see the documentation of the module.
macro_rules! declare {
    (
        $(#[doc = $before:literal])*
        parameters { $($(#[doc = $meaning:literal])+ $name:ident: $kind:ident $given:tt;)+ }
        $($rest:tt)*
    ) => {
        parameters! { $($(#[doc = $meaning])+ $name: $kind $given;)+ }
        declare! {
            @ [$($before)*]
            [" | key | default | legal | meaning |", " |---|---|---|---|" $(, row!([$($meaning)+] $kind $given))+]
            [&[$($name.doc),+]]
            $($rest)*
        }
    };
    ($(#[doc = $before:literal])* parameters {} $($rest:tt)*) => {
        declare! { @ [$($before)*] [" None."] [&[]] $($rest)* }
    };
    ($(#[doc = $before:literal])* parameters = $params:expr; $($rest:tt)*) => {
        declare! { @ [$($before)*] [" `tiltyard policy show` lists them."] [$params] $($rest)* }
    };
    (
        @ [$($before:literal)*] [$($row:expr),*] [$params:expr]
        $(#[doc = $after:literal])*
        pub struct $page:ident;
        $($family:ident { $($facts:tt)* } => |$given:ident, $rng:pat_param| $policy:expr;)*
    ) => {
        $(#[doc = $before])*
        $(#[doc = $row])*
        $(#[doc = $after])*
        #[derive(Debug)]
        pub struct $page;

        const PARAMS: &[$crate::params::Param] = $params;

        const PAGE: $crate::policy::Page = $crate::policy::Page {
            before: concat!($($before, "\n"),*),
            after: concat!($($after, "\n"),*),
        };

        $(
            impl $crate::policy::registry::Family for $family {
                const INFO: $crate::policy::Info =
                    $crate::policy::Info { params: PARAMS, page: PAGE, $($facts)* };

                fn build<V: $crate::policy::registry::Visitor>(
                    mut params: $crate::params::Params<'_>,
                    $rng: &mut dyn rand::Rng,
                    built: $crate::policy::registry::Built<V>,
                ) -> Result<V::Output, $crate::params::ParamError> {
                    let $given = &mut params;
                    let policy: Result<_, $crate::params::ParamError> = $policy;
                    built.finish(params, policy?)
                }
            }
        )*
    };
}
