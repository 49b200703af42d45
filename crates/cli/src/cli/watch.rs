//! `tiltyard watch`: prints the events of an experiment as they happen.

use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use clap::Args;
use tiltyard_wire::ExperimentView;

use self::sse::{Event, Events};
use self::tell::EventFormatter;
use super::Failure;
use super::client::{Client, Connection, Retry, TextFormat, read};
use crate::number;
use crate::printer::Printer;

mod gone;
mod sse;
mod tell;

/// The most events that wait to be printed. Once it is reached, the server has to wait.
const WAITING: usize = 1000;

/// The time between two checks whether to stop.
const BEAT: Duration = Duration::from_millis(100);

/// The first wait after a stream broke. Each further wait is twice as long, up to `LONGEST_WAIT`.
const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// The most failures in a row to open a stream: about five minutes with these waits.
const ATTEMPTS: u32 = 30;

/// Print the events of an experiment as they happen, until Ctrl-C
///
/// If the connection breaks, the command opens it again and continues without missing an event. It
/// ends with exit code 0 on Ctrl-C, and also when the reader of stdout closes it.
#[derive(Debug, Args)]
pub(crate) struct Watch {
    /// The experiment's id, or its name if that is unique
    experiment: String,
    /// Where to begin: `start`, `now`, or after a position of the log
    #[arg(long, value_name = "start|now|POSITION", default_value = "now")]
    from: From,
    /// Output format: one line or one JSON object per event
    #[arg(long, value_enum, default_value = "text")]
    format: TextFormat,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum From {
    Now,
    Behind(u64),
}

impl FromStr for From {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "now" => Ok(Self::Now),
            "start" => Ok(Self::Behind(0)),
            // The store cannot count further.
            place => match number::whole(place) {
                Ok(place) if place < 1 << 62 => Ok(Self::Behind(place)),
                _ => Err("must be start, now, or a position of the log such as 120".to_owned()),
            },
        }
    }
}

/// A message of the reading thread.
enum Message {
    Event(Event),
    /// A message to the user.
    Note(String),
    /// The thread cannot continue.
    Failed(Failure),
}

impl Watch {
    pub(crate) fn run(self, printer: &mut Printer) -> Result<(), Failure> {
        let client = Arc::new(self.connection.open()?);
        let id = client.resolve(&self.experiment, printer)?;
        let after = match self.from {
            From::Behind(place) => place,
            // An explicit position, so that a connection that breaks early misses nothing.
            From::Now => read::<ExperimentView>(&client.get(&format!("/v1/experiments/{id}"), printer)?)?.seq,
        };
        let stop = Arc::new(AtomicBool::new(false));
        let asked = Arc::clone(&stop);
        ctrlc::set_handler(move || asked.store(true, Ordering::Release)).map_err(Failure::signals)?;
        let gone = Arc::clone(&stop);
        thread::spawn(move || {
            if gone::wait().is_ok() {
                gone.store(true, Ordering::Release);
            }
        });
        let (sender, receiver) = sync_channel(WAITING);
        let reading = (Arc::clone(&client), format!("/v1/experiments/{id}/events"));
        // Both threads may block for a long time; they end with the process.
        thread::spawn(move || follow(&reading.0, &reading.1, after, &sender));
        self.print(&receiver, &stop, printer)
    }

    fn print(
        &self,
        receiver: &Receiver<Message>,
        stop: &AtomicBool,
        printer: &mut Printer,
    ) -> Result<(), Failure> {
        let mut teller = EventFormatter::default();
        let mut message = None;
        while !stop.load(Ordering::Acquire) {
            match message.take() {
                Some(Message::Event(event)) => match self.format {
                    TextFormat::Json => printer.line(event.data),
                    TextFormat::Text => printer.line(teller.line(&event.data)?),
                },
                Some(Message::Note(note)) => printer.note(note),
                Some(Message::Failed(failure)) => return Err(failure),
                None => {}
            }
            // Flush as soon as no further message is waiting.
            message = receiver.try_recv().ok();
            if message.is_none() {
                if !printer.flush()? {
                    return Ok(());
                }
                message = match receiver.recv_timeout(BEAT) {
                    Ok(message) => Some(message),
                    Err(RecvTimeoutError::Timeout) => None,
                    Err(RecvTimeoutError::Disconnected) => return Ok(()),
                };
            }
        }
        Ok(())
    }
}

/// Reads the stream. When it breaks, opens it again after the last event read. Ends when the
/// receiver is gone or when it cannot continue.
fn follow(client: &Client, path: &str, mut after: u64, sender: &SyncSender<Message>) {
    let mut failed = 0;
    let mut wait = FIRST_WAIT;
    loop {
        let why = match client.stream(path, after) {
            Ok(reader) => {
                (failed, wait) = (0, FIRST_WAIT);
                let mut events = Events::new(reader);
                loop {
                    match events.next() {
                        Ok(Some(event)) => {
                            after = event.id;
                            if sender.send(Message::Event(event)).is_err() {
                                return;
                            }
                        }
                        Ok(None) => break "the stream ended".to_owned(),
                        Err(error) => break format!("the stream broke: {error}"),
                    }
                }
            }
            Err(trouble) => {
                failed += 1;
                let Some(pause) = trouble.pause(Retry::Safe, wait).filter(|_| failed < ATTEMPTS) else {
                    // If the receiver is gone, the failure does not matter.
                    let _ = sender.send(Message::Failed(trouble.failure(client)));
                    return;
                };
                wait = pause.max(wait);
                trouble.to_string()
            }
        };
        let note = format!("{why}; continuing after position {after} in {} s", wait.as_secs_f64());
        if sender.send(Message::Note(note)).is_err() {
            return;
        }
        thread::sleep(wait);
        wait = (wait * 2).min(LONGEST_WAIT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_where_to_begin() {
        assert_eq!("start".parse(), Ok(From::Behind(0)));
        assert_eq!("now".parse(), Ok(From::Now));
        assert_eq!("1e3".parse(), Ok(From::Behind(1000)));
        for text in ["", "end", "-1", "1.5", "4611686018427387904"] {
            assert!(text.parse::<From>().is_err(), "{text}");
        }
    }
}
