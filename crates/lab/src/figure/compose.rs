//! A figure as one list of shapes: title, legend, panels in rows, footer.

use core::fmt::Write as _;

use kuva::render::color::Color;
use kuva::render::render::{Primitive, Scene, TextAnchor};

use super::legend::{self, Entry, Grid, Sample};
use super::plot::{self, ROOM};
use super::points::Drawn;
use super::svg::{Escaped, Px};
use super::theme::{self, Rgb};
use super::{Figure, Panel};

/// Free space at the edges.
const EDGE: f64 = 16.0;
/// Left of a plot, for the labels of ticks.
const TICKS: f64 = 44.0;
/// Left of the first plot of a row, for the name of its axis.
const AXIS_NAME: f64 = 18.0;
/// Above a plot, for its title.
const PANEL_TITLE: f64 = 24.0;
/// Below a plot, for ticks.
const BELOW: f64 = 26.0;
/// Below that, for the name of its axis.
const NAME_BELOW: f64 = 18.0;
/// Lines of the footer.
const FOOTER_LINE: f64 = 14.0;

/// What is put on paper for a reader with a pointer, beside the picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extra {
    /// Nothing.
    None,
    /// The numbers of each point, for the script.
    Points,
}

/// The size of a figure, and where things are in it.
struct Plan<'a> {
    figure: &'a Figure,
    entries: Vec<Entry>,
    columns: usize,
    plot_width: f64,
    width: f64,
    legend: Grid,
    legend_top: f64,
    panels_top: f64,
    footer: Vec<String>,
}

impl<'a> Plan<'a> {
    fn of(figure: &'a Figure) -> Self {
        let n = figure.panels.len().max(1);
        let columns = if figure.columns == 0 { n } else { figure.columns.min(n) };
        let plot_width = match columns {
            1 => 460.0,
            2 => 330.0,
            3 => 270.0,
            _ => 240.0,
        };
        let width = EDGE
            + AXIS_NAME
            + columns as f64 * (TICKS + plot_width)
            + (columns - 1) as f64 * 10.0
            + EDGE
            + 6.0;
        let entries = legend::entries(figure);
        let legend = Grid::of(&entries, width - 2.0 * EDGE);
        let mut legend_top = 14.0;
        if !figure.title.is_empty() {
            legend_top += 22.0;
        }
        legend_top += 17.0 * wrapped(&figure.subtitle, 12.0, width - 2.0 * EDGE).len() as f64;
        let panels_top = legend_top + legend.height + if entries.is_empty() { 0.0 } else { 8.0 };
        let mut notes = figure.footer.clone();
        let dropped = figure.dropped();
        if dropped > 0 {
            let separator = if notes.is_empty() { "" } else { "; " };
            write!(notes, "{separator}{dropped} points have no place on their axes and are not shown")
                .expect("a string takes any text");
        }
        let footer = wrapped(&notes, 10.0, width - 2.0 * EDGE);
        Self { figure, entries, columns, plot_width, width, legend, legend_top, panels_top, footer }
    }

    fn rows(&self) -> impl ExactSizeIterator<Item = &'a [Panel]> {
        self.figure.panels.chunks(self.columns)
    }

    /// Whether the axis below a panel has its name written: not if the panel under it has the same, which then serves both.
    fn names_x(&self, number: usize) -> bool {
        let panels = &self.figure.panels;
        panels.get(number + self.columns).is_none_or(|below| below.x.label != panels[number].x.label)
    }

    /// Room for the titles of a row: nothing but a gap if there are none.
    fn title_height(row: &[Panel]) -> f64 {
        if row.iter().all(|panel| panel.title.is_empty()) { 8.0 } else { PANEL_TITLE }
    }

    /// The height of a row, with all that is around its plots.
    fn whole_height(&self, row: usize) -> f64 {
        let first = row * self.columns;
        let panels = &self.figure.panels[first..(first + self.columns).min(self.figure.panels.len())];
        let named = (first..first + panels.len()).any(|number| self.names_x(number));
        let name = if named { NAME_BELOW } else { 0.0 };
        Self::title_height(panels) + Self::row_height(panels) + BELOW + name
    }

    /// The height of a row of panels, without what is around them.
    fn row_height(row: &[Panel]) -> f64 {
        row.iter().map(|panel| panel.height).fold(0.0, f64::max)
    }

    fn height(&self) -> f64 {
        let rows: f64 = (0..self.rows().len()).map(|row| self.whole_height(row)).sum();
        self.panels_top + rows + self.footer.len() as f64 * FOOTER_LINE + 10.0
    }
}

