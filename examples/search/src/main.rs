//! `cargo run -p tiltyard-example-search`: which of four rankers finds things best?

#![expect(clippy::print_stdout, reason = "it talks to the person who started it")]

use std::io::{BufRead as _, Write as _};
use std::path::PathBuf;

use anyhow::Result;
use clap::Parser;
use rand::rngs::{ChaCha8Rng, SysRng};
use rand::{SeedableRng, TryRng as _};
use tiltyard_example_search::arena::{Api, Local};
use tiltyard_example_search::engine::Engine;
use tiltyard_example_search::sections;
use tiltyard_example_search::session::Session;
use tiltyard_example_search::user::User;
use tiltyard_wire::Standing;

/// Four rankers search the pages of a folder. A live arena merges their lists and learns from
/// clicks which one is the best.
#[derive(Debug, Parser)]
struct Arguments {
    /// A server that is already running, such as http://127.0.0.1:7474, with its key in
    /// TILTYARD_KEY. Without this option, the example starts its own server.
    #[arg(long)]
    server: Option<String>,
    /// The folder with the Markdown pages.
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs"))]
    docs: PathBuf,
    /// The number of queries that simulated users make.
    #[arg(long, default_value_t = 2000)]
    queries: usize,
    /// Search yourself instead of simulating users.
    #[arg(long)]
    ask: bool,
    /// The seed of the simulated users.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let sections = sections::read(&arguments.docs)?;
    anyhow::ensure!(!sections.is_empty(), "{} has no Markdown pages", arguments.docs.display());
    let engine = Engine::new(&sections)?;
    let mut entropy = [0; 32];
    SysRng.try_fill_bytes(&mut entropy)?;
    let local = if arguments.server.is_none() { Some(Local::start(entropy)?) } else { None };
    let api = match (&arguments.server, &local) {
        (Some(url), _) => Api::new(url, std::env::var("TILTYARD_KEY").ok()),
        (None, Some(local)) => local.api(),
        (None, None) => unreachable!("one was started"),
    };
    let session = Session::new(api, &engine)?;
    println!("{} sections", sections.len());
    if arguments.ask {
        ask(&session, &sections)?;
    } else {
        let mut rng = ChaCha8Rng::seed_from_u64(arguments.seed);
        for done in 1..=arguments.queries {
            if let Some(user) = User::draw(&sections, &mut rng) {
                let page = session.search(&user.query)?;
                session.click(&page, &user.clicks(&page.sections, &mut rng))?;
            }
            if done % 500 == 0 {
                println!("{done} queries; the policy would now bet on {}", session.standing()?.recommended);
            }
        }
    }
    show(&session.standing()?);
    Ok(())
}

/// A person searches and says which results were useful.
fn ask(session: &Session<'_>, sections: &[sections::Section]) -> Result<()> {
    println!("Type a query, then the numbers of the useful results. An empty query ends the program.");
    let mut lines = std::io::stdin().lock().lines();
    let mut line = |prompt: &str| -> Result<String> {
        print!("{prompt} ");
        std::io::stdout().flush()?;
        Ok(lines.next().transpose()?.unwrap_or_default().trim().to_owned())
    };
    loop {
        let query = line("search:")?;
        if query.is_empty() {
            return Ok(());
        }
        let page = session.search(&query)?;
        for (place, id) in page.sections.iter().enumerate() {
            let title =
                sections.iter().find(|section| section.id == *id).map_or("", |section| &section.title);
            println!("{:3}  {title}  ({id})", place + 1);
        }
        let useful = line("useful:")?;
        let places = useful.split([' ', ',']).filter_map(|word| word.parse().ok());
        let places: Vec<usize> = places.filter(|place| (1..=page.sections.len()).contains(place)).collect();
        session.click(&page, &places)?;
    }
}

fn show(standing: &Standing) {
    println!(
        "\n{:>10} {:>7} {:>7} {:>7} {:>7} {:>12}",
        "ranker", "wins", "losses", "ties", "alone", "probability"
    );
    for arm in &standing.arms {
        println!(
            "{:>10} {:>7} {:>7} {:>7} {:>7} {:>12.3}",
            arm.name,
            arm.wins,
            arm.losses,
            arm.ties,
            arm.self_duels,
            arm.probability.unwrap_or_default(),
        );
    }
    println!("\nThe policy would bet on {}.", standing.recommended);
    println!("{}", standing.verdict.words);
}
