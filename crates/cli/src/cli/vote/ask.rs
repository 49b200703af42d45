//! Asks a person: reads single keys at a terminal, lines elsewhere.

use std::io::{self, BufRead as _, IsTerminal as _};

use console::{Key, Term};
use tiltyard_wire::Outcome;

use crate::printer::Printer;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reply {
    Answer(Outcome),
    /// No more duels.
    Enough,
}

pub(super) struct Person {
    /// The terminal to read keys from; without one, lines are read from stdin.
    terminal: Option<Term>,
}

impl Person {
    pub(super) fn new() -> Self {
        let attended = io::stdin().is_terminal() && io::stderr().is_terminal();
        Self { terminal: attended.then(Term::stderr) }
    }

    /// Shows a duel and asks until it gets a valid answer.
    pub(super) fn ask(&mut self, left: &str, right: &str, printer: &Printer) -> io::Result<Reply> {
        printer.ask(format_args!("\n  [l] {left}\n  [r] {right}\n"));
        loop {
            printer.ask("l left, r right, t tie, b both bad, s skip, q quit: ");
            let Some(key) = self.key()? else {
                printer.ask("\n");
                return Ok(Reply::Enough);
            };
            if self.terminal.is_some() {
                printer.ask(format_args!("{}\n", if key.is_control() { ' ' } else { key }));
            }
            if let Some(reply) = understand(key) {
                return Ok(reply);
            }
        }
    }

    /// The key typed, or `None` at the end of the input.
    fn key(&mut self) -> io::Result<Option<char>> {
        if let Some(terminal) = &self.terminal {
            return Ok(match terminal.read_key()? {
                Key::Char('\u{4}') | Key::Escape => None,
                Key::Char(key) => Some(key),
                Key::ArrowLeft => Some('l'),
                Key::ArrowRight => Some('r'),
                _ => Some(' '),
            });
        }
        let mut line = String::new();
        if io::stdin().lock().read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let mut keys = line.trim().chars();
        // A line must be a single letter; anything longer is not an answer.
        Ok(Some(keys.next().filter(|_| keys.next().is_none()).unwrap_or(' ')))
    }
}

fn understand(key: char) -> Option<Reply> {
    Some(match key.to_ascii_lowercase() {
        'l' => Reply::Answer(Outcome::Left),
        'r' => Reply::Answer(Outcome::Right),
        't' => Reply::Answer(Outcome::Tie),
        'b' => Reply::Answer(Outcome::BothBad),
        's' => Reply::Answer(Outcome::Skip),
        'q' => Reply::Enough,
        _ => return None,
    })
}
