//! A simulated user, who looks for one section and recognizes it.

use rand::RngExt as _;
use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom as _;

use crate::sections::Section;

/// One query in this many has two letters swapped.
const TYPO: u32 = 10;

/// The probability of a click on another section of the same page.
const STRAY: f64 = 0.1;

/// A user who looks for a section.
#[derive(Debug)]
pub struct User<'a> {
    wanted: &'a Section,
    /// The text that the user types.
    pub query: String,
}

impl<'a> User<'a> {
    /// A random user, who remembers some words of the heading and one of the text.
    pub fn draw(sections: &'a [Section], rng: &mut ChaCha8Rng) -> Option<Self> {
        let wanted = sections.choose(rng)?;
        let words = |text: &str| -> Vec<String> {
            let words = text.split(|letter: char| !letter.is_alphanumeric());
            words.filter(|word| word.chars().count() > 3).map(str::to_lowercase).collect()
        };
        let (title, body) = (words(&wanted.title), words(&wanted.body));
        let mut typed: Vec<String> = title.sample(rng, 2).cloned().collect();
        typed.extend(body.choose(rng).cloned());
        if rng.random_ratio(1, TYPO)
            && let Some(word) = typed.first_mut()
        {
            let mut letters: Vec<char> = word.chars().collect();
            letters.swap(1, 2);
            *word = letters.into_iter().collect();
        }
        (!typed.is_empty()).then(|| Self { wanted, query: typed.join(" ") })
    }

    /// The positions that the user clicks, counted from 1, reading downwards until the section is
    /// found.
    pub fn clicks(&self, sections: &[String], rng: &mut ChaCha8Rng) -> Vec<usize> {
        let page = |id: &str| id.split('#').next().map(str::to_owned);
        let mut clicks = Vec::new();
        for (place, id) in sections.iter().enumerate() {
            let found = *id == self.wanted.id;
            let looks_like = page(id) == page(&self.wanted.id);
            if found || (looks_like && rng.random::<f64>() < STRAY) {
                clicks.push(place + 1);
            }
            if found {
                break;
            }
        }
        clicks
    }
}
