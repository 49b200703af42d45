//! Figures are drawn whatever is put in, and look as they should.

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

/// The numbers in attributes that hold coordinates. Panics if one of them is not a number.
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

/// FNV-1a: enough to see a change, which must then be judged by eye.
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
        17_478_934_761_735_118_627,
        "look at it (examples/demo_figure.rs) before changing this number"
    );
}

/// Curves have the names that scripts look for: one entry in the legend per name, and the same
/// number in all panels.
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
    // The horizontal axis of both panels is named once.
    assert_eq!(svg.matches(">round</text>").count(), 1);
}

/// On a log axis 0 and negative numbers have no place. They are counted, and the rest is drawn.
#[test]
fn trace_points_without_a_place_are_counted() {
    let panel = log_log(vec![line("rex3", &[0.0, -5.0, 10.0, f64::NAN, f64::INFINITY, 30.0])]);
    let figure = figure(vec![panel]);
    assert_eq!(figure.dropped(), 4);
    let svg = figure.to_svg();
    assert_sound(&svg);
    assert!(svg.contains("seed 1; 4 points cannot be shown on their axes"), "{svg}");
    assert_eq!(small().dropped(), 0);
}

#[test]
fn trace_odd_curves() {
    let huge = Curve::line("huge", StyleId::nth(1), vec![1e-300, 1.0, 1e300], vec![1e-300, 1.0, 1e300]);
    let largest = line("largest", &[-f64::MAX, 1.0, f64::MAX, f64::MIN_POSITIVE]);
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
        vec![largest],
        vec![wild],
        vec![Curve { y: vec![1.0], ..line("uneven", &[1.0, 2.0, 3.0]) }],
    ];
    for curves in odd {
        for kind in [Kind::Line, Kind::Points] {
            let curves: Vec<Curve> = curves.iter().map(|curve| Curve { kind, ..curve.clone() }).collect();
            let linear =
                Panel { curves: curves.clone(), ..Panel::new("", Axis::linear("x"), Axis::linear("y")) };
            let figure = figure(vec![log_log(curves), linear]);
            assert_sound(&figure.to_svg());
            assert_balanced(&figure.to_svg());
            figure.to_png(0.5).unwrap();
        }
    }
    assert_sound(&Figure::default().to_svg());
}

/// Twenty curves have twenty entries, and long names are cut.
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

/// Names cannot break out of their place, and dollar signs do not begin mathematics.
#[test]
fn trace_text_is_escaped() {
    let mut figure = figure(vec![log_log(vec![line("<script>\"&$x$\u{1}", &[1.0, 2.0])])]);
    figure.title = "</title><b>".to_owned();
    for text in [figure.to_svg(), figure.to_html("figure-1")] {
        assert!(!text.contains("<script>") && !text.contains("<b>") && !text.contains('\u{1}'), "{text}");
        assert!(text.contains("&lt;script&gt;&quot;&amp;$x$"), "{text}");
    }
}

/// A page contains script and style once, its figures have different names, and nothing is fetched.
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
    assert!((x - first[0]).abs() < 0.02 && (y - first[1]).abs() < 0.02, "{x} {y} {first:?}");
}

/// Every element is closed, in the order in which the elements were opened, and attributes are
/// quoted.
fn assert_balanced(xml: &str) {
    let mut open = Vec::new();
    for piece in xml.split('<').skip(1) {
        let (tag, text) = piece.split_once('>').unwrap_or_else(|| panic!("`<{piece}` has no end"));
        assert!(!text.contains('>') || open.last() == Some(&"style"), "`{text}`");
        let name = tag.split([' ', '/']).find(|name| !name.is_empty()).unwrap();
        assert!(tag.matches('"').count().is_multiple_of(2), "`{tag}`");
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "`</{name}>` closes something else");
        } else if !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?} are not closed");
}

/// Every curve of every panel is a group with its name, line and markers, on a page and in a file.
#[test]
fn trace_a_picture_is_whole() {
    let figure = small();
    for text in [figure.to_svg(), figure.to_html("f"), Figure::default().to_svg()] {
        assert_balanced(&text);
    }
    let svg = figure.to_svg();
    assert_balanced(&svg);
    let groups: Vec<&str> =
        svg.split("<g class=\"ty-curve\"").skip(1).map(|rest| rest.split("</g>").next().unwrap()).collect();
    let shapes = |group: &str, shape: &str| group.matches(shape).count();
    let [regret, points, accuracy] = groups[..] else { panic!("{} curves", groups.len()) };
    for line in [regret, accuracy] {
        assert!(line.contains("<title>rex3</title>"), "{line}");
        assert_eq!((shapes(line, "<path "), shapes(line, "<circle ")), (1, 3), "{line}");
    }
    // Three bars and three diamonds.
    assert_eq!(shapes(points, "<path "), 6, "{points}");
    let band = svg.split("<g class=\"ty-band\"").nth(1).unwrap().split("</g>").next().unwrap();
    assert_eq!(shapes(band, "fill-opacity="), 2, "{band}");
}

