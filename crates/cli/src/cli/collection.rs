//! `tiltyard collection`: summarises learning-to-rank files.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use serde_json::{Value, json};
use tiltyard::world::collection::{Queries, Query, Summary, write_letor};

use super::{Failure, ListFormat, table};
use crate::printer::Printer;

#[derive(Debug, Args)]
pub(crate) struct Collection {
    /// LETOR / SVMlight files, plain or gzip, that together make one collection; or
    /// `synthetic:like=mslr,queries=200,seed=1`
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// Output format
    #[arg(long, value_enum, default_value = "table")]
    format: ListFormat,
    /// Also write the collection to this file, which must not exist yet
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
}

impl Collection {
    pub(super) fn run(self, printer: &mut Printer) -> Result<(), Failure> {
        let mut queries = Queries::open(&self.files)?;
        let mut copy = self.write.as_deref().map(Copy::create).transpose()?;
        let mut summary = Summary::default();
        let bar = printer.bar(queries.progress().1);
        let mut drawn = Instant::now();
        while let Some(query) = queries.next() {
            let query = query.inspect_err(|_| bar.finish_and_clear())?;
            summary.add(&query);
            if let Some(copy) = &mut copy {
                copy.add(&query)?;
            }
            if drawn.elapsed() >= Printer::BEAT {
                bar.set_position(queries.progress().0);
                bar.set_message(format!("{} queries", summary.n_queries()));
                drawn = Instant::now();
            }
        }
        bar.finish_and_clear();
        if let Some(copy) = copy {
            copy.finish()?;
        }
        match self.format {
            ListFormat::Table => print_table(&self.files, &summary, printer),
            ListFormat::Json => print_json(&self.files, &summary, printer),
        }
        Ok(())
    }
}

/// A file that is being written.
struct Copy<'a> {
    path: &'a Path,
    writer: BufWriter<File>,
}

impl<'a> Copy<'a> {
    fn create(path: &'a Path) -> Result<Self, Failure> {
        // A mistyped name must not overwrite a file.
        let file = File::create_new(path).map_err(|error| Failure::file(path, error))?;
        Ok(Self { path, writer: BufWriter::new(file) })
    }

    fn add(&mut self, query: &Query) -> Result<(), Failure> {
        write_letor(query, &mut self.writer).map_err(|error| Failure::file(self.path, error))
    }

    fn finish(mut self) -> Result<(), Failure> {
        self.writer.flush().map_err(|error| Failure::file(self.path, error))
    }
}

fn print_table(files: &[String], summary: &Summary, printer: &mut Printer) {
    printer.line(files.join(", "));
    printer.line("");
    let (fewest, mean, most) = summary.documents_a_query().expect("a collection has queries");
    let mut line = |name: &str, value: String| printer.line(format_args!("{name:<28}{value}"));
    line("queries", summary.n_queries().to_string());
    line("  without relevant document", summary.n_without_relevant().to_string());
    line("documents", summary.n_documents().to_string());
    line("  per query", format!("{fewest} to {most}, mean {mean:.1}"));
    line("features", summary.n_features().to_string());
    line("  constant", summary.n_constant().to_string());
    if let Some(tied) = summary.tied() {
        line("  tied pairs of documents", format!("{:.1} %", 100.0 * tied));
    }
    printer.line("");
    let mut rows = table::Rows::new(["label", "documents", "share", ""].map(str::to_owned).to_vec());
    for (label, &count) in summary.labels().iter().enumerate() {
        let share = count as f64 / summary.n_documents() as f64;
        rows.push(vec![
            label.to_string(),
            count.to_string(),
            format!("{:.1} %", 100.0 * share),
            table::bar(share),
        ]);
    }
    for line in rows.lines() {
        printer.line(line);
    }
}

fn print_json(files: &[String], summary: &Summary, printer: &mut Printer) {
    let (fewest, mean, most) = summary.documents_a_query().expect("a collection has queries");
    let features: Vec<Value> = summary
        .features()
        .zip(1..)
        .map(|(feature, number)| {
            json!({"feature": number, "min": as_written(feature.low), "max": as_written(feature.high), "tied": feature.tied})
        })
        .collect();
    printer.line(json!({
        "files": files,
        "queries": summary.n_queries(),
        "queries_without_relevant": summary.n_without_relevant(),
        "documents": summary.n_documents(),
        "documents_a_query": {"min": fewest, "mean": mean, "max": most},
        "labels": summary.labels(),
        "features": summary.n_features(),
        "constant_features": summary.n_constant(),
        "tied": summary.tied(),
        "feature": features,
    }));
}

/// The number in double precision with the same shortest decimal form: 0.1, not
/// 0.10000000149011612.
fn as_written(value: f32) -> f64 {
    value.to_string().parse().expect("a number that was just written")
}
