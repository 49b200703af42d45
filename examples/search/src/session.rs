//! The connection between a search page and the arena: three requests.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use serde_json::json;
use tiltyard_wire::{
    ArmInput, ArmName, ClicksBody, CreateBody, DEFAULT_POLICY, DoneView, ExperimentView, InterleaveBody,
    InterleaveView, ListsBody, SettingsBody, Standing,
};

use crate::arena::Api;
use crate::engine::{Engine, Ranker};

/// Results per page.
const PAGE: u32 = 10;

/// An experiment about the rankers of an engine.
pub struct Session<'a> {
    api: Api,
    engine: &'a Engine,
    experiment: String,
}

/// A page of results, merged from two rankers.
#[derive(Debug)]
pub struct Page {
    duel: String,
    /// The sections to show, best first.
    pub sections: Vec<String>,
}

impl<'a> Session<'a> {
    /// Creates the experiment.
    ///
    /// # Errors
    ///
    /// If the arena cannot be reached or refuses.
    pub fn new(api: Api, engine: &'a Engine) -> Result<Self> {
        let arm = |ranker: Ranker| ArmInput::Name(ArmName(ranker.name().to_owned()));
        let body = CreateBody {
            name: "search".to_owned(),
            arms: Ranker::ALL.map(arm).to_vec(),
            policy: DEFAULT_POLICY.to_owned(),
            settings: SettingsBody::default(),
        };
        let made: ExperimentView = api.post("/v1/experiments", &body)?;
        Ok(Self { api, engine, experiment: made.id })
    }

    /// Searches: the arena says which rankers to run, and merges their lists.
    ///
    /// # Errors
    ///
    /// If the arena cannot be reached or refuses, or the index cannot be read.
    pub fn search(&self, query: &str) -> Result<Page> {
        let path = format!("/v1/experiments/{}/interleave", self.experiment);
        let context = Some(json!({ "query": query }));
        let body = InterleaveBody { context, length: Some(PAGE), ..InterleaveBody::default() };
        let InterleaveView { duel, run, .. } = self.api.post(&path, &body)?;
        let mut lists = BTreeMap::new();
        for name in run {
            let ranker =
                Ranker::named(&name).with_context(|| format!("`{name}` is not one of our rankers"))?;
            lists.insert(name, self.engine.search(ranker, query, PAGE as usize)?);
        }
        let body = ListsBody { lists, method: None, length: None };
        let merged: InterleaveView = self.api.post(&format!("/v1/duels/{}/lists", duel.id), &body)?;
        let sections = merged.list.into_iter().flatten().map(|listed| listed.document).collect();
        Ok(Page { duel: duel.id, sections })
    }

    /// Reports what was clicked, with positions counted from 1.
    ///
    /// # Errors
    ///
    /// If the arena cannot be reached or refuses.
    pub fn click(&self, page: &Page, positions: &[usize]) -> Result<()> {
        let path = format!("/v1/duels/{}/clicks", page.duel);
        let clicks = Some(positions.iter().map(|&position| position as u64).collect());
        let body = ClicksBody { clicks, documents: None, voter: None, time: None };
        self.api.post::<DoneView>(&path, &body).map(drop)
    }

    /// The current standing of the experiment.
    ///
    /// # Errors
    ///
    /// If the arena cannot be reached or refuses.
    pub fn standing(&self) -> Result<Standing> {
        self.api.get(&format!("/v1/experiments/{}/standing", self.experiment))
    }
}
