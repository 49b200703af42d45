//! Writes the page.

use std::fmt::Write as _;

use tiltyard_bandit::policy::registry;
use tiltyard_lab::results::{Results, Series};

use crate::PARTS;
use crate::advice::{Advice, rounds, share};
use crate::score::{interval, mean};
use crate::situations::ALL;

const WRITTEN: &str = "writing to a string cannot fail";

/// Algorithms that a reader may look for and not find.
const LEFT_OUT: &str = "
## Not included

- **CW-RMED and ECW-RMED** (Komiyama and others, 2016), which are optimal for Copeland winners. Which edges a round must
  check, and how targets are computed, we know only from two public programs. They contradict each other, and one of
  them rejects what it should accept. Use `ccb`, `dts` or `scb`.
- **ANACONDA** (Buening and Saha, 2023), for an unknown number of changes. We know its schedule of replays and its
  thresholds from memory only. `sparring:player=exp3s` is for a known number of changes.
- **DETECT and MDB**, which detect changes, and policies that use a context. They are not implemented yet.
";

/// Identifies the specification that a page was made from.
pub(crate) fn mark(id: &str, hash: &str) -> String {
    format!("{id} {}", hash.get(..12).unwrap_or(hash))
}

/// The whole page, in Markdown.
pub(crate) fn page(results: &[Results]) -> String {
    let advice: Vec<Advice> = ALL.iter().map(|situation| Advice::of(results, situation)).collect();
    let mut page = opening(results);
    page.push_str("\n## In short\n\n| situation | use | loss | within the noise |\n|---|---|---|---|\n");
    for (situation, advice) in ALL.iter().zip(&advice) {
        let tied: Vec<String> = advice.tied.iter().map(|score| format!("`{}`", score.policy)).collect();
        let tied = if tied.is_empty() { "–".to_owned() } else { tied.join(", ") };
        let first = &advice.first;
        writeln!(page, "| {} | `{}` | {} | {tied} |", situation.title, first.policy, share(first))
            .expect(WRITTEN);
    }
    page.push_str("\n## Situation by situation\n\n");
    for (situation, advice) in ALL.iter().zip(&advice) {
        page.push_str(&advice.to_markdown(situation));
    }
    page.push_str(&overview(results));
    page.push_str(LEFT_OUT);
    page.push_str("\n## World by world\n\nRegret with its 95 % interval, and nanoseconds per round on the machine that played.\n");
    for results in results {
        for (index, world) in results.manifest.plan.worlds.iter().enumerate() {
            writeln!(page, "\n### {} (`{}`), {} regret\n", world.label, world.name, world.regret)
                .expect(WRITTEN);
            page.push_str(&world_table(results, index));
        }
    }
    page
}

