//! Helpers that the modules share: every policy in every form, outcomes, planted tickets,
//! comparisons.

use rand::{Rng, RngExt};
use tiltyard_bandit::params::Context;
use tiltyard_bandit::policy::rex3::{Options, Schedule, Transfer};
use tiltyard_bandit::policy::{AnyPolicy, Policy, Rex3, registry};
use tiltyard_bandit::{Arm, Draw, Outcome, Stream, Ticket};

/// The horizon of every policy that [`build`] builds.
pub(crate) const HORIZON: u64 = 10_000;

/// Specifications to test besides the bare names and the forms that policies declare.
const FORMS: &[&str] = &[
    "rex3:gamma=0.2",
    "rex3:gamma=1/2",
    "rex3:gmax=T/2",
    "rex3:gmax=T/10",
    "rex3:schedule=fixed",
    "rex3:gmax=t",
    "rex3:gmax=t/2,gmin=t/10",
    "rex3:feedback=binary",
    "rex3:gmax=T/2,feedback=binary",
    "rex3:guard=false",
    "rex3:gamma=0.2,guard=false,transfer=indicator",
    "rex3:mixing=1/6",
    "rex3:gamma=0.2,mixing=1/2",
    "sparring:schedule=dual-averaging",
    "sparring:schedule=literal",
    "sparring:schedule=loss",
    "sparring:gamma=0.3",
    "sparring:gamma=1",
    "sparring:gmax=T",
    "sparring:gmax=t",
    "sparring:player=exp3",
    "sparring:player=ucb1",
    "sparring:player=ucb1,alpha=0.51",
    "sparring:player=thompson",
    "rucb:form=arxiv",
    "rucb:unplayed=2",
    "rucb:alpha=1",
    "savage:rule=copeland",
    "savage:rule=borda",
    "savage:delta=1/100,radius=anytime",
    "savage:rule=copeland,radius=anytime",
    "savage:rule=borda,radius=anytime",
    "feedexp3:schedule=fixed",
    "feedexp3:schedule=link",
    "feedexp3:reference=0",
    "feedexp3:schedule=link,reference=0",
    "doubler:alpha=0.51",
    "doubler:player=exp3",
    "doubler:player=exp3,schedule=loss",
    "doubler:player=thompson",
    "multisbm:alpha=0.51",
    "multisbm:player=exp3",
    "multisbm:player=exp3,schedule=dual-averaging",
    "multisbm:player=thompson",
    "btm:delta=1e-8",
    "btm:opponent=other",
    "btm:gamma=1,delta=1/100,radius=1/2",
    "btm:gamma=1,delta=1/100,radius=1/2,opponent=other",
    "if1:delta=1/2",
    "if2:delta=1/2",
    "vdb:form=players",
    "vdb:estimator=rv",
    "vdb:form=players,estimator=rv",
    "sparring:player=tsallis",
    "sparring:player=tsallis,estimator=rv",
    "sparring:player=exp3ix",
    "sparring:player=exp3ix,rounds=T",
    "sparring:player=exp3s",
    "sparring:player=exp3s,switches=5",
    "doubler:player=tsallis",
    "doubler:player=exp3ix",
    "doubler:player=exp3s",
    "multisbm:player=tsallis",
    "multisbm:player=exp3ix",
    "multisbm:player=exp3s",
    "dts:alpha=1",
    "dts+:alpha=1",
    "rcs:alpha=1",
    "rmed1:f=0",
    "rmed2:f=0",
    "rmed2:alpha=1/2",
    "rmed2fh:f=0",
    "rmed2fh:alpha=1/2",
    "ccb:alpha=1",
    "mergerucb:alpha=0.8^6,c=4e5,batch=8",
    "mergerucb:alpha=0.6,c=1",
    "mergedts:alpha=0.8^6,c=4e5,batch=16",
    "mergedts:alpha=0.6,c=1",
    "selfsparring:eta=3.5",
    "selfsparring:selfduels=skip",
    "wss:beta=2",
    "dexp3:schedule=anytime",
    "btw:reset=true",
];

