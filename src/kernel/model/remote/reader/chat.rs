//! `OpenAI` Chat Completions, as its many speakers really write it.

use serde_json::Value;

use super::super::super::StopReason;
use super::super::call::{Calls, Draft};
use super::super::failure::Failure;
use super::super::provider_state;
use super::{Progress, Reader, Told, arguments_text, number_at, text_at};

/// The most bytes of reasoning carried back to a provider with its tool calls.
const REASONING_LIMIT: usize = 256 * 1024;

pub(super) struct Chat {
    model: String,
    /// Reasoning given as `reasoning_content`, which its speakers want back with tool calls.
    reasoning: String,
}

impl Chat {
    pub(super) fn new(model: String) -> Self {
        Self {
            model,
            reasoning: String::new(),
        }
    }
}

impl Reader for Chat {
    fn read(&mut self, frame: &Value, told: &mut Told) -> Result<(), Failure> {
        let choice = frame.pointer("/choices/0");
        let errors = [
            frame.get("error"),
            choice.and_then(|choice| choice.get("error")),
        ];
        if let Some(error) = errors.into_iter().flatten().find(|error| !error.is_null()) {
            return Err(Failure::told(error));
        }
        read_usage(frame, told);
        if let Some(choice) = choice {
            self.read_choice(choice, told);
        }
        Ok(())
    }

    fn read_marker(&mut self, told: &mut Told) {
        told.progress = Progress::Done;
    }
}

impl Chat {
    fn read_choice(&mut self, choice: &Value, told: &mut Told) {
        let delta = choice.get("delta").unwrap_or(&Value::Null);
        let reasoning = text_at(delta, "/reasoning_content");
        if self.reasoning.len() + reasoning.len() <= REASONING_LIMIT {
            self.reasoning.push_str(reasoning);
        }
        told.reasoning(reasoning);
        if reasoning.is_empty() {
            told.reasoning(text_at(delta, "/reasoning"));
        }
        read_content(delta.get("content").unwrap_or(&Value::Null), told);
        let refusal = text_at(delta, "/refusal");
        if !refusal.is_empty() {
            told.text(refusal);
            told.stop = Some(StopReason::Refused);
        }
        let entries = delta.get("tool_calls").and_then(Value::as_array);
        for entry in entries.into_iter().flatten() {
            add_piece(&mut told.calls, &Piece::of(entry));
        }
        // The form before there were parallel calls.
        if let Some(function) = delta.get("function_call").filter(|call| call.is_object()) {
            add_piece(&mut told.calls, &Piece::of_function("", None, function));
        }
        if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str) {
            self.finished(reason, told);
        }
    }

    fn finished(&mut self, reason: &str, told: &mut Told) {
        let stop = match reason {
            "stop" | "eos" => StopReason::EndTurn,
            "tool_calls" | "function_call" => StopReason::ToolUse,
            "length" => StopReason::MaxTokens,
            "content_filter" => StopReason::Refused,
            _ => StopReason::Unknown,
        };
        if told.stop != Some(StopReason::Refused) {
            told.stop = Some(stop);
        }
        if told.progress == Progress::Open {
            told.progress = Progress::Whole;
        }
        let reasoning = std::mem::take(&mut self.reasoning);
        if let Some(draft) = told.calls.first().filter(|_| !reasoning.is_empty()) {
            draft.state = Some(provider_state::reasoning_text(&self.model, &reasoning));
        }
    }
}

fn read_content(content: &Value, told: &mut Told) {
    match content {
        Value::String(text) => told.text(text),
        // Some models give pieces with a type.
        Value::Array(pieces) => {
            for piece in pieces {
                match text_at(piece, "/type") {
                    "thinking" => read_thinking(piece.get("thinking"), told),
                    _ => told.text(text_at(piece, "/text")),
                }
            }
        }
        _ => {}
    }
}

fn read_thinking(thinking: Option<&Value>, told: &mut Told) {
    match thinking {
        Some(Value::String(text)) => told.reasoning(text),
        Some(Value::Array(pieces)) => {
            for piece in pieces {
                told.reasoning(text_at(piece, "/text"));
            }
        }
        _ => {}
    }
}

