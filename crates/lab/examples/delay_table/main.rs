//! Writes `docs/delay.md`: the regret of REX3 and of two other policies when outcomes arrive late,
//! in batches or at several nodes, or get lost. `cargo xtask delay-table` runs it.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that writes a page")]

use std::collections::BTreeMap;
use std::fmt::Write as _;

use tiltyard_lab::play::{Job, PlayError, Progress, play};
use tiltyard_world::Delivery;

mod plan;
mod world_bounds;

use plan::{BATCHES, COUNTS, DELAYS, OTHERS, ROUNDS, RUNS, SEED, SHARES, STALE, SUMMARY, WORLDS};
use world_bounds::WorldBounds;

fn main() -> Result<(), PlayError> {
    let mut seen = Seen::default();
    let mut page = plan::opening();
    page.push_str(&summary(&mut seen)?);
    for (world, title) in WORLDS {
        eprintln!("{world}");
        let bounds = WorldBounds::of(world)?;
        writeln!(page, "\n## `{world}`: {title}\n\n{bounds}").expect("writing to a string cannot fail");
        for section in [fixed, geometric, batched, lossy, nodes] {
            page.push_str(&section(&mut seen, &bounds)?);
        }
    }
    println!("{}", page.trim_end());
    Ok(())
}

/// The mean and standard error of the regret at the end.
#[derive(Clone, Copy)]
struct Cell {
    mean: f64,
    sem: f64,
}

impl core::fmt::Display for Cell {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{:.0} ± {:.0}", self.mean, self.sem.max(1.0))
    }
}

/// The measurements so far. Some tables share a number.
#[derive(Default)]
struct Seen(BTreeMap<String, Cell>);

impl Seen {
    fn measure(&mut self, world: &str, wrappers: &str, policy: &str) -> Result<Cell, PlayError> {
        let wrapped = format!("{world}{wrappers}");
        let (bare, delivery) = Delivery::split(&wrapped, ROUNDS)?;
        let world = if delivery.is_prompt() { bare.to_owned() } else { wrapped };
        let key = format!("{world} {policy}");
        if let Some(&cell) = self.0.get(&key) {
            return Ok(cell);
        }
        let job = Job {
            world,
            policies: vec![policy.parse().expect("a policy of the plan")],
            lenient: false,
            checkpoints: vec![ROUNDS],
            runs: RUNS,
            seed: SEED,
            regret: None,
        };
        let report = play(&job, &Progress::default())?;
        let regret = &report.policies[0].regret;
        let cell = Cell { mean: regret.mean[0], sem: regret.sem[0] };
        self.0.insert(key, cell);
        Ok(cell)
    }

    /// The regret of the other policies.
    fn others(&mut self, bounds: &WorldBounds, wrappers: &str) -> Result<Vec<String>, PlayError> {
        OTHERS.iter().map(|policy| Ok(self.measure(bounds.name, wrappers, policy)?.to_string())).collect()
    }
}

/// A table in Markdown.
fn table(title: &str, header: &[&str], rows: &[Vec<String>]) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let header: Vec<_> = header.iter().map(|&cell| cell.to_owned()).collect();
    let rule = format!("|{}\n", "---|".repeat(header.len()));
    let rows: String = rows.iter().map(|row| line(row)).collect();
    format!("\n{title}\n\n{}{rule}{rows}", line(&header))
}

/// The regret of REX3, as a multiple of its regret with prompt outcomes.
fn summary(seen: &mut Seen) -> Result<String, PlayError> {
    let mut rows = Vec::new();
    for (world, _) in WORLDS {
        let prompt = seen.measure(world, "", "rex3")?;
        let mut row = vec![format!("`{world}`"), prompt.to_string()];
        for (_, wrappers) in SUMMARY {
            let late = seen.measure(world, wrappers, "rex3")?;
            // The relative error of a quotient of two independent means.
            let ratio = late.mean / prompt.mean;
            let error = ratio * (late.sem / late.mean).hypot(prompt.sem / prompt.mean);
            row.push(format!("{ratio:.2} ± {error:.2}"));
        }
        rows.push(row);
    }
    let mut header = vec!["world", "prompt"];
    header.extend(SUMMARY.iter().map(|(title, _)| *title));
    let title = "\n## In short\n\nThe regret of `rex3` with prompt outcomes, and the factor by which it grows when they are not prompt:";
    Ok(table(title, &header, &rows))
}