/// A PNG as pixels, by the rules of the format.
struct Picture {
    width: usize,
    rgb: Vec<u8>,
}

impl Picture {
    /// Unpacks a file of three chunks. Their checksums must be right, and the rows must not be
    /// filtered.
    fn of(png: &[u8]) -> Self {
        let mut rest = png.strip_prefix(b"\x89PNG\r\n\x1a\n").unwrap();
        let mut chunks = Vec::new();
        while !rest.is_empty() {
            let (length, after) = rest.split_first_chunk::<4>().unwrap();
            let (chunk, after) = after.split_at(4 + u32::from_be_bytes(*length) as usize);
            let (sum, after) = after.split_first_chunk::<4>().unwrap();
            assert_eq!(crc32fast::hash(chunk), u32::from_be_bytes(*sum));
            chunks.push(chunk.split_at(4));
            rest = after;
        }
        let [(b"IHDR", header), (b"IDAT", packed), (b"IEND", [])] = chunks[..] else {
            panic!("other chunks")
        };
        let side = |at: usize| u32::from_be_bytes(header[at..at + 4].try_into().unwrap()) as usize;
        let (width, height) = (side(0), side(4));
        assert_eq!(header[8..], [8, 2, 0, 0, 0]);
        let mut rows = Vec::new();
        std::io::Read::read_to_end(&mut flate2::read::ZlibDecoder::new(packed), &mut rows).unwrap();
        assert_eq!(rows.len(), height * (1 + 3 * width));
        let rows = rows.chunks_exact(1 + 3 * width);
        assert!(rows.clone().all(|row| row[0] == 0));
        Self { width, rgb: rows.flat_map(|row| row[1..].to_vec()).collect() }
    }

    fn at(&self, x: f64, y: f64) -> [u8; 3] {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a pixel")]
        let at = 3 * (y as usize * self.width + x as usize);
        self.rgb[at..at + 3].try_into().unwrap()
    }

    /// The places of all pixels of this colour.
    fn of_colour(&self, colour: [u8; 3]) -> Vec<(usize, usize)> {
        let pixels = self.rgb.chunks_exact(3).enumerate();
        pixels.filter(|(_, rgb)| *rgb == colour).map(|(i, _)| (i % self.width, i / self.width)).collect()
    }
}

const BLUE: [u8; 3] = [0x00, 0x72, 0xb2];
const SOFT: [u8; 3] = [0x5b, 0x62, 0x6c];
const WHITE: [u8; 3] = [255; 3];

/// The place of the first plot in pixels, as scripts read it.
fn first_box(figure: &Figure) -> [f64; 4] {
    let page = figure.to_html("f");
    let numbers = page.split("data-box=\"").nth(1).unwrap().split('"').next().unwrap();
    let numbers: Vec<f64> = numbers.split(' ').map(|number| number.parse().unwrap()).collect();
    numbers.try_into().unwrap()
}

/// A marker has its colour where the page says that the point is. The title is written above, on
/// white.
#[test]
fn trace_pixels_of_a_small_figure() {
    let figure = small();
    let picture = Picture::of(&figure.to_png(2.0).unwrap());
    let page = figure.to_html("f");
    // The last curve, because nothing is drawn over it.
    let curve = page.rsplit("data-label=\"rex3\"").next().unwrap();
    let points = curve.split("data-points=\"").nth(1).unwrap().split('"').next().unwrap();
    for point in points.split(',') {
        let place: Vec<f64> = point.split(' ').take(2).map(|number| number.parse().unwrap()).collect();
        assert_eq!(picture.at(2.0 * place[0], 2.0 * place[1]), BLUE, "{point}");
        assert_ne!(picture.at(2.0 * place[0], 2.0 * (place[1] - 5.0)), BLUE, "{point}");
    }
    assert_eq!(picture.at(0.0, 0.0), WHITE);
    let dark = |rows: std::ops::Range<usize>| {
        let row = |y: usize| &picture.rgb[3 * y * picture.width..3 * (y + 1) * picture.width];
        rows.map(|y| row(y).iter().filter(|&&byte| byte < 64).count()).sum::<usize>()
    };
    // The baseline of the title is line 27.
    assert!(dark(28..54) > 500, "{}", dark(28..54));
    assert_eq!(dark(0..24), 0);
}

