//! `beta10`: graded utilities with means that fall evenly from arm to arm.

use tiltyard_bandit::params::{ParamError, Params};

use crate::family::{Build, Family};
use crate::law::Law;
use crate::param::{ANSWERS, Number, number};

const ARMS: Number = number!("arms" = 10 in [1, 1e4], "how many arms");
const WEIGHT: Number = number!("weight" = 4 above 0, "sum of the two parameters of each Beta distribution");

pub(crate) static FAMILY: Family = Family {
    name: "beta10",
    title: "graded utilities: Beta distributions with means from 0.7 down to 0.3",
    provenance: "a textbook case",
    n_arms: Some(10),
    params: &[ARMS.doc, WEIGHT.doc, ANSWERS.doc],
    needs_file: false,
    build: Build::Laws(laws),
};

fn laws(params: &mut Params<'_>) -> Result<Vec<Law>, ParamError> {
    let n_arms = ARMS.count(params)?;
    let weight = WEIGHT.read(params)?;
    let mean = |i: usize| 0.7 - 0.4 * i as f64 / (n_arms - 1).max(1) as f64;
    Ok((0..n_arms).map(|i| Law::Beta { a: weight * mean(i), b: weight * (1.0 - mean(i)) }).collect())
}
