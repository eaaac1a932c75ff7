//! What a script expects of the request it answers, so that a wrong history fails a test.

use serde::Deserialize;

use super::super::{Message, ModelRequest, ToolResult};

/// Conditions on a request; those left out hold.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Expectation {
    /// The last user message contains this.
    last_user: Option<String>,
    /// The system prompt contains this.
    system: Option<String>,
    /// The kinds of all messages in order: `user`, `assistant`, `results`.
    roles: Option<Vec<Role>>,
    /// The request ends with exactly these tool results, in order.
    results: Option<Vec<ResultExpectation>>,
    /// The tools offered include these.
    tools: Option<Vec<String>>,
    /// Somewhere in the conversation is a text that contains each of these.
    mentions: Option<Vec<String>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Role {
    User,
    Assistant,
    Results,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ResultExpectation {
    call_id: Option<String>,
    name: Option<String>,
    contains: Option<String>,
    is_error: Option<bool>,
}

impl Expectation {
    /// The first condition `request` does not meet, in words.
    pub(super) fn broken_by(&self, request: &ModelRequest) -> Option<String> {
        self.last_user
            .as_ref()
            .and_then(|wanted| contains("the last user message", last_user(request), wanted))
            .or_else(|| {
                let wanted = self.system.as_ref()?;
                contains("the system prompt", &request.system, wanted)
            })
            .or_else(|| {
                let wanted = self.roles.as_ref()?;
                let found: Vec<Role> = request.messages.iter().map(role).collect();
                (*wanted != found).then(|| format!("roles {wanted:?}, found {found:?}"))
            })
            .or_else(|| results_differ(self.results.as_ref()?, last_results(request)))
            .or_else(|| {
                let missing = self
                    .tools
                    .iter()
                    .flatten()
                    .find(|name| request.tools.iter().all(|tool| tool.name != **name))?;
                Some(format!("a tool called {missing:?} to be offered"))
            })
            .or_else(|| {
                let missing = self.mentions.iter().flatten().find(|text| {
                    !request
                        .messages
                        .iter()
                        .any(|message| mentions(message, text))
                })?;
                Some(format!("the conversation to mention {missing:?}"))
            })
    }
}

fn contains(place: &str, text: &str, wanted: &str) -> Option<String> {
    (!text.contains(wanted)).then(|| format!("{place} to contain {wanted:?}, found {text:?}"))
}

fn role(message: &Message) -> Role {
    match message {
        Message::User { .. } => Role::User,
        Message::Assistant { .. } => Role::Assistant,
        Message::ToolResults(_) => Role::Results,
    }
}

fn last_user(request: &ModelRequest) -> &str {
    let user = request
        .messages
        .iter()
        .rev()
        .find_map(|message| match message {
            Message::User { text } => Some(text.as_str()),
            _ => None,
        });
    user.unwrap_or_default()
}

fn last_results(request: &ModelRequest) -> &[ToolResult] {
    match request.messages.last() {
        Some(Message::ToolResults(results)) => results,
        _ => &[],
    }
}

fn results_differ(wanted: &[ResultExpectation], found: &[ToolResult]) -> Option<String> {
    if wanted.len() != found.len() {
        let names: Vec<&str> = found.iter().map(|result| result.name.as_str()).collect();
        return Some(format!("{} tool results, found {names:?}", wanted.len()));
    }
    wanted
        .iter()
        .zip(found)
        .position(|(wanted, found)| !wanted.met_by(found))
        .map(|at| {
            format!(
                "tool result {at} to be {:?}, found {:?}",
                wanted[at], found[at]
            )
        })
}

impl ResultExpectation {
    fn met_by(&self, result: &ToolResult) -> bool {
        let same =
            |wanted: &Option<String>, found: &str| wanted.as_deref().is_none_or(|w| w == found);
        same(&self.call_id, &result.call_id)
            && same(&self.name, &result.name)
            && self.is_error.is_none_or(|wanted| wanted == result.is_error)
            && self
                .contains
                .as_deref()
                .is_none_or(|wanted| result.content.contains(wanted))
    }
}

fn mentions(message: &Message, wanted: &str) -> bool {
    match message {
        Message::User { text } => text.contains(wanted),
        Message::Assistant { text, tool_calls } => {
            text.contains(wanted)
                || tool_calls
                    .iter()
                    .any(|call| call.arguments.contains(wanted))
        }
        Message::ToolResults(results) => {
            results.iter().any(|result| result.content.contains(wanted))
        }
    }
}
