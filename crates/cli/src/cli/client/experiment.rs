//! Finds experiments by id or name, and lists experiments and arms.

use anyhow::anyhow;
use serde_json::Value;
use tiltyard::arena::id::ExperimentId;
use tiltyard_wire::{ArmList, DamagedExperiment, ExperimentList, ExperimentView};

use super::{Client, encode, plain, read};
use crate::cli::Failure;
use crate::printer::Printer;

impl Client {
    /// The names of an experiment's arms, in the order in which they were added.
    pub(in crate::cli) fn arms(&self, id: &str, printer: &Printer) -> Result<Vec<String>, Failure> {
        let mut names = Vec::new();
        let mut from = Some(0);
        while let Some(first) = from {
            let page = self.get(&format!("/v1/experiments/{id}/arms?limit=1000&from={first}"), printer)?;
            let ArmList { arms, next } = read(&page)?;
            names.extend(arms.into_iter().map(|arm| arm.name));
            from = next;
        }
        Ok(names)
    }

    /// The id of the experiment that has this id, or is the only one with this name.
    pub(in crate::cli) fn resolve(&self, text: &str, printer: &Printer) -> Result<String, Failure> {
        if text.parse::<ExperimentId>().is_ok() {
            // A voter's key may not read the experiment, but it needs no more than the id. A
            // damaged experiment still has its log.
            let found = self.look(&format!("/v1/experiments/{text}"), printer)?;
            if found.map_or_else(|trouble| trouble.status() != Some(404), |_| true) {
                return Ok(text.to_owned());
            }
        }
        let found = match self.look(&format!("/v1/experiments?name={}", encode(text)), printer)? {
            Ok(page) => {
                let ExperimentList { experiments, damaged, .. } = read(&page)?;
                let same = |one: &&DamagedExperiment| one.name.as_deref() == Some(text);
                if experiments.is_empty()
                    && let [one] = damaged.iter().filter(same).collect::<Vec<_>>()[..]
                {
                    return Ok(one.id.clone());
                }
                experiments
            }
            Err(trouble) => {
                return Err(trouble
                    .failure(self)
                    .with_hint("this key cannot look up names: use the experiment's id"));
            }
        };
        match &found[..] {
            [one] => Ok(one.id.clone()),
            [] => Err(Failure::bad_input(
                anyhow!("there is no experiment `{text}`"),
                vec!["`tiltyard experiment list` shows all".to_owned()],
            )),
            several => {
                let each =
                    |one: &ExperimentView| format!("{}: {}, created {}", one.id, one.status, one.created_at);
                let list: Vec<String> = several.iter().map(each).collect();
                Err(Failure::bad_input(
                    anyhow!("{} experiments are called `{text}`", several.len()),
                    vec![format!("use the id of one of them: {}", list.join("; "))],
                ))
            }
        }
    }

    /// All experiments, as the server describes them.
    pub(in crate::cli) fn experiments(&self, printer: &Printer) -> Result<Vec<Value>, Failure> {
        let mut all = Vec::new();
        let mut after = String::new();
        loop {
            let mut page = self.get(&format!("/v1/experiments?limit=1000{after}"), printer)?;
            let ExperimentList { next, damaged, .. } = read(&page)?;
            for one in damaged.iter().filter(|_| next.is_none()) {
                let name = one.name.as_deref().map_or(String::new(), |name| format!(" \"{}\"", plain(name)));
                printer.note(format_args!("experiment {}{name} is damaged: {}", one.id, plain(&one.damage)));
            }
            if let Some(experiments) = page["experiments"].as_array_mut() {
                all.append(experiments);
            }
            match next {
                Some(next) => after = format!("&after={}", encode(&next)),
                None => return Ok(all),
            }
        }
    }
}
