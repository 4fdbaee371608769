//! Links from positions to the board on the page of a server.

use maud::{Markup, html};

use crate::rules::RuleSet;

/// Links to the page of one server.
#[derive(Clone, Copy)]
pub struct Links<'a> {
    server: &'a str,
}

impl<'a> Links<'a> {
    pub fn to(server: &'a str) -> Self {
        Self { server: server.trim_end_matches('/') }
    }

    /// The text of a position, as a link to it under these rules.
    pub fn position(self, position: &str, rules: RuleSet) -> Markup {
        let mut address = format!("{}/#position={}", self.server, position.replace(' ', "_"));
        for (name, word) in rules.differing() {
            address.extend(["&", name, "=", word]);
        }
        html! { a href=(address) { code { (position) } } }
    }
}
