//! The policies that claims refer to, and the spellings of their specifications.

use tiltyard_bandit::Spec;

/// Builds [`Role`] from a table: for each policy its name in findings and all equivalent spellings
/// of its specification, the usual one first.
macro_rules! roles {
    ($($(#[$about:meta])* $role:ident: $name:literal = $($spelling:literal),+;)*) => {
        /// A policy of a paper.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Role {
            $($(#[$about])* $role),*
        }

        impl Role {
            #[cfg(test)]
            const ALL: &[Self] = &[$(Self::$role),*];

            /// All equivalent spellings of its specification, the usual one first.
            pub(super) fn spellings(self) -> &'static [&'static str] {
                match self {
                    $(Self::$role => &[$($spelling),+]),*
                }
            }

            /// Its name in findings.
            pub(super) fn name(self) -> &'static str {
                match self {
                    $(Self::$role => $name),*
                }
            }
        }
    };
}

roles! {
    /// REX3, anytime by dual averaging: the reading that keeps the bound.
    Anytime: "REX3 anytime" = "rex3", "rex3:schedule=dual-averaging", "rex3:gmax=t/2";
    /// REX3, anytime as in the pseudo-code (the literal reading).
    Literal: "REX3 anytime, literal" = "rex3:schedule=literal", "rex3:schedule=literal,gmax=t/2";
    /// REX3 with the gamma of Gmax = T/2.
    Half: "REX3 T/2" = "rex3:gmax=T/2", "rex3:schedule=fixed,gmax=T/2";
    /// Anytime REX3 that also learns from duels of an arm with itself.
    Unguarded: "REX3 without guard" = "rex3:guard=false";
    /// Sparring with EXP3 and a known horizon.
    Sparring: "Sparring" =
        "sparring:player=exp3", "sparring",
        "sparring:player=exp3,gmax=T/2", "sparring:gmax=T/2";
    /// Sparring with EXP3, anytime.
    SparringAnytime: "Sparring anytime" =
        "sparring:player=exp3,schedule=dual-averaging", "sparring:schedule=dual-averaging";
    Rucb: "RUCB" = "rucb:alpha=0.51", "rucb";
    /// SAVAGE with delta = 1/T.
    Savage: "SAVAGE" =
        "savage:rule=condorcet,delta=1/T", "savage:delta=1/T",
        "savage:rule=condorcet", "savage";
    /// SAVAGE with delta = 1e-8 and no horizon.
    SavageAnytime: "SAVAGE anytime" =
        "savage:rule=condorcet,delta=1e-8,radius=anytime", "savage:delta=1e-8,radius=anytime";
    /// Beat the Mean with delta = 1/T.
    Btm: "BTM" = "btm:gamma=1.1,delta=1/T", "btm:delta=1/T", "btm:gamma=1.1", "btm";
    /// Beat the Mean with delta = 1e-8.
    BtmAnytime: "BTM anytime" = "btm:gamma=1.1,delta=1e-8", "btm:delta=1e-8";
    /// Uniform play.
    Random: "Random" = "random";
    /// Versatile-DB with one learner for both slots.
    Vdb: "Versatile-DB" = "vdb", "vdb:form=shared";
    /// Double Thompson Sampling.
    Dts: "D-TS" = "dts", "dts:alpha=0.51";
    /// D-TS with ties broken by the cost of the duels.
    DtsPlus: "D-TS+" = "dts+", "dts+:alpha=0.51";
    /// Relative Confidence Sampling.
    Rcs: "RCS" = "rcs";
    /// Copeland Confidence Bound.
    Ccb: "CCB" = "ccb:alpha=0.51", "ccb";
    /// Scalable Copeland Bandits.
    Scb: "SCB" = "scb";
    /// SAVAGE for Copeland winners, delta = 1/T.
    SavageCopeland: "SAVAGE, Copeland" = "savage:rule=copeland,delta=1/T", "savage:rule=copeland";
    /// Beat the Mean with the wider gamma of later papers.
    BtmWide: "BTM, gamma 1.3" = "btm:gamma=1.3,delta=1/T", "btm:gamma=1.3";
    /// Sparring with UCB players.
    SparringUcb: "Sparring UCB" = "sparring:player=ucb1", "sparring:player=ucb1,alpha=2";
    /// Sparring with UCB players and wider intervals.
    SparringUcbWide: "Sparring UCB, alpha 2.5" = "sparring:player=ucb1,alpha=2.5";
    /// A UCB player for every opponent.
    MultiSbm: "MultiSBM" = "multisbm";
    /// Interleaved Filter with pruning.
    If2: "IF2" = "if2";
    Rmed1: "RMED1" = "rmed1";
    Rmed2: "RMED2" = "rmed2";
    /// RMED2 with a known horizon.
    Rmed2fh: "RMED2FH" = "rmed2fh";
}

impl Role {
    /// The stochastic-setting policies of the REX3 paper, with its parameters.
    pub(super) const STOCHASTIC: [Self; 3] = [Self::Rucb, Self::Savage, Self::Btm];

    /// Whether a specification stands for this policy, in any order of its parameters.
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

    struct Parameters;
    impl Visitor for Parameters {
        type Output = Vec<(&'static str, String)>;
        fn visit<P: Policy + 'static>(self, _: P, params: Self::Output) -> Self::Output {
            params
        }
    }

    /// All spellings of a role build a policy with the same parameters.
    #[test]
    fn law_spellings_mean_the_same() {
        for &role in Role::ALL {
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
        for a in Role::ALL {
            for spelling in a.spellings() {
                let players: Vec<&str> =
                    Role::ALL.iter().filter(|b| b.plays(spelling)).map(|b| b.name()).collect();
                assert_eq!(players, [a.name()], "{spelling}");
            }
        }
        assert!(Role::Btm.plays("btm:delta=1/T,gamma=1.1"));
        assert!(!Role::Anytime.plays("rex3:mixing=1/6") && !Role::Anytime.plays(":"));
    }
}
