//! The view of results: which worlds and policies, which measure, which scales and which range.

use super::query::Query;
use crate::figure::Scale;

/// The quantity that is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Measure {
    /// Regret against the round.
    Regret,
    /// Accuracy against the round.
    Accuracy,
    /// Regret at the end against the value that was swept.
    End,
}

impl Measure {
    /// The name in queries.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Regret => "regret",
            Self::Accuracy => "accuracy",
            Self::End => "end",
        }
    }

    pub(super) fn label(self) -> &'static str {
        match self {
            Self::Regret => "Regret",
            Self::Accuracy => "Accuracy",
            Self::End => "Final regret against the swept value",
        }
    }
}

/// A part of an axis. An end that is not given is where the curves end.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Span {
    pub(super) from: Option<f64>,
    pub(super) to: Option<f64>,
}

impl Span {
    pub(super) fn is_whole(self) -> bool {
        self.from.is_none() && self.to.is_none()
    }

    /// Swaps the ends if they are in the wrong order.
    fn sorted(self) -> Self {
        match self {
            Self { from: Some(from), to: Some(to) } if from > to => Self { from: Some(to), to: Some(from) },
            span => span,
        }
    }
}

/// A requested axis.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Asked {
    /// `None` for the default.
    pub(super) scale: Option<Scale>,
    pub(super) span: Span,
}

/// Everything that can be requested.
#[derive(Debug, Clone)]
pub(super) struct Choices {
    /// The name and label of each.
    pub(super) worlds: Vec<(String, String)>,
    pub(super) policies: Vec<(String, String)>,
    /// The first is the default.
    pub(super) measures: Vec<Measure>,
}

/// The requested view, as far as it is possible.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct View {
    /// All worlds that are shown.
    pub(super) worlds: Vec<String>,
    pub(super) policies: Vec<String>,
    pub(super) measure: Measure,
    pub(super) x: Asked,
    pub(super) y: Asked,
    /// Sentences about requests that are impossible.
    pub(super) notes: Vec<String>,
    /// Whether anything was requested.
    pub(super) asked: bool,
}

impl View {
    pub(super) fn new(query: &Query, choices: &Choices) -> Self {
        let mut notes = Vec::new();
        let mut asked = false;
        let mut chosen = |key: &str, all: &[(String, String)], what: &str| -> Vec<String> {
            let wanted: Vec<&str> = query.all(key).collect();
            let known = all.iter().map(|(name, _)| name).filter(|name| wanted.contains(&name.as_str()));
            let known: Vec<String> = known.cloned().collect();
            asked |= !wanted.is_empty();
            if known.is_empty() {
                if !wanted.is_empty() {
                    notes.push(format!("None of the requested {what} is here, so all are shown."));
                }
                return all.iter().map(|(name, _)| name.clone()).collect();
            }
            known
        };
        let worlds = chosen("world", &choices.worlds, "worlds");
        let policies = chosen("policy", &choices.policies, "policies");
        let named = |key: &str| {
            let name = query.first(key)?;
            choices.measures.iter().copied().find(|measure| measure.name() == name)
        };
        let measure = named("measure").unwrap_or(choices.measures[0]);
        // A range on one measure's axis has no meaning on another's.
        let of = named("of").unwrap_or(measure);
        let whole = query.first("whole").is_some();
        let mut axis = |name: &str, same: bool| {
            let scale = match query.first(&format!("{name}-scale")) {
                Some("log") => Some(Scale::Log),
                Some("linear") => Some(Scale::Linear),
                _ => None,
            };
            let mut end = |side: &str| {
                let text = query.first(&format!("{name}-{side}")).filter(|_| same && !whole)?;
                let number = text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
                if number.is_none() {
                    notes.push(format!("\u{201c}{text}\u{201d} is not a number."));
                }
                number
            };
            let span = Span { from: end("from"), to: end("to") }.sorted();
            asked |= scale.is_some() || !span.is_whole();
            Asked { scale, span }
        };
        let x = axis("x", (of == Measure::End) == (measure == Measure::End));
        let y = axis("y", of == measure);
        asked |= query.first("measure").is_some();
        Self { worlds, policies, measure, x, y, notes, asked }
    }

