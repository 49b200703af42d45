//! Prints `python/package/tiltyard/policies.py`: a class for each policy of the registry.
//! `cargo xtask docs` runs it.

#![expect(clippy::print_stdout, reason = "a program that writes a file")]

use tiltyard_bandit::params::Param;
use tiltyard_bandit::policy::{Info, registry};

/// The longest line of code.
const WIDTH: usize = 120;

const HEAD: &str = r#""""The policies, one class each.

All take the number of `arms`, the parameters of their paper as keywords, and what `Common` lists. A parameter is a
number, a word, or an expression in T and K such as `"1/T"`; where T is used, `rounds=` says what it is.
`tiltyard.policy_info(name)` has the whole page.

Sparring, Doubler and MultiSBM are made of classical players: `player` names the player, and the keywords after it are
the player's own. `player_rounds` is the parameter `rounds` of `exp3ix`, since `rounds` alone is the horizon T.
"""

# Written by `cargo xtask docs` from what the policies declare.

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from tiltyard._native import Policy
from tiltyard.policy import Common, new

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from tiltyard.types import Value
"#;

fn main() {
    print!("{HEAD}");
    let made_of_players = registry::all().find(is_made_of_players).expect("the reductions");
    print!("\n\n{PLAYERS}{}", constructor(&made_of_players, "cls._name"));
    for info in registry::all() {
        print!("\n\n{}", class(&info));
    }
    println!("\n\nCLASSES: dict[str, type[Policy]] = {{");
    for Info { name, class, .. } in registry::all() {
        println!("    \"{name}\": {class},");
    }
    println!(
        "}}\n\"\"\"The class of each policy, by its name in specifications.\"\"\"\n\n__all__ = {}",
        names()
    );
}

/// A list of all classes.
fn names() -> String {
    let mut classes: Vec<String> = registry::all().map(|info| format!("\"{}\"", info.class)).collect();
    classes.sort_unstable();
    format!("[\n{}]", items(4, &classes))
}

/// A line for each item of a list.
fn items(indent: usize, items: &[String]) -> String {
    items.iter().flat_map(|item| [&" ".repeat(indent), item.as_str(), ",\n"].map(str::to_owned)).collect()
}

/// The base of the policies that are made of players, whose keywords are the same.
const PLAYERS: &str = "\
class OfPlayers(Policy):
    \"\"\"A policy that is made of classical players.\"\"\"

    _name: ClassVar[str]

";

fn is_made_of_players(info: &Info) -> bool {
    info.params.iter().any(|param| param.key == "player")
}

/// The name of a parameter as a keyword. `rounds` is T, a keyword of all classes.
fn keyword(key: &str) -> &str {
    if key == "rounds" { "player_rounds" } else { key }
}

fn class(info: &Info) -> String {
    let base = if is_made_of_players(info) { "OfPlayers" } else { "Policy" };
    let mut text = format!("class {}({base}):\n    \"\"\"{}\n\n", info.class, sentence(info.title));
    if info.binary {
        text +=
            "    It counts wins and losses: ties are refused, or broken by a coin with `ties=\"coin\"`.\n\n";
    }
    if let Some(horizon) = info.horizon {
        text += &wrap(&format!("It needs `rounds=` {horizon}."), 4, 4);
        text.push('\n');
    }
    if !info.params.is_empty() {
        text += "    Args:\n";
        for Param { key, meaning, legal, default } in info.params {
            text += &wrap(&format!("{}: {meaning}; {legal} [{default}].", keyword(key)), 8, 12);
        }
        text.push('\n');
    }
    text += &wrap(&info.reference.to_string(), 4, 4);
    text += "    \"\"\"\n\n";
    if is_made_of_players(info) {
        text + &format!("    _name = \"{}\"\n", info.name)
    } else {
        text + &constructor(info, &format!("\"{}\"", info.name))
    }
}

/// `__new__` for the policy that `name` stands for.
fn constructor(info: &Info, name: &str) -> String {
    let keys = info.params.iter().map(|param| param.key);
    let arguments: Vec<String> = keys.clone().map(|key| format!("{}: Value = None", keyword(key))).collect();
    let pairs: Vec<String> = keys.map(|key| format!("\"{key}\": {}", keyword(key))).collect();
    let new = format!("        return new(cls, {name}, arms, common, {{{}}})\n", pairs.join(", "));
    if new.len() - 1 <= WIDTH {
        return signature(&arguments) + &new;
    }
    let params = format!("        params = {{\n{}        }}\n", items(12, &pairs));
    signature(&arguments) + &params + &format!("        return new(cls, {name}, arms, common, params)\n")
}

fn signature(arguments: &[String]) -> String {
    let all = ["cls", "arms: int"].map(str::to_owned).into_iter();
    let star = (!arguments.is_empty()).then(|| "*".to_owned());
    let common = ["**common: Unpack[Common]".to_owned()];
    let all: Vec<String> = all.chain(star).chain(arguments.iter().cloned()).chain(common).collect();
    let line = format!("    def __new__({}) -> Self:\n", all.join(", "));
    if line.len() - 1 <= WIDTH {
        return line;
    }
    format!("    def __new__(\n{}    ) -> Self:\n", items(8, &all))
}

/// With a capital letter and a full stop.
fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

/// Words in lines of at most [`WIDTH`] letters, indented by `first` and then by `others`.
fn wrap(words: &str, first: usize, others: usize) -> String {
    let mut text = String::new();
    let mut line = " ".repeat(first);
    for word in words.split(' ') {
        let is_empty = line.trim().is_empty();
        if !is_empty && line.chars().count() + 1 + word.chars().count() > WIDTH {
            text = text + &line + "\n";
            line = " ".repeat(others);
        } else if !is_empty {
            line.push(' ');
        }
        line += word;
    }
    text + &line + "\n"
}
