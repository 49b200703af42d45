//! The two scales: the paper's, which specifications are written at, and a quick one laid over it.

use crate::spec::Specification;

/// How much of a specification is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scale {
    /// Its name.
    pub name: &'static str,
    /// Runs are cut off here.
    pub longest: u64,
    /// At most so many runs, of policies that are told the horizon too.
    pub runs: u64,
    /// At most so many numbers of arms in a sweep over them, smallest and largest included.
    pub sizes: usize,
    /// Whether the experiments beside the figures are cut as well; they are small.
    pub cuts_claims: bool,
}

impl Scale {
    /// What the paper ran: 100 runs, 50 of policies that are told the horizon, 1e6 rounds, 1e7 on
    /// arXiv and Bvs.
    pub const PAPER: Self =
        Self { name: "paper", longest: u64::MAX, runs: u64::MAX, sizes: usize::MAX, cuts_claims: false };

    /// Everything within two minutes.
    pub const QUICK: Self = Self { name: "quick", longest: 100_000, runs: 25, sizes: 6, cuts_claims: false };

    /// Cuts a specification down.
    pub(super) fn cut(&self, specification: &mut Specification, is_claim: bool) {
        if is_claim && !self.cuts_claims {
            return;
        }
        specification.horizon = specification.horizon.min(self.longest);
        specification.runs = specification.runs.min(self.runs);
        specification.runs_fixed_horizon = specification.runs_fixed_horizon.min(self.runs);
        for world in &mut specification.worlds {
            world.horizon = world.horizon.map(|horizon| horizon.min(self.longest));
            world.arms = thinned(&world.arms, self.sizes);
        }
        if *self != Self::PAPER {
            let text = &specification.text;
            specification.text = format!("# Cut down to the {} scale: see `identity`.\n{text}", self.name);
        }
    }
}

/// At most `most` of these, first and last included, evenly.
fn thinned(all: &[usize], most: usize) -> Vec<usize> {
    if all.len() <= most || most < 2 {
        return all.to_vec();
    }
    (0..most).map(|i| all[(i * (all.len() - 1) + (most - 1) / 2) / (most - 1)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::{REX3, specification};

    #[test]
    fn trace_lists_are_thinned_evenly() {
        let all = [4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 136];
        assert_eq!(thinned(&all, 6), [4, 8, 16, 32, 64, 136]);
        assert_eq!(thinned(&all, 2), [4, 136]);
        assert_eq!(thinned(&all[..3], 6), [4, 6, 8]);
    }

    #[test]
    fn trace_the_quick_scale() {
        let parse = |id| Specification::parse(id, specification(&REX3, id).unwrap()).unwrap();
        let mut quick = parse("artificial");
        Scale::QUICK.cut(&mut quick, false);
        assert_eq!((quick.runs, quick.runs_fixed_horizon, quick.horizon), (25, 25, 100_000));
        assert_eq!(quick.worlds[1].horizon, Some(100_000));
        assert!(quick.text.starts_with("# Cut down to the quick scale"));
        let mut paper = parse("artificial");
        Scale::PAPER.cut(&mut paper, false);
        assert_eq!(paper, parse("artificial"));
        let mut claim = parse("claim-06");
        Scale::QUICK.cut(&mut claim, true);
        assert_eq!(claim, parse("claim-06"));
    }
}
