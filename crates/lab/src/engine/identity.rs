//! The identity of a job: everything that determines its numbers, and nothing else.

use std::fs::File;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::digest;

/// Everything that determines the numbers of a job. Grids and rounds are expanded, and files are
/// represented by their content. Titles, labels and the paths of files are not part of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    pub seed: u64,
    /// Whether each run permutes the arms.
    pub permute: bool,
    pub worlds: Vec<WorldIdentity>,
    /// The specifications of the policies.
    pub policies: Vec<String>,
    /// The number of runs of each cell.
    pub runs: Vec<u64>,
    /// The checkpoints or horizons of each cell.
    pub rounds: Vec<Vec<u64>>,
}

/// Everything that determines the answers of a world.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorldIdentity {
    /// The name in the results.
    pub name: String,
    /// The text that makes the world. The digest of a file replaces its name.
    pub text: String,
    /// The arms that a run uses.
    pub arms: String,
    pub regret: String,
    /// The length of a run. Some worlds depend on it.
    pub horizon: u64,
}

impl Identity {
    /// The SHA-256 of the identity's JSON, in hexadecimal.
    pub fn hash(&self) -> String {
        digest::of(&serde_json::to_vec(self).expect("plain data"))
    }

    /// The parts in which two identities differ, named as in a specification.
    pub fn differences(&self, other: &Self) -> Vec<&'static str> {
        let same = [
            ("seed", self.seed == other.seed),
            ("permute", self.permute == other.permute),
            ("world", self.worlds == other.worlds),
            ("policy", self.policies == other.policies),
            ("runs", self.runs == other.runs),
            ("checkpoints or horizons", self.rounds == other.rounds),
        ];
        same.into_iter().filter(|(_, same)| !same).map(|(name, _)| name).collect()
    }
}

/// The text of a world, with the name of a file in it replaced by the digest of the file's content.
/// A text that names no file stays as it is.
pub(crate) fn with_content(text: &str) -> std::io::Result<String> {
    for (start, end) in candidates(text) {
        let path = Path::new(&text[start..end]);
        if path.is_file() {
            let content = digest::of_reader(File::open(path)?)?;
            return Ok(format!("{}sha256:{content}{}", &text[..start], &text[end..]));
        }
    }
    Ok(text.to_owned())
}

/// The parts of a text that may be a path, longest first: the whole text, the text before a `+`
/// (which begins a wrapper), and the value of a parameter.
fn candidates(text: &str) -> Vec<(usize, usize)> {
    let ends: Vec<usize> =
        [text.len()].into_iter().chain(text.rmatch_indices('+').map(|(at, _)| at)).collect();
    let starts = [0].into_iter().chain(text.match_indices('=').map(|(at, _)| at + 1));
    let mut parts: Vec<_> = starts
        .flat_map(|start| {
            let commas = text.match_indices(',').map(|(at, _)| at);
            ends.iter().copied().chain(commas).map(move |end| (start, end))
        })
        .filter(|(start, end)| start < end)
        .collect();
    parts.sort_by_key(|(start, end)| (*start, core::cmp::Reverse(*end)));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_a_file_is_known_by_its_content() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a+b.csv");
        std::fs::write(&path, "abc").unwrap();
        let path = path.display();
        let hash = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        for (text, expected) in [
            (format!("{path}"), hash.to_owned()),
            (format!("{path}+delayed:rounds=10"), format!("{hash}+delayed:rounds=10")),
            (format!("replay:file={path},mode=once"), format!("replay:file={hash},mode=once")),
            (format!("replay:mode=once,file={path}"), format!("replay:mode=once,file={hash}")),
            ("bernoulli10:arms=5,best=0.7".to_owned(), "bernoulli10:arms=5,best=0.7".to_owned()),
        ] {
            assert_eq!(with_content(&text).unwrap(), expected);
        }
    }

    #[test]
    fn trace_differences_are_named() {
        let world = WorldIdentity {
            name: "w".into(),
            text: "w".into(),
            arms: "all".into(),
            regret: "condorcet".into(),
            horizon: 10,
        };
        let one = Identity {
            seed: 1,
            permute: true,
            worlds: vec![world],
            policies: vec!["rex3".into()],
            runs: vec![2],
            rounds: vec![vec![10]],
        };
        let other = Identity { seed: 2, runs: vec![3], ..one.clone() };
        assert_eq!(one.differences(&other), ["seed", "runs"]);
        assert_eq!(one.differences(&one), [""; 0]);
        assert_ne!(one.hash(), other.hash());
    }
}
