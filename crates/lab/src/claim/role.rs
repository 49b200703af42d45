//! The policies that claims of all papers speak of, and how specifications may spell them.

use tiltyard_bandit::Spec;

/// A policy of a paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// REX3, anytime by dual averaging: the reading that keeps the bound.
    Anytime,
    /// REX3, anytime as the pseudo-code reads.
    Literal,
    /// REX3 with the gamma of Gmax = T/2.
    Half,
    /// Anytime REX3 that learns from duels of an arm with itself.
    Unguarded,
    /// Sparring with EXP3 and a known horizon.
    Sparring,
    /// Sparring with EXP3, anytime.
    SparringAnytime,
    /// RUCB.
    Rucb,
    /// SAVAGE with delta = 1/T.
    Savage,
    /// SAVAGE with delta = 1e-8 and no horizon.
    SavageAnytime,
    /// Beat the Mean with delta = 1/T.
    Btm,
    /// Beat the Mean with delta = 1e-8.
    BtmAnytime,
    /// Uniform play.
    Random,
    /// Versatile-DB with one learner for both slots.
    Vdb,
    /// Double Thompson Sampling.
    Dts,
    /// The same with ties broken by what a duel costs.
    DtsPlus,
    /// Relative Confidence Sampling.
    Rcs,
    /// Copeland Confidence Bound.
    Ccb,
    /// Scalable Copeland Bandits.
    Scb,
    /// SAVAGE for Copeland winners, delta = 1/T.
    SavageCopeland,
    /// Beat the Mean with the wider gamma of later papers.
    BtmWide,
    /// Sparring with UCB players.
    SparringUcb,
    /// The same with wider intervals.
    SparringUcbWide,
    /// A UCB player for every opponent.
    MultiSbm,
    /// Interleaved Filter with pruning.
    If2,
    /// RMED1.
    Rmed1,
    /// RMED2.
    Rmed2,
    /// RMED2 that is told the horizon.
    Rmed2fh,
}

impl Role {
    /// The stochastic-setting policies of the paper, as it ran them.
    pub(super) const STOCHASTIC: [Self; 3] = [Self::Rucb, Self::Savage, Self::Btm];

    /// Its specification, in every spelling that means the same; the first is the usual one.
    pub(super) fn spellings(self) -> &'static [&'static str] {
        match self {
            Self::Anytime => &["rex3", "rex3:schedule=dual-averaging", "rex3:gmax=t/2"],
            Self::Literal => &["rex3:schedule=literal", "rex3:schedule=literal,gmax=t/2"],
            Self::Half => &["rex3:gmax=T/2", "rex3:schedule=fixed,gmax=T/2"],
            Self::Unguarded => &["rex3:guard=false"],
            Self::Sparring => {
                &["sparring:player=exp3", "sparring", "sparring:player=exp3,gmax=T/2", "sparring:gmax=T/2"]
            }
            Self::SparringAnytime => {
                &["sparring:player=exp3,schedule=dual-averaging", "sparring:schedule=dual-averaging"]
            }
            Self::Rucb => &["rucb:alpha=0.51", "rucb"],
            Self::Savage => {
                &["savage:rule=condorcet,delta=1/T", "savage:delta=1/T", "savage:rule=condorcet", "savage"]
            }
            Self::SavageAnytime => {
                &["savage:rule=condorcet,delta=1e-8,radius=anytime", "savage:delta=1e-8,radius=anytime"]
            }
            Self::Btm => &["btm:gamma=1.1,delta=1/T", "btm:delta=1/T", "btm:gamma=1.1", "btm"],
            Self::BtmAnytime => &["btm:gamma=1.1,delta=1e-8", "btm:delta=1e-8"],
            Self::Random => &["random"],
            Self::Vdb => &["vdb", "vdb:form=shared"],
            Self::Dts => &["dts", "dts:alpha=0.51"],
            Self::DtsPlus => &["dts+", "dts+:alpha=0.51"],
            Self::Rcs => &["rcs"],
            Self::Ccb => &["ccb:alpha=0.51", "ccb"],
            Self::Scb => &["scb"],
            Self::SavageCopeland => &["savage:rule=copeland,delta=1/T", "savage:rule=copeland"],
            Self::BtmWide => &["btm:gamma=1.3,delta=1/T", "btm:gamma=1.3"],
            Self::SparringUcb => &["sparring:player=ucb1", "sparring:player=ucb1,alpha=2"],
            Self::SparringUcbWide => &["sparring:player=ucb1,alpha=2.5"],
            Self::MultiSbm => &["multisbm"],
            Self::If2 => &["if2"],
            Self::Rmed1 => &["rmed1"],
            Self::Rmed2 => &["rmed2"],
            Self::Rmed2fh => &["rmed2fh"],
        }
    }

    /// Its name in findings.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Anytime => "REX3 anytime",
            Self::Literal => "REX3 anytime, literal",
            Self::Half => "REX3 T/2",
            Self::Unguarded => "REX3 without guard",
            Self::Sparring => "Sparring",
            Self::SparringAnytime => "Sparring anytime",
            Self::Rucb => "RUCB",
            Self::Savage => "SAVAGE",
            Self::SavageAnytime => "SAVAGE anytime",
            Self::Btm => "BTM",
            Self::BtmAnytime => "BTM anytime",
            Self::Random => "Random",
            Self::Vdb => "Versatile-DB",
            Self::Dts => "D-TS",
            Self::DtsPlus => "D-TS+",
            Self::Rcs => "RCS",
            Self::Ccb => "CCB",
            Self::Scb => "SCB",
            Self::SavageCopeland => "SAVAGE, Copeland",
            Self::BtmWide => "BTM, gamma 1.3",
            Self::SparringUcb => "Sparring UCB",
            Self::SparringUcbWide => "Sparring UCB, alpha 2.5",
            Self::MultiSbm => "MultiSBM",
            Self::If2 => "IF2",
            Self::Rmed1 => "RMED1",
            Self::Rmed2 => "RMED2",
            Self::Rmed2fh => "RMED2FH",
        }
    }

    /// Whether a specification means this policy, whatever the order of its parameters.
    pub(super) fn plays(self, policy: &str) -> bool {
        let Ok(spec) = policy.parse::<Spec>() else { return false };
        self.spellings()
            .iter()
            .any(|spelling| same(&spec, &spelling.parse().expect("spellings are specifications")))
    }
}

