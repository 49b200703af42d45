//! Additional experiments: claims need them, and no figure covers them. They are specifications
//! like those of the figures.

/// The id of each specification, as [`Evidence`](super::Evidence) uses it, and its text. All are
/// small enough to be the same at every scale.
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

    /// Every specification is valid, and every policy can play in every world.
    #[test]
    fn trace_every_specification_can_be_run() {
        for (id, text) in SPECIFICATIONS {
            let specification = Specification::parse(id, text).unwrap_or_else(|error| panic!("{error}"));
            let experiment = Experiment::new(&specification, None).unwrap_or_else(|error| panic!("{error}"));
            // Rounds of all runs of all policies: few enough to take seconds.
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
