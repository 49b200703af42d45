//! `bernoulli10`: utilities are 0 or 1, and one arm is better than the others.

use tiltyard_bandit::params::{ParamError, Params};

use crate::family::{Build, Family};
use crate::law::Law;
use crate::param::{ANSWERS, ARMS, Number, number};

const BEST: Number = number!("best" = 0.6 in [0, 1], "mean of arm 0");
const REST: Number = number!("rest" = 0.5 in [0, 1], "mean of the others");

pub(crate) static FAMILY: Family = Family {
    name: "bernoulli10",
    title: "Bernoulli utilities, one arm better than the others",
    provenance: "a textbook case",
    n_arms: Some(10),
    params: &[ARMS.doc, BEST.doc, REST.doc, ANSWERS.doc],
    needs_file: false,
    build: Build::Laws(laws),
};

fn laws(params: &mut Params<'_>) -> Result<Vec<Law>, ParamError> {
    let n_arms = ARMS.count(params)?;
    let (best, rest) = (BEST.read(params)?, REST.read(params)?);
    Ok((0..n_arms).map(|i| Law::Bernoulli(if i == 0 { best } else { rest })).collect())
}
