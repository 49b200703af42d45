//! A figure as one list of shapes: title, legend, panels in rows, footer.

use core::fmt::Write as _;

use super::frame::Frame;
use super::legend::{self, Grid, LegendEntry, Sample};
use super::points::{Drawn, Points};
use super::scene::{Anchor, At, Group, Rect, Scene, Shape, Text};
use super::svg::Px;
use super::{Figure, Panel, plot, theme};

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

/// Data for a reader with a pointer, besides the picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extra {
    None,
    /// The numbers of each point, for the script.
    Points,
}

/// The size of a figure, and the places of its parts.
struct Layout<'a> {
    figure: &'a Figure,
    entries: Vec<LegendEntry>,
    columns: usize,
    plot_width: f64,
    width: f64,
    legend: Grid,
    legend_top: f64,
    panels_top: f64,
    footer: Vec<String>,
}

impl<'a> Layout<'a> {
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
            write!(notes, "{separator}{dropped} points cannot be shown on their axes")
                .expect("writing to a string cannot fail");
        }
        let footer = wrapped(&notes, 10.0, width - 2.0 * EDGE);
        Self { figure, entries, columns, plot_width, width, legend, legend_top, panels_top, footer }
    }

    fn rows(&self) -> impl ExactSizeIterator<Item = &'a [Panel]> {
        self.figure.panels.chunks(self.columns)
    }

    /// Whether the name of the horizontal axis is written below a panel. If the panel below has the
    /// same name, that one serves both.
    fn names_x(&self, number: usize) -> bool {
        let panels = &self.figure.panels;
        panels.get(number + self.columns).is_none_or(|below| below.x.label != panels[number].x.label)
    }

    /// The height of the titles of a row; only a gap if there are none.
    fn title_height(row: &[Panel]) -> f64 {
        if row.iter().all(|panel| panel.title.is_empty()) { 8.0 } else { PANEL_TITLE }
    }

    /// The height of a row, including everything around its plots.
    fn whole_height(&self, row: usize) -> f64 {
        let first = row * self.columns;
        let panels = &self.figure.panels[first..(first + self.columns).min(self.figure.panels.len())];
        let named = (first..first + panels.len()).any(|number| self.names_x(number));
        let name = if named { NAME_BELOW } else { 0.0 };
        Self::title_height(panels) + Self::row_height(panels) + BELOW + name
    }

    /// The height of the plots in a row, without anything around them.
    fn row_height(row: &[Panel]) -> f64 {
        row.iter().map(plot_height).fold(0.0, f64::max)
    }

    fn height(&self) -> f64 {
        let rows: f64 = (0..self.rows().len()).map(|row| self.whole_height(row)).sum();
        self.panels_top + rows + self.footer.len() as f64 * FOOTER_LINE + 10.0
    }
}

/// The height of a plot. A negative height or NaN becomes 0.
fn plot_height(panel: &Panel) -> f64 {
    panel.height.max(0.0)
}

/// The whole figure.
pub(super) fn compose(figure: &Figure, extra: Extra) -> Scene {
    let layout = Layout::of(figure);
    let mut shapes = Vec::new();
    let mut y = 14.0;
    if !figure.title.is_empty() {
        shapes.push(Text { bold: true, ..text(&figure.title, (EDGE, y + 13.0), 16.0) }.into());
        y += 22.0;
    }
    for line in wrapped(&figure.subtitle, 12.0, layout.width - 2.0 * EDGE) {
        shapes.push(soft(&line, (EDGE, y + 10.0), 12.0).into());
        y += 17.0;
    }
    shapes.extend(layout.entries.iter().enumerate().map(|(i, entry)| legend_entry(&layout, i, entry)));
    let mut top = layout.panels_top;
    for (i, row) in layout.rows().enumerate() {
        let plot_top = top + Layout::title_height(row);
        for (column, panel) in row.iter().enumerate() {
            let left = EDGE + AXIS_NAME + TICKS + column as f64 * (TICKS + layout.plot_width + 10.0);
            let place = Rect { left, top: plot_top, width: layout.plot_width, height: plot_height(panel) };
            let drawn = Drawn::of(panel);
            shapes.push(Shape::Group(plot_group(&layout, panel, &drawn, place, extra)));
            shapes.extend(names(&layout, panel, &drawn, place, i * layout.columns + column));
        }
        top += layout.whole_height(i);
    }
    for (i, line) in layout.footer.iter().enumerate() {
        shapes.push(soft(line, (EDGE, top + 8.0 + i as f64 * FOOTER_LINE), 10.0).into());
    }
    Scene { width: layout.width, height: layout.height(), paper: theme::PAPER_COLOUR.0, shapes }
}

fn legend_entry(layout: &Layout<'_>, number: usize, entry: &LegendEntry) -> Shape {
    let (x, y) = layout.legend.place(number);
    let (x, y) = (EDGE + x, layout.legend_top + y);
    let mut shapes = match entry.sample {
        Sample::Curve(style, kind) => plot::sample((x, y), legend::SAMPLE, kind, style),
        Sample::Reference(number) => vec![plot::reference(number, vec![(x, y), (x + legend::SAMPLE, y)])],
    };
    shapes.push(text(&legend::cut(&entry.label), (x + legend::SAMPLE + 6.0, y + 4.0), 11.0).into());
    let attributes = vec![("class", "ty-entry".to_owned()), ("data-curve", number.to_string())];
    Shape::Group(Group { attributes, shapes, ..Group::default() })
}

