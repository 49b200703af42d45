//! C5: the logarithm of time.

use super::decide::{HOLM, decades, decide};
use super::evidence::mean;
use super::role::Role;
use super::{Claim, Evidence, Judgement, MATRICES, Number, Part};

pub(super) const CLAIM: Claim = Claim {
    id: "C5",
    title: "Stochastic policies: the logarithm of time",
    statement: "The regret of RUCB, SAVAGE and Beat the Mean grows like the logarithm of time once they \
                know the best arm.",
    source: "section 5.2, 'As expected, ...'",
    test: "A logarithm gains as much in every decade; a square root gains sqrt(10) times as much as in \
           the decade before. The regret gained in the last decade is compared with sqrt(10) times that \
           of the decade before (paired by run), for policies that play (best, best) in nine of ten runs \
           when the last decade begins.",
    rule: "Holds if every such policy gains less than a square root would; fails if one gains more. A \
           policy that has not found the best arm by then is shown but not judged.",
    correction: HOLM,
    figure: Some("arxiv"),
    reads: MATRICES,
    check,
};

fn check(evidence: &Evidence) -> Judgement {
    let (mut trials, mut others) = (Vec::new(), Vec::new());
    for world in evidence.worlds(MATRICES) {
        for role in Role::STOCHASTIC {
            let Some(series) = world.find(role) else { continue };
            let name = format!("{}: {}", world.name, role.name());
            let horizon = series.horizon();
            let [first, start] = [horizon / 100, horizon / 10];
            let regrets = [first, start, horizon].map(|round| series.regret_at(round));
            let [Some(first), Some(middle), Some(last)] = regrets else { continue };
            if series.has_identified(start) {
                trials.push(decades(name, &first, &middle, &last));
            } else {
                let (hits, n) = series.hits(start).unwrap_or((0, 0));
                let why = format!("too early: {hits} of {n} runs play (best, best) at {start}");
                let growth =
                    Number::exact("regret at the end", mean(&last), &format!("after {horizon} rounds"));
                others.push(Part { numbers: vec![growth], ..Part::unjudged(name, why) });
            }
        }
    }
    let missing =
        "Three decades of horizons at the end of which RUCB, SAVAGE or BTM has long found the best arm.";
    decide(
        trials,
        others,
        missing,
        "With the paper's radius, Beat the Mean eliminates nothing for long (in about (6 gamma^2 / gap)^2 \
         ln T rounds an arm): until then its regret is that of random play, and linear.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Verdict;
    use crate::claim::synthetic::{SyntheticSeries, expect, judge};
    use crate::results::Series;

    fn policy(found: u64, noise: f64, regret: impl Fn(f64) -> f64) -> Vec<Series> {
        vec![
            SyntheticSeries {
                world: "savage6",
                policy: "rucb:alpha=0.51",
                found,
                noise,
                ..SyntheticSeries::default()
            }
            .series(regret),
        ]
    }

    #[test]
    fn trace_three_verdicts() {
        let logarithm = |t: f64| 10.0 * t.ln();
        let finding = judge(&CLAIM, "claim-06", policy(1000, 0.01, logarithm));
        expect(&finding, Verdict::Holds);
        let ratio = finding.judgement.parts[0].numbers[2].value.unwrap();
        assert!((ratio - 1.0).abs() < 0.1, "{ratio}");
        expect(&judge(&CLAIM, "claim-06", policy(1000, 0.01, |t| t.powf(0.7))), Verdict::Fails);
        expect(&judge(&CLAIM, "claim-06", policy(1000, 0.3, logarithm)), Verdict::Inconclusive);
        expect(&judge(&CLAIM, "claim-06", policy(50_000, 0.01, logarithm)), Verdict::NotRun);
    }
}
