//! Sends random requests to an arena and to a plain model of its contract. The model keeps a list
//! of duels and their answers, and counts everything anew from that list. It shares no code with
//! the domain.

mod ask;
mod contract;
mod pair;

use proptest::prelude::*;

use self::ask::{POLICIES, any_ask, any_settings};
use self::pair::Pair;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

    #[test]
    fn law_an_arena_does_what_its_contract_says(
        policy in 0..POLICIES.len(),
        settings in any_settings(),
        asks in proptest::collection::vec(any_ask(), 1..80),
    ) {
        let mut pair = Pair::new(policy, settings);
        for ask in &asks {
            pair = pair.ask(ask)?;
            pair.check_counts()?;
        }
        pair.write()?;
        // The log holds everything that was counted.
        let digest = pair.desk.digest(pair.trial);
        pair.desk = pair.desk.restarted(9);
        prop_assert_eq!(pair.desk.digest(pair.trial), digest);
        pair.check_counts()?;
    }
}