fn fixed(seen: &mut Seen, bounds: &WorldBounds) -> Result<String, PlayError> {
    let mut rows = Vec::new();
    for delay in DELAYS {
        let wrappers = format!("+delayed:rounds={delay}");
        let missing = |round: u64| (round - 1).min(delay);
        let (gamma, bound) = bounds.best_rate(missing);
        let mut row = vec![
            delay.to_string(),
            seen.measure(bounds.name, &wrappers, "rex3")?.to_string(),
            bounds.promise(bounds.anytime_bound(missing, 1.0)),
            format!("{gamma}"),
            seen.measure(bounds.name, &wrappers, &format!("rex3:gamma={gamma}"))?.to_string(),
            bounds.promise(bound),
        ];
        row.extend(seen.others(bounds, &wrappers)?);
        rows.push(row);
    }
    let header = ["delay", "`rex3`", "bound", "gamma", "`rex3` at that gamma", "bound", OTHERS[0], OTHERS[1]];
    Ok(table("**The same delay for all** (`+delayed:rounds=d`)", &header, &rows))
}

fn geometric(seen: &mut Seen, bounds: &WorldBounds) -> Result<String, PlayError> {
    let mut rows = Vec::new();
    for mean in DELAYS.into_iter().filter(|&mean| mean > 0) {
        let wrappers = format!("+delayed:mean={mean}");
        let mut row = vec![mean.to_string(), seen.measure(bounds.name, &wrappers, "rex3")?.to_string()];
        row.extend(seen.others(bounds, &wrappers)?);
        rows.push(row);
    }
    let header = ["mean delay", "`rex3`", OTHERS[0], OTHERS[1]];
    Ok(table(
        "**Geometric delays, so that outcomes overtake each other** (`+delayed:mean=d`)",
        &header,
        &rows,
    ))
}

fn batched(seen: &mut Seen, bounds: &WorldBounds) -> Result<String, PlayError> {
    let mut rows = Vec::new();
    for size in BATCHES {
        let wrappers = format!("+batched:size={size}");
        let missing = |round: u64| (round - 1) % size;
        let mut row = vec![
            size.to_string(),
            seen.measure(bounds.name, &wrappers, "rex3")?.to_string(),
            bounds.promise(bounds.anytime_bound(missing, 1.0)),
        ];
        row.extend(seen.others(bounds, &wrappers)?);
        rows.push(row);
    }
    let header = ["size", "`rex3`", "bound", OTHERS[0], OTHERS[1]];
    Ok(table("**Batches** (`+batched:size=b`)", &header, &rows))
}

fn lossy(seen: &mut Seen, bounds: &WorldBounds) -> Result<String, PlayError> {
    let mut rows = Vec::new();
    for share in SHARES {
        let wrappers = format!("+lossy:share={share}");
        let mut row = vec![
            share.to_string(),
            seen.measure(bounds.name, &wrappers, "rex3")?.to_string(),
            bounds.promise(bounds.anytime_bound(|_| 0, 1.0 - share)),
        ];
        row.extend(seen.others(bounds, &wrappers)?);
        rows.push(row);
    }
    let header = ["share lost", "`rex3`", "bound", OTHERS[0], OTHERS[1]];
    Ok(table("**Lost outcomes** (`+lossy:share=q`)", &header, &rows))
}

fn nodes(seen: &mut Seen, bounds: &WorldBounds) -> Result<String, PlayError> {
    let mut rows = Vec::new();
    let mut cell = |policy: &str, count: u64| -> Result<(), PlayError> {
        let mut row = vec![format!("`{policy}`"), count.to_string()];
        for stale in STALE {
            let wrappers = format!("+nodes:count={count},stale={stale}");
            row.push(seen.measure(bounds.name, &wrappers, policy)?.to_string());
        }
        rows.push(row);
        Ok(())
    };
    for count in COUNTS {
        cell("rex3", count)?;
    }
    let most = COUNTS[COUNTS.len() - 1];
    for policy in OTHERS {
        cell(policy, most)?;
    }
    let mut row = vec!["bound for `rex3`".to_owned(), most.to_string()];
    row.extend(STALE.iter().map(|&stale| bounds.promise(bounds.nodes_bound(most, stale))));
    rows.push(row);
    let stale = STALE.map(|stale| format!("stale {stale}"));
    let mut header = vec!["policy", "nodes"];
    header.extend(stale.iter().map(String::as_str));
    Ok(table("**Several nodes** (`+nodes:count=N,stale=s`)", &header, &rows))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    /// The numbers take minutes. This test only checks that the page belongs to this plan.
    #[test]
    fn trace_the_page_was_made_by_this_plan() {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/delay.md");
        let page = std::fs::read_to_string(page).expect("the page exists");
        assert!(page.starts_with(&super::plan::opening()), "run `cargo xtask delay-table`");
        for (world, title) in super::WORLDS {
            assert!(page.contains(&format!("## `{world}`: {title}")), "{world} is missing");
        }
    }
}
