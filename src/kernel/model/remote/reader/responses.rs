//! `OpenAI` Responses.

use serde_json::Value;

use super::super::super::StopReason;
use super::super::failure::Failure;
use super::super::provider_state;
use super::{Progress, Reader, Told, arguments_text, number_at, text_at};

pub(super) struct Responses {
    model: String,
    /// Encrypted reasoning that belongs to the next call.
    reasoning: Vec<String>,
    has_text: bool,
    refused: bool,
}

impl Responses {
    pub(super) fn new(model: String) -> Self {
        Self {
            model,
            reasoning: Vec::new(),
            has_text: false,
            refused: false,
        }
    }
}

impl Reader for Responses {
    fn read(&mut self, frame: &Value, told: &mut Told) -> Result<(), Failure> {
        match text_at(frame, "/type") {
            "response.output_text.delta" => {
                self.has_text = true;
                told.text(text_at(frame, "/delta"));
            }
            "response.refusal.delta" => {
                self.has_text = true;
                self.refused = true;
                told.text(text_at(frame, "/delta"));
            }
            "response.reasoning_text.delta" | "response.reasoning_summary_text.delta" => {
                told.reasoning(text_at(frame, "/delta"));
            }
            "response.reasoning_summary_part.added"
                if number_at(frame, "/summary_index") > Some(0) =>
            {
                told.reasoning("\n\n");
            }
            "response.output_item.added" => begin(frame, told),
            "response.function_call_arguments.delta" => add_arguments(frame, told),
            "response.function_call_arguments.done" => set_arguments(frame, told),
            "response.output_item.done" => self.close(frame, told),
            "response.completed" | "response.incomplete" => self.finished(frame, told),
            "response.failed" | "response.cancelled" => {
                let error = frame.pointer("/response/error").unwrap_or(&Value::Null);
                return Err(Failure::told(error));
            }
            "error" => return Err(Failure::told(frame.get("error").unwrap_or(frame))),
            _ => {}
        }
        Ok(())
    }
}

/// What pieces of an output item are known by: its own id, or else its place.
fn key(frame: &Value) -> String {
    let id = match text_at(frame, "/item_id") {
        "" => text_at(frame, "/item/id"),
        id => id,
    };
    match number_at(frame, "/output_index") {
        _ if !id.is_empty() => id.to_owned(),
        Some(index) => index.to_string(),
        None => String::new(),
    }
}

fn begin(frame: &Value, told: &mut Told) {
    if text_at(frame, "/item/type") != "function_call" {
        return;
    }
    let id = text_at(frame, "/item/call_id");
    let draft = told
        .calls
        .begin(&key(frame), id, text_at(frame, "/item/name"));
    draft.arguments.push_str(text_at(frame, "/item/arguments"));
    if let Some(index) = number_at(frame, "/output_index") {
        draft.also_under(&index.to_string());
    }
}

fn add_arguments(frame: &Value, told: &mut Told) {
    if let Some(draft) = told.calls.under(&key(frame)) {
        draft.arguments.push_str(text_at(frame, "/delta"));
    }
}

/// The whole arguments, which win over what came in pieces.
fn set_arguments(frame: &Value, told: &mut Told) {
    let arguments = text_at(frame, "/arguments");
    if let Some(draft) = told
        .calls
        .under(&key(frame))
        .filter(|_| !arguments.is_empty())
    {
        arguments.clone_into(&mut draft.arguments);
    }
}

impl Responses {
    fn close(&mut self, frame: &Value, told: &mut Told) {
        match text_at(frame, "/item/type") {
            "reasoning" => {
                let encrypted = text_at(frame, "/item/encrypted_content");
                if !encrypted.is_empty() {
                    self.reasoning.push(encrypted.to_owned());
                }
            }
            "function_call" => {
                let item = frame.get("item").unwrap_or(&Value::Null);
                if told.calls.under(&key(frame)).is_none() {
                    begin(frame, told);
                }
                self.close_call(&key(frame), item, told);
            }
            _ => {}
        }
    }

    fn close_call(&mut self, key: &str, item: &Value, told: &mut Told) {
        let state = self.take_state();
        let Some(draft) = told.calls.under(key) else {
            return;
        };
        let arguments = arguments_text(item.get("arguments").unwrap_or(&Value::Null));
        if !arguments.is_empty() {
            draft.arguments = arguments;
        }
        // An item that was stopped in the middle is not whole.
        draft.closed = text_at(item, "/status") != "incomplete";
        draft.state = state;
    }

    fn take_state(&mut self) -> Option<Value> {
        let reasoning = std::mem::take(&mut self.reasoning);
        (!reasoning.is_empty()).then(|| provider_state::encrypted(&self.model, &reasoning))
    }

    fn finished(&mut self, frame: &Value, told: &mut Told) {
        let response = frame.get("response").unwrap_or(&Value::Null);
        if let Some(usage) = response.get("usage").filter(|usage| usage.is_object()) {
            told.usage.input_tokens = number_at(usage, "/input_tokens");
            told.usage.cached_input_tokens =
                number_at(usage, "/input_tokens_details/cached_tokens");
            told.usage.output_tokens = number_at(usage, "/output_tokens");
            told.usage.reasoning_tokens =
                number_at(usage, "/output_tokens_details/reasoning_tokens");
        }
        let output = response.get("output").and_then(Value::as_array);
        for item in output.into_iter().flatten() {
            self.read_item(item, told);
        }
        told.stop = Some(match text_at(response, "/incomplete_details/reason") {
            "max_output_tokens" => StopReason::MaxTokens,
            "content_filter" => StopReason::Refused,
            "" if self.refused => StopReason::Refused,
            "" if text_at(frame, "/type") == "response.completed" => StopReason::EndTurn,
            _ => StopReason::Unknown,
        });
        told.progress = Progress::Done;
    }

    /// What the last frame repeats, for endpoints that say it only there.
    fn read_item(&mut self, item: &Value, told: &mut Told) {
        match text_at(item, "/type") {
            "message" if !self.has_text => {
                let pieces = item.get("content").and_then(Value::as_array);
                for piece in pieces.into_iter().flatten() {
                    told.text(text_at(piece, "/text"));
                }
            }
            "function_call" => {
                let id = text_at(item, "/call_id");
                let known = told.calls.with_id(id).is_some();
                if !known {
                    let name = text_at(item, "/name");
                    let draft = told.calls.begin(id, id, name);
                    draft.arguments = arguments_text(item.get("arguments").unwrap_or(&Value::Null));
                    draft.closed = text_at(item, "/status") != "incomplete";
                }
            }
            _ => {}
        }
    }
}
