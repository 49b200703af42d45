//! Wrappers by name: the suffixes of a world's name that say how its outcomes are delivered or
//! corrupted.

use rand_distr::Geometric;
use tiltyard_bandit::params::{Context, Param, ParamError, Params, Range};
use tiltyard_bandit::spec::{Spec, suggest};

use super::{Delay, Delivery};
use crate::builtin::{self, WorldError};
use crate::corruption;
use crate::matrix_file::MatrixFormat;
use crate::param::{self, Choice, Number, choice, number};

/// A suffix of a world's name, such as `+delayed`.
#[derive(Debug, Clone, Copy)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Wrapper {
    /// The name, without the `+`.
    pub name: &'static str,
    /// A description in one line.
    pub title: &'static str,
    pub params: &'static [Param],
    pub(crate) effect: Effect,
}

/// What a wrapper changes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Effect {
    /// The answers. Such a wrapper is part of the world.
    Answers,
    /// The delivery. The function reads the wrapper's parameters.
    Delivery(fn(&mut Delivery, &mut Params<'_>) -> Result<(), ParamError>),
}

/// All wrappers, in the order in which they are shown.
pub static WRAPPERS: &[&Wrapper] = &[&corruption::WRAPPER, &DELAYED, &BATCHED, &LOSSY, &NODES];

/// Not used if `mean` is given.
const ROUNDS: Number = number!("rounds" = 100 whole [0, 1e6], "delay in rounds, the same for all outcomes");
const MEAN: Range = Range::closed(0.0, 5e4);
const IS_UNIFORM: Choice<bool> = choice!("law":
    "geometric" => false, "uniform" => true;
    "distribution of the delay, given `mean`: geometric, cut at 20 (mean + 1), or uniform from 0 to 2 mean");

static DELAYED: Wrapper = Wrapper {
    name: "delayed",
    title: "outcomes arrive some rounds late",
    params: &[
        Param { default: "100 unless `mean` is given", ..ROUNDS.doc },
        Param {
            key: "mean",
            default: "none",
            legal: "[0, 5e4]",
            meaning: "mean of a random delay in rounds, instead of `rounds`",
        },
        IS_UNIFORM.doc,
    ],
    effect: Effect::Delivery(|delivery, params| {
        delivery.delay = read_delay(params)?;
        Ok(())
    }),
};

const SIZE: Number = number!("size" = 50 whole [1, 1e6], "rounds per batch");

static BATCHED: Wrapper = Wrapper {
    name: "batched",
    title: "outcomes arrive in batches, at the end of every `size` rounds",
    params: &[SIZE.doc],
    effect: Effect::Delivery(|delivery, params| {
        delivery.batch = SIZE.whole(params)?;
        Ok(())
    }),
};

const SHARE: Number = number!("share" = 0.1 in [0, 1], "share of outcomes lost, independent of the outcome");

static LOSSY: Wrapper = Wrapper {
    name: "lossy",
    title: "a share of the outcomes never arrives",
    params: &[SHARE.doc],
    effect: Effect::Delivery(|delivery, params| {
        delivery.loss = SHARE.read(params)?;
        Ok(())
    }),
};

const COUNT: Number = number!("count" = 4 whole [1, 1000], "number of nodes");
const STALE: Number =
    number!("stale" = 100 whole [0, 1e6], "rounds until news from one node reaches another");

static NODES: Wrapper = Wrapper {
    name: "nodes",
    title: "several copies of the policy take turns, and each learns late what the others did",
    params: &[COUNT.doc, STALE.doc],
    effect: Effect::Delivery(|delivery, params| {
        delivery.nodes = COUNT.count(params)?;
        delivery.stale = STALE.whole(params)?;
        Ok(())
    }),
};

impl Delivery {
    /// Splits the text that names a world into the world and its delivery:
    /// `arxiv6+delayed:rounds=10` is `arxiv6`, delivered late. Only a `+` before the name of a
    /// wrapper separates, so a path may contain other plus signs. `rounds` is the length of a run,
    /// the T of parameters.
    ///
    /// # Errors
    ///
    /// If a wrapper is unknown, misplaced or given twice, or a parameter is invalid.
    pub fn split(text: &str, rounds: u64) -> Result<(&str, Self), WorldError> {
        let mut delivery = Self::default();
        let changes_travel = |at: &usize| {
            wrapper(name_at(text, *at)).is_some_and(|it| matches!(it.effect, Effect::Delivery(_)))
        };
        let Some(start) = pluses(text).find(changes_travel) else {
            return no_wrapper(text, text).map(|world| (world, delivery));
        };
        let world = no_wrapper(&text[..start], text)?;
        let mut rest = &text[start..];
        let mut seen = Vec::new();
        while !rest.is_empty() {
            // A plus before a digit or a capital letter is part of an expression: `rounds=T/10+5`.
            let is_name = |&at: &usize| rest[at + 1..].starts_with(|c: char| c.is_ascii_lowercase());
            let end = pluses(rest).skip(1).find(is_name).unwrap_or(rest.len());
            let spec: Spec = rest[1..end].parse()?;
            let Some(wrapper) = wrapper(spec.name()) else { return Err(unknown(spec.name(), text)) };
            let Effect::Delivery(apply) = wrapper.effect else {
                return Err(WorldError::WrapperOrder { name: wrapper.name, text: text.to_owned() });
            };
            if seen.contains(&wrapper.name) {
                return Err(WorldError::WrapperTwice { name: wrapper.name, text: text.to_owned() });
            }
            seen.push(wrapper.name);
            let context = Context { n_arms: 1, horizon: Some(rounds) };
            let mut params = Params::new(&spec, context, &[wrapper.params])?;
            apply(&mut delivery, &mut params)?;
            params.finish()?;
            rest = &rest[end..];
        }
        Ok((world, delivery))
    }
}

fn read_delay(params: &mut Params<'_>) -> Result<Delay, ParamError> {
    let Some(mean) = params.number("mean", MEAN)? else { return Ok(Delay::Fixed(ROUNDS.whole(params)?)) };
    Ok(if IS_UNIFORM.read(params)? {
        Delay::Uniform { longest: 2 * param::whole("mean", mean)? }
    } else {
        // On 0, 1, 2, ... the mean is (1 - p) / p.
        let law = Geometric::new(1.0 / (1.0 + mean)).expect("a probability above 0");
        Delay::Geometric { mean, law }
    })
}

pub(crate) fn pluses(text: &str) -> impl Iterator<Item = usize> {
    text.match_indices('+').map(|(at, _)| at)
}

fn wrapper(name: &str) -> Option<&'static Wrapper> {
    WRAPPERS.iter().copied().find(|wrapper| wrapper.name == name)
}

