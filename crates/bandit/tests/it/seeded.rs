//! A policy that owns its random generators: the same seed gives the same duels here, in the lab's
//! runs and in Python.

use tiltyard_bandit::params::Context;
use tiltyard_bandit::policy::{Origin, SavedSeeded, Seeded, Ties, registry};
use tiltyard_bandit::{Outcome, Spec};

/// The 64-bit FNV-1a hash of the arms in 200 duels among five arms. The lower index wins, and every
/// fifth duel is a tie. `python/tests/test_same_seed.py` computes the same hash and expects the
/// same numbers.
fn digest(spec: &str) -> u64 {
    let spec: Spec = spec.parse().expect("a specification");
    let context = Context { n_arms: 5, horizon: Some(200) };
    let mut policy = Seeded::new(&spec, context, Origin::seed(1), Ties::Coin).expect("a policy");
    let mut digest: u64 = 0xcbf2_9ce4_8422_2325;
    for round in 0..200 {
        let ticket = policy.decide().expect("nothing is in flight");
        for arm in [ticket.left, ticket.right] {
            digest = (digest ^ arm.index() as u64).wrapping_mul(0x0000_0100_0000_01b3);
        }
        let outcome = if round % 5 == 4 { Outcome::TIE } else { Outcome::won(ticket.left <= ticket.right) };
        policy.update(&ticket, outcome).expect("its own ticket");
    }
    digest
}

/// The streams below a seed do not depend on the policy. A new policy therefore needs no line here;
/// it needs one in `stable.rs`.
const DIGESTS: &[(&str, u64)] = &[
    ("rex3", 0x0913_be83_7737_572b),
    ("sparring", 0x8d84_bb19_6e8f_cd06),
    ("rucb", 0x69e9_3073_6f42_1cd9),
    ("btm", 0xe091_5b18_38ed_adb8),
    ("savage", 0xea49_a54b_7a52_1035),
    ("if1", 0x9738_1bd0_1d28_6771),
    ("if2", 0x0369_4b0a_1a06_68bd),
    ("doubler", 0x5a71_262c_b54c_b614),
    ("multisbm", 0x9daa_e000_c880_b181),
    ("feedexp3", 0xf277_7a3f_7da0_a9dc),
    ("vdb", 0x9c42_b900_a456_9a01),
    ("dts", 0x791a_70ad_5797_3a62),
    ("dts+", 0x620b_82c8_d84e_15cc),
    ("rcs", 0x3bb7_6256_94a3_536a),
    ("rmed1", 0x21a9_1f2c_8636_ff24),
    ("rmed2", 0xf62e_2250_a346_0205),
    ("rmed2fh", 0x6b2d_8bf6_7539_3e27),
    ("mergerucb", 0x7e53_402c_bbd1_5a99),
    ("mergedts", 0x7d04_b72b_5d3c_998b),
    ("ccb", 0x9d32_622c_a71f_7926),
    ("scb", 0xab47_16f1_1004_7272),
    ("selfsparring", 0xc1f8_b43c_8694_55ac),
    ("wsw", 0xba60_e858_b1b5_5cdd),
    ("wss", 0x31fc_a0d3_9105_fa87),
    ("dexp3", 0x4b2a_c84f_dfff_971b),
    ("btw", 0x7c8a_e4d6_34ed_7631),
    ("random", 0x9613_4997_ce04_c378),
];

#[test]
fn stable_duels_of_a_seed() {
    for &(spec, expected) in DIGESTS {
        assert_eq!(digest(spec), expected, "{spec}: {:#018x}", digest(spec));
    }
}

fn fresh(spec: &str, ties: Ties) -> Seeded {
    let context = Context { n_arms: 4, horizon: Some(100) };
    let spec = spec.parse().expect("a specification");
    Seeded::new(&spec, context, Origin { seed: 3, run: Some(2) }, ties).expect("a policy")
}

/// Half-way through its duels, the policy is saved as text and restored from it.
#[test]
fn law_saved_with_its_generators_it_goes_on_bit_for_bit() {
    for info in registry::all() {
        let mut policy = fresh(info.name, Ties::Coin);
        let mut duels = Vec::new();
        for round in 0..100 {
            if round == 50 {
                let text = serde_json::to_string(&policy.save()).unwrap();
                let saved: SavedSeeded = serde_json::from_str(&text).unwrap();
                policy = Seeded::restore(&saved).unwrap();
            }
            let ticket = policy.decide().unwrap();
            policy.update(&ticket, Outcome::TIE).unwrap();
            duels.push(ticket);
        }
        let mut uninterrupted = fresh(info.name, Ties::Coin);
        for ticket in duels {
            assert_eq!(uninterrupted.decide().unwrap(), ticket, "{}", info.name);
            uninterrupted.update(&ticket, Outcome::TIE).unwrap();
        }
    }
}

/// If one of several answers is refused, the policy learns none of them.
#[test]
fn law_of_several_answers_all_are_learned_or_none() {
    let mut policy = fresh("rucb", Ties::Refused);
    let tickets = [policy.decide().unwrap(), policy.decide().unwrap()];
    let before = policy.save();
    let refused = policy.update_all(&[(tickets[0], Outcome::WIN), (tickets[1], Outcome::TIE)]);
    assert_eq!(refused.unwrap_err().0, 1);
    assert_eq!(policy.save(), before);
    policy.update_all(&[(tickets[0], Outcome::WIN), (tickets[1], Outcome::LOSS)]).unwrap();
    assert_ne!(policy.save(), before);
}