/// The whole figure. `id` keeps names inside it apart from those of other figures on a page.
pub(super) fn compose(figure: &Figure, id: &str, extra: Extra) -> Scene {
    let plan = Plan::of(figure);
    let mut scene = Scene::new(plan.width, plan.height());
    scene.background_color = Some(theme::PAPER_COLOUR.0.to_string());
    scene.text_color = Some(theme::INK_COLOUR.0.to_string());
    let mut y = 14.0;
    if !figure.title.is_empty() {
        put(&mut scene, text(&figure.title, EDGE, y + 13.0, 16, TextAnchor::Start).bold());
        y += 22.0;
    }
    for line in wrapped(&figure.subtitle, 12.0, plan.width - 2.0 * EDGE) {
        put(&mut scene, text(&line, EDGE, y + 10.0, 12, TextAnchor::Start).soft());
        y += 17.0;
    }
    put_legend(&mut scene, &plan);
    let mut top = plan.panels_top;
    for (i, row) in plan.rows().enumerate() {
        let plot_top = top + Plan::title_height(row);
        for (column, panel) in row.iter().enumerate() {
            let left = EDGE + AXIS_NAME + TICKS + column as f64 * (TICKS + plan.plot_width + 10.0);
            let place = Place { left, top: plot_top, number: i * plan.columns + column, id, extra };
            put_panel(&mut scene, &plan, panel, &place);
        }
        top += plan.whole_height(i);
    }
    for (i, line) in plan.footer.iter().enumerate() {
        put(&mut scene, text(line, EDGE, top + 8.0 + i as f64 * FOOTER_LINE, 10, TextAnchor::Start).soft());
    }
    scene
}

fn put_legend(scene: &mut Scene, plan: &Plan<'_>) {
    let grid = &plan.legend;
    let size = (plan.width, grid.height.max(1.0));
    let places: Vec<_> = plan
        .entries
        .iter()
        .enumerate()
        .filter_map(|(i, entry)| match entry.sample {
            Sample::Curve(style, kind) => {
                let (x, y) = grid.place(i);
                Some((x, y, style, kind))
            }
            Sample::Reference(_) => None,
        })
        .collect();
    // Curves come first in a legend, so that the number of a sample is the number of its entry.
    let mut samples = plot::samples(&places, legend::SAMPLE, size).lines.into_iter();
    for (i, entry) in plan.entries.iter().enumerate() {
        let (x, y) = grid.place(i);
        let attributes = format!("class=\"ty-entry\" data-curve=\"{i}\"");
        scene.add(group(EDGE, plan.legend_top, Some(attributes)));
        match entry.sample {
            Sample::Curve(..) => {
                scene.add(group(-ROOM, -ROOM, None));
                scene.elements.extend(samples.next().unwrap_or_default());
                scene.add(Primitive::GroupEnd);
            }
            Sample::Reference(number) => scene.add(Primitive::Line {
                x1: x,
                y1: y,
                x2: x + legend::SAMPLE,
                y2: y,
                stroke: colour(theme::SOFT_COLOUR.0),
                stroke_width: 1.2,
                stroke_dasharray: Some(plot::reference_dash(number).to_owned()),
            }),
        }
        let label = legend::cut(&entry.label);
        put(scene, text(&label, x + legend::SAMPLE + 6.0, y + 4.0, 11, TextAnchor::Start));
        scene.add(Primitive::GroupEnd);
    }
}

/// Where a panel stands.
struct Place<'a> {
    left: f64,
    top: f64,
    number: usize,
    id: &'a str,
    extra: Extra,
}