/// Each usage that is not null replaces the one before: it is cumulative wherever it comes more
/// than once.
fn read_usage(frame: &Value, told: &mut Told) {
    let places = ["/usage", "/x_groq/usage", "/choices/0/usage"];
    let usage = places.iter().find_map(|place| frame.pointer(place));
    let Some(usage) = usage.filter(|usage| usage.is_object()) else {
        return;
    };
    told.usage.input_tokens = number_at(usage, "/prompt_tokens");
    told.usage.cached_input_tokens = number_at(usage, "/prompt_tokens_details/cached_tokens")
        .or_else(|| number_at(usage, "/prompt_cache_hit_tokens"));
    told.usage.output_tokens = number_at(usage, "/completion_tokens");
    told.usage.reasoning_tokens = number_at(usage, "/completion_tokens_details/reasoning_tokens");
}

/// One entry of a `tool_calls` list.
struct Piece<'a> {
    id: &'a str,
    index: Option<u64>,
    name: &'a str,
    arguments: String,
}

impl<'a> Piece<'a> {
    fn of(entry: &'a Value) -> Self {
        let function = entry.get("function").unwrap_or(&Value::Null);
        Self::of_function(text_at(entry, "/id"), number_at(entry, "/index"), function)
    }

    fn of_function(id: &'a str, index: Option<u64>, function: &'a Value) -> Self {
        Self {
            id,
            index,
            name: text_at(function, "/name"),
            arguments: arguments_text(function.get("arguments").unwrap_or(&Value::Null)),
        }
    }

    fn key(&self) -> String {
        self.index
            .map(|index| index.to_string())
            .unwrap_or_default()
    }
}

/// Adds a piece to the call it belongs to: the one with its id, or else the one at its index, or
/// else the newest. Indexes and ids are often wrong or missing, so a piece that cannot go on with
/// that call begins another.
fn add_piece(calls: &mut Calls, piece: &Piece<'_>) {
    let key = piece.key();
    match owner(calls, piece) {
        Some(draft) if is_repeated(draft, piece) => {}
        Some(draft) if !begins_another(draft, piece) => {
            if draft.name.is_empty() {
                piece.name.clone_into(&mut draft.name);
            }
            if draft.id.is_empty() {
                piece.id.clone_into(&mut draft.id);
            }
            draft.arguments.push_str(&piece.arguments);
            if piece.index.is_some() {
                draft.also_under(&key);
            }
        }
        _ => {
            let draft = calls.begin(&key, piece.id, piece.name);
            draft.arguments.push_str(&piece.arguments);
        }
    }
}

fn owner<'a>(calls: &'a mut Calls, piece: &Piece<'_>) -> Option<&'a mut Draft> {
    let by_id = !piece.id.is_empty() && calls.with_id(piece.id).is_some();
    if by_id {
        return calls.with_id(piece.id);
    }
    let is_head = !piece.id.is_empty() && !piece.name.is_empty();
    if is_head {
        return calls
            .under(&piece.key())
            .filter(|draft| draft.id.is_empty());
    }
    let key = piece.key();
    if piece.index.is_some() && calls.under(&key).is_some() {
        return calls.under(&key);
    }
    // An index nobody has, in a piece that names no tool: the count went wrong, not the call.
    let goes_on = piece.index.is_none() || piece.name.is_empty();
    calls.newest().filter(|_| goes_on)
}

/// Whether the call is whole and the piece is the whole of it once more.
fn is_repeated(draft: &Draft, piece: &Piece<'_>) -> bool {
    !piece.id.is_empty()
        && piece.id == draft.id
        && piece.arguments == draft.arguments
        && draft.is_whole()
}

/// Whether the piece names a tool and cannot go on with `draft`: another tool, or arguments that
/// are whole already.
fn begins_another(draft: &Draft, piece: &Piece<'_>) -> bool {
    !piece.name.is_empty()
        && !draft.name.is_empty()
        && (draft.name != piece.name || draft.is_whole())
}
