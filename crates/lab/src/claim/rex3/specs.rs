//! Experiments that claims need and no figure holds, as specifications like those of the figures.

/// Id, as [`Evidence`](super::Evidence) knows it, and text of each. They are small enough to be the
/// same at every scale.
pub static SPECIFICATIONS: &[(&str, &str)] = &[
    ("claim-02", include_str!("../../../specs/rex3/claim-02.toml")),
    ("claim-06", include_str!("../../../specs/rex3/claim-06.toml")),
    ("claim-12", include_str!("../../../specs/rex3/claim-12.toml")),
    ("claim-14", include_str!("../../../specs/rex3/claim-14.toml")),
    ("claim-19", include_str!("../../../specs/rex3/claim-19.toml")),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Experiment;
    use crate::spec::Specification;

    /// Every specification is well formed, and every policy can play in every world.
    #[test]
    fn trace_every_specification_can_be_run() {
        for (id, text) in SPECIFICATIONS {
            let specification = Specification::parse(id, text).unwrap_or_else(|error| panic!("{error}"));
            let experiment = Experiment::new(&specification, None).unwrap_or_else(|error| panic!("{error}"));
            // All together stay within seconds: rounds of all runs of all policies.
            let rounds: u64 = experiment
                .plan
                .cells
                .iter()
                .map(|cell| {
                    let each: u64 = if cell.fixed_horizon {
                        cell.checkpoints.iter().sum()
                    } else {
                        cell.checkpoints.last().copied().unwrap_or(0)
                    };
                    cell.runs * each
                })
                .sum();
            assert!(rounds <= 130_000_000, "{id}: {rounds} rounds");
        }
    }
}
