//! Agreement with reference numbers from independent programs.

use std::path::Path;

use super::regret;

/// Regret of a policy at T = 1e5 with its standard error. None if the source prints an error of
/// zero (after rounding).
type Row = (&'static str, [(f64, Option<f64>); 3]);

/// Condorcet regret on arXiv-6, SAVAGE-30 and Bvs-20, T = 1e5, 40 runs, arms permuted, by
/// another implementation.
const TABLE: [Row; 12] = [
    ("random", [(5999.0, Some(2.0)), (25776.0, Some(5.0)), (950.0, Some(0.1))]),
    ("rex3:gmax=T/2", [(701.0, Some(12.0)), (2598.0, Some(22.0)), (941.0, Some(4.0))]),
    ("rex3:gmax=T/10", [(426.0, Some(6.0)), (2459.0, Some(16.0)), (976.0, Some(2.0))]),
    ("rex3", [(277.0, Some(9.0)), (1880.0, Some(13.0)), (900.0, Some(9.0))]),
    ("rex3:schedule=literal", [(194.0, Some(11.0)), (1721.0, Some(50.0)), (996.0, Some(1.0))]),
    ("rex3:schedule=literal,gmax=t/10", [(278.0, Some(6.0)), (3202.0, Some(38.0)), (996.0, None)]),
    ("sparring:player=exp3", [(1165.0, Some(16.0)), (3896.0, Some(36.0)), (933.0, Some(4.0))]),
    (
        "sparring:player=exp3,schedule=literal",
        [(526.0, Some(69.0)), (2965.0, Some(120.0)), (966.0, Some(11.0))],
    ),
    ("rucb:alpha=0.51", [(542.0, Some(14.0)), (3169.0, Some(23.0)), (519.8, None)]),
    ("savage:rule=condorcet,delta=1/T", [(1639.0, Some(31.0)), (12478.0, Some(44.0)), (548.8, None)]),
    ("btm:gamma=1.1,delta=1/T", [(6000.0, Some(1.0)), (21346.0, Some(21.0)), (673.0, Some(1.0))]),
    ("rex3:gmax=t", [(358.0, Some(11.0)), (1798.0, Some(18.0)), (741.0, Some(11.0))]),
];

/// Whether two estimates differ by at most four standard errors of the difference, plus half
/// a percent where the reference shows no error.
fn agree((mean, sem): (f64, f64), (reference, error): (f64, Option<f64>)) -> bool {
    let slack = if error.is_none() { 0.005 * reference } else { 0.0 };
    (mean - reference).abs() <= 4.0 * sem.hypot(error.unwrap_or(0.0)) + slack
}

#[test]
fn stat_reference_numbers() {
    let mut failures = Vec::new();
    for (policy, row) in TABLE {
        for (world, expected) in ["arxiv6", "savage30", "bvs20"].into_iter().zip(row) {
            let got = regret(world, policy, 100_000, 200);
            if !agree(got, expected) {
                failures.push(format!("{policy} in {world}: {got:?}, not {expected:?}"));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The variant that explores less, for which the reference states no errors. It must agree
/// within 2 %, four standard errors of such means.
#[test]
fn stat_mixing_of_one_sixth() {
    for (world, expected) in [("arxiv6", 256.0), ("savage30", 812.0), ("bvs20", 415.0)] {
        let (mean, sem) = regret(world, "rex3:mixing=1/6", 100_000, 200);
        assert!((mean - expected).abs() <= 4.0 * sem * 2.5, "{world}: {mean} ± {sem}, not {expected}");
    }
}

/// The larger matrices of the same table, if they are available.
#[test]
fn stat_reference_numbers_on_real_matrices() {
    let Some(data) = std::env::var_os("TILTYARD_DATA") else {
        eprintln!("skipped: TILTYARD_DATA is not set, so the 64- and 136-arm matrices are not compared");
        return;
    };
    let matrices = Path::new(&data).join("matrices");
    let table: [(&str, &str, f64, f64); 9] = [
        ("random", "letor64_provenance_unconfirmed.csv", 10333.0, 4.0),
        ("rex3:gmax=T/2", "letor64_provenance_unconfirmed.csv", 3365.0, 36.0),
        ("rex3", "letor64_provenance_unconfirmed.csv", 2820.0, 33.0),
        ("rex3:schedule=literal", "letor64_provenance_unconfirmed.csv", 2166.0, 94.0),
        ("sparring", "letor64_provenance_unconfirmed.csv", 4448.0, 23.0),
        ("rex3:gmax=T/2", "mslr_navigational_136.csv", 4015.0, 29.0),
        ("rex3", "mslr_navigational_136.csv", 3692.0, 42.0),
        ("rex3:schedule=literal", "mslr_navigational_136.csv", 2999.0, 70.0),
        ("sparring", "mslr_navigational_136.csv", 5052.0, 31.0),
    ];
    for (policy, file, mean, error) in table {
        let got = regret(&matrices.join(file).display().to_string(), policy, 100_000, 40);
        assert!(agree(got, (mean, Some(error))), "{policy} in {file}: {got:?}, not {mean} ± {error}");
    }
}
