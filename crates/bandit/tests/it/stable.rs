//! Value stability: the duels of every form of every policy, as digests. A digest that changes is a change of results, to be
//! written down under *Results* in the changelog.

use rand::RngExt;
use tiltyard_bandit::policy::AnyPolicy;
use tiltyard_bandit::{Outcome, Stream};

use crate::support::{build, variants};

/// FNV-1a, 64 bits.
fn fnv1a(digest: u64, word: u32) -> u64 {
    word.to_le_bytes()
        .iter()
        .fold(digest, |digest, &byte| (digest ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// Seed 1, five arms, 200 rounds. Arm i beats arm j with probability (1 + (j - i) / 5) / 2, one duel in eight is a tie.
fn digest(policy: &mut AnyPolicy) -> u64 {
    let mut rng = Stream::new(1).label("policy").rng();
    let mut world = Stream::new(1).label("world").rng();
    let mut digest = 0xcbf2_9ce4_8422_2325;
    for _ in 0..200 {
        let ticket = policy.decide(&mut rng).expect("nothing is in flight");
        for arm in [ticket.left, ticket.right] {
            digest = fnv1a(digest, u32::try_from(arm.index()).expect("five arms"));
        }
        let margin = (ticket.right.index() as f64 - ticket.left.index() as f64) / 5.0;
        let (u, tie) = (world.random::<f64>(), world.random_range(0..8) == 0);
        let outcome = Outcome::won(u < f64::midpoint(1.0, margin));
        let outcome = if tie && !policy.info().binary { Outcome::TIE } else { outcome };
        policy.update(&ticket, outcome).expect("its own ticket");
    }
    digest
}

const DIGESTS: &[(&str, u64)] = &[
    ("feedexp3", 0xa08a_0b5b_a091_2ac4),
    ("feedexp3:schedule=fixed", 0x2564_54f7_f80f_3017),
    ("feedexp3:schedule=link", 0x65bb_943c_dff7_d884),
    ("feedexp3:reference=0", 0xa08a_0b5b_a091_2ac4),
    ("feedexp3:schedule=link,reference=0", 0x02b9_4e9e_8041_65a7),
];

#[test]
fn stable_duels() {
    let now: Vec<(String, u64)> =
        variants().into_iter().map(|spec| (spec.clone(), digest(&mut build(&spec, 5)))).collect();
    let pinned: Vec<(String, u64)> =
        DIGESTS.iter().map(|&(spec, digest)| (spec.to_owned(), digest)).collect();
    let lines: Vec<String> = now
        .iter()
        .map(|(spec, digest)| {
            let hex = format!("{digest:016x}");
            format!("    ({spec:?}, 0x{}_{}_{}_{}),", &hex[..4], &hex[4..8], &hex[8..12], &hex[12..])
        })
        .collect();
    let changed: Vec<&String> =
        now.iter().filter(|entry| !pinned.contains(entry)).map(|(spec, _)| spec).collect();
    assert!(now == pinned, "changed or new: {changed:?}; all digests now:\n{}", lines.join("\n"));
}

/// The digest tells different sequences apart.
#[test]
fn stable_digest() {
    // FNV-1a of the bytes 1 0 0 0, by hand from its definition: each byte is xored in, then multiplied.
    let mut want: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in [1u64, 0, 0, 0] {
        want = (want ^ byte).wrapping_mul(1_099_511_628_211);
    }
    assert_eq!(fnv1a(0xcbf2_9ce4_8422_2325, 1), want);
    assert_ne!(fnv1a(0xcbf2_9ce4_8422_2325, 1), fnv1a(0xcbf2_9ce4_8422_2325, 2));
}
