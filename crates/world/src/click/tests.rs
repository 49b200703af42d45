//! Click models against all that their users could do, and worked by hand.

use proptest::prelude::*;
use rand::{Rng, TryRng};
use tiltyard_bandit::Stream;
use tiltyard_bandit::params::ParamError;

use super::*;

fn model(text: &str, largest: u8) -> ClickModel {
    text.parse::<ClickSpec>().unwrap().for_grades(largest).unwrap()
}