fn same(a: &Spec, b: &Spec) -> bool {
    a.name() == b.name()
        && a.keys().count() == b.keys().count()
        && a.keys().all(|key| a.get(key) == b.get(key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiltyard_bandit::Stream;
    use tiltyard_bandit::params::Context;
    use tiltyard_bandit::policy::Policy;
    use tiltyard_bandit::policy::registry::{self, Visitor};

    const ALL: [Role; 27] = [
        Role::Anytime,
        Role::Literal,
        Role::Half,
        Role::Unguarded,
        Role::Sparring,
        Role::SparringAnytime,
        Role::Rucb,
        Role::Savage,
        Role::SavageAnytime,
        Role::Btm,
        Role::BtmAnytime,
        Role::Random,
        Role::Vdb,
        Role::Dts,
        Role::DtsPlus,
        Role::Rcs,
        Role::Ccb,
        Role::Scb,
        Role::SavageCopeland,
        Role::BtmWide,
        Role::SparringUcb,
        Role::SparringUcbWide,
        Role::MultiSbm,
        Role::If2,
        Role::Rmed1,
        Role::Rmed2,
        Role::Rmed2fh,
    ];

    struct Parameters;
    impl Visitor for Parameters {
        type Output = Vec<(&'static str, String)>;
        fn visit<P: Policy + 'static>(self, _: P, params: Self::Output) -> Self::Output {
            params
        }
    }

    /// All spellings of a role build, and have the same parameters in force.
    #[test]
    fn law_spellings_mean_the_same() {
        for role in ALL {
            let build = |text: &&str| {
                let context = Context { n_arms: 6, horizon: Some(1000) };
                let mut params =
                    registry::visit(&text.parse().unwrap(), context, &mut Stream::new(1).rng(), Parameters)
                        .unwrap();
                params.sort();
                params
            };
            let all: Vec<_> = role.spellings().iter().map(build).collect();
            assert!(all.windows(2).all(|two| two[0] == two[1]), "{}: {all:?}", role.name());
        }
    }

    #[test]
    fn trace_roles_do_not_overlap() {
        for a in ALL {
            for spelling in a.spellings() {
                let players: Vec<&str> = ALL.iter().filter(|b| b.plays(spelling)).map(|b| b.name()).collect();
                assert_eq!(players, [a.name()], "{spelling}");
            }
        }
        assert!(Role::Btm.plays("btm:delta=1/T,gamma=1.1"));
        assert!(!Role::Anytime.plays("rex3:mixing=1/6") && !Role::Anytime.plays(":"));
    }
}