/// Every policy of the registry under its bare name, and the forms that take other code paths.
pub(crate) fn variants() -> Vec<String> {
    let mut variants: Vec<String> = registry::all().map(|info| info.name.to_owned()).collect();
    for schedule in ["dual-averaging", "literal", "epochs", "gamma"] {
        for transfer in ["identity", "sign", "indicator"] {
            let schedule =
                if schedule == "gamma" { "gamma=0.1".to_owned() } else { format!("schedule={schedule}") };
            variants.push(format!("rex3:{schedule},transfer={transfer}"));
        }
    }
    variants.extend(FORMS.iter().map(|&form| form.to_owned()));
    for form in registry::line_up().iter().map(ToString::to_string) {
        if !variants.contains(&form) {
            variants.push(form);
        }
    }
    variants
}

pub(crate) fn build(spec: &str, n_arms: usize) -> AnyPolicy {
    let context = Context { n_arms, horizon: Some(HORIZON) };
    let spec_parsed = spec.parse().expect("the tests' specifications can be read");
    let mut rng = Stream::new(1).label("build").rng();
    registry::build(&spec_parsed, context, &mut rng)
        .unwrap_or_else(|error| panic!("{spec} with {n_arms} arms: {error}"))
}

/// REX3 with a fixed gamma and the defaults for everything else.
pub(crate) fn rex3_fixed(n_arms: usize, gamma: f64) -> Rex3 {
    rex3(n_arms, Options { schedule: Schedule::Fixed { gamma }, ..Options::default() })
}

/// REX3 with these options. Panics if they are illegal.
pub(crate) fn rex3(n_arms: usize, options: Options) -> Rex3 {
    Rex3::with(n_arms, options).expect("the options are legal")
}

/// REX3 with a fixed gamma and these log-weights.
pub(crate) fn rex3_planted(gamma: f64, log_weights: &[f64]) -> Rex3 {
    let n_arms = log_weights.len();
    let mut policy = rex3_fixed(n_arms, gamma);
    let sums = log_weights.iter().map(|l| l * n_arms as f64 / gamma).collect();
    policy.warm_start(0, sums).expect("finite sums, one per arm");
    policy
}

/// The ticket that REX3 would issue now if it drew these two arms. The probabilities come from
/// `distribution()`. Everything else, except the arms, comes from a real proposal.
pub(crate) fn planned(policy: &Rex3, left: usize, right: usize) -> Ticket {
    let p = policy.distribution();
    Ticket {
        left: Arm::new(left),
        right: Arm::new(right),
        draw: Draw::Slots { left: p[left], right: p[right], z: 1.0 },
        ..policy.propose(&mut Stream::new(1).rng())
    }
}

/// Draws proposals until one has this pair.
pub(crate) fn propose_pair<P: Policy>(policy: &P, left: usize, right: usize) -> Ticket {
    let mut rng = Stream::new(1).label("pair").rng();
    (0..100_000)
        .map(|_| policy.propose(&mut rng))
        .find(|ticket| (ticket.left.index(), ticket.right.index()) == (left, right))
        .expect("every pair of a few arms comes up")
}

/// A random outcome of any kind, or a win or a loss if the policy can use nothing else.
pub(crate) fn any_outcome<R: Rng>(binary: bool, rng: &mut R) -> Outcome {
    let outcome = match rng.random_range(0..7) {
        0 | 1 => Outcome::WIN,
        2 | 3 => Outcome::LOSS,
        4 => Outcome::TIE,
        _ => graded(rng),
    };
    if binary { outcome.to_binary(rng) } else { outcome }
}

/// A score drawn uniformly from [-1, 1].
fn graded<R: Rng>(rng: &mut R) -> Outcome {
    Outcome::new(2.0 * rng.random::<f64>() - 1.0).expect("a score in [-1, 1]")
}

