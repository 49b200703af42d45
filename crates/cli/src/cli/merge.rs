//! `tiltyard merge`: shards of a job put together.

use std::path::PathBuf;

use clap::Args;
use tiltyard::lab::merge::merge;

use super::Failure;
use crate::printer::Printer;

#[derive(Debug, Args)]
pub(crate) struct Merge {
    /// The directories of all shards, in any order
    #[arg(value_name = "DIR", required = true)]
    shards: Vec<PathBuf>,
    /// The directory of the results
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