fn put_panel(scene: &mut Scene, plan: &Plan<'_>, panel: &Panel, place: &Place<'_>) {
    let &Place { left, top, number, id, extra } = place;
    let drawn = Drawn::of(panel);
    let (width, height) = (plan.plot_width, panel.height);
    let number_of =
        |label: &str| plan.entries.iter().position(|entry| entry.label == label).unwrap_or_default();
    let styles: Vec<_> = panel
        .curves
        .iter()
        .map(|curve| match plan.entries[number_of(&curve.label)].sample {
            Sample::Curve(style, _) => style,
            Sample::Reference(_) => curve.style,
        })
        .collect();
    let shapes = plot::panel(panel, &drawn, &styles, width);

    let title = shortened(&panel.title, 13.0, width + TICKS / 2.0);
    put(scene, text(&title, left, top - 8.0, 12, TextAnchor::Start).bold());
    let middle = top + height / 2.0;
    if number.is_multiple_of(plan.columns) {
        put(scene, text(&panel.y.label, EDGE + 8.0, middle, 12, TextAnchor::Middle).soft().upwards());
    }
    if plan.names_x(number) {
        put(
            scene,
            text(&panel.x.label, left + width / 2.0, top + height + 33.0, 12, TextAnchor::Middle).soft(),
        );
    }
    if drawn.curves.iter().all(|points| points.at.is_empty() && points.line.is_empty()) {
        put(scene, text("no data", left + width / 2.0, middle, 12, TextAnchor::Middle).soft());
    }

    // Where the plot is and what its axes reach, for a script that turns places into numbers.
    let about = (extra == Extra::Points).then(|| {
        format!(
            "class=\"ty-panel\" data-box=\"{} {} {} {}\" data-x-axis=\"{}\" data-y-axis=\"{}\"",
            Px(left),
            Px(top),
            Px(width),
            Px(height),
            drawn.x,
            drawn.y
        )
    });
    scene.add(group(left - ROOM, top - ROOM, about));
    scene.elements.extend(shapes.frame);
    let [x, y, w, h] = plot::clip(width, height);
    let clip = format!("{id}-{number}");
    scene.defs.push(format!(
        "<clipPath id=\"{clip}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/></clipPath>",
        Px(x),
        Px(y),
        Px(w),
        Px(h)
    ));
    scene.add(Primitive::ClipStart { x, y, width: w, height: h, id: clip });
    for (curve, band) in panel.curves.iter().zip(shapes.bands).filter(|(_, band)| !band.is_empty()) {
        let attributes = format!("class=\"ty-band\" data-curve=\"{}\"", number_of(&curve.label));
        scene.add(group(0.0, 0.0, Some(attributes)));
        scene.elements.extend(band);
        scene.add(Primitive::GroupEnd);
    }
    scene.elements.extend(shapes.references);
    for ((curve, line), points) in panel.curves.iter().zip(shapes.lines).zip(&drawn.curves) {
        let mut attributes = format!("class=\"ty-curve\" data-curve=\"{}\"", number_of(&curve.label));
        if extra == Extra::Points {
            let at = points
                .at
                .iter()
                .zip(points.interval.iter().flatten().map(Some).chain(std::iter::repeat(None)));
            let numbers: Vec<String> = at
                .map(|(&(x, y), interval)| {
                    let (px, py) = (left + drawn.x.share(x) * width, top + (1.0 - drawn.y.share(y)) * height);
                    let bounds = interval.map(|(low, high)| format!(" {low} {high}")).unwrap_or_default();
                    format!("{} {} {x} {y}{bounds}", Px(px), Px(py))
                })
                .collect();
            let [label, x, y] = [&curve.label, &panel.x.label, &panel.y.label].map(|text| Escaped(text));
            write!(
                attributes,
                " data-label=\"{label}\" data-x=\"{x}\" data-y=\"{y}\" data-points=\"{}\"",
                numbers.join(",")
            )
            .expect("a string takes any text");
        }
        // The name appears under the pointer even where no script runs.
        let title = (extra == Extra::None).then(|| plain(&curve.label));
        scene.add(Primitive::GroupStart { transform: None, title, extra_attrs: Some(attributes) });
        scene.elements.extend(line);
        scene.add(Primitive::GroupEnd);
    }
    scene.add(Primitive::ClipEnd);
    scene.add(Primitive::GroupEnd);
}

fn group(x: f64, y: f64, extra_attrs: Option<String>) -> Primitive {
    let moved = x.abs() + y.abs() > 0.0;
    let transform = moved.then(|| format!("translate({},{})", Px(x), Px(y)));
    Primitive::GroupStart { transform, title: None, extra_attrs }
}

/// A line of text to be put somewhere.
struct Text {
    content: String,
    at: (f64, f64),
    size: u32,
    anchor: TextAnchor,
    bold: bool,
    rotate: Option<f64>,
    paint: Rgb,
}

fn text(content: &str, x: f64, y: f64, size: u32, anchor: TextAnchor) -> Text {
    let paint = theme::INK_COLOUR.0;
    Text { content: plain(content), at: (x, y), size, anchor, bold: false, rotate: None, paint }
}

impl Text {
    fn bold(self) -> Self {
        Self { bold: true, ..self }
    }

    fn soft(self) -> Self {
        Self { paint: theme::SOFT_COLOUR.0, ..self }
    }

    fn upwards(self) -> Self {
        Self { rotate: Some(-90.0), ..self }
    }
}

fn put(scene: &mut Scene, text: Text) {
    if text.content.is_empty() {
        return;
    }
    scene.add(Primitive::Text {
        x: text.at.0,
        y: text.at.1,
        content: text.content,
        size: text.size,
        anchor: text.anchor,
        rotate: text.rotate,
        bold: text.bold,
        color: Some(colour(text.paint)),
    });
}

/// Text as it is: the library would read mathematics between dollar signs, and writes control characters through.
fn plain(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect::<String>().replace('$', "\\$")
}

fn colour(Rgb(red, green, blue): Rgb) -> Color {
    Color::Rgb(red, green, blue)
}

/// Text in lines of at most this width, broken between words.
fn wrapped(text: &str, size: f64, width: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if legend::text_width(&format!("{line} {word}"), size) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Text cut to a width, with dots where something is missing.
fn shortened(text: &str, size: f64, width: f64) -> String {
    let mut cut = text.to_owned();
    while legend::text_width(&cut, size) > width && cut.chars().count() > 1 {
        cut = cut.chars().take(cut.chars().count().saturating_sub(2)).chain(['\u{2026}']).collect();
    }
    cut
}
