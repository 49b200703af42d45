//! Reference numbers: regret at 1e5 rounds from two small programs that were written independently
//! of this one.

use crate::results::Series;
use crate::statistics::Summary;

/// The round at which the numbers were measured.
pub(super) const ROUND: u64 = 100_000;

/// Mean and standard error of a policy in a world.
struct Known {
    policy: &'static str,
    /// In the order of [`WORLDS`]. An error that was printed as zero is half a unit of the last
    /// digit here.
    regret: [Option<(f64, f64)>; 5],
}

/// The worlds, by their names in results.
const WORLDS: [&str; 5] = ["arxiv6", "savage30", "bvs20", "np2004-64", "mslr-nav"];

const fn known(policy: &'static str, regret: [(f64, f64); 5]) -> Known {
    let mut some = [None; 5];
    let mut i = 0;
    while i < 5 {
        if regret[i].0 > 0.0 {
            some[i] = Some(regret[i]);
        }
        i += 1;
    }
    Known { policy, regret: some }
}

/// 0 means that the policy was not run.
const KNOWN: [Known; 8] = [
    known("random", [(5999.0, 2.0), (25776.0, 5.0), (950.0, 0.1), (10333.0, 4.0), (10389.0, 5.0)]),
    known("rex3:gmax=T/2", [(701.0, 12.0), (2598.0, 22.0), (941.0, 4.0), (3365.0, 36.0), (4015.0, 29.0)]),
    known("rex3:gmax=T/10", [(426.0, 6.0), (2459.0, 16.0), (976.0, 2.0), (2684.0, 44.0), (3699.0, 39.0)]),
    known("rex3", [(277.0, 9.0), (1880.0, 13.0), (900.0, 9.0), (2820.0, 33.0), (3692.0, 42.0)]),
    known(
        "rex3:schedule=literal",
        [(194.0, 11.0), (1721.0, 50.0), (996.0, 1.0), (2166.0, 94.0), (2999.0, 70.0)],
    ),
    known(
        "sparring:player=exp3",
        [(1165.0, 16.0), (3896.0, 36.0), (933.0, 4.0), (4448.0, 23.0), (5052.0, 31.0)],
    ),
    known("rucb:alpha=0.51", [(542.0, 14.0), (3169.0, 23.0), (519.8, 0.05), (7926.0, 6.0), (9525.0, 5.0)]),
    known(
        "savage:rule=condorcet,delta=1/T",
        [(1639.0, 31.0), (12478.0, 44.0), (548.8, 0.05), (10334.0, 1.0), (10395.0, 3.0)],
    ),
];

/// One of our numbers with its reference.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Comparison {
    pub(super) world: String,
    pub(super) policy: String,
    /// Mean and standard error.
    pub(super) ours: (f64, f64),
    pub(super) theirs: (f64, f64),
}

impl Comparison {
    /// The difference, in units of its standard error.
    pub(super) fn distance(&self) -> f64 {
        (self.ours.0 - self.theirs.0) / self.ours.1.hypot(self.theirs.1)
    }
}

/// Compares every series that has a reference. The caller must leave out worlds that are stand-ins.
pub(super) fn compare<'a>(series: impl IntoIterator<Item = &'a Series>) -> Vec<Comparison> {
    series.into_iter().filter_map(of).collect()
}

fn of(series: &Series) -> Option<Comparison> {
    let world = WORLDS.iter().position(|world| *world == series.world)?;
    let theirs = KNOWN.iter().find(|known| known.policy == series.policy)?.regret[world]?;
    let at = series.checkpoints.iter().position(|&round| round == ROUND)?;
    let mut summary = Summary::default();
    summary.push(&series.regrets_at(at));
    // A single run has no standard error.
    (series.runs.len() > 1).then(|| Comparison {
        world: series.world_label.clone(),
        policy: series.label.clone(),
        ours: (summary.mean[0], summary.sem[0]),
        theirs,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (300 - 277) / sqrt(12^2 + 9^2) = 23 / 15.
    #[test]
    fn trace_distance_in_standard_errors() {
        let comparison = Comparison {
            world: String::new(),
            policy: String::new(),
            ours: (300.0, 12.0),
            theirs: (277.0, 9.0),
        };
        assert!((comparison.distance() - 23.0 / 15.0).abs() < 1e-12);
    }
}
