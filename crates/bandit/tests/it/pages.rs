//! The page of every policy: its sections, its reference and the defaults that it documents.

use tiltyard_bandit::Stream;
use tiltyard_bandit::params::Context;
use tiltyard_bandit::policy::Saved;
use tiltyard_bandit::policy::registry;

use crate::support::{HORIZON, variants};

const SECTIONS: [&str; 7] =
    ["Idea", "Update rule", "Parameters", "Guarantee", "Cost", "Example", "Reference"];

/// The text of a section, up to the next heading.
fn section<'a>(page: &'a str, title: &str) -> &'a str {
    let start = page.find(&format!("\n## {title}\n")).expect("the sections were checked");
    let body = &page[start + 1..];
    let body = &body[body.find('\n').map_or(0, |end| end + 1)..];
    &body[..body.find("\n## ").unwrap_or(body.len())]
}

#[test]
fn law_pages_have_all_sections_in_order() {
    for info in registry::all() {
        let page = info.page();
        let title = page.lines().next().unwrap_or_default();
        assert!(title.starts_with("# "), "{}: {title}", info.name);
        let sections: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("## ")).collect();
        assert_eq!(sections, SECTIONS, "{}", info.name);
        for title in SECTIONS {
            assert!(!section(&page, title).trim().is_empty(), "{}: {title} is empty", info.name);
        }
        assert!(section(&page, "Example").contains("```"), "{}: no code in the example", info.name);
        assert!(section(&page, "Update rule").contains("```text"), "{}: no formulas", info.name);
    }
}

/// The page names its reference by the DOI in `info`, by the first author and by the year.
#[test]
fn law_pages_name_a_doi() {
    let mut wrong = Vec::new();
    for info in registry::all() {
        let doi = info.reference.doi.strip_prefix("doi:").unwrap_or(info.reference.doi);
        // The proceedings of PMLR have no DOIs, but permanent addresses.
        let lasting = doi.starts_with("10.") || doi.starts_with("https://proceedings.mlr.press/");
        assert!(lasting && doi.contains('/'), "{}: {doi}", info.name);
        let page = info.page();
        let reference = section(&page, "Reference");
        let first = info.reference.authors.split([' ', ',']).next().unwrap_or_default();
        let year = info.reference.year.to_string();
        for named in [doi, first, &year] {
            if !reference.contains(named) {
                wrong.push(format!("the page of `{}` does not name {named}", info.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// The policy that a specification builds, saved without its specification. `None` if the
/// specification is refused.
fn built(spec: &str) -> Option<Saved> {
    let context = Context { n_arms: 5, horizon: Some(HORIZON) };
    let mut rng = Stream::new(1).rng();
    let policy = registry::build(&spec.parse().expect("a specification"), context, &mut rng).ok()?;
    Some(Saved { policy: String::new(), ..policy.save() })
}

/// Writing out a documented default changes nothing, in every form that reads the key. At least one
/// form reads each key.
#[test]
fn law_typed_defaults_are_the_defaults() {
    for info in registry::all() {
        for param in info.params.iter().filter(|param| param.default != "none") {
            let mut read = 0;
            for form in variants() {
                let own = form.split(':').next() == Some(info.name);
                let typed = form.contains(&format!("{}=", param.key));
                if !own || typed {
                    continue;
                }
                let joined = if form.contains(':') { ',' } else { ':' };
                let explicit = format!("{form}{joined}{}={}", param.key, param.default);
                let Some(with) = built(&explicit) else { continue };
                assert_eq!(Some(with), built(&form), "{explicit}");
                read += 1;
            }
            assert!(read > 0, "no form of `{}` reads `{}={}`", info.name, param.key, param.default);
        }
    }
}

/// The bare name equals a specification with every documented default written out, except the
/// defaults that other choices rule out.
#[test]
fn trace_rex3_with_all_defaults_typed() {
    let all =
        "rex3:schedule=dual-averaging,gmax=t/2,gmin=0,feedback=graded,transfer=identity,guard=true,mixing=1";
    assert_eq!(built(all), built("rex3"));
    assert_eq!(built("sparring:player=exp3,schedule=fixed,gmax=T/2"), built("sparring"));
    assert_eq!(built("sparring:player=ucb1,alpha=2"), built("sparring:player=ucb1"));
    assert_ne!(built("rex3:gmin=t/10"), built("rex3"));
}
