//! Facts about matrices and collections that may not be distributed with the project.
//!
//! The tests look for the data in the directory `TILTYARD_DATA`, or else beside the project.
//! Without the data they pass and report that they were skipped.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "tests report what they skip, and fail if they cannot start"
)]

use std::path::PathBuf;

use tiltyard_bandit::Arm;
use tiltyard_bandit::matrix::{PreferenceMatrix, ReferenceKind, builtin};
use tiltyard_world::collection::{LetorReader, Summary};
use tiltyard_world::matrix_file::read_matrix;
use tiltyard_world::ranker::{RankedCollection, Rankers, Ranking, Ties, mean_ndcg};

/// The path of a matrix file. Without the data it is `None`, with a message.
fn path(name: &str) -> Option<PathBuf> {
    path_in("matrices", name)
}

fn path_in(folder: &str, name: &str) -> Option<PathBuf> {
    let directory = match std::env::var_os("TILTYARD_DATA") {
        Some(directory) => PathBuf::from(directory),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
    };
    let path = directory.join(folder).join(name);
    if !path.exists() {
        eprintln!("skipped: real data absent (set TILTYARD_DATA)");
        return None;
    }
    Some(path)
}

fn matrix(name: &str) -> Option<PreferenceMatrix> {
    path(name).map(|path| read_matrix(&path).unwrap())
}

/// The regret of uniform play per round: the mean gap of all arms, including the best.
fn cost_of_uniform_play(matrix: &PreferenceMatrix) -> f64 {
    let best = matrix.reference().arm;
    Arm::all(matrix.n_arms()).map(|arm| matrix.gap(best, arm)).sum::<f64>() / matrix.n_arms() as f64
}

fn assert_near(got: f64, expected: f64, tolerance: f64) {
    assert!((got - expected).abs() <= tolerance, "{got} instead of {expected}");
}

#[test]
fn trace_mslr_navigational_and_perfect_agree_on_arm_109() {
    for (name, cost) in [("mslr_navigational_136.csv", 0.1039), ("mslr_perfect_136.csv", 0.1164)] {
        let Some(matrix) = matrix(name) else { return };
        assert_eq!(matrix.n_arms(), 136);
        assert_eq!(matrix.condorcet_winner(), Some(Arm::new(109)));
        assert_eq!(matrix.borda_winners(), [Arm::new(109)]);
        assert_near(cost_of_uniform_play(&matrix), cost, 5e-5);
    }
}

#[test]
fn trace_mslr_informational_has_no_condorcet_winner() {
    let Some(matrix) = matrix("mslr_informational_136.csv") else { return };
    assert_eq!(matrix.condorcet_winner(), None);
    let reference = matrix.reference();
    assert_eq!((reference.arm, reference.kind), (Arm::new(114), ReferenceKind::Copeland));
    assert_eq!(matrix.copeland()[114], 134);
    assert_near(matrix.get(Arm::new(114), Arm::new(109)), 0.4977, 5e-5);
    assert_eq!(matrix.borda_winners(), [Arm::new(109)]);

    let tournament = matrix.tournament();
    let top_cycle = tournament.top_cycle();
    assert!(top_cycle.contains(&Arm::new(114)) && top_cycle.contains(&Arm::new(109)));
    // It contains the arm that beats the most, which loses only to arm 109.
    let cycle = tournament.shortest_cycle.unwrap();
    assert_eq!((cycle.len(), cycle[0], cycle[2]), (3, Arm::new(114), Arm::new(109)));

    let none = matrix.relaxed_transitivity().unwrap_err();
    assert_eq!((none.arm, none.rival), (Arm::new(114), Arm::new(109)));
}

#[test]
fn trace_letor64_has_a_condorcet_winner() {
    let Some(matrix) = matrix("letor64_provenance_unconfirmed.csv") else { return };
    assert_eq!(matrix.n_arms(), 64);
    assert_eq!(matrix.condorcet_winner(), Some(Arm::new(13)));
    assert_eq!(matrix.borda_winners(), [Arm::new(13)]);
    assert_near(cost_of_uniform_play(&matrix), 0.1033, 5e-5);
}

/// The factors of relaxed transitivity that Beat-the-Mean would need.
#[test]
fn trace_relaxed_transitivity_factors() {
    for (name, factor) in [
        ("arxiv6_symmetrised.csv", 1.25),
        ("letor64_provenance_unconfirmed.csv", 4.28),
        ("mslr_navigational_136.csv", 2.48),
        ("mslr_perfect_136.csv", 3.47),
        ("bvsc20.csv", 50.0),
    ] {
        let Some(matrix) = matrix(name) else { return };
        assert_near(matrix.relaxed_transitivity().unwrap().factor, factor, 0.005);
    }
}

