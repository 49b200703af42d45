//! Figures that must come out whatever is put in.

#![expect(clippy::unwrap_used, reason = "a test that cannot unwrap has failed")]

use tiltyard_lab::figure::{
    Axis, Bounds, Curve, Figure, Kind, Panel, Reference, ReferenceLine, StyleId, html_head, html_page,
};

fn figure(panels: Vec<Panel>) -> Figure {
    Figure {
        title: "a title".to_owned(),
        panels,
        columns: 2,
        footer: "seed 1".to_owned(),
        ..Figure::default()
    }
}

fn log_log(curves: Vec<Curve>) -> Panel {
    Panel { curves, ..Panel::new("a panel", Axis::log("round"), Axis::log("regret")) }
}

fn line(label: &str, y: &[f64]) -> Curve {
    let x = (0..y.len()).map(|i| 10_f64.powi(3 + i32::try_from(i).unwrap())).collect();
    Curve::line(label, StyleId::of_policy(label), x, y.to_vec())
}

/// The numbers in attributes that hold coordinates, all of which must be numbers.
fn coordinates(svg: &str) -> Vec<f64> {
    let mut found = Vec::new();
    for name in [
        " x=\"",
        " y=\"",
        " cx=\"",
        " cy=\"",
        " x1=\"",
        " y1=\"",
        " x2=\"",
        " y2=\"",
        " width=\"",
        " height=\"",
        " d=\"",
    ] {
        for rest in svg.split(name).skip(1) {
            let value = rest.split('"').next().unwrap();
            let numbers =
                value.split(|c: char| c.is_ascii_alphabetic() && c != 'e' || matches!(c, ' ' | ',' | '%'));
            for number in numbers.filter(|number| !number.is_empty()) {
                found.push(number.parse::<f64>().unwrap_or_else(|_| panic!("`{number}` in `{value}`")));
            }
        }
    }
    found
}

fn assert_sound(svg: &str) {
    for word in ["NaN", "inf"] {
        assert!(!svg.contains(word), "`{word}` in\n{svg}");
    }
    let coordinates = coordinates(svg);
    assert!(!coordinates.is_empty());
    // Nothing is drawn miles from the picture.
    assert!(coordinates.iter().all(|at| at.is_finite() && at.abs() < 5000.0), "{coordinates:?}");
    let opened = svg.matches("<g").count();
    assert_eq!(opened, svg.matches("</g>").count());
}

fn small() -> Figure {
    let mut curve = line("rex3", &[40.0, 130.0, 420.0]);
    curve.band = Some(Bounds { low: vec![20.0, 60.0, 200.0], high: vec![80.0, 250.0, 900.0] });
    curve.interval = Some(Bounds { low: vec![38.0, 125.0, 400.0], high: vec![42.0, 135.0, 440.0] });
    let mut points = line("btm:delta=1/T", &[90.0, 700.0, 5000.0]);
    points.kind = Kind::Points;
    points.interval = Some(Bounds { low: vec![80.0, 600.0, 4500.0], high: vec![100.0, 800.0, 5500.0] });
    let mut regret = log_log(vec![curve, points]);
    regret.references.push(Reference { label: "a bound".to_owned(), line: ReferenceLine::Level(1000.0) });
    let accuracy = Axis::linear("accuracy").with_range(0.0, 1.0);
    let accuracy = Panel {
        curves: vec![line("rex3", &[0.1, 0.5, 1.0])],
        ..Panel::new("", Axis::log("round"), accuracy)
    };
    Figure { columns: 1, ..figure(vec![regret, accuracy]) }
}

