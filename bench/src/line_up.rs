//! Every policy of the registry.

use tiltyard_bandit::Spec;
use tiltyard_bandit::policy::registry;

/// One specification per policy, and for a reduction one per player.
///
/// # Panics
///
/// If the registry documents a player by a name that cannot be parsed.
pub fn line_up() -> Vec<Spec> {
    let mut specs = Vec::new();
    for info in registry::all() {
        let texts = match info.params.iter().find(|param| param.key == "player") {
            Some(player) => {
                player.legal.split(", ").map(|name| format!("{}:player={name}", info.name)).collect()
            }
            None => vec![info.name.to_owned()],
        };
        specs.extend(texts.iter().map(|text| text.parse::<Spec>().expect("names can be parsed")));
    }
    specs
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiltyard_bandit::Stream;
    use tiltyard_bandit::params::Context;

    #[test]
    fn trace_all_of_it_can_be_built() {
        let specs = line_up();
        assert!(specs.len() >= registry::all().count());
        for spec in specs {
            let context = Context { n_arms: 6, horizon: Some(1000) };
            registry::build(&spec, context, &mut Stream::new(1).rng())
                .unwrap_or_else(|error| panic!("{spec}: {error}"));
        }
    }
}
