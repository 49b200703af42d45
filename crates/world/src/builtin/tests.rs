use super::*;
use crate::{BestKind, Regret, World as _, corruption};
use tiltyard_bandit::params::Param;
use tiltyard_bandit::{Arm, Outcome, Stream};

/// The outcomes of duels of arms 0 and 1 in the first 40 rounds, one letter per round.
fn letters(world: &AnyWorld) -> String {
    let mut rng = Stream::new(1).label("letters").rng();
    let mut state = world.start();
    let letter = |round| {
        let outcome = world.duel(&mut state, round, Arm::new(0), Arm::new(1), &mut rng);
        match outcome.map(Outcome::score) {
            Some(score) if score > 0.0 => 'w',
            Some(score) if score < 0.0 => 'l',
            _ => 't',
        }
    };
    (1..=40).map(letter).collect()
}

#[test]
fn stable_answers() {
    let texts = [
        "rotating10",
        "rotating10:noise=none,period=23",
        "piecewise:segments=2",
        "arxiv6",
        "arxiv6+corrupted:flips=5",
        "arxiv6+corrupted:flips=5,when=random",
    ];
    let letters = texts.map(|text| letters(&open(text, 40).unwrap()));
    let expected = [
        "ltttttlttwwttwwtlttttttwwttwttlllwwwttlt",
        "llllwwwwwwwwwwwwlllllllllllwwwwwwwwwwwwl",
        "llwwlwllwwwwlwwwllwlllllllllllllllllllll",
        "llwwlwllwwwwlwwwllwllllwwwwlwlwwlwlwlwww",
        "llllllllllwwlwwwllwllllwwwwlwlwwlwlwlwww",
        "lwllwllwlwlwlwwwlllwllwwwllwwllllwwwlwww",
    ];
    assert_eq!(letters, expected);
}

/// The number of arms of a world, its best arm, the sense in which that is best, and its natural
/// regret.
fn facts(text: &str, rounds: u64) -> Result<(usize, usize, BestKind, Regret), WorldError> {
    let world = open(text, rounds)?;
    Ok((world.n_arms(), world.best().arm.index(), world.best().kind, world.natural_regret()))
}

#[test]
fn trace_every_listed_world_can_be_built() {
    for info in listed() {
        let is_simulated = info.name.starts_with("synthetic");
        let text =
            if is_simulated { format!("{}:samples=100,queries=5", info.name) } else { info.name.to_owned() };
        let (n_arms, best, kind, _) = facts(&text, 1000).unwrap();
        if kind == BestKind::Point {
            assert_eq!((n_arms, info.n_arms), (0, None), "{}", info.name);
            continue;
        }
        let of_another = info.name == "piecewise";
        assert_eq!(Some(n_arms), info.n_arms.or(of_another.then_some(30)), "{}", info.name);
        if is_simulated || of_another {
            continue;
        }
        assert_eq!(best, 0, "{}", info.name);
        assert_eq!(kind == BestKind::Copeland, info.name == "copeland5", "{}", info.name);
    }
    assert_eq!(facts("bernoulli10:arms=1e6", 1).unwrap().0, 1_000_000);
    assert_eq!(facts("switch10:arms=3,answers=binary", 1).unwrap().0, 3);
}

#[test]
fn trace_errors() {
    let error = |text| facts(text, 1000).unwrap_err();
    assert!(matches!(error("arxiv"), WorldError::Unknown { suggestion: Some("arxiv6"), .. }));
    assert!(matches!(error("nowhere/at/all.csv"), WorldError::File(_)));
    assert!(matches!(error("arxiv6:arms=3"), WorldError::Param(ParamError::UnknownKey { .. })));
    assert!(matches!(error("bernoulli10:arms=0"), WorldError::Param(ParamError::OutOfRange { .. })));
    assert!(matches!(error("bernoulli10:arms=2.5"), WorldError::Param(ParamError::NotWhole { .. })));
    assert!(matches!(error("bernoulli10:best=2"), WorldError::Param(ParamError::OutOfRange { .. })));
    assert!(matches!(error(""), WorldError::Spec(_)));
    assert!(matches!(error("repaly:file=x"), WorldError::Unknown { suggestion: Some("replay"), .. }));
    assert!(matches!(error("replay"), WorldError::NoVotesFile));
    assert!(matches!(error("utilities"), WorldError::NoUtilitiesFile));
    assert!(matches!(error("utilities:file=nowhere.csv"), WorldError::Utilities(_)));
    assert!(matches!(error("piecewise:file=nowhere.csv"), WorldError::Segments(_)));
    assert!(matches!(error("piecewise:of=nowhere.csv"), WorldError::File(_)));
    for (text, wanted) in [
        ("piecewise:segments=1001", "1001 segments are more than the 1000 that fit into the run"),
        ("piecewise:segments=0", "`segments` is 0, but must lie in [1, 1000000]"),
        ("piecewise:every=0.5", "`every` is 0.5, but must lie in [1, 9007199254740992]"),
        ("piecewise:every=2.5", "`every` is 2.5, but must be a whole number"),
        ("piecewise:segments=3,every=5", "`segments` has no effect in `piecewise:segments=3,every=5`"),
        ("piecewise:seed=1,file=x.csv", "`seed` has no effect in `piecewise:seed=1,file=x.csv`"),
        (
            "piecewise:of=waves10",
            "`waves10` is not a preference matrix, and only a preference matrix can be relabelled",
        ),
        ("piecewise:length=3", "`piecewise` has no parameter `length`"),
        (
            "bernoulli10+corrupted",
            "`bernoulli10` is not a preference matrix, and only a preference matrix can be corrupted",
        ),
        (
            "piecewise+corrupted",
            "`piecewise` is not a preference matrix, and only a preference matrix can be corrupted",
        ),
        ("rotating10:amplitude=0.6", "`amplitude` is 0.6, but must lie in [0, 0.5]"),
        ("rotating10:period=0", "`period` is 0, but must lie in (0, inf)"),
        ("utilities:file=x.csv,after=stop", "`after=stop`: `after` is one of error, repeat, hold"),
    ] {
        assert_eq!(error(text).to_string(), wanted);
    }
    assert!(matches!(error("replay:file=nowhere.csv"), WorldError::Votes(_)));
    assert!(matches!(error("replay:file=a,b.csv"), WorldError::Spec(_)));
    assert!(matches!(
        error("replay:file=a.csv,mode=twice"),
        WorldError::Param(ParamError::NoSuchChoice { .. })
    ));
}

/// docs/worlds.md lists every world, and every parameter of the worlds that have a table there.
#[test]
fn law_the_page_is_complete() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/worlds.md")).unwrap();
    for info in FAMILIES {
        assert!(page.contains(&format!("`{}", info.name)), "`{}` is missing", info.name);
    }
    let tables = [&piecewise::FAMILY, &utility_file::FAMILY, &waves::ROTATING, &linear_ranker::FAMILY]
        .map(|family| family.params);
    let tables = tables.into_iter().chain([corruption::WRAPPER.params]);
    for Param { key, default, legal, .. } in tables.flatten() {
        let default = if *default == "none" && *key != "noise" {
            (*default).to_owned()
        } else {
            format!("`{default}`")
        };
        let row = format!("| `{key}` | {default} | {legal} |");
        assert!(page.contains(&row), "`{row}` is missing");
    }
}