/// The texts around the plot of the panel with this number.
fn names(layout: &Layout<'_>, panel: &Panel, drawn: &Drawn, place: Rect, number: usize) -> Vec<Shape> {
    let Rect { left, top, width, height } = place;
    let (centre, middle) = (left + width / 2.0, top + height / 2.0);
    let centred = |content: &str, at: At| Text { anchor: Anchor::Middle, ..soft(content, at, 12.0) };
    let title = shortened(&panel.title, 13.0, width + TICKS / 2.0);
    let mut texts = vec![Text { bold: true, ..text(&title, (left, top - 8.0), 12.0) }];
    if number.is_multiple_of(layout.columns) {
        texts.push(Text { upwards: true, ..centred(&panel.y.label, (EDGE + 8.0, middle)) });
    }
    if layout.names_x(number) {
        texts.push(centred(&panel.x.label, (centre, top + height + 33.0)));
    }
    if drawn.curves.iter().all(|points| points.at.is_empty() && points.line.is_empty()) {
        texts.push(centred("no data", (centre, middle)));
    }
    texts.into_iter().filter(|text| !text.content.is_empty()).map(Shape::Text).collect()
}

/// The plot of a panel: axes below, then bands, references and curves.
fn plot_group(layout: &Layout<'_>, panel: &Panel, drawn: &Drawn, place: Rect, extra: Extra) -> Group {
    let frame = Frame { place, x: drawn.x, y: drawn.y };
    let mut group = Group { shapes: frame.axes(), ..Group::default() };
    if extra == Extra::Points {
        // The place of the plot and the ends of its axes, for a script that turns places into
        // numbers.
        let Rect { left, top, width, height } = place;
        group.attributes = vec![
            ("class", "ty-panel".to_owned()),
            ("data-box", format!("{} {} {} {}", Px(left), Px(top), Px(width), Px(height))),
            ("data-x-axis", frame.x.to_string()),
            ("data-y-axis", frame.y.to_string()),
        ];
    }
    let mut inside = Group { clip: Some(frame.clip()), ..Group::default() };
    let mut lines = Vec::new();
    for (curve, points) in panel.curves.iter().zip(&drawn.curves) {
        let number = layout.entries.iter().position(|entry| entry.label == curve.label).unwrap_or_default();
        let style = match layout.entries[number].sample {
            Sample::Curve(style, _) => style,
            Sample::Reference(_) => curve.style,
        };
        let attributes = |class: &str| vec![("class", class.to_owned()), ("data-curve", number.to_string())];
        let shapes = plot::band(&frame, curve.kind, points, style);
        if !shapes.is_empty() {
            let attributes = attributes("ty-band");
            inside.shapes.push(Shape::Group(Group { attributes, shapes, ..Group::default() }));
        }
        let mut attributes = attributes("ty-curve");
        if extra == Extra::Points {
            attributes.extend([
                ("data-label", curve.label.clone()),
                ("data-x", panel.x.label.clone()),
                ("data-y", panel.y.label.clone()),
                ("data-points", numbers(&frame, points)),
            ]);
        }
        // The name appears under the pointer even without a script.
        let title = (extra == Extra::None).then(|| curve.label.clone());
        let shapes = plot::curve(&frame, curve.kind, points, style);
        lines.push(Shape::Group(Group { attributes, title, clip: None, shapes }));
    }
    let references = drawn.references.iter().enumerate().filter(|(_, line)| line.len() > 1);
    inside.shapes.extend(
        references.map(|(i, line)| plot::reference(i, line.iter().map(|&at| frame.at(at)).collect())),
    );
    inside.shapes.extend(lines);
    group.shapes.push(Shape::Group(inside));
    group
}

/// The place and the numbers of each point, for the script.
fn numbers(frame: &Frame, points: &Points) -> String {
    let bounds = points.interval.iter().flatten().map(Some).chain(std::iter::repeat(None));
    let numbers = points.at.iter().zip(bounds).map(|(&(x, y), bounds)| {
        let (left, top) = frame.at((x, y));
        let bounds = bounds.map(|(low, high)| format!(" {low} {high}")).unwrap_or_default();
        format!("{} {} {x} {y}{bounds}", Px(left), Px(top))
    });
    numbers.collect::<Vec<_>>().join(",")
}

fn text(content: &str, at: At, size: f64) -> Text {
    let (content, colour) = (content.to_owned(), theme::INK_COLOUR.0);
    Text { content, at, size, anchor: Anchor::Start, bold: false, upwards: false, colour }
}

/// Less important text.
fn soft(content: &str, at: At, size: f64) -> Text {
    Text { colour: theme::SOFT_COLOUR.0, ..text(content, at, size) }
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

/// Text cut to a width, with an ellipsis if something is missing.
fn shortened(text: &str, size: f64, width: f64) -> String {
    let mut cut = text.to_owned();
    while legend::text_width(&cut, size) > width && cut.chars().count() > 1 {
        cut = cut.chars().take(cut.chars().count().saturating_sub(2)).chain(['\u{2026}']).collect();
    }
    cut
}
