//! What is known about a policy, declared once, in the policy's own file.
//!
//! `declare!` takes the page as documentation comments, with the parameters in their place, then
//! the type that carries the page, then an entry of the registry for each name: facts, and how the
//! policy is made of its parameters. The type's documentation, [`Info`](crate::policy::Info) with
//! its page, the readers of the parameters and their checks all come from it.

/// Declares constants for parameters. The comment of each is its meaning in lists.
///
/// ```text
/// ALPHA: number("alpha" = 0.51, [above 1/2]);         a number and its range; see `range!`
/// BATCH: whole("batch" = 4, [4 to 64]);               a whole number
/// GAMMA: optional("gamma", [above 0 to 1]);           a number that has no default
/// DELTA: formula("delta" = "1/T", [above 0 to 1]);    an expression in T and K
/// RESET: choice("reset", bool: "false" = false, "true" = true);     words, the default first
/// REFERENCE: text("reference" = "uniform", "uniform, or an arm");   anything else
/// ```
///
/// A text behind a range replaces what lists say of it.
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

/// An interval of numbers as it is declared.
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

/// The same in words.
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

/// The same in words for whole numbers.
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

/// A row of the parameters' table, for rustdoc.
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

/// Declares a policy; see the module's documentation.
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