    pub(super) fn is_zoomed(&self) -> bool {
        !(self.x.span.is_whole() && self.y.span.is_whole())
    }

    /// The query that requests this view. A complete selection is not listed.
    pub(super) fn query(&self, choices: &Choices) -> Query {
        let mut query = Query::default();
        for (key, chosen, all) in
            [("world", &self.worlds, &choices.worlds), ("policy", &self.policies, &choices.policies)]
        {
            for name in chosen.iter().filter(|_| chosen.len() < all.len()) {
                query.push(key, name);
            }
        }
        if self.measure != choices.measures[0] {
            query.push("measure", self.measure.name());
        }
        for (name, axis) in [("x", self.x), ("y", self.y)] {
            if let Some(scale) = axis.scale {
                query.push(&format!("{name}-scale"), scale_name(scale));
            }
            for (side, end) in [("from", axis.span.from), ("to", axis.span.to)] {
                if let Some(end) = end {
                    query.push(&format!("{name}-{side}"), &end.to_string());
                }
            }
        }
        query
    }
}

pub(super) fn scale_name(scale: Scale) -> &'static str {
    match scale {
        Scale::Log => "log",
        Scale::Linear => "linear",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choices() -> Choices {
        let pairs =
            |names: &[&str]| names.iter().map(|&name| (name.to_owned(), name.to_uppercase())).collect();
        Choices {
            worlds: pairs(&["arxiv6", "cyclic4"]),
            policies: pairs(&["rex3", "rucb", "btm:delta=1/T"]),
            measures: vec![Measure::Regret, Measure::Accuracy],
        }
    }

    fn view(query: &str) -> View {
        View::new(&Query::parse(query), &choices())
    }

    #[test]
    fn trace_what_is_asked_for() {
        let all = view("");
        assert_eq!(
            (all.worlds.len(), all.policies.len(), all.measure, all.asked),
            (2, 3, Measure::Regret, false)
        );
        let some =
            view("world=cyclic4&policy=btm%3Adelta%3D1%2FT&policy=nobody&y-scale=linear&x-from=1e3&x-to=100");
        assert_eq!(
            (some.worlds.as_slice(), some.policies.as_slice()),
            (&["cyclic4".to_owned()][..], &["btm:delta=1/T".to_owned()][..])
        );
        assert_eq!(some.y.scale, Some(Scale::Linear));
        // The ends are swapped.
        assert_eq!(some.x.span, Span { from: Some(100.0), to: Some(1000.0) });
        assert!(some.notes.is_empty() && some.is_zoomed());
    }

    #[test]
    fn trace_what_cannot_be_had() {
        let odd = view("world=mars&measure=end&x-from=abc&y-to=inf&x-scale=cubic");
        assert_eq!((odd.worlds.len(), odd.measure, odd.x), (2, Measure::Regret, Asked::default()));
        assert_eq!(odd.notes.len(), 3, "{:?}", odd.notes);
    }

    /// Another measure begins with its whole axis. The range of rounds stays.
    #[test]
    fn trace_zoom_belongs_to_a_measure() {
        let changed = view("of=regret&measure=accuracy&x-from=10&y-from=200");
        assert_eq!((changed.x.span.from, changed.y.span.from), (Some(10.0), None));
        assert!(!view("x-from=10&y-from=200&whole=1").is_zoomed());
    }

    #[test]
    fn trace_a_view_comes_back() {
        for query in
            ["", "world=cyclic4&measure=accuracy&y-scale=log&y-from=0.1", "policy=rex3&policy=rucb&x-to=1e9"]
        {
            let once = view(query);
            let again = View::new(&once.query(&choices()), &choices());
            assert_eq!(again, once, "{query}");
        }
    }
}
