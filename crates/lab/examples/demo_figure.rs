//! Draws figures from made-up curves, to be looked at: `cargo run -p tiltyard-lab --example
//! demo_figure -- DIR`.

use std::error::Error;
use std::path::PathBuf;

use tiltyard_lab::figure::{
    Axis, Bounds, Curve, Figure, Kind, Panel, Reference, ReferenceLine, StyleId, html_page,
};

/// Policies, with the exponent and the factor of their made-up regret.
const POLICIES: [(&str, &str, f64, f64); 9] = [
    ("rex3", "REX3 (anytime)", 0.52, 1.9),
    ("rex3:gmax=T/2", "REX3 (Gmax = T/2)", 0.50, 2.6),
    ("rex3:gmax=T/10", "REX3 (Gmax = T/10)", 0.51, 1.5),
    ("sparring:player=exp3", "Sparring + EXP3", 0.55, 1.9),
    ("rucb:alpha=0.51", "RUCB", 0.38, 14.0),
    ("btm:gamma=1.1,delta=1/T", "BTM", 0.72, 1.2),
    ("savage:rule=condorcet,delta=1/T", "SAVAGE (Condorcet)", 0.80, 0.8),
    ("if1", "Interleaved Filter 1", 0.70, 2.4),
    ("random", "random play", 1.0, 0.1),
];

fn panels(world: &str, difficulty: f64) -> [Panel; 2] {
    let mut regret = Panel::new(world, Axis::log("round"), Axis::log("regret"));
    let mut accuracy = Panel {
        height: 110.0,
        ..Panel::new("", Axis::log("round"), Axis::linear("accuracy").with_range(0.0, 1.0))
    };
    for (spec, label, exponent, factor) in POLICIES {
        let style = StyleId::of_policy(spec);
        let fixed = spec.contains("=T/") || spec.contains("1/T");
        let x: Vec<f64> = (0..7).map(|i| 10_f64.powf(3.0 + f64::from(i) / 2.0)).collect();
        let y: Vec<f64> = x.iter().map(|t| (difficulty * factor * t.powf(exponent)).min(0.1 * t)).collect();
        let around = |low: f64, high: f64| {
            Some(Bounds {
                low: y.iter().map(|y| y * low).collect(),
                high: y.iter().map(|y| y * high).collect(),
            })
        };
        let kind = if fixed { Kind::Points } else { Kind::Line };
        let (band, interval) = (around(0.55, 1.6), around(0.93, 1.08));
        let hits: Vec<f64> = x
            .iter()
            .map(|t| {
                let settled = 1.0 - 1.0 / (1.0 + (t / (difficulty * 2e4)).powf(2.0 - exponent));
                if spec == "random" { 0.0 } else { settled }
            })
            .collect();
        regret.curves.push(Curve { band, interval, kind, ..Curve::line(label, style, x.clone(), y) });
        accuracy.curves.push(Curve { kind, ..Curve::line(label, style, x, hits) });
    }
    let x: Vec<f64> = (0..25).map(|i| 10_f64.powf(3.0 + f64::from(i) / 8.0)).collect();
    let y = x.iter().map(|t| 5.5 * difficulty * t.sqrt()).collect();
    regret
        .references
        .push(Reference { label: "Corollary 1".to_owned(), line: ReferenceLine::Curve { x, y } });
    [regret, accuracy]
}

/// Every marker and dash pattern, error bars of all sizes, four references, curves that leave their
/// axes, and text that is long or hard to draw.
fn looks() -> Figure {
    let mut lines =
        Panel::new("Ten markers, − 10⁻³ ± µ·ψ … 漢", Axis::linear("x"), Axis::linear("y (linear)"));
    let mut cut = Panel::new(
        "A title that goes on for so long that it must be cut somewhere",
        Axis::log("K").with_range(4.0, 136.0),
        Axis::linear("y").with_range(-2.0, 6.0),
    );
    for n in 0..10_u32 {
        let (style, height) = (StyleId::nth(n as usize), f64::from(n));
        let x: Vec<f64> = (0..6).map(f64::from).collect();
        let y: Vec<f64> = x.iter().map(|x| height + 0.4 * (x * (1.0 + height / 9.0)).sin()).collect();
        let label = format!("style {n}: AVATAR, fiddle, \"<&>\"");
        lines.curves.push(Curve::line(&label, style, x.clone(), y.clone()));
        let x: Vec<f64> = x.iter().map(|x| 5.0 * 2_f64.powf(x + height / 20.0)).collect();
        let around = |width: f64| {
            let [low, high] = [-width, width].map(|by| y.iter().map(|y| y + by).collect());
            Some(Bounds { low, high })
        };
        let kind = if n % 2 == 0 { Kind::Points } else { Kind::Line };
        let (band, interval) = (around(1.0), around(0.05 * height));
        cut.curves.push(Curve { band, interval, kind, ..Curve::line(&label, style, x, y.clone()) });
    }
    for (i, level) in [-1.0, 0.5, 2.5, 4.5].into_iter().enumerate() {
        let label = format!("reference {}", i + 1);
        cut.references.push(Reference { label, line: ReferenceLine::Level(level) });
    }
    let empty = Panel { height: 80.0, ..Panel::new("Nothing", Axis::linear("x"), Axis::log("y")) };
    let few = vec![0.003, 0.02, 0.011];
    let mut narrow = Panel { height: 80.0, ..Panel::new("", Axis::linear("share"), Axis::log("log, short")) };
    narrow.curves.push(Curve::line("three points", StyleId::nth(3), few.clone(), few));
    Figure {
        title: "Looks: what a figure can show".to_owned(),
        subtitle: "A tab\tand a line\nbreak.".to_owned(),
        panels: vec![lines, cut, empty, narrow],
        columns: 2,
        footer: "no specification".to_owned(),
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let directory = std::env::args_os().nth(1).map_or_else(|| PathBuf::from("."), PathBuf::from);
    std::fs::write(directory.join("looks.svg"), looks().to_svg())?;
    std::fs::write(directory.join("looks.png"), looks().to_png(2.0)?)?;
    let worlds =
        [("arXiv-6", 1.0), ("NP2004-64 (synthetic)", 2.5), ("MSLR-136 navigational (synthetic)", 4.0)];
    for columns in 1..=worlds.len() {
        let pairs: Vec<_> =
            worlds[..columns].iter().map(|&(world, difficulty)| panels(world, difficulty)).collect();
        let rows = [0, 1].map(|row| pairs.iter().map(move |pair| pair[row].clone()));
        let figure = Figure {
            title: "Regret and accuracy of eight policies".to_owned(),
            subtitle: "Made-up curves. Bands: smallest and largest of 100 runs, and the 95 % interval of the mean; points with bars: \
                       policies that know the horizon."
                .to_owned(),
            panels: rows.into_iter().flatten().collect(),
            columns,
            footer: "specification 1f3a9c0d, seed 1, tiltyard 0.1.0".to_owned(),
        };
        let path = |ending: &str| directory.join(format!("demo-{columns}.{ending}"));
        std::fs::write(path("svg"), figure.to_svg())?;
        std::fs::write(path("png"), figure.to_png(2.0)?)?;
        std::fs::write(path("html"), html_page("demo", &[figure.clone(), figure]))?;
    }
    Ok(())
}
