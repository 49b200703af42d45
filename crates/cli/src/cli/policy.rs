//! `tiltyard policy`: lists and shows the policies.

use std::collections::BTreeSet;

use clap::Subcommand;
use serde_json::{Value, json};
use tiltyard::bandit::continuous;
use tiltyard::bandit::params::{Context, Param};
use tiltyard::bandit::policy::{Capabilities, Info, registry};

use super::{Failure, ListFormat, table};
use crate::printer::Printer;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List all policies
    List {
        /// Output format
        #[arg(long, value_enum, default_value = "table")]
        format: ListFormat,
    },
    /// Show one policy: its idea, rule, parameters, guarantee, cost and reference
    Show {
        /// Name of the policy
        name: String,
        /// Output format
        #[arg(long, value_enum, default_value = "table")]
        format: ListFormat,
    },
}

impl Command {
    pub(super) fn run(self, printer: &mut Printer) -> Result<(), Failure> {
        match self {
            Self::List { format } => list(format, printer),
            Self::Show { name, format } => match continuous::registry::info(&name) {
                Some(info) => show_continuous(info, format, printer),
                None => show(&registry::info(&name)?, format, printer),
            },
        }
        Ok(())
    }
}

fn list(format: ListFormat, printer: &mut Printer) {
    if format == ListFormat::Json {
        let arms = registry::all().map(|info| to_json(&info));
        printer.line(Value::Array(arms.chain(continuous::registry::all().map(continuous_to_json)).collect()));
        return;
    }
    let header = ["policy", "settles on", "cost", "description"].map(str::to_owned).to_vec();
    let mut rows = table::Rows::words(header);
    let mut push = |name: &str, settles: &str, cost: &str, title: &str| {
        rows.push([name, word(settles), cost, title].map(str::to_owned).to_vec());
    };
    for info in registry::all() {
        push(info.name, &info.settles.to_string(), info.cost, info.title);
    }
    for info in continuous::registry::all() {
        push(info.name, info.settles, info.cost, info.title);
    }
    for line in rows.lines() {
        printer.line(line);
    }
    printer.note("\nsettles on:");
    let words = registry::all().map(|info| info.settles.to_string());
    let all = words.chain(continuous::registry::all().map(|info| info.settles.to_owned()));
    for settles in all.collect::<BTreeSet<_>>() {
        printer.note(format_args!("  {settles}"));
    }
    printer.note("\nhint: `tiltyard policy show NAME` describes one of them");
}

/// The word before the colon, which is the short form.
fn word(settles: &str) -> &str {
    settles.split(':').next().unwrap_or_default()
}

fn show(info: &Info, format: ListFormat, printer: &mut Printer) {
    if format == ListFormat::Json {
        printer.line(to_json(info));
        return;
    }
    print_page(&info.page(), facts(info), printer);
}

fn show_continuous(info: &continuous::Info, format: ListFormat, printer: &mut Printer) {
    if format == ListFormat::Json {
        printer.line(continuous_to_json(info));
        return;
    }
    let facts = vec![
        ("kind", "continuous: duels points of a convex set, not arms".to_owned()),
        ("assumptions", or_none(info.assumptions)),
        ("needs a horizon", info.horizon.unwrap_or("never").to_owned()),
        ("settles on", info.settles.to_owned()),
        ("learns from", fed(info.binary)),
    ];
    print_page(&info.page(), facts, printer);
}

fn print_page(page: &str, facts: Vec<(&'static str, String)>, printer: &mut Printer) {
    let mut is_code = false;
    for line in page.trim_end().lines() {
        is_code ^= line.starts_with("```");
        // Rustdoc hides these lines too.
        if !(is_code && line.starts_with("# ")) {
            printer.line(line);
        }
    }
    printer.line("\n## Facts\n");
    for (fact, value) in facts {
        printer.line(format_args!("- {fact}: {value}"));
    }
}

fn or_none<T: ToString>(list: &[T]) -> String {
    let words: Vec<String> = list.iter().map(ToString::to_string).collect();
    if words.is_empty() { "none".to_owned() } else { words.join("; ") }
}

fn fed(binary: bool) -> String {
    if binary { "wins and losses" } else { "any score" }.to_owned()
}

fn facts(info: &Info) -> Vec<(&'static str, String)> {
    vec![
        ("assumptions", or_none(info.assumptions)),
        ("needs a horizon", info.horizon.unwrap_or("never").to_owned()),
        ("settles on", info.settles.to_string()),
        ("minimises", format!("{} regret", info.minimises)),
        ("capabilities", or_none(&capabilities(info))),
        ("learns from", fed(info.binary)),
    ]
}

/// The capabilities of the policy in its default form.
fn capabilities(info: &Info) -> Vec<&'static str> {
    let spec = info.name.parse().expect("a name is a specification");
    let context = Context { n_arms: 2, horizon: Some(1000) };
    let mut rng = tiltyard::Stream::new(0).rng();
    let policy = registry::build(&spec, context, &mut rng).expect("every policy has a default form");
    let Capabilities { additive, elastic, distinct, sequential, .. } = policy.capabilities();
    let has =
        [("additive", additive), ("elastic", elastic), ("distinct", distinct), ("sequential", sequential)];
    has.into_iter().filter(|&(_, has)| has).map(|(name, _)| name).collect()
}

fn to_json(info: &Info) -> Value {
    json!({
        "name": info.name,
        "title": info.title,
        "continuous": false,
        "assumptions": info.assumptions.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "horizon": info.horizon,
        "settles": word(&info.settles.to_string()),
        "minimises": info.minimises.to_string(),
        "cost": info.cost,
        "capabilities": capabilities(info),
        "binary": info.binary,
        "version": info.version,
        "params": params_to_json(info.params),
        "reference": info.reference.to_string(),
    })
}

fn continuous_to_json(info: &continuous::Info) -> Value {
    json!({
        "name": info.name,
        "title": info.title,
        "continuous": true,
        "assumptions": info.assumptions,
        "horizon": info.horizon,
        "settles": word(info.settles),
        "cost": info.cost,
        "binary": info.binary,
        "params": params_to_json(info.params),
        "reference": info.reference.to_string(),
    })
}

fn params_to_json(params: &[Param]) -> Value {
    let one = |param: &Param| json!({"key": param.key, "default": param.default, "legal": param.legal, "meaning": param.meaning});
    params.iter().map(one).collect()
}
