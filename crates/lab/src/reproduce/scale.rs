//! The two scales: the paper's, at which specifications are written, and a quick one derived from
//! it.

use crate::spec::Specification;

/// How much of a specification is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Scale {
    pub name: &'static str,
    /// The longest horizon; longer runs are cut off.
    pub longest: u64,
    /// The largest number of runs, also for policies that know the horizon.
    pub runs: u64,
    /// The largest number of values in a sweep over the number of arms, including the smallest and
    /// the largest.
    pub sizes: usize,
    /// Whether the additional experiments, which are small, are cut as well.
    pub cuts_claims: bool,
}

impl Scale {
    /// The scale of the paper: 100 runs, 50 for policies that know the horizon, with 1e6 rounds, or
    /// 1e7 on arXiv and Bvs.
    pub const PAPER: Self =
        Self { name: "paper", longest: u64::MAX, runs: u64::MAX, sizes: usize::MAX, cuts_claims: false };

    /// Everything runs within two minutes.
    pub const QUICK: Self = Self { name: "quick", longest: 100_000, runs: 25, sizes: 6, cuts_claims: false };

    /// Reduces a specification to this scale.
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
            specification.text = format!("# Reduced to the {} scale: see `identity`.\n{text}", self.name);
        }
    }
}

/// At most `most` of these values, evenly spaced, including the first and the last.
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
        assert!(quick.text.starts_with("# Reduced to the quick scale"));
        let mut paper = parse("artificial");
        Scale::PAPER.cut(&mut paper, false);
        assert_eq!(paper, parse("artificial"));
        let mut claim = parse("claim-06");
        Scale::QUICK.cut(&mut claim, true);
        assert_eq!(claim, parse("claim-06"));
    }
}
