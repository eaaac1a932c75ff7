//! What has happened since the user last spoke.

use super::super::super::{Message, ModelRequest, ToolCall, ToolResult};

/// The current turn: the question and what the tools have said so far.
pub(super) struct Turn<'a> {
    pub(super) question: &'a str,
    pub(super) rounds: Vec<Round<'a>>,
    offered: Vec<&'a str>,
}

/// The calls of one assistant message with their results.
pub(super) type Round<'a> = Vec<(&'a ToolCall, &'a ToolResult)>;

impl<'a> Turn<'a> {
    pub(super) fn of(request: &'a ModelRequest) -> Self {
        let start = request
            .messages
            .iter()
            .rposition(|message| matches!(message, Message::User { .. }))
            .unwrap_or_default();
        let mut turn = Self {
            question: "",
            rounds: Vec::new(),
            offered: request
                .tools
                .iter()
                .map(|tool| tool.name.as_str())
                .collect(),
        };
        let mut calls: &[ToolCall] = &[];
        for message in request.messages.iter().skip(start) {
            match message {
                Message::User { text } => turn.question = text.trim(),
                Message::Assistant { tool_calls, .. } => calls = tool_calls,
                Message::ToolResults(results) => {
                    turn.rounds.push(calls.iter().zip(results).collect());
                }
            }
        }
        turn
    }

    pub(super) fn offers(&self, tool: &str) -> bool {
        self.offered.contains(&tool)
    }

    /// Says which tool is missing, when it is.
    pub(super) fn lacks(&self, tool: &str) -> Option<String> {
        (!self.offers(tool))
            .then(|| format!("I cannot do that here: I was offered no tool called `{tool}`."))
    }
}
