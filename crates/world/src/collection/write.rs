//! Writes LETOR files.

use std::io::{self, Write};

use super::query::Query;

/// Writes a query in the LETOR format. Reading it gives the same query, except for the names of
/// documents.
///
/// # Errors
///
/// If the writer fails.
pub fn write_letor(query: &Query, writer: &mut impl Write) -> io::Result<()> {
    for document in 0..query.n_documents() {
        write!(writer, "{} qid:{}", query.labels()[document], query.id())?;
        for (feature, value) in query.features(document) {
            write!(writer, " {}:{value}", feature + 1)?;
        }
        writeln!(writer)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collection::{LetorReader, Shape, Synthetic};
    use std::io::Cursor;

    #[test]
    fn law_what_is_written_is_read_back() {
        let queries: Vec<_> = Synthetic::new(Shape { queries: 5, ..Shape::mslr() }, 1).unwrap().collect();
        let mut file = Vec::new();
        for query in &queries {
            write_letor(query, &mut file).unwrap();
        }
        let read: Result<Vec<_>, _> = LetorReader::new("test", Cursor::new(file)).unwrap().collect();
        assert_eq!(read.unwrap(), queries);
    }
}
