//! The look of a policy: one colour, marker and dash pattern, the same in every figure.
//!
//! The colours are those of Okabe and Ito (Color Universal Design, 2008) that are visible on white,
//! and four of Tol's muted scheme. Each has a lighter twin for dark screens. No ten colours can be
//! told apart by everyone. Therefore no two policies that are often drawn together share both
//! marker and dash pattern.

use tiltyard_bandit::policy::registry;

use super::theme::Rgb;

/// A colour, a marker and a dash pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct StyleId {
    colour: u8,
    marker: u8,
    dash: u8,
}

/// A style in the form that other charting libraries take.
#[derive(Debug, Clone, PartialEq)]
pub struct Look {
    /// The colour on white, as `#rrggbb`.
    pub colour: String,
    /// The name of the marker.
    pub marker: &'static str,
    /// Dashes and gaps in pixels; empty for a solid line.
    pub dash: Vec<f64>,
}

/// Colours on white and on black.
const COLOURS: [(Rgb, Rgb); 11] = [
    // Blue
    (Rgb(0, 114, 178), Rgb(74, 163, 223)),
    // Vermilion
    (Rgb(213, 94, 0), Rgb(255, 133, 51)),
    // Bluish green
    (Rgb(0, 158, 115), Rgb(38, 198, 153)),
    // Reddish purple
    (Rgb(204, 121, 167), Rgb(232, 155, 197)),
    // Orange
    (Rgb(230, 159, 0), Rgb(255, 196, 61)),
    // Sky blue
    (Rgb(86, 180, 233), Rgb(150, 214, 255)),
    // Indigo
    (Rgb(51, 34, 136), Rgb(160, 146, 240)),
    // Wine
    (Rgb(136, 34, 85), Rgb(222, 105, 160)),
    // Olive
    (Rgb(136, 132, 32), Rgb(201, 196, 92)),
    // Ink
    (Rgb(40, 44, 52), Rgb(222, 226, 232)),
    // Grey
    (Rgb(125, 131, 140), Rgb(150, 157, 167)),
];

/// The shape of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Marker {
    Circle,
    Square,
    Triangle,
    Diamond,
    TriangleDown,
    Cross,
    Plus,
    Star,
    Pentagon,
    Hexagon,
}

impl Marker {
    fn word(self) -> &'static str {
        match self {
            Self::Circle => "circle",
            Self::Square => "square",
            Self::Triangle => "triangle",
            Self::Diamond => "diamond",
            Self::TriangleDown => "triangle-down",
            Self::Cross => "cross",
            Self::Plus => "plus",
            Self::Star => "star",
            Self::Pentagon => "pentagon",
            Self::Hexagon => "hexagon",
        }
    }
}

const MARKERS: [Marker; 10] = [
    Marker::Circle,
    Marker::Square,
    Marker::Triangle,
    Marker::Diamond,
    Marker::TriangleDown,
    Marker::Cross,
    Marker::Plus,
    Marker::Star,
    Marker::Pentagon,
    Marker::Hexagon,
];

/// Dashes and gaps in pixels; empty for a solid line.
const DASHES: [&[f64]; 4] = [&[], &[7.0, 3.0], &[2.0, 2.5], &[9.0, 3.0, 2.0, 3.0]];

impl StyleId {
    /// The style that a policy declares for its specification. A policy without a declaration gets
    /// a style from its letters, the same wherever it is drawn.
    pub fn of_policy(spec: &str) -> Self {
        let (name, given) = spec.split_once(':').unwrap_or((spec, ""));
        let has = |wanted: &str| {
            wanted.is_empty()
                || given.split(',').any(|part| part == wanted || part.split('=').next() == Some(wanted))
        };
        let declared = registry::all().find(|info| info.name == name).map_or(&[][..], |info| info.curves);
        let curve = declared.iter().rev().find(|curve| has(curve.given));
        let hash = hash(name);
        let [colour, marker, dash] =
            curve.map_or([hash % 11, (hash >> 4) % 10, (hash >> 2) % 4], |curve| curve.style);
        Self { colour, marker, dash }
    }

    /// The style of the curve with this number, for curves that are not policies.
    pub fn nth(n: usize) -> Self {
        let nth = |count: usize, n: usize| u8::try_from(n % count).expect("fewer than 256 of each");
        Self { colour: nth(10, n), marker: nth(10, n), dash: nth(4, n + n / 10) }
    }

    /// The style in the form that other charting libraries take.
    pub fn look(self) -> Look {
        Look { colour: self.on_white().to_string(), marker: self.marker().word(), dash: self.dash().to_vec() }
    }

    /// The same colour with another marker and dash pattern, if two curves of a figure would look
    /// alike.
    pub(super) fn other(self) -> Self {
        Self { marker: (self.marker + 1) % 10, dash: (self.dash + 1) % 4, ..self }
    }

    pub(super) fn on_white(self) -> Rgb {
        COLOURS[usize::from(self.colour)].0
    }

    pub(super) fn marker(self) -> Marker {
        MARKERS[usize::from(self.marker)]
    }

