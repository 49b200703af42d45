//! A browser that runs no script.

use super::between;
use crate::client::{Client, Reply};
use crate::server::Server;

/// A browser: it keeps cookies, follows redirects, and sends the forms of the current page.
#[derive(Debug, Clone)]
pub(super) struct Browser {
    pub(super) client: Client,
    pub(super) cookies: Vec<(String, String)>,
    /// The HTML of the current page.
    pub(super) page: String,
    pub(super) address: String,
}

impl Browser {
    pub(super) fn new(server: &Server) -> Self {
        let client = Client::new(server.address);
        Self { client, cookies: Vec::new(), page: String::new(), address: String::new() }
    }

    pub(super) fn client(&self) -> Client {
        let cookies: Vec<_> = self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let client = self.client.clone();
        if cookies.is_empty() { client } else { client.with_header("Cookie", &cookies.join("; ")) }
    }

    /// Sends one request, without following redirects.
    pub(super) fn ask(&mut self, method: &str, address: &str, body: Option<&str>) -> Reply {
        let client = self.client().with_header("Content-Type", "application/x-www-form-urlencoded");
        let reply = client.send(method, address, body.map(str::as_bytes));
        for (_, cookie) in reply.headers.iter().filter(|(name, _)| name == "set-cookie") {
            assert!(cookie.contains("; HttpOnly; SameSite=Lax"), "{cookie}");
            let (name, value) = cookie.split(';').next().unwrap().split_once('=').unwrap();
            self.cookies.retain(|(known, _)| known != name);
            self.cookies.push((name.to_owned(), value.to_owned()));
        }
        reply
    }

    /// Goes to an address, and follows redirects.
    pub(super) fn go(&mut self, address: &str) -> Reply {
        let reply = self.ask("GET", address, None);
        self.arrive(address, reply)
    }

    pub(super) fn arrive(&mut self, address: &str, reply: Reply) -> Reply {
        if let Some(next) = reply.header("location") {
            assert_eq!(reply.status, 303);
            return self.go(next);
        }
        address.clone_into(&mut self.address);
        self.page = reply.text();
        reply
    }

    /// The action and the hidden fields of the form with this purpose.
    pub(super) fn form(&self, what: &str) -> Option<(String, String)> {
        let (before, rest) = self.page.split_once(&format!("data-booth=\"{what}\""))?;
        let tag = &before[before.rfind("<form")?..];
        let action = between(tag, "action=\"", "\"")?;
        let form = rest.split("</form>").next()?;
        let fields = form.split("type=\"hidden\"").skip(1).map(|field| {
            let (name, value) = (between(field, "name=\"", "\""), between(field, "value=\"", "\""));
            format!("{}={}", name.unwrap(), value.unwrap())
        });
        Some((action, fields.collect::<Vec<_>>().join("&")))
    }

    /// Sends a form of the current page.
    #[track_caller]
    pub(super) fn submit(&mut self, what: &str, more: &str) -> Reply {
        let (action, fields) = self.form(what).unwrap_or_else(|| panic!("no form `{what}`: {}", self.page));
        let reply = self.ask("POST", &action, Some(&format!("{fields}{more}")));
        self.arrive(&action, reply)
    }

    #[track_caller]
    pub(super) fn start(&mut self, ticket: &str) {
        assert_eq!(self.go(&format!("/vote/{ticket}")).status, 200, "{}", self.page);
        assert_eq!(self.submit("start", "").status, 200);
    }

    #[track_caller]
    pub(super) fn vote(&mut self, answer: &str) {
        assert_eq!(self.submit("answer", &format!("&answer={answer}")).status, 200);
    }

    /// The duel on the page.
    #[track_caller]
    pub(super) fn duel(&self) -> String {
        let (_, fields) = self.form("answer").unwrap_or_else(|| panic!("no duel: {}", self.page));
        between(&fields, "duel=", "&").unwrap_or_else(|| fields.split_once("duel=").unwrap().1.to_owned())
    }

    pub(super) fn shows(&self, text: &str) -> bool {
        self.page.contains(text)
    }
}
