//! Finds experiments by id or name, and lists experiments and arms.

use anyhow::anyhow;
use serde_json::Value;
use tiltyard::arena::id::ExperimentId;
use tiltyard_wire::{ArmList, ExperimentList, ExperimentView};

use super::{Client, encode, read};
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
            match self.look(&format!("/v1/experiments/{text}"), printer)? {
                Ok(_) => return Ok(text.to_owned()),
                // A voter's key may not read the experiment, but it needs no more than the id.
                Err(trouble) if trouble.status() == Some(403) => return Ok(text.to_owned()),
                Err(_) => {}
            }
        }
        let found = match self.look(&format!("/v1/experiments?name={}", encode(text)), printer)? {
            Ok(page) => read::<ExperimentList>(&page)?.experiments,
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
            let next = read::<ExperimentList>(&page)?.next;
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
