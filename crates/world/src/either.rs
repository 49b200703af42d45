//! Enums of several types that share a trait.

/// Declares the enum, `From` for each type in it, and a macro that calls the value inside:
/// `inside!(self, world => world.best())`. The `$` in front is for the inner macro.
macro_rules! either {
    (
        $dollar:tt
        $(#[$meta:meta])*
        pub enum $any:ident { $($(#[$doc:meta])* $kind:ident($type:ty)),* $(,)? }
        ask $ask:ident
    ) => {
        $(#[$meta])*
        pub enum $any { $($(#[$doc])* $kind($type)),* }

        $(impl From<$type> for $any {
            fn from(it: $type) -> Self {
                Self::$kind(it)
            }
        })*

        macro_rules! $ask {
            ($dollar any:expr, $dollar it:ident => $dollar answer:expr) => {
                match $dollar any { $($any::$kind($dollar it) => $dollar answer),* }
            };
        }
    };
}

pub(crate) use either;
