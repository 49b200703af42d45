//! Parses server-sent events, as far as the arena uses them.

use std::io::{self, BufRead, BufReader, Read};

/// The longest line that is read, in bytes. The event that creates an experiment with many arms is
/// one line.
const LONGEST: u64 = 256 * 1024 * 1024;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Event {
    /// Its position in the log.
    pub(super) id: u64,
    /// A JSON object.
    pub(super) data: String,
}

/// The events of a stream of bytes.
pub(super) struct Events<R> {
    reader: BufReader<R>,
    line: Vec<u8>,
    id: Option<u64>,
    data: Option<String>,
}

impl<R: Read> Events<R> {
    pub(super) fn new(reader: R) -> Self {
        Self { reader: BufReader::new(reader), line: Vec::new(), id: None, data: None }
    }

    /// The next event, or `None` at the end. An incomplete event at the end is ignored.
    pub(super) fn next(&mut self) -> io::Result<Option<Event>> {
        loop {
            self.line.clear();
            (&mut self.reader).take(LONGEST).read_until(b'\n', &mut self.line)?;
            let Some(line) = self.line.strip_suffix(b"\n") else { return Ok(None) };
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if line.is_empty() {
                if let (Some(id), Some(data)) = (self.id, self.data.take()) {
                    return Ok(Some(Event { id, data }));
                }
                continue;
            }
            let line = String::from_utf8_lossy(line);
            let (field, value) = line.split_once(':').unwrap_or((&line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            match field {
                "id" => self.id = value.parse().ok(),
                "data" => match &mut self.data {
                    Some(data) => {
                        data.push('\n');
                        data.push_str(value);
                    }
                    None => self.data = Some(value.to_owned()),
                },
                // Comments keep the connection alive; the kind of an event is also in its data.
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_a_stream() {
        let text =
            ":\n\nid: 7\nevent: duel\ndata: {}\n\n: alive\r\n\r\nid:8\r\ndata:a\r\ndata: b\r\n\r\ndata: c";
        let mut events = Events::new(text.as_bytes());
        let event = |id, data: &str| Some(Event { id, data: data.to_owned() });
        assert_eq!(events.next().expect("no error"), event(7, "{}"));
        assert_eq!(events.next().expect("no error"), event(8, "a\nb"));
        assert_eq!(events.next().expect("no error"), None);
    }
}
