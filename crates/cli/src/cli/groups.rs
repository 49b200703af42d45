//! Shows the commands in three groups, so that a newcomer sees which belong together.

use std::fmt::Write as _;

use clap::{Command, CommandFactory as _};

use super::Arguments;

/// The titles of the groups, and their commands.
const GROUPS: [(&str, &[&str]); 3] = [
    ("Lab (simulate and compare)", &["reproduce", "play", "replay", "run", "merge", "plot"]),
    (
        "Live (ask people)",
        &[
            "plan",
            "serve",
            "new",
            "experiment",
            "arm",
            "duel",
            "vote",
            "watch",
            "standing",
            "segments",
            "voters",
            "void",
            "evaluate",
            "apprentice",
            "import",
            "export",
            "key",
            "verify",
            "backup",
            "restore",
        ],
    ),
    ("Policies and worlds", &["policy", "world", "collection"]),
];

/// The command line with its help in groups.
pub(crate) fn command() -> Command {
    let command = Arguments::command();
    let header = *command.get_styles().get_header();
    let literal = *command.get_styles().get_literal();
    let width = command.get_subcommands().map(|command| command.get_name().len()).max().unwrap_or(0);
    let mut text = String::new();
    for (title, names) in GROUPS {
        let _ = writeln!(text, "{header}{title}:{header:#}");
        for name in names {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(text, "  {literal}{name:width$}{literal:#}  {about}");
        }
        text.push('\n');
    }
    let template = format!(
        "{{about}}\n\n{{usage-heading}} {{usage}}\n\n{text}{header}Options:{header:#}\n{{options}}{{after-help}}"
    );
    command.help_template(template)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_every_command_is_in_one_group() {
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        let command = Arguments::command();
        let mut all: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
        grouped.sort_unstable();
        all.sort_unstable();
        assert_eq!(grouped, all);
    }
}