fn opening(results: &[Results]) -> String {
    let marks: Vec<String> =
        PARTS.iter().zip(results).map(|((id, _), results)| mark(id, &results.manifest.hash)).collect();
    let runs = results.iter().flat_map(|results| &results.series).map(|series| series.runs.len());
    let (fewest, most) = (runs.clone().min().unwrap_or(0), runs.max().unwrap_or(0));
    let mut text = format!(
        "<!-- Written by `cargo xtask guide` from crates/lab/specs/guide: {}. Neither the numbers nor the choices are typed by hand. -->\n\n",
        marks.join(", ")
    );
    write!(
        text,
        "\
# Which algorithm should I use?

For people who must choose a policy. Find your situation below, and see which policy to try first.

**Regret, not votes.** This page compares regret. If you want a [verdict](verdict.md) from people's votes, policies that
keep comparing different arms, such as `rex3` or `vdb`, get there sooner. Policies that settle early, such as `dts` or
`rmed1`, soon show the best arm against itself, and such a duel gives no vote. In
[a replay of real votes](replay.md#example-votes-until-a-verdict-on-wmt13), all 1000 runs of `rex3` reached a verdict;
within 500,000 rounds, `dts` reached one in 10 % of 200 runs and `rmed1` in 42 %.

**In the arena.** [The arena](arena.md#settings-of-an-experiment) refuses policies that need each outcome before the
next duel (the capability `sequential`: `wsw`, `wss`, `btw`). Policies without the capability `distinct` may show the
same arm on both sides; `rex3` and `vdb` have it. [The page of each policy](policies.md) lists its capabilities.

**How policies are chosen.** Each policy in the table *Every policy in every world* played in all worlds in which it can
play. It played each world {fewest} to {most} times (runs). The specifications are in `crates/lab/specs/guide`;
`cargo xtask guide` plays them again. For each situation the page names the policy with the lowest loss, and the
policies whose loss these runs cannot tell apart from the lowest (*within the noise*).

**How losses are compared.** The regret of a policy is divided by the regret of random play in the same world and round,
and averaged over the worlds of a situation. 0 % means playing the best arm against itself from the start, and 100 %
means learning nothing. The number after ± is half of a 95 % interval over runs. *Within the noise* means that the 95 %
interval of the difference, paired by run, contains 0.

**Limits of the tables.** Your arms and voters differ from these worlds. A policy that assumes fixed preferences can lose
as much as random play if they change. Only the worlds of *The best arm changes* and *Early answers may mislead* measure
this. The assumptions below each choice say when its guarantee holds. Try your own matrix or votes:
`tiltyard play --world M.csv --policy all`.
"
    )
    .expect(WRITTEN);
    text
}

/// All policies by all worlds, at the end of the runs.
fn overview(results: &[Results]) -> String {
    let worlds: Vec<(&str, Vec<&Series>)> = results
        .iter()
        .flat_map(|results| {
            results.manifest.plan.worlds.iter().map(|world| {
                let series = results.series.iter().filter(|series| series.world == world.name).collect();
                (world.name.as_str(), series)
            })
        })
        .collect();
    let mut text = String::from(
        "## Every policy in every world\n\nThe loss at the end of the runs, after 1e6 rounds, or after 1e5 where answers are late, as a percentage of what random play \
         loses there. The lowest loss in each column is bold. A dash means that the policy cannot play there.\n\n| policy |",
    );
    for (world, _) in &worlds {
        write!(text, " {world} |").expect(WRITTEN);
    }
    write!(text, "\n|---|{}\n", "---|".repeat(worlds.len())).expect(WRITTEN);
    let loss = |series: &[&Series], policy: &str| {
        let of = |policy: &str| {
            let series = series.iter().find(|series| series.policy == policy)?;
            Some(mean(&series.regrets_at(series.checkpoints.len() - 1)))
        };
        Some(100.0 * of(policy)? / of("random")?)
    };
    let is_played = |policy: &String| {
        worlds.iter().any(|(_, series)| series.iter().any(|series| series.policy == *policy))
    };
    let line_up: Vec<String> =
        registry::line_up().iter().map(ToString::to_string).filter(is_played).collect();
    let least: Vec<f64> = worlds
        .iter()
        .map(|(_, series)| {
            line_up.iter().filter_map(|policy| loss(series, policy)).fold(f64::INFINITY, f64::min)
        })
        .collect();
    for policy in &line_up {
        write!(text, "| `{policy}` |").expect(WRITTEN);
        for ((_, series), &least) in worlds.iter().zip(&least) {
            let cell = match loss(series, policy) {
                None => "–".to_owned(),
                Some(loss) if loss <= least => format!("**{}**", percent(loss)),
                Some(loss) => percent(loss),
            };
            write!(text, " {cell} |").expect(WRITTEN);
        }
        text.push('\n');
    }
    text
}

fn percent(loss: f64) -> String {
    if loss.abs() < 9.95 { format!("{loss:.1}") } else { format!("{loss:.0}") }
}

fn world_table(results: &Results, world: usize) -> String {
    let plan = &results.manifest.plan;
    let cells = plan.cells.iter().enumerate().filter(|(_, cell)| cell.world == world);
    let mut rows: Vec<(f64, String)> = cells
        .map(|(index, cell)| {
            let series = &results.series[index];
            let last = series.checkpoints.len() - 1;
            let played: u64 = if cell.fixed_horizon {
                cell.runs * cell.checkpoints.iter().sum::<u64>()
            } else {
                cell.runs * cell.checkpoints[last]
            };
            let cost = 1e9 * results.manifest.cell_seconds[index] / played as f64;
            let regrets: Vec<String> = (0..=last).map(|i| regret(&series.regrets_at(i))).collect();
            let told = if cell.fixed_horizon { " (knows the horizon)" } else { "" };
            let row = format!("| `{}`{told} | {} | {cost:.0} |\n", series.policy, regrets.join(" | "));
            (mean(&series.regrets_at(last)), row)
        })
        .collect();
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    let rounds_of = &results
        .series
        .iter()
        .find(|series| series.world == plan.worlds[world].name)
        .expect("it was played")
        .checkpoints;
    let header: Vec<String> = rounds_of.iter().map(|&round| format!("t = {}", rounds(round))).collect();
    let mut text =
        format!("| policy | {} | ns/round |\n|---|{}---|\n", header.join(" | "), "---|".repeat(header.len()));
    text.extend(rows.into_iter().map(|(_, row)| row));
    text
}

fn regret(values: &[f64]) -> String {
    let (mean, half) = (mean(values), interval(values));
    let digits = usize::from(half < 9.5) + usize::from(half < 0.95);
    format!("{mean:.digits$} ± {half:.digits$}")
}