/// Lets a policy play. It learns each outcome before its next duel.
pub(crate) fn play<R: Rng>(policy: &mut AnyPolicy, rounds: usize, rng: &mut R) -> Vec<(Ticket, Outcome)> {
    play_for(policy, rounds, |binary, _, rng| any_outcome(binary, rng), rng)
}

/// Lets a policy play for graded outcomes without ties, so that no two arms are equal by chance. If
/// the policy counts wins, the lower index always wins: random wins would leave equal counts.
pub(crate) fn play_graded<R: Rng>(
    policy: &mut AnyPolicy,
    rounds: usize,
    rng: &mut R,
) -> Vec<(Ticket, Outcome)> {
    let lower = |ticket: &Ticket| Outcome::won(ticket.left < ticket.right);
    play_for(policy, rounds, |binary, ticket, rng| if binary { lower(ticket) } else { graded(rng) }, rng)
}

fn play_for<R: Rng>(
    policy: &mut AnyPolicy,
    rounds: usize,
    outcome: impl Fn(bool, &Ticket, &mut R) -> Outcome,
    rng: &mut R,
) -> Vec<(Ticket, Outcome)> {
    let binary = policy.info().binary;
    (0..rounds)
        .map(|_| {
            let ticket = policy.decide(rng).expect("no duel is in flight");
            let outcome = outcome(binary, &ticket, rng);
            policy.update(&ticket, outcome).expect("it is its own ticket");
            (ticket, outcome)
        })
        .collect()
}

/// The forms of REX3 that differ in their arithmetic.
pub(crate) fn rex3_forms() -> Vec<Options> {
    let schedules = [
        Schedule::Fixed { gamma: 0.2 },
        Schedule::DualAveraging { tau: 1.0 },
        Schedule::Literal { tau: 1.0 },
        Schedule::Epochs { tau: 1.0 },
    ];
    let transfers = [Transfer::Identity, Transfer::Sign, Transfer::Indicator];
    let with = |schedule| transfers.map(|transfer| Options { schedule, transfer, ..Options::default() });
    schedules.into_iter().flat_map(with).collect()
}

/// Lets REX3 play. It learns each outcome before its next duel.
pub(crate) fn play_rex3<R: Rng>(policy: &mut Rex3, rounds: usize, rng: &mut R) -> Vec<(Ticket, Outcome)> {
    (0..rounds)
        .map(|_| {
            let ticket = policy.decide(rng);
            let outcome = any_outcome(false, rng);
            policy.update(&ticket, outcome);
            (ticket, outcome)
        })
        .collect()
}

/// The sums of an additive policy, `None` for any other.
pub(crate) fn sums(policy: &mut AnyPolicy) -> Option<Vec<f64>> {
    policy.additive().map(|additive| additive.sums())
}

/// The probabilities of the two slots, and z. Panics if the ticket does not state them.
pub(crate) fn slots(ticket: &Ticket) -> (f64, f64, f64) {
    let Draw::Slots { left, right, z } = ticket.draw else { panic!("drawn as {:?}", ticket.draw) };
    (left, right, z)
}

/// Fails unless the two lists agree number by number. They may differ by `tolerance` times the
/// larger of 1 and the size of the wanted number.
#[track_caller]
pub(crate) fn assert_close(got: &[f64], want: &[f64], tolerance: f64, what: &str) {
    assert_eq!(got.len(), want.len(), "{what}: {got:?} against {want:?}");
    for (i, (x, y)) in got.iter().zip(want).enumerate() {
        // Written as `<=` and not as `>`, so that NaN fails.
        let fits = (x - y).abs() <= tolerance * y.abs().max(1.0);
        assert!(fits, "{what}: number {i} is {x}, not {y}");
    }
}

/// A uniform random permutation of 0..n.
pub(crate) fn permutation<R: Rng>(n: usize, rng: &mut R) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    shuffle(&mut order, rng);
    order
}

/// The Fisher-Yates shuffle.
pub(crate) fn shuffle<T, R: Rng>(items: &mut [T], rng: &mut R) {
    for i in (1..items.len()).rev() {
        items.swap(i, rng.random_range(0..=i));
    }
}