/// FNV-1a: enough to see a change, whose look must then be judged by eye.
fn digest(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[test]
fn stable_a_small_figure() {
    let svg = small().to_svg();
    assert_sound(&svg);
    assert_eq!(
        digest(&svg),
        16_133_033_712_229_749_753,
        "look at it (examples/demo_figure.rs) before changing this number"
    );
}

/// Curves have the names that scripts look for: one entry in the legend for each name, and the same number in all panels.
#[test]
fn trace_what_a_figure_holds() {
    let svg = small().to_svg();
    assert_eq!(svg.matches("class=\"ty-entry\"").count(), 3);
    assert_eq!(svg.matches("class=\"ty-curve\" data-curve=\"0\"").count(), 2);
    assert_eq!(svg.matches("class=\"ty-curve\" data-curve=\"1\"").count(), 1);
    assert_eq!(svg.matches("class=\"ty-band\"").count(), 1);
    // Blue for REX3, on white and on black.
    assert!(svg.contains("stroke=\"#0072b2\"") && svg.contains("prefers-color-scheme:dark"));
    for text in ["a title", "seed 1", "regret", "accuracy", "10⁵", "a bound"] {
        assert!(svg.contains(&format!(">{text}</text>")), "`{text}` is missing");
    }
    // The axis below both panels is named once.
    assert_eq!(svg.matches(">round</text>").count(), 1);
}

/// On a log axis 0 and negative numbers have no place; they are counted and the rest is drawn.
#[test]
fn trace_points_without_a_place_are_counted() {
    let panel = log_log(vec![line("rex3", &[0.0, -5.0, 10.0, f64::NAN, f64::INFINITY, 30.0])]);
    let figure = figure(vec![panel]);
    assert_eq!(figure.dropped(), 4);
    let svg = figure.to_svg();
    assert_sound(&svg);
    assert!(svg.contains("seed 1; 4 points have no place on their axes and are not shown"), "{svg}");
    assert_eq!(small().dropped(), 0);
}

#[test]
fn trace_odd_curves() {
    let huge = Curve::line("huge", StyleId::nth(1), vec![1e-300, 1.0, 1e300], vec![1e-300, 1.0, 1e300]);
    let mut wild = line("wild", &[1.0, 2.0]);
    wild.band = Some(Bounds { low: vec![f64::NEG_INFINITY, f64::NAN], high: vec![f64::INFINITY, 1e300] });
    wild.interval = Some(Bounds { low: vec![], high: vec![2.0] });
    let odd = [
        vec![],
        vec![line("empty", &[])],
        vec![line("one point", &[5.0])],
        vec![line("nothing legal", &[-1.0, f64::NAN])],
        vec![line("flat", &[3.0, 3.0, 3.0])],
        vec![huge],
        vec![wild],
        vec![Curve { y: vec![1.0], ..line("uneven", &[1.0, 2.0, 3.0]) }],
    ];
    for curves in odd {
        for kind in [Kind::Line, Kind::Points] {
            let curves: Vec<Curve> = curves.iter().map(|curve| Curve { kind, ..curve.clone() }).collect();
            let linear =
                Panel { curves: curves.clone(), ..Panel::new("", Axis::linear("x"), Axis::linear("y")) };
            assert_sound(&figure(vec![log_log(curves), linear]).to_svg());
        }
    }
    assert_sound(&Figure::default().to_svg());
}

/// Twenty curves: twenty entries, and names cut where they must be.
#[test]
fn trace_twenty_curves_and_long_names() {
    let long =
        "a policy with a name that goes on and on and would not fit into any legend of reasonable width";
    let curves: Vec<Curve> = (0..20)
        .map(|i| Curve {
            style: StyleId::nth(0),
            ..line(&format!("{i} {long}"), &[1.0 + f64::from(i), 50.0])
        })
        .collect();
    let svg = figure(vec![log_log(curves)]).to_svg();
    assert_sound(&svg);
    assert_eq!(svg.matches("class=\"ty-entry\"").count(), 20);
    assert!(svg.contains("\u{2026}</text>"));
}

/// Names cannot break out of their place, and dollar signs are no mathematics.
#[test]
fn trace_text_is_escaped() {
    let mut figure = figure(vec![log_log(vec![line("<script>\"&$x$\u{1}", &[1.0, 2.0])])]);
    figure.title = "</title><b>".to_owned();
    for text in [figure.to_svg(), figure.to_html("figure-1")] {
        assert!(!text.contains("<script>") && !text.contains("<b>") && !text.contains('\u{1}'), "{text}");
        assert!(text.contains("&lt;script&gt;&quot;&amp;$x$"), "{text}");
    }
}

/// A page holds script and style once, figures have names of their own, and nothing is fetched.
#[test]
fn trace_pages_are_whole() {
    let page = html_page("two <figures>", &[small(), small()]);
    assert_eq!((page.matches("<script>").count(), page.matches("<figure ").count()), (1, 2));
    assert!(page.contains("id=\"figure-1-0\"") && page.contains("url(#figure-2-1)"));
    let elsewhere = page.replace("http://www.w3.org/2000/svg", "");
    for word in ["http", "src=", "@import", "href"] {
        assert!(!elsewhere.contains(word), "`{word}`");
    }
    assert!(page.contains("<title>two &lt;figures&gt;</title>") && html_head().contains("pointermove"));
}

/// The numbers for the pointer are where the markers are.
#[test]
fn trace_points_lie_on_their_markers() {
    let page = small().to_html("f");
    let curve = page.split("data-label=\"rex3\"").nth(1).unwrap();
    let points = curve.split("data-points=\"").nth(1).unwrap().split('"').next().unwrap();
    let first: Vec<f64> =
        points.split(',').next().unwrap().split(' ').map(|number| number.parse().unwrap()).collect();
    assert_eq!(&first[2..], [1000.0, 40.0, 38.0, 42.0]);
    let marker = curve.split("<circle cx=\"").nth(1).unwrap();
    let number = |after: &str| -> f64 {
        marker.split(after).nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
    };
    let (x, y): (f64, f64) = (marker.split('"').next().unwrap().parse().unwrap(), number("cy=\""));
    // The panel is moved by the last translation before the curve.
    let moved = page.split("data-label=\"rex3\"").next().unwrap().rsplit("translate(").next().unwrap();
    let moved: Vec<f64> =
        moved.split(')').next().unwrap().split(',').map(|number| number.parse().unwrap()).collect();
    assert!(
        (x + moved[0] - first[0]).abs() < 0.02 && (y + moved[1] - first[1]).abs() < 0.02,
        "{x} {y} {moved:?} {first:?}"
    );
}

#[cfg(feature = "png")]
#[test]
fn trace_a_png_has_text_and_size() {
    let figure = small();
    let (once, twice) = (figure.to_png(1.0).unwrap(), figure.to_png(2.0).unwrap());
    let size = |png: &[u8]| [16, 20].map(|at| u32::from_be_bytes(png[at..at + 4].try_into().unwrap()));
    assert_eq!(&once[1..4], b"PNG");
    assert_eq!(size(&once).map(|side| 2 * side), size(&twice));
    // Without its font the same figure has no text, and is much smaller.
    let silent = Figure { title: String::new(), footer: String::new(), ..figure.clone() };
    assert!(silent.to_png(1.0).unwrap().len() + 500 < once.len());
    assert!(figure.to_png(1e9).unwrap_err().to_string().contains("cannot be drawn"));
}