/// The text from the plus at `at` to the parameters, the next plus or the end.
pub(crate) fn name_at(text: &str, at: usize) -> &str {
    let rest = &text[at + 1..];
    rest.split([':', '+']).next().unwrap_or(rest).trim()
}

/// The text of the world. A known world with an unknown wrapper is an error.
fn no_wrapper<'a>(world: &'a str, text: &str) -> Result<&'a str, WorldError> {
    let is_world = |head: &str| {
        let (head, _) = corruption::part(head);
        let name = head.split(':').next().unwrap_or(head).trim();
        builtin::listed().any(|family| family.name == name)
            || MatrixFormat::from_path(head.as_ref()).is_some()
    };
    let before_a_word = |at: usize| world[at + 1..].starts_with(|c: char| c.is_ascii_lowercase());
    let is_known = |at: usize| name_at(world, at) == corruption::WRAPPER.name;
    let slip = pluses(world).find(|&at| before_a_word(at) && !is_known(at) && is_world(&world[..at]));
    match slip {
        // A matrix file may have such a name.
        Some(at) if MatrixFormat::from_path(world.as_ref()).is_none() => {
            Err(unknown(name_at(world, at), text))
        }
        _ => Ok(world),
    }
}

fn unknown(name: &str, text: &str) -> WorldError {
    WorldError::UnknownWrapper {
        name: name.to_owned(),
        text: text.to_owned(),
        suggestion: suggest(name, WRAPPERS.iter().map(|wrapper| wrapper.name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> (&str, Delivery) {
        Delivery::split(text, 1000).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn prompt() -> Delivery {
        Delivery::default()
    }

    #[test]
    fn trace_worlds_and_wrappers_part() {
        let delayed = |rounds| Delivery { delay: Delay::Fixed(rounds), ..prompt() };
        for (text, world, delivery) in [
            ("arxiv6", "arxiv6", prompt()),
            ("arxiv6+delayed:rounds=100", "arxiv6", delayed(100)),
            ("arxiv6+delayed", "arxiv6", delayed(100)),
            ("arxiv6+delayed:rounds=T/10+5", "arxiv6", delayed(105)),
            ("bernoulli10:arms=5+5,best=0.9+delayed:rounds=1", "bernoulli10:arms=5+5,best=0.9", delayed(1)),
            ("a+b/c+delayed/m.csv+delayed:rounds=10", "a+b/c+delayed/m.csv", delayed(10)),
            ("m.csv+delayed:rounds=10", "m.csv", delayed(10)),
            ("arxiv6+corrupted", "arxiv6+corrupted", prompt()),
            ("m.csv+corrupted:flips=5+delayed:rounds=1", "m.csv+corrupted:flips=5", delayed(1)),
            ("m.csv+b.csv", "m.csv+b.csv", prompt()),
            ("bvs20+batched:size=50", "bvs20", Delivery { batch: 50, ..prompt() }),
            ("arxiv6+nodes:count=4,stale=7", "arxiv6", Delivery { nodes: 4, stale: 7, ..prompt() }),
            ("arxiv6+lossy:share=0.1+delayed:rounds=50", "arxiv6", Delivery { loss: 0.1, ..delayed(50) }),
            (
                "savage30+delayed:mean=8,law=uniform",
                "savage30",
                Delivery { delay: Delay::Uniform { longest: 16 }, ..prompt() },
            ),
        ] {
            assert_eq!(split(text), (world, delivery), "{text}");
        }
        assert!(matches!(split("x+delayed:mean=2.5").1.delay, Delay::Geometric { mean: 2.5, .. }));
    }

    #[test]
    fn trace_errors() {
        let error = |text| Delivery::split(text, 1000).unwrap_err();
        for text in [
            "arxiv6+delayd:rounds=1",
            "m.csv+delayd",
            "arxiv6+lossy+delayd",
            "bernoulli10:arms=3+delayd",
            "arxiv6+corrupted:flips=3+delayd",
        ] {
            let error = error(text);
            let WorldError::UnknownWrapper { name, suggestion, .. } = &error else {
                panic!("{text}: {error}")
            };
            assert_eq!((name.as_str(), *suggestion), ("delayd", Some("delayed")), "{text}");
        }
        assert_eq!(
            error("arxiv6+delayed:rounds=1+corrupted:flips=3").to_string(),
            "`+corrupted` must come directly after the world, before all other wrappers, in \
             `arxiv6+delayed:rounds=1+corrupted:flips=3`"
        );
        assert!(matches!(error("arxiv6+lossy+lossy"), WorldError::WrapperTwice { name: "lossy", .. }));
        for (text, wanted) in [
            ("arxiv6+delayed:rounds=-1", "`rounds` is -1, but must lie in [0, 1000000]"),
            ("arxiv6+delayed:rounds=1.5", "`rounds` is 1.5, but must be a whole number"),
            ("arxiv6+delayed:rounds=1,mean=2", "`rounds` has no effect in `delayed:rounds=1,mean=2`"),
            ("arxiv6+delayed:law=uniform", "`law` has no effect in `delayed:law=uniform`"),
            ("arxiv6+delayed:mean=1.5,law=uniform", "`mean` is 1.5, but must be a whole number"),
            ("arxiv6+batched:size=0", "`size` is 0, but must lie in [1, 1000000]"),
            ("arxiv6+lossy:share=1.1", "`share` is 1.1, but must lie in [0, 1]"),
            ("arxiv6+nodes:count=0", "`count` is 0, but must lie in [1, 1000]"),
            ("arxiv6+nodes:number=2", "`nodes` has no parameter `number`"),
        ] {
            assert_eq!(error(text).to_string(), wanted, "{text}");
        }
    }
}