/// arXiv-6 as first printed contradicts itself: 0.56 for B over D and 0.46 for D over B.
#[test]
fn trace_arxiv6_as_printed_is_refused() {
    let Some(path) = path("arxiv6_as_printed_asymmetric_BD.csv") else { return };
    assert_eq!(
        read_matrix(&path).unwrap_err().to_string(),
        format!(
            "{}: line 2: row 2, column 4 is 0.56 and row 4, column 2 is 0.46: they must sum to 1, not 1.02",
            path.display()
        )
    );
}

#[test]
fn trace_files_equal_the_built_in_matrices() {
    for (name, expected) in [
        ("arxiv6_symmetrised.csv", builtin::arxiv6()),
        ("cyclic4.csv", builtin::cyclic4()),
        ("arithmetic8.csv", builtin::arithmetic8()),
        ("bvsc20.csv", builtin::bvs(20).unwrap()),
    ] {
        let Some(matrix) = matrix(name) else { return };
        assert_eq!(matrix, expected, "{name}");
    }
}

#[test]
fn trace_the_small_matrices_are_valid() {
    for (name, n_arms, winner) in [
        ("mslr5_condorcet.csv", 5, Some(Arm::new(0))),
        ("mslr5_noncondorcet.csv", 5, None),
        ("sushi16.csv", 16, Some(Arm::new(0))),
    ] {
        let Some(matrix) = matrix(name) else { return };
        assert_eq!((matrix.n_arms(), matrix.condorcet_winner()), (n_arms, winner), "{name}");
    }
}

/// A collection, or `None` without the data.
fn collection(name: &str) -> Option<LetorReader> {
    path_in("ltr", name).map(|path| LetorReader::open(path).unwrap())
}

/// Queries, documents, features and the number of labels, as in the documentation of the data.
#[test]
fn trace_collections_have_their_documented_sizes() {
    for (name, n_queries, n_documents, n_features, n_labels) in [
        ("mq2008.svm.gz", 784, 15_211, 46, 3),
        ("mslr_161q.svm.gz", 161, 17_798, 136, 5),
        ("np2004_30of75q.svm.gz", 30, 29_181, 64, 2),
    ] {
        let Some(queries) = collection(name) else { return };
        let mut summary = Summary::default();
        for query in queries {
            summary.add(&query.unwrap());
        }
        assert_eq!(
            (summary.n_queries(), summary.n_documents(), summary.n_features(), summary.labels().len()),
            (n_queries, n_documents, n_features, n_labels),
            "{name}"
        );
    }
}

/// One relevant document per query, except for two queries: `WT04-174` has two and `WT04-154` has
/// none.
#[test]
fn trace_np2004_has_one_relevant_document_a_query() {
    let Some(queries) = collection("np2004_30of75q.svm.gz") else { return };
    let mut counts = [0; 3];
    for query in queries {
        let query = query.unwrap();
        let relevant = query.labels().iter().filter(|&&label| label > 0).count();
        counts[relevant] += 1;
        assert_eq!(
            relevant,
            match query.id() {
                "WT04-174" => 2,
                "WT04-154" => 0,
                _ => 1,
            },
            "{}",
            query.id()
        );
    }
    assert_eq!(counts, [1, 28, 1]);
}

/// The features of MSLR can be ranked, and some of the rankers are good: BM25 of the whole document
/// (feature 110) is far better than the mean of all features.
#[test]
fn trace_mslr_features_are_ranked() {
    let Some(queries) = collection("mslr_161q.svm.gz") else { return };
    let ranked = RankedCollection::from_queries(queries, &Ranking::default()).unwrap();
    assert_eq!((ranked.n_rankers(), ranked.depth(), ranked.max_label()), (136, 10, 4));
    let ndcg = mean_ndcg(&ranked, 10).unwrap();
    let mean = ndcg.iter().sum::<f64>() / ndcg.len() as f64;
    assert!(ndcg[109] > mean + 0.05, "{} against {mean}", ndcg[109]);
    for (i, ties) in [(0, Ties::Shared), (1, Ties::Independent)] {
        let Some(queries) = collection("mslr_161q.svm.gz") else { return };
        let rankers = Rankers::Mixtures(20 + i);
        let ranking = Ranking { rankers, ties, ..Ranking::default() };
        assert_eq!(RankedCollection::from_queries(queries, &ranking).unwrap().n_rankers(), 20 + i);
    }
}
