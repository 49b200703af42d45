//! `tiltyard merge`: merges the shards of a job.

use std::path::PathBuf;

use clap::Args;
use tiltyard::lab::merge::merge;

use super::Failure;
use crate::printer::Printer;

#[derive(Debug, Args)]
pub(crate) struct Merge {
    /// Directories of all shards, in any order
    #[arg(value_name = "DIR", required = true)]
    shards: Vec<PathBuf>,
    /// Directory for the results
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

impl Merge {
    pub(super) fn run(self, printer: &mut Printer) -> Result<(), Failure> {
        merge(&self.shards, &self.out, option_env!("TILTYARD_REVISION"))?;
        printer.line(self.out.display());
        Ok(())
    }
}
