//! The situations that the guide decides, and the worlds that stand for them.

use tiltyard_bandit::params::Context;
use tiltyard_bandit::policy::registry;
use tiltyard_bandit::{Spec, Stream};

/// What a person may find himself in.
pub(crate) struct Situation {
    pub(crate) title: &'static str,
    /// How to know that it is yours, and what to mind in it.
    pub(crate) words: &'static str,
    pub(crate) worlds: &'static [&'static str],
    pub(crate) round: u64,
}

pub(crate) const ALL: &[Situation] = &[
    Situation {
        title: "Few arms, a short run",
        words: "A handful of things and some thousand answers: most of the regret is made while nothing is known yet.",
        worlds: &["arxiv6", "savage6", "arithmetic8"],
        round: 10_000,
    },
    Situation {
        title: "Few arms, a long run",
        words: "The same with a million answers. What counts now is how seldom a policy still looks at arms that it knows to lose.",
        worlds: &["arxiv6", "savage6", "arithmetic8"],
        round: 1_000_000,
    },
    Situation {
        title: "Many arms, a short run",
        words: "More pairs than answers for them: whoever wants to compare all pairs has hardly begun.",
        worlds: &["synthetic-np64", "synthetic-mslr136"],
        round: 10_000,
    },
    Situation {
        title: "Many arms, a long run",
        words: "A hundred arms and a million answers.",
        worlds: &["synthetic-np64", "synthetic-mslr136"],
        round: 1_000_000,
    },
    Situation {
        title: "The best arm wins narrowly, another wins loudly",
        words: "The arm that beats each other one does so by a hair, while a second beats nearly all by far (Bvs-20). Policies that average \
                over opponents go for the second.",
        worlds: &["bvs20", "cyclic4"],
        round: 1_000_000,
    },
];

fn build(spec: &Spec) -> tiltyard_bandit::policy::AnyPolicy {
    let context = Context { n_arms: 10, horizon: Some(1000) };
    registry::build(spec, context, &mut Stream::new(1).rng()).expect("ten arms suit every policy")
}

/// Whether answers may be late.
pub(crate) fn may_wait(spec: &Spec) -> bool {
    let mut policy = build(spec);
    let mut rng = Stream::new(1).rng();
    policy.decide(&mut rng).expect("nothing is in flight");
    policy.propose(&mut rng).is_ok()
}

/// Whether several nodes can share what it learned.
pub(crate) fn may_be_several(spec: &Spec) -> bool {
    build(spec).additive().is_some()
}
