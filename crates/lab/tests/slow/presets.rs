//! Matrices from simulated clicks: made-up collections behave like the real matrices that they
//! replace, and real rankers are ordered by their quality.

use std::path::PathBuf;

use tiltyard_bandit::Arm;
use tiltyard_bandit::matrix::{Diagonal, PreferenceMatrix};
use tiltyard_interleave::Interleaving;
use tiltyard_world::World as _;
use tiltyard_world::build::letor::{Simulation, SimulationProgress, StoppingRule};
use tiltyard_world::builtin::open;
use tiltyard_world::collection::{LetorReader, Summary};
use tiltyard_world::ranker::{RankedCollection, Ranking, mean_ndcg};

/// The regret of random play per round, and the share of pairs within 0.05 of 1/2.
fn facts(matrix: &PreferenceMatrix) -> (f64, f64) {
    let n = matrix.n_arms();
    let best = matrix.reference().arm;
    let cost = Arm::all(n).map(|arm| matrix.gap(best, arm)).sum::<f64>() / n as f64;
    let pairs = Arm::all(n).flat_map(|i| Arm::all(n).skip(i.index() + 1).map(move |j| (i, j)));
    let near = pairs.filter(|&(i, j)| matrix.gap(i, j).abs() < 0.05).count();
    (cost, near as f64 / (n * (n - 1) / 2) as f64)
}

/// On the real matrices random play costs 0.103 to 0.116 per round, and 33 to 45 % of the pairs are
/// within 0.05 of 1/2. Navigational, perfect and NP2004 have a Condorcet winner that is also the
/// Borda winner. With 2000 samples per pair (the default), the standard error of an entry is at
/// most 0.011, and the standard error of a mean of 136 entries is far below the width of the
/// ranges.
#[test]
fn stat_presets_behave_like_the_real_matrices() {
    for (world, has_winner) in [
        ("synthetic-np64", true),
        ("synthetic-np64:clicks=perfect", true),
        ("synthetic-mslr136", true),
        ("synthetic-mslr136:clicks=perfect", true),
        ("synthetic-mslr136:clicks=informational", false),
    ] {
        let matrix = open(world, 1000).unwrap().matrix().unwrap().clone();
        let (cost, near) = facts(&matrix);
        assert!((0.08..=0.13).contains(&cost), "{world}: random play costs {cost}");
        assert!((0.30..=0.50).contains(&near), "{world}: {near} of the pairs are close");
        let (condorcet, borda) = (matrix.condorcet_winner(), matrix.borda_winners());
        if has_winner {
            assert_eq!(condorcet.as_slice(), borda, "{world}");
        } else {
            assert_ne!(
                condorcet.as_slice(),
                borda,
                "{world}: as in the real matrix, the informational user has no such winner"
            );
        }
    }
}

/// Ranks in ascending order.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    for (rank, &i) in order.iter().enumerate() {
        ranks[i] = rank as f64;
    }
    ranks
}

/// Spearman's correlation, for values without ties.
fn spearman(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len() as f64;
    let squares: f64 = ranks(a).iter().zip(ranks(b)).map(|(x, y)| (x - y).powi(2)).sum();
    1.0 - 6.0 * squares / (n * (n * n - 1.0))
}

/// On real collections and for the perfect user, feature rankers are ordered by their NDCG@10.
/// Features that tie more than half of a query's pairs of documents carry little information and
/// are left out. With 400 samples per pair, a Borda score over 40 or more opponents has a standard
/// error of at most 0.004, while the scores spread over 0.1 or more.
#[test]
fn stat_real_feature_rankers_are_ordered_by_quality() {
    let Some(directory) = std::env::var_os("TILTYARD_DATA").map(PathBuf::from) else {
        eprintln!("skipped: TILTYARD_DATA is not set, so real rankers are not compared");
        return;
    };
    for file in ["mq2008.svm.gz", "mslr_161q.svm.gz", "np2004_30of75q.svm.gz"] {
        let path = directory.join("ltr").join(file);
        let mut summary = Summary::default();
        for query in LetorReader::open(&path).unwrap() {
            summary.add(&query.unwrap());
        }
        let collection =
            RankedCollection::from_queries(LetorReader::open(&path).unwrap(), &Ranking::default()).unwrap();
        let quality = mean_ndcg(&collection, 10).unwrap();
        let simulation = Simulation {
            clicks: "perfect".parse().unwrap(),
            interleaving: Interleaving::TeamDraft,
            shown: 10,
            stopping: StoppingRule::Samples(400),
            seed: 1,
        };
        let built = simulation.run(&collection, &SimulationProgress::default()).unwrap();
        let borda = built.matrix().borda_normalised(Diagonal::Excluded);
        let telling: Vec<usize> = summary
            .features()
            .enumerate()
            .filter(|(_, feature)| feature.tied < 0.5)
            .map(|(i, _)| i)
            .collect();
        assert!(telling.len() >= 20, "{file}: {} features with few ties", telling.len());
        let of = |values: &[f64]| telling.iter().map(|&i| values[i]).collect::<Vec<_>>();
        let agreement = spearman(&of(&borda), &of(&quality));
        assert!(agreement > 0.9, "{file}: {agreement}");
    }
}