/// A reference at a level is a row of dashes of length 5 with gaps of 3. Here they are 10 and 6
/// pixels.
#[test]
fn trace_references_are_dashed_in_pixels() {
    let mut panel = Panel::new("", Axis::linear("x"), Axis::linear("y").with_range(0.0, 1.0));
    panel.references.push(Reference { label: "r".to_owned(), line: ReferenceLine::Level(0.5) });
    panel.curves.push(Curve::line("c", StyleId::nth(0), vec![0.0, 1.0], vec![0.0, 0.0]));
    let figure = figure(vec![panel]);
    let [left, top, width, height] = first_box(&figure).map(|length| 2.0 * length);
    let picture = Picture::of(&figure.to_png(2.0).unwrap());
    let middle = top + height / 2.0;
    #[expect(clippy::cast_possible_truncation, reason = "pixels")]
    let row: Vec<bool> = (0..width as i32).map(|x| picture.at(left + f64::from(x), middle) == SOFT).collect();
    for (x, &dash) in row.iter().enumerate().skip(1) {
        assert_eq!(dash, x % 16 < 10, "{x}");
    }
}

/// A curve far outside its axes leaves no trace outside the frame, neither in pixels nor in the
/// file.
#[test]
fn trace_curves_stay_inside_the_frame() {
    let mut panel =
        Panel::new("", Axis::linear("x").with_range(4.0, 6.0), Axis::linear("y").with_range(0.0, 1.0));
    let x: Vec<f64> = (0..=20).map(|i| f64::from(i) / 2.0).collect();
    let y = (0..=20).map(|i| if i % 2 == 0 { -30.0 } else { 30.0 }).collect();
    panel.curves.push(Curve::line("rex3", StyleId::of_policy("rex3"), x, y));
    let figure = figure(vec![panel]);
    let [left, top, width, height] = first_box(&figure);
    let picture = Picture::of(&figure.to_png(1.0).unwrap());
    let blue = picture.of_colour(BLUE);
    let inside = |&&(x, y): &&(usize, usize)| {
        let (x, y) = (x as f64, y as f64);
        (left - 5.0..=left + width + 5.0).contains(&x) && (top - 5.0..=top + height + 5.0).contains(&y)
    };
    let legend = |&&(_, y): &&(usize, usize)| (y as f64) < top - 10.0;
    assert!(blue.iter().filter(inside).count() > 100);
    assert_eq!(blue.iter().filter(|at| !inside(at) && !legend(at)).count(), 0);
    assert_sound(&figure.to_svg());
}

/// Every figure becomes a PNG or is refused for its size, before memory is allocated for it.
#[test]
fn trace_odd_figures_as_png() {
    let long = figure(vec![log_log(vec![line("漢 \u{10ffff} \t\u{1}", &[1.0, 2.0])])]);
    let long = Figure { title: "W".repeat(10_000), footer: "⁵±…−·".repeat(100), ..long };
    for figure in [Figure::default(), long, figure(vec![log_log(Vec::new())])] {
        assert!(Picture::of(&figure.to_png(1.0).unwrap()).width > 100);
    }
    let high = |height: f64| {
        let panel = Panel { height, ..log_log(vec![line("rex3", &[1.0, 2.0])]) };
        figure(vec![panel]).to_png(1.0)
    };
    for height in [1e6, 1e300, f64::INFINITY] {
        assert!(high(height).unwrap_err().to_string().contains("cannot be drawn"), "{height}");
    }
    assert!(high(-1e6).is_ok() && high(f64::NAN).is_ok());
    let wide = Figure { columns: 0, ..figure(vec![log_log(Vec::new()); 100]) };
    assert!(wide.to_png(1.0).is_err());
}

#[test]
fn trace_a_png_has_text_and_size() {
    let figure = small();
    let (once, twice) = (figure.to_png(1.0).unwrap(), figure.to_png(2.0).unwrap());
    let size = |png: &[u8]| [16, 20].map(|at| u32::from_be_bytes(png[at..at + 4].try_into().unwrap()));
    assert_eq!(&once[1..4], b"PNG");
    assert_eq!(size(&once).map(|side| 2 * side), size(&twice));
    // Without its title and footer the file is much smaller.
    let silent = Figure { title: String::new(), footer: String::new(), ..figure.clone() };
    assert!(silent.to_png(1.0).unwrap().len() + 500 < once.len());
    assert!(figure.to_png(1e9).unwrap_err().to_string().contains("cannot be drawn"));
}
