//! What stands between a search page and the arena: three requests.

use anyhow::{Context as _, Result};
use serde_json::{Map, Value, json};

use crate::arena::Api;
use crate::engine::{Engine, Ranker};

/// Results on a page.
const PAGE: usize = 10;

/// An experiment about the rankers of an engine.
pub struct Session<'a> {
    api: Api,
    engine: &'a Engine,
    experiment: String,
}

/// A page of results, merged of two rankers.
#[derive(Debug)]
pub struct Page {
    duel: String,
    /// The sections to show, best first.
    pub sections: Vec<String>,
}

impl<'a> Session<'a> {
    /// Makes the experiment.
    ///
    /// # Errors
    ///
    /// If the arena is not there or refuses.
    pub fn new(api: Api, engine: &'a Engine) -> Result<Self> {
        let names = Ranker::ALL.map(Ranker::name);
        let made = api.post("/v1/experiments", &json!({ "name": "search", "arms": names }))?;
        let experiment = made["id"].as_str().context("the experiment has an id")?.to_owned();
        Ok(Self { api, engine, experiment })
    }

    /// Searches: the arena says which rankers to run, and merges what they found.
    ///
    /// # Errors
    ///
    /// If the arena is not there or refuses, or the index cannot be read.
    pub fn search(&self, query: &str) -> Result<Page> {
        let path = format!("/v1/experiments/{}/interleave", self.experiment);
        let drawn = self.api.post(&path, &json!({ "context": { "query": query }, "length": PAGE }))?;
        let duel = drawn["duel"]["id"].as_str().context("the duel has an id")?.to_owned();
        let mut lists = Map::new();
        for name in drawn["run"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            let ranker = Ranker::named(name).with_context(|| format!("`{name}` is none of our rankers"))?;
            lists.insert(name.to_owned(), json!(self.engine.search(ranker, query, PAGE)?));
        }
        let merged = self.api.post(&format!("/v1/duels/{duel}/lists"), &json!({ "lists": lists }))?;
        let listed = merged["list"].as_array().into_iter().flatten();
        let sections = listed.filter_map(|listed| listed["document"].as_str().map(str::to_owned)).collect();
        Ok(Page { duel, sections })
    }

    /// Tells what was clicked, positions counted from 1.
    ///
    /// # Errors
    ///
    /// If the arena is not there or refuses.
    pub fn click(&self, page: &Page, positions: &[usize]) -> Result<()> {
        let path = format!("/v1/duels/{}/clicks", page.duel);
        self.api.post(&path, &json!({ "clicks": positions })).map(drop)
    }

    /// Where the experiment stands.
    ///
    /// # Errors
    ///
    /// If the arena is not there or refuses.
    pub fn standing(&self) -> Result<Value> {
        self.api.get(&format!("/v1/experiments/{}/standing", self.experiment))
    }
}
