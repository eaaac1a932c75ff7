//! Ollama's own API: one JSON object a line.

use serde_json::Value;

use super::super::super::StopReason;
use super::super::failure::Failure;
use super::{Progress, Reader, Told, arguments_text, number_at, text_at};

pub(super) struct Ollama;

impl Reader for Ollama {
    fn read(&mut self, frame: &Value, told: &mut Told) -> Result<(), Failure> {
        if let Some(error) = frame.get("error") {
            return Err(Failure::told(error));
        }
        told.reasoning(text_at(frame, "/message/thinking"));
        told.text(text_at(frame, "/message/content"));
        let calls = frame
            .pointer("/message/tool_calls")
            .and_then(Value::as_array);
        for call in calls.into_iter().flatten() {
            let name = text_at(call, "/function/name");
            let draft = told.calls.begin("", text_at(call, "/id"), name);
            draft.arguments =
                arguments_text(call.pointer("/function/arguments").unwrap_or(&Value::Null));
            draft.closed = true;
        }
        if frame.get("done").and_then(Value::as_bool) == Some(true) {
            told.stop = Some(match text_at(frame, "/done_reason") {
                "stop" => StopReason::EndTurn,
                "length" => StopReason::MaxTokens,
                _ => StopReason::Unknown,
            });
            told.usage.input_tokens = number_at(frame, "/prompt_eval_count");
            told.usage.cached_input_tokens = number_at(frame, "/prompt_eval_cached_count");
            told.usage.output_tokens = number_at(frame, "/eval_count");
            told.progress = Progress::Done;
        }
        Ok(())
    }
}
