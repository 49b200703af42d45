use super::*;
use crate::ranker::RankedQuery;

fn simulation(clicks: &str, interleaving: &str, stopping: StoppingRule) -> Simulation {
    let (clicks, interleaving) = (clicks.parse().unwrap(), interleaving.parse().unwrap());
    Simulation { clicks, interleaving, shown: 10, stopping, seed: 1 }
}

/// One query with two documents. The first is relevant. Ranker 0 ranks it first, rankers 1 and 2
/// rank it second.
fn two_documents() -> RankedCollection {
    let query = RankedQuery::new("q", [1, 0], [[0, 1], [1, 0], [1, 0]]).unwrap();
    RankedCollection::new(vec![query]).unwrap()
}

/// The perfect user clicks the relevant document wherever it is. In a team draft, ranker 0 always
/// picks the relevant document, even if ranker 1 goes first, because ranker 1 picks the other. So
/// ranker 0 always wins.
#[test]
fn trace_the_better_ranker_wins_by_team_draft() {
    let simulation = simulation("perfect", "team-draft", StoppingRule::Samples(500));
    let result = simulation.run(&two_documents(), &SimulationProgress::default()).unwrap();
    let [first, second, equal] = result.pairs() else { panic!("three pairs") };
    assert_eq!((first.n, first.wins, first.ties), (500, 500, 0));
    assert_eq!((second.wins, second.losses()), (500, 0));
    // With two equal lists, the ranker that goes first picks the irrelevant document, and the other
    // gets the relevant one.
    assert_eq!(equal.ties, 0);
    // 500 fair coins: the standard error is 11 wins. Five are allowed.
    assert!((195..=305).contains(&equal.wins), "{equal:?}");
    assert_eq!(result.matrix().condorcet_winner(), Some(Arm::new(0)));
    assert!((equal.standard_error() - (equal.p() * (1.0 - equal.p()) / 499.0).sqrt()).abs() < 1e-12);
}

/// Each ranker wins one of two queries under the perfect user, so P(0, 1) = 1/2. Queries are drawn
/// at random and do not alternate, so the standard error is that of a coin.
#[test]
fn stat_queries_are_drawn_uniformly() {
    let queries = vec![
        RankedQuery::new("a", [1, 0], [[0, 1], [1, 0]]).unwrap(),
        RankedQuery::new("b", [0, 1], [[0, 1], [1, 0]]).unwrap(),
    ];
    let collection = RankedCollection::new(queries).unwrap();
    let result = simulation("perfect", "team-draft", StoppingRule::Samples(10_000))
        .run(&collection, &SimulationProgress::default())
        .unwrap();
    let pair = result.pairs()[0];
    assert_eq!((pair.n, pair.ties), (10_000, 0));
    assert!((pair.standard_error() - 0.005).abs() < 1e-4);
    assert!((pair.p() - 0.5).abs() < 5.0 * 0.005, "{}", pair.p());
}

#[test]
fn trace_sampling_stops_at_the_error_wanted() {
    let stopping = StoppingRule::Within { error: 0.004, at_most: 1_000_000 };
    let result = simulation("navigational", "team-draft", stopping)
        .run(&two_documents(), &SimulationProgress::default())
        .unwrap();
    assert!(result.largest_error() <= 0.004);
    for pair in result.pairs() {
        assert_eq!(pair.n % BATCH, 0);
        // The variance of a reward is at most 1/4, and 0.25 / n = 0.004^2 needs 15,625 samples.
        assert!(pair.n <= 16_000, "{pair:?}");
    }
    let capped = StoppingRule::Within { error: 1e-6, at_most: 2500 };
    let result = simulation("navigational", "team-draft", capped)
        .run(&two_documents(), &SimulationProgress::default())
        .unwrap();
    assert!(result.pairs().iter().all(|pair| pair.n == 2500));
}

#[test]
fn law_the_matrix_does_not_depend_on_the_threads_and_sums_to_one() {
    let collection = two_documents();
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let simulation = simulation("informational", "probabilistic", StoppingRule::Samples(3000));
        pool.install(|| simulation.run(&collection, &SimulationProgress::default()).unwrap())
    };
    let one = run(1);
    assert_eq!(one, run(3));
    for i in Arm::all(3) {
        for j in Arm::all(3) {
            // Exactly, not only up to rounding.
            assert_eq!((one.matrix().get(i, j) + one.matrix().get(j, i)).to_bits(), 1.0_f64.to_bits());
        }
    }
}

#[test]
fn trace_what_is_refused() {
    let refused = |clicks, shown, stopping| {
        let simulation = Simulation { shown, ..simulation(clicks, "team-draft", stopping) };
        simulation.run(&two_documents(), &SimulationProgress::default()).unwrap_err()
    };
    assert!(matches!(refused("perfect", 0, StoppingRule::Samples(1)), SimulationError::NothingShown));
    assert!(matches!(refused("perfect", 1, StoppingRule::Samples(0)), SimulationError::NoSamples));
    for error in [0.0, -1.0, 0.5, f64::NAN] {
        let stopping = StoppingRule::Within { error, at_most: 10 };
        assert!(matches!(refused("perfect", 1, stopping), SimulationError::NoSuchError { .. }));
    }
    let progress = SimulationProgress::default();
    progress.stop();
    let stopped =
        simulation("perfect", "team-draft", StoppingRule::Samples(10)).run(&two_documents(), &progress);
    assert!(matches!(stopped, Err(SimulationError::Stopped)));
}

#[test]
fn trace_pairs_as_csv() {
    let simulation = simulation("perfect", "team-draft", StoppingRule::Samples(100));
    let result = simulation.run(&two_documents(), &SimulationProgress::default()).unwrap();
    let mut text = Vec::new();
    result.write_pairs(&["a", "b", "c"].map(str::to_owned), &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    assert!(text.starts_with("left,right,n,wins,losses,ties,p,stderr\na,b,100,100,0,0,1,0\n"), "{text}");
    assert_eq!(text.lines().count(), 4);
}

/// Blind clicks prefer no ranker, whatever the lists. P is 1/2 for team draft, marginal credit and
/// the optimised method, even for lists such as abc and bca, where the sign of fractional credits
/// would not be fair. The standard error of 20,000 samples is at most 0.0036. Five are allowed.
#[test]
fn stat_blind_clicks_prefer_nobody() {
    let query = RankedQuery::new("q", [1, 0, 0], [[0, 1, 2], [1, 2, 0]]).unwrap();
    let collection = RankedCollection::new(vec![query]).unwrap();
    for method in ["team-draft", "probabilistic", "probabilistic:credit=assigned", "optimized"] {
        let simulation =
            Simulation { shown: 3, ..simulation("random:p=0.3", method, StoppingRule::Samples(20_000)) };
        let pair = simulation.run(&collection, &SimulationProgress::default()).unwrap().pairs()[0];
        assert!((pair.p() - 0.5).abs() < 5.0 * pair.standard_error(), "{method}: {pair:?}");
        assert!(pair.standard_error() > 0.0 && pair.standard_error() < 0.0036, "{method}: {pair:?}");
    }
}