    pub(super) fn dash(self) -> &'static [f64] {
        DASHES[usize::from(self.dash)]
    }
}

/// All colours with their twins for dark screens, for style sheets.
pub(super) fn twins() -> impl Iterator<Item = (Rgb, Rgb)> {
    COLOURS.into_iter()
}

/// FNV-1a, folded to a byte. Any hash would do that is the same on every machine and in every
/// version.
fn hash(text: &str) -> u8 {
    let hash =
        text.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    hash.to_le_bytes().into_iter().fold(0, |folded, byte| folded ^ byte)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::PAPERS;
    use crate::spec::Specification;
    use std::collections::{BTreeMap, BTreeSet};

    /// The policies of each paper, and those that are often drawn beside them.
    #[test]
    fn trace_policies_drawn_together_look_different() {
        let rex3 = [
            "rex3",
            "rex3:schedule=literal",
            "rex3:gmax=T/2",
            "rex3:gmax=T/10",
            "sparring:player=exp3",
            "sparring:player=ucb1",
            "rucb:alpha=0.51",
            "btm:gamma=1.1,delta=1/T",
            "savage:rule=condorcet,delta=1/T",
            "if1",
            "random",
        ];
        let papers = PAPERS.iter().flat_map(|paper| paper.figures).map(|entry| {
            let specification = Specification::parse(entry.id, entry.text).unwrap();
            specification.policies.iter().map(|policy| policy.spec.to_string()).collect::<Vec<_>>()
        });
        for specs in papers.chain([rex3.map(str::to_owned).to_vec()]) {
            // A sweep over one parameter is one curve.
            let specs: BTreeSet<&str> =
                specs.iter().map(|spec| spec.split("gamma=0").next().unwrap_or(spec)).collect();
            let styles: Vec<StyleId> = specs.iter().map(|spec| StyleId::of_policy(spec)).collect();
            let looks: BTreeSet<_> = styles.iter().map(|style| (style.marker, style.dash)).collect();
            assert_eq!(looks.len(), specs.len(), "{specs:?}: {styles:?}");
        }
    }

    #[test]
    fn law_every_policy_has_a_style_of_its_own() {
        let mut bare = BTreeMap::new();
        for info in registry::all() {
            let [first, forms @ ..] = info.curves else { panic!("`{}` declares no curve", info.name) };
            assert!(
                first.given.is_empty() && forms.iter().all(|curve| !curve.given.is_empty()),
                "{}",
                info.name
            );
            for [colour, marker, dash] in info.curves.iter().map(|curve| curve.style) {
                assert!(colour < 11 && marker < 10 && dash < 4, "{}", info.name);
            }
            // Marker and dash pattern alone tell policies apart.
            let [_, marker, dash] = first.style;
            if let Some(other) = bare.insert((marker, dash), info.name) {
                let free = (0..40).map(|i| (i % 10, i / 10)).filter(|look| !bare.contains_key(look));
                let free: Vec<_> = free.collect();
                panic!("{other} and {} look alike; free: {free:?}", info.name);
            }
        }
    }

    #[test]
    fn trace_looks_for_other_libraries() {
        let look = StyleId::of_policy("rex3:schedule=literal").look();
        assert_eq!((look.colour.as_str(), look.marker), ("#332288", "hexagon"));
        assert_eq!(look.dash, [9.0, 3.0, 2.0, 3.0]);
        assert!(StyleId::of_policy("rex3").look().dash.is_empty());
    }

    #[test]
    fn stable_styles() {
        assert_eq!(StyleId::of_policy("rex3"), StyleId { colour: 0, marker: 0, dash: 0 });
        assert_eq!(StyleId::of_policy("rex3:gmax=T/2"), StyleId { colour: 5, marker: 1, dash: 1 });
        // Not the style of `gmax=T/2`, which begins with the same letters.
        assert_eq!(StyleId::of_policy("rex3:gmax=T/20"), StyleId { colour: 5, marker: 5, dash: 2 });
        assert_eq!(StyleId::of_policy("rucb:alpha=0.6"), StyleId::of_policy("rucb"));
        assert_eq!(
            StyleId::of_policy("btm:delta=1e-8,gamma=1.1"),
            StyleId::of_policy("btm:gamma=1.1,delta=1e-8")
        );
        assert_ne!(StyleId::of_policy("btm:delta=1e-8"), StyleId::of_policy("btm:delta=1/T"));
        // From its letters.
        assert_eq!(StyleId::of_policy("nobody"), StyleId { colour: 6, marker: 1, dash: 1 });
    }

    #[test]
    fn trace_any_text_has_a_style() {
        for text in ["", ":", "ψ", "rex3:", "a,b=c", "rex3:gamma=0.05"] {
            let style = StyleId::of_policy(text);
            let _ = (style.on_white(), style.marker(), style.dash(), style.other());
        }
        let all: BTreeSet<_> = (0..20).map(StyleId::nth).collect();
        assert_eq!(all.len(), 20);
    }
}
