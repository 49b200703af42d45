//! `tiltyard world build scores`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::json;
use tiltyard::world::build::scores::{Model, read_scores};
use tiltyard::world::matrix_file::write_matrix;

use super::{Winners, fill, keep_inputs, matrix_file};
use crate::cli::{Failure, ListFormat};
use crate::printer::Printer;

#[derive(Debug, Args)]
pub(crate) struct FromScores {
    /// CSV file with the columns `arm`, `score` and, optionally, `sigma`
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// How scores become preferences
    #[arg(long, value_enum)]
    model: ModelArgument,
    /// File for the matrix
    #[arg(long, value_name = "M.csv")]
    out: PathBuf,
    /// Divide differences of scores by this; for Elo ratings use 400, with `--base 10`
    #[arg(long, value_name = "X", default_value = "1", allow_negative_numbers = true)]
    scale: f64,
    /// Factor by which a difference of one scale multiplies the odds in Bradley-Terry [default: e]
    #[arg(long, value_name = "B", allow_negative_numbers = true)]
    base: Option<f64>,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
    /// Output format of the summary
    #[arg(long, value_enum, default_value = "table")]
    format: ListFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ModelArgument {
    /// 1 / (1 + base^(-difference / scale))
    BradleyTerry,
    /// Phi(difference / (scale * sqrt(s_i^2 + s_j^2))), s = 1 unless the file has a column sigma
    Thurstone,
}

impl FromScores {
    pub(super) fn run(self, printer: &mut Printer) -> Result<(), Failure> {
        let model = match (self.model, self.base) {
            (ModelArgument::BradleyTerry, base) => {
                Model::BradleyTerry { scale: self.scale, base: base.unwrap_or(std::f64::consts::E) }
            }
            (ModelArgument::Thurstone, None) => Model::Thurstone { scale: self.scale },
            (ModelArgument::Thurstone, Some(_)) => {
                let error = anyhow::anyhow!("`--base` has no effect with `--model thurstone`");
                return Err(Failure::bad_input(error, vec!["leave out `--base`".to_owned()]));
            }
        };
        keep_inputs([&self.file], &[&self.out])?;
        let file = matrix_file(&self.out, self.force)?;
        let scores = read_scores(&self.file)?;
        let matrix = scores.matrix(model)?;
        fill(file, |file| write_matrix(file, &matrix, scores.names()))?.keep()?;
        let winners = Winners::of(&matrix, scores.names());
        let is_idle = scores.has_sigmas() && self.model == ModelArgument::BradleyTerry;
        if self.format == ListFormat::Json {
            let model = self.model.to_possible_value().expect("no word is hidden");
            let mut json = json!({
                "matrix": self.out,
                "arms": matrix.n_arms(),
                "names": scores.names(),
                "model": model.get_name(),
                "sigmas": scores.has_sigmas() && !is_idle,
            });
            winners.add_to(&mut json);
            printer.line(json);
            return Ok(());
        }
        printer.note(format_args!("{} arms", matrix.n_arms()));
        if is_idle {
            printer.note("columns not used: sigma, which Bradley-Terry does not need");
        }
        winners.tell(printer);
        printer.note(format_args!("\nwrote {}", self.out.display()));
        Ok(())
    }
}
