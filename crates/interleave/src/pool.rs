//! The documents of several lists, numbered, so that methods only compare small numbers.

use core::ops::Range;

/// Lists over the same documents. Each distinct document has a number, in the order of first
/// appearance.
#[derive(Debug, Clone)]
pub(crate) struct Pool<D> {
    documents: Vec<D>,
    /// The lists as numbers, one after another, without repeats.
    places: Vec<u32>,
    /// The end of each list in `places`.
    ends: Vec<usize>,
    /// The rank of a document in each list, counted from 1; 0 if it is absent. One row per
    /// document.
    ranks: Vec<u32>,
}

impl<D> Default for Pool<D> {
    fn default() -> Self {
        Self { documents: Vec::new(), places: Vec::new(), ends: Vec::new(), ranks: Vec::new() }
    }
}

impl<D: Copy> Pool<D> {
    /// Takes the first `depth` distinct documents of each list.
    pub(crate) fn fill(&mut self, lists: &[&[D]], depth: usize)
    where
        D: Eq,
    {
        let n_lists = lists.len();
        let most: usize = lists.iter().map(|list| list.len().min(depth)).sum();
        self.documents.clear();
        self.places.clear();
        self.ends.clear();
        self.ranks.clear();
        self.ranks.resize(most * n_lists, 0);
        for (index, list) in lists.iter().enumerate() {
            let start = self.places.len();
            for &document in *list {
                if self.places.len() - start == depth {
                    break;
                }
                let number = self.number(document);
                let rank = &mut self.ranks[number * n_lists + index];
                if *rank == 0 {
                    // Four thousand million documents do not fit on a page.
                    #[expect(clippy::cast_possible_truncation, reason = "see above")]
                    {
                        *rank = (self.places.len() - start + 1) as u32;
                        self.places.push(number as u32);
                    }
                }
            }
            self.ends.push(self.places.len());
        }
    }

    /// The number of a document, a new one if necessary.
    fn number(&mut self, document: D) -> usize
    where
        D: Eq,
    {
        let new = self.documents.len();
        let mut found = new;
        // No early exit, so that the compiler can compare several small documents at a time.
        for (number, &other) in self.documents.iter().enumerate() {
            if other == document {
                found = number;
            }
        }
        if found == new {
            self.documents.push(document);
        }
        found
    }

    pub(crate) fn n_lists(&self) -> usize {
        self.ends.len()
    }

    /// The number of distinct documents.
    pub(crate) fn n_documents(&self) -> usize {
        self.documents.len()
    }

    /// The document with this number.
    pub(crate) fn document(&self, number: u32) -> D {
        self.documents[number as usize]
    }

    /// A list, best first.
    pub(crate) fn list(&self, index: usize) -> &[u32] {
        &self.places[self.span(index)]
    }

    /// The place of a list in `places`.
    pub(crate) fn span(&self, index: usize) -> Range<usize> {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        start..self.ends[index]
    }

    /// The rank of a document in each list, counted from 1; 0 if it is absent.
    pub(crate) fn ranks(&self, number: u32) -> &[u32] {
        let row = number as usize * self.n_lists();
        &self.ranks[row..row + self.n_lists()]
    }

    /// The rank of a document in each of two lists.
    pub(crate) fn two_ranks(&self, number: u32) -> [u32; 2] {
        let ranks = self.ranks(number);
        [ranks[0], ranks[1]]
    }
}

/// A place in a list that moves down.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor<'a>(&'a [u32]);

impl<'a> Cursor<'a> {
    pub(crate) fn new(list: &'a [u32]) -> Self {
        Self(list)
    }

    /// The best document that has not been taken.
    pub(crate) fn peek(&mut self, taken: &[bool]) -> Option<u32> {
        while let Some((&number, below)) = self.0.split_first() {
            if !taken[number as usize] {
                return Some(number);
            }
            self.0 = below;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_repeats_are_struck_out_before_the_depth_counts() {
        let mut pool = Pool::default();
        pool.fill(&[&["a", "b", "a", "c", "d"], &["c", "c", "e"], &[]], 3);
        assert_eq!((pool.n_lists(), pool.n_documents()), (3, 4));
        assert_eq!(pool.list(0), [0, 1, 2]);
        assert_eq!(pool.list(1), [2, 3]);
        assert_eq!(pool.list(2), [0; 0]);
        assert_eq!(pool.ranks(2), [3, 1, 0]);
        assert_eq!(pool.document(3), "e");
    }
}
