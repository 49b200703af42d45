//! The documentation page that lists the claims of all papers.

use core::fmt::Write as _;

use super::paper::{PAPERS, Paper};

/// `docs/claims.md`.
pub fn claims_page() -> String {
    let mut page = "<!-- Written by `cargo xtask docs` from the claims' own modules. -->\n\n# Claims\n\n\
                    For readers of the papers: statements that can be checked, in our words, each with the test that decides it.\n\
                    `tiltyard reproduce --paper NAME` runs the tests.\n\n\
                    A claim `holds`, `fails` or is `inconclusive`; an inconclusive claim shows the power of its test. A claim whose\n\
                    experiments were not run is `not-run`, which is not a verdict. Tests are paired by run unless stated otherwise.\n\
                    A claim about several parts fails if one part fails.\n\n"
        .to_owned();
    for paper in PAPERS {
        let (authors, venue) = (paper.citation.authors, paper.citation.venue);
        let (first, last) = (paper.claims.first(), paper.claims.last());
        let ids = [first, last].map(|claim| claim.map_or("", |claim| claim.id)).join(" to ");
        writeln!(page, "- [`{0}`](#{0}): {ids}, {authors}, {venue}", paper.name)
            .expect("writing to a string does not fail");
    }
    for paper in PAPERS {
        section(&mut page, paper);
    }
    page
}

fn section(page: &mut String, paper: &Paper) {
    let write = "writing to a string does not fail";
    let (citation, claims) = (&paper.citation, paper.words.claims);
    let (authors, title, venue, link) = (citation.authors, citation.title, citation.venue, citation.link);
    write!(page, "\n## {}\n\n{authors}, *{title}*, {venue}, <{link}>. {claims}\n", paper.name).expect(write);
    for claim in paper.claims {
        let reads = if claim.reads.is_empty() {
            "no experiment; computed during the check".to_owned()
        } else {
            claim.reads.join(", ")
        };
        write!(
            page,
            "\n### {}: {}\n\n{}\n\n- **Source**: {}\n- **Test**: {}\n- **Rule**: {}\n- **Correction for multiple tests**: {}\n- **Uses results of**: {reads}\n",
            claim.id, claim.title, claim.statement, claim.source, claim.test, claim.rule, claim.correction,
        )
        .expect(write);
    }
    if !paper.beside.is_empty() {
        page.push_str("\n### Additional experiments\n");
    }
    for (id, text) in paper.beside {
        write!(page, "\n`{id}`:\n\n```toml\n{text}```\n").expect(write);
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn stable_the_page_is_current() {
        let page = include_str!("../../../../docs/claims.md");
        assert!(page == super::claims_page(), "docs/claims.md is not current: run `cargo xtask docs`");
    }
}
