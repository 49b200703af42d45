//! The serialized form of RMED: everything that cannot be recomputed.

use serde::{Deserialize, Serialize};

use super::super::counting::PairTally;
use super::{Form, Options, Rmed};
use crate::Arm;
use crate::damaged::Damaged;
use crate::structures::collections::loop_lists::LoopLists;
use crate::structures::counts::duel_counts::DuelCounts;

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Saved {
    options: Options,
    order: Vec<Arm>,
    counts: DuelCounts,
    round: u64,
    /// One flag per position.
    remaining: Vec<bool>,
    /// One flag per position.
    next: Vec<bool>,
    /// For each position, the position of its b; K if it has no b. K + 1 for all while b is not
    /// fixed.
    rivals: Vec<usize>,
}

impl From<Rmed> for Saved {
    fn from(policy: Rmed) -> Self {
        let n_arms = policy.order.len();
        let rivals = if policy.is_fixed {
            policy.rivals.iter().map(|rival| rival.unwrap_or(n_arms)).collect()
        } else {
            vec![n_arms + 1; n_arms]
        };
        Self {
            remaining: policy.lists.remaining(),
            next: policy.lists.next(),
            options: policy.options,
            order: policy.order,
            counts: policy.tally.counts,
            round: policy.tally.round,
            rivals,
        }
    }
}

impl TryFrom<Saved> for Rmed {
    type Error = Damaged;

    fn try_from(saved: Saved) -> Result<Self, Damaged> {
        let Saved { options, order, counts, round, remaining, next, rivals } = saved;
        let n_arms = counts.n_arms();
        if options.check(n_arms).is_err() {
            return Err(Damaged("the number of arms or an option is out of range"));
        }
        let tally = PairTally::restore(counts, round)?;
        let mut placed = vec![false; n_arms];
        for arm in &order {
            match placed.get_mut(arm.index()) {
                Some(placed) if !*placed => *placed = true,
                _ => return Err(Damaged("the order names an arm twice, or an arm that does not exist")),
            }
        }
        if [order.len(), remaining.len(), rivals.len()] != [n_arms; 3] {
            return Err(Damaged("a list does not have one item per arm"));
        }
        let lists = LoopLists::from_flags(&remaining, &next)?;
        let open = rivals.iter().filter(|&&rival| rival == n_arms + 1).count();
        let fixed = open == 0;
        let may_be_fixed = matches!(options.form, Form::Rmed2Fh { .. });
        let fits =
            rivals.iter().enumerate().all(|(position, &rival)| rival <= n_arms + 1 && rival != position);
        if !fits || fixed && !may_be_fixed || !fixed && open < n_arms {
            return Err(Damaged("the rivals do not fit the arms or the form"));
        }
        let rivals = rivals.into_iter().map(|rival| (rival < n_arms).then_some(rival)).collect();
        Ok(Self::assemble(options, order, tally, lists, fixed.then_some(rivals)))
    }
}
