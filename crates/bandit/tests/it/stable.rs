//! Value stability: the duels of every form of every policy, as digests. A changed digest means
//! changed results, and needs a line under *Results* in the changelog.

use rand::RngExt;
use tiltyard_bandit::policy::AnyPolicy;
use tiltyard_bandit::{Outcome, Stream};

use crate::support::{build, variants};

/// Adds the four bytes of a word to a 64-bit FNV-1a hash.
fn fnv1a(digest: u64, word: u32) -> u64 {
    word.to_le_bytes()
        .iter()
        .fold(digest, |digest, &byte| (digest ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// Seed 1, five arms, 200 rounds. Arm i beats arm j with probability (1 + (j - i) / 5) / 2; one
/// duel in eight is a tie, and one in eight counts half, unless the policy is binary.
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
        let outcome = Outcome::won(world.random::<f64>() < f64::midpoint(1.0, margin));
        let strength = match world.random_range(0..8) {
            0 if !policy.info().binary => 0.0,
            1 if !policy.info().binary => 0.5,
            _ => 1.0,
        };
        let outcome = Outcome::new(strength * outcome.score()).expect("a score");
        policy.update(&ticket, outcome).expect("its own ticket");
    }
    digest
}

const DIGESTS: &[(&str, u64)] = &[
    ("rex3", 0xe5ef_9ff7_3941_15d6),
    ("sparring", 0x6d27_ec8f_bd85_df32),
    ("rucb", 0xe468_c7cd_9710_f7c0),
    ("btm", 0x3d36_1a0f_4cf2_2614),
    ("savage", 0xb2b0_0639_00c9_1fa5),
    ("if1", 0x0ba3_ed23_45ea_6585),
    ("if2", 0x0ba3_ed23_45ea_6585),
    ("doubler", 0x66a9_19d1_1a07_d066),
    ("multisbm", 0x554a_4159_f421_32b4),
    ("feedexp3", 0xa08a_0b5b_a091_2ac4),
    ("vdb", 0xa00c_45d0_7b08_c0c4),
    ("dts", 0xfc65_ccfb_994a_8ed4),
    ("dts+", 0x2c6c_297c_36dd_ca84),
    ("rcs", 0x6b11_685d_7c7b_3184),
    ("rmed1", 0x1ccf_7795_1652_ce50),
    ("rmed2", 0x2a96_faf6_b7cf_f8b7),
    ("rmed2fh", 0x6e25_63c3_c0dd_07a2),
    ("mergerucb", 0x9af8_8ad6_0de8_5ac7),
    ("mergedts", 0x8eab_63d4_28a8_adb5),
    ("ccb", 0x51f7_87c7_98b2_6010),
    ("scb", 0x3c23_c7d8_f189_4db5),
    ("selfsparring", 0x3be6_9e85_6e18_07a1),
    ("wsw", 0xecbd_ab8b_c099_7462),
    ("wss", 0x773d_36d7_b38b_97b3),
    ("dexp3", 0xb0be_d797_f4b9_d764),
    ("btw", 0xe235_384d_7a45_2c93),
    ("random", 0xcb77_60d8_450b_d0e5),
    ("rex3:schedule=dual-averaging,transfer=identity", 0xe5ef_9ff7_3941_15d6),
    ("rex3:schedule=dual-averaging,transfer=sign", 0xe9c1_6af2_5cd2_cf97),
    ("rex3:schedule=dual-averaging,transfer=indicator", 0xa5a7_c344_3f18_be83),
    ("rex3:schedule=literal,transfer=identity", 0xdae3_8509_007e_5eb2),
    ("rex3:schedule=literal,transfer=sign", 0xf288_b62a_3675_6483),
    ("rex3:schedule=literal,transfer=indicator", 0xa73c_15b5_7592_23c1),
    ("rex3:schedule=epochs,transfer=identity", 0x6552_442b_f472_58f7),
    ("rex3:schedule=epochs,transfer=sign", 0xa02b_1580_1c6f_ff80),
    ("rex3:schedule=epochs,transfer=indicator", 0xc8a8_293b_ce7f_5083),
    ("rex3:gamma=0.1,transfer=identity", 0x497f_e044_40d0_b2c6),
    ("rex3:gamma=0.1,transfer=sign", 0x1dbb_1727_b103_bff0),
    ("rex3:gamma=0.1,transfer=indicator", 0x2ccd_d386_60aa_bbd0),
    ("rex3:gamma=0.2", 0x2fdd_18b7_2acc_eb30),
    ("rex3:gamma=1/2", 0xa8b4_614e_df11_79a7),
    ("rex3:gmax=T/2", 0x72a2_aaa8_c703_0ca4),
    ("rex3:gmax=T/10", 0xa1a9_8abd_feb2_c3c2),
    ("rex3:schedule=fixed", 0x72a2_aaa8_c703_0ca4),
    ("rex3:gmax=t", 0x3e9a_5f18_6203_82f1),
    ("rex3:gmax=t/2,gmin=t/10", 0x8132_ed8c_c78d_2706),
    ("rex3:feedback=binary", 0x934b_001c_827a_92e7),
    ("rex3:gmax=T/2,feedback=binary", 0x5ee4_2450_a213_e7f5),
    ("rex3:guard=false", 0xad9c_eb66_6981_1bf2),
    ("rex3:gamma=0.2,guard=false,transfer=indicator", 0x204c_cf07_de76_5884),
    ("rex3:mixing=1/6", 0xa4ee_1069_8596_5d34),
    ("rex3:gamma=0.2,mixing=1/2", 0x8fd6_5331_e2ca_8d20),
    ("sparring:schedule=dual-averaging", 0xcf8f_7763_81a4_0e71),
    ("sparring:schedule=literal", 0xbbb6_c468_e5ae_2c02),
    ("sparring:schedule=loss", 0x8bb8_d09c_253b_5787),
    ("sparring:gamma=0.3", 0x56b4_cb9b_b88d_f667),
    ("sparring:gamma=1", 0xb9ac_c9ca_f91a_2354),
    ("sparring:gmax=T", 0xeff0_85b1_9cc5_c570),
    ("sparring:gmax=t", 0x0053_539a_f4fd_6477),
    ("sparring:player=exp3", 0x6d27_ec8f_bd85_df32),
    ("sparring:player=ucb1", 0xce62_e791_74aa_2f40),
    ("sparring:player=ucb1,alpha=0.51", 0x49c0_d536_b4b7_f445),
    ("sparring:player=thompson", 0x1861_7d2c_c495_3077),
    ("rucb:form=arxiv", 0xe468_c7cd_9710_f7c0),
    ("rucb:unplayed=2", 0xce32_2e7d_e584_10d0),
    ("rucb:alpha=1", 0xdd69_78c8_ffe4_1bb3),
    ("savage:rule=copeland", 0xb2b0_0639_00c9_1fa5),
    ("savage:rule=borda", 0xb2b0_0639_00c9_1fa5),
    ("savage:delta=1/100,radius=anytime", 0xb2b0_0639_00c9_1fa5),
    ("savage:rule=copeland,radius=anytime", 0xb2b0_0639_00c9_1fa5),
    ("savage:rule=borda,radius=anytime", 0xb2b0_0639_00c9_1fa5),
    ("feedexp3:schedule=fixed", 0xe284_8896_346c_b803),
    ("feedexp3:schedule=link", 0xb3b3_a6d2_5af1_83d2),
    ("feedexp3:reference=0", 0xa08a_0b5b_a091_2ac4),
    ("feedexp3:schedule=link,reference=0", 0x00c3_6137_dbea_15c5),
    ("doubler:alpha=0.51", 0x6ca2_b85e_36d1_0850),
    ("doubler:player=exp3", 0x1e38_636b_3302_d131),
    ("doubler:player=exp3,schedule=loss", 0xb93b_0b12_23b8_7cd2),
    ("doubler:player=thompson", 0x3b9b_a705_4e08_c861),
    ("multisbm:alpha=0.51", 0xd8b9_3e38_c3f8_38e5),
    ("multisbm:player=exp3", 0xadd1_28d2_59cc_20c7),
    ("multisbm:player=exp3,schedule=dual-averaging", 0xcff4_1c74_38c8_a0c6),
    ("multisbm:player=thompson", 0xb28b_676b_9bd6_7357),
    ("btm:delta=1e-8", 0x3d36_1a0f_4cf2_2614),
    ("btm:opponent=other", 0xe112_e4df_ff0b_5ee3),
    ("btm:gamma=1,delta=1/100,radius=1/2", 0xdcdb_02f7_3274_e746),
    ("btm:gamma=1,delta=1/100,radius=1/2,opponent=other", 0xd0b3_4545_f859_2ff3),
    ("if1:delta=1/2", 0x9ca3_e4d9_2f15_5622),
    ("if2:delta=1/2", 0x9ca3_e4d9_2f15_5622),
    ("vdb:form=players", 0x810b_ccac_b837_e8e0),
    ("vdb:estimator=rv", 0x58fe_3f8f_458f_1642),
    ("vdb:form=players,estimator=rv", 0x2b0f_8b35_7dbd_6aa0),
    ("sparring:player=tsallis", 0x810b_ccac_b837_e8e0),
    ("sparring:player=tsallis,estimator=rv", 0x2b0f_8b35_7dbd_6aa0),
    ("sparring:player=exp3ix", 0x1ac2_ad9f_606d_20b4),
    ("sparring:player=exp3ix,rounds=T", 0x1882_a476_f3a5_0b35),
    ("sparring:player=exp3s", 0xf648_7e8e_3f8d_3230),
    ("sparring:player=exp3s,switches=5", 0xfcb6_0b60_aa27_1c02),
    ("doubler:player=tsallis", 0xb7a9_c20d_129a_bad5),
    ("doubler:player=exp3ix", 0x7d31_d905_c8d2_adb5),
    ("doubler:player=exp3s", 0xf6a1_7429_8a32_2f52),
    ("multisbm:player=tsallis", 0x33a1_a06d_db9e_8a96),
    ("multisbm:player=exp3ix", 0x85eb_261f_ce1b_76a7),
    ("multisbm:player=exp3s", 0x6900_22da_c9e1_e220),
    ("dts:alpha=1", 0xfc65_ccfb_994a_8ed4),
    ("dts+:alpha=1", 0x2c6c_297c_36dd_ca84),
    ("rcs:alpha=1", 0x7fe4_62f4_55be_1385),
    ("rmed1:f=0", 0xf9b7_ddfb_ad2a_1d90),
    ("rmed2:f=0", 0x554c_69a1_78b1_f945),
    ("rmed2:alpha=1/2", 0xb044_4795_45ed_7244),
    ("rmed2fh:f=0", 0x4dff_381b_dca6_40e2),
    ("rmed2fh:alpha=1/2", 0x6d22_3446_4cc8_5c67),
    ("ccb:alpha=1", 0xaeb0_8ef0_65da_2a51),
    ("mergerucb:alpha=0.8^6,c=4e5,batch=8", 0x4f82_8db6_60f0_b405),
    ("mergerucb:alpha=0.6,c=1", 0x0b9d_fa07_324f_04d2),
    ("mergedts:alpha=0.8^6,c=4e5,batch=16", 0x3f30_6882_15dc_1e36),
    ("mergedts:alpha=0.6,c=1", 0x2a31_d954_90ac_0845),
    ("selfsparring:eta=3.5", 0x4a47_d51e_826e_a3e7),
    ("selfsparring:selfduels=skip", 0x64aa_b705_ef91_af31),
    ("wss:beta=2", 0xcf25_2580_55c3_8435),
    ("dexp3:schedule=anytime", 0x3dd5_9944_d356_8b87),
    ("btw:reset=true", 0x18a9_a111_2442_3bf4),
    ("rex3:schedule=literal", 0xdae3_8509_007e_5eb2),
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

/// The digest follows the definition of FNV-1a, and different words give different digests.
#[test]
fn stable_digest() {
    // FNV-1a of the bytes 1 0 0 0, from its definition: xor each byte into the hash, then multiply
    // the hash.
    let mut want: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in [1u64, 0, 0, 0] {
        want = (want ^ byte).wrapping_mul(1_099_511_628_211);
    }
    assert_eq!(fnv1a(0xcbf2_9ce4_8422_2325, 1), want);
    assert_ne!(fnv1a(0xcbf2_9ce4_8422_2325, 1), fnv1a(0xcbf2_9ce4_8422_2325, 2));
}
