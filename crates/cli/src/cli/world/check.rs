//! `tiltyard world check`: checks that a world is valid, and which assumptions of the algorithms
//! hold in it.

use serde_json::{Map, Value, json};
use tiltyard::Arm;
use tiltyard::bandit::matrix::Assumptions;
use tiltyard::world::{AnyWorld, ContinuousWorld as _, PointWorld, World as _};

use super::label;
use crate::printer::Printer;

pub(super) fn check(world: &AnyWorld, name: &str, printer: &mut Printer) {
    if let AnyWorld::Points(PointWorld(points)) = world {
        printer.line(format_args!("{name}: {} dimensions, no arms: ok", points.dimension()));
        return;
    }
    let Some(matrix) = world.matrix() else {
        if world.utility(1, Arm::new(0)).is_none() {
            let (n_arms, n_segments) = (world.n_arms(), world.segments().len());
            printer.line(format_args!("{name}: {n_arms} arms, {n_segments} segments, each a matrix: ok"));
            return;
        }
        printer.line(format_args!("{name}: {} arms, utilities in [0, 1]: ok", world.n_arms()));
        return;
    };
    printer.line(format_args!(
        "{name}: {} arms, entries in [0, 1], P + P' = 1, diagonal 1/2: ok",
        matrix.n_arms()
    ));
    printer.line("");
    print_verdicts(&matrix.assumptions(), |arm| label(arm, world.arm_name(arm)), printer);
}

/// The name of an assumption, and how it holds or why it does not.
struct Verdict {
    name: &'static str,
    held: Result<String, String>,
}

fn verdicts(ladder: &Assumptions, name: impl Fn(Arm) -> String) -> [Verdict; 5] {
    let condorcet = &ladder.condorcet;
    let relaxed = &ladder.relaxed_transitivity;
    [
        Verdict {
            name: "Condorcet winner",
            held: condorcet.map(|arm| format!("arm {}", name(arm))).map_err(|why| why.to_string()),
        },
        Verdict {
            name: "total order",
            held: ladder.total_order.as_ref().map(|_| String::new()).map_err(ToString::to_string),
        },
        Verdict {
            name: "strong transitivity",
            held: ladder.strong_transitivity.map(|()| String::new()).map_err(|why| why.to_string()),
        },
        Verdict {
            name: "relaxed transitivity",
            held: relaxed.map(|it| format!("with factor {:.3}", it.factor)).map_err(|why| why.to_string()),
        },
        Verdict {
            name: "triangle inequality",
            held: ladder.triangle_inequality.map(|()| String::new()).map_err(|why| why.to_string()),
        },
    ]
}

/// Prints one line per assumption.
pub(super) fn print_verdicts(ladder: &Assumptions, name: impl Fn(Arm) -> String, printer: &mut Printer) {
    for Verdict { name, held } in verdicts(ladder, name) {
        let (answer, why) = match &held {
            Ok(how) => ("yes", how),
            Err(why) => ("no ", why),
        };
        let separator = if why.is_empty() { "" } else { "  " };
        printer.line(format_args!("{name:<28}{answer}{separator}{why}"));
    }
}

/// One entry per assumption; its key is the name with `_` instead of spaces.
pub(super) fn verdicts_to_json(ladder: &Assumptions) -> Value {
    let entry = |Verdict { name, held }: Verdict| {
        let why = held.as_ref().err();
        (name.to_lowercase().replace(' ', "_"), json!({"holds": held.is_ok(), "why_not": why}))
    };
    let mut all: Map<String, Value> =
        verdicts(ladder, |arm| arm.to_string()).into_iter().map(entry).collect();
    if let Ok(relaxed) = &ladder.relaxed_transitivity {
        all["relaxed_transitivity"]["factor"] = json!(relaxed.factor);
    }
    Value::Object(all)
}
