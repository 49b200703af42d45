//! `tiltyard policy`: the algorithms.

use clap::Subcommand;
use serde_json::{Value, json};
use tiltyard::bandit::params::{Context, Param};
use tiltyard::bandit::policy::{Info, Policy, registry};

use super::{Failure, ListFormat, table};
use crate::printer::Printer;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// All policies
    List {
        /// How to print
        #[arg(long, value_enum, default_value = "table")]
        format: ListFormat,
    },
    /// One policy: its idea, rule, parameters, guarantee, cost and reference
    Show {
        /// Its name
        name: String,
        /// How to print
        #[arg(long, value_enum, default_value = "table")]
        format: ListFormat,
    },
}

impl Command {
    pub(super) fn run(self, printer: &mut Printer) -> Result<(), Failure> {
        match self {
            Self::List { format } => list(format, printer),
            Self::Show { name, format } => show(&registry::info(&name)?, format, printer),
        }
        Ok(())
    }
}

fn list(format: ListFormat, printer: &mut Printer) {
    if format == ListFormat::Json {
        printer.line(Value::Array(registry::all().map(|info| to_json(&info)).collect()));
        return;
    }
    let header = ["policy", "settles on", "cost", "what it is"].map(str::to_owned).to_vec();
    let mut rows = table::Rows::words(header);
    for info in registry::all() {
        let settles = info.settles.to_string();
        let settles = settles.split(':').next().unwrap_or_default().to_owned();
        rows.push(vec![info.name.to_owned(), settles, info.cost.to_owned(), info.title.to_owned()]);
    }
    for line in rows.lines() {
        printer.line(line);
    }
    printer.note("\nhint: `tiltyard policy show NAME` tells all about one");
}

fn show(info: &Info, format: ListFormat, printer: &mut Printer) {
    if format == ListFormat::Json {
        printer.line(to_json(info));
        return;
    }
    printer.line(info.page().trim_end());
    printer.line("\n## Facts\n");
    for (fact, value) in facts(info) {
        printer.line(format_args!("- {fact}: {value}"));
    }
}

fn facts(info: &Info) -> Vec<(&'static str, String)> {
    let or_none = |list: Vec<String>| if list.is_empty() { "none".to_owned() } else { list.join("; ") };
    vec![
        ("assumptions", or_none(info.assumptions.iter().map(ToString::to_string).collect())),
        ("needs a horizon", info.horizon.unwrap_or("never").to_owned()),
        ("settles on", info.settles.to_string()),
        ("minimises", format!("{} regret", info.minimises)),
        ("cost", info.cost.to_owned()),
        ("capabilities", or_none(capabilities(info).into_iter().map(str::to_owned).collect())),
        ("fed", if info.binary { "wins and losses" } else { "any score" }.to_owned()),
        ("reference", info.reference.to_string()),
    ]
}

/// What it can do, asked of the policy itself in its default form.
fn capabilities(info: &Info) -> Vec<&'static str> {
    struct Ask;
    impl registry::Visitor for Ask {
        type Output = Vec<&'static str>;
        fn visit<P: Policy + 'static>(self, mut policy: P, _: Vec<(&'static str, String)>) -> Self::Output {
            let has = [
                ("additive", policy.additive().is_some()),
                ("elastic", policy.elastic().is_some()),
                ("distinct", policy.distinct().is_some()),
                ("sequential", policy.sequential().is_some()),
            ];
            has.into_iter().filter(|&(_, has)| has).map(|(name, _)| name).collect()
        }
    }
    let spec = info.name.parse().expect("a name is a specification");
    let context = Context { n_arms: 2, horizon: Some(1000) };
    let mut rng = tiltyard::Stream::new(0).rng();
    registry::visit(&spec, context, &mut rng, Ask).expect("every policy has a default form")
}

fn to_json(info: &Info) -> Value {
    let param = |param: &Param| json!({"key": param.key, "default": param.default, "legal": param.legal, "meaning": param.meaning});
    json!({
        "name": info.name,
        "title": info.title,
        "assumptions": info.assumptions.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "horizon": info.horizon,
        "settles": info.settles.to_string().split(':').next(),
        "minimises": info.minimises.to_string(),
        "cost": info.cost,
        "capabilities": capabilities(info),
        "binary": info.binary,
        "params": info.params.iter().map(param).collect::<Vec<_>>(),
        "reference": info.reference.to_string(),
    })
}
