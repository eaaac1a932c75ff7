//! Reading what providers say, frame by frame.

mod anthropic;
mod chat;
mod gemini;
mod ollama;
mod responses;

use serde_json::Value;

use super::super::{ModelEvent, StopReason, Usage};
use super::call::Calls;
use super::failure::Failure;
use super::{Target, Wire};

/// Reads the frames of one answer.
pub(super) trait Reader: Send {
    /// Reads one frame and leaves what it tells in `told`.
    fn read(&mut self, frame: &Value, told: &mut Told) -> Result<(), Failure>;

    /// Reads the end marker some providers close their stream with.
    fn read_marker(&mut self, _told: &mut Told) {}
}

/// What an answer has told so far.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// Not yet passed on.
    pub(super) events: Vec<ModelEvent>,
    pub(super) calls: Calls,
    pub(super) usage: Usage,
    pub(super) stop: Option<StopReason>,
    pub(super) progress: Progress,
}

/// How far an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Progress {
    /// More is to come.
    #[default]
    Open,
    /// The answer is whole; perhaps what it cost is still to come.
    Whole,
    /// Nothing more is to come.
    Done,
}

impl Told {
    pub(super) fn text(&mut self, text: &str) {
        if !text.is_empty() {
            self.events.push(ModelEvent::Text(text.to_owned()));
        }
    }

    pub(super) fn reasoning(&mut self, text: &str) {
        if !text.is_empty() {
            self.events.push(ModelEvent::Reasoning(text.to_owned()));
        }
    }

    /// The end: the calls, then why the model stopped and what it cost. Calls are passed on only
    /// now, so that no tool runs for an answer that is cut.
    pub(super) fn finish(&mut self) {
        let said = self.stop.unwrap_or(StopReason::Unknown);
        let stopped = matches!(said, StopReason::MaxTokens | StopReason::Refused);
        let calls = self.calls.take(stopped);
        self.events
            .extend(calls.into_iter().map(ModelEvent::ToolCall));
        // Providers differ in what they call the end of an answer with calls.
        let stop = match said {
            StopReason::EndTurn | StopReason::Unknown if self.calls.any() => StopReason::ToolUse,
            StopReason::ToolUse if !self.calls.any() => StopReason::EndTurn,
            said => said,
        };
        self.events.push(ModelEvent::Finished {
            stop,
            usage: self.usage,
        });
    }
}

/// The reader for a way of speaking.
pub(super) fn for_wire(wire: Wire, target: &Target) -> Box<dyn Reader> {
    let model = target.name.to_string();
    match wire {
        Wire::Responses => Box::new(responses::Responses::new(model)),
        Wire::Chat => Box::new(chat::Chat::new(model)),
        Wire::Anthropic => Box::new(anthropic::Anthropic::new(model)),
        Wire::Ollama => Box::new(ollama::Ollama),
        Wire::Gemini => Box::new(gemini::Gemini::new(model)),
    }
}

/// The text at `pointer`; empty when there is none.
fn text_at<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value
        .pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// The number at `pointer`, if it is known.
fn number_at(value: &Value, pointer: &str) -> Option<u64> {
    value.pointer(pointer)?.as_u64()
}

/// Arguments as text: a provider writes them as such or as the object itself.
fn arguments_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        object => object.to_string(),
    }
}
