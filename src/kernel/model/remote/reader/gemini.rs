//! Gemini `streamGenerateContent`.

use serde_json::Value;

use super::super::super::StopReason;
use super::super::failure::Failure;
use super::super::provider_state;
use super::{Progress, Reader, Told, arguments_text, number_at, text_at};

pub(super) struct Gemini {
    model: String,
    /// A signature that came before the call it belongs to.
    signature: Option<String>,
}

impl Gemini {
    pub(super) fn new(model: String) -> Self {
        Self {
            model,
            signature: None,
        }
    }
}

impl Reader for Gemini {
    fn read(&mut self, frame: &Value, told: &mut Told) -> Result<(), Failure> {
        if let Some(error) = frame.get("error") {
            return Err(Failure::told(error));
        }
        read_usage(frame, told);
        if !text_at(frame, "/promptFeedback/blockReason").is_empty() {
            told.stop = Some(StopReason::Refused);
            told.progress = Progress::Done;
            return Ok(());
        }
        let parts = frame
            .pointer("/candidates/0/content/parts")
            .and_then(Value::as_array);
        for part in parts.into_iter().flatten() {
            self.read_part(part, told);
        }
        match text_at(frame, "/candidates/0/finishReason") {
            "" => {}
            reason @ ("MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL") => {
                return Err(Failure::unreadable_call(reason));
            }
            reason => {
                told.stop = Some(stop_reason(reason));
                told.progress = Progress::Done;
            }
        }
        Ok(())
    }
}

impl Gemini {
    fn read_part(&mut self, part: &Value, told: &mut Told) {
        let signature = text_at(part, "/thoughtSignature");
        if !signature.is_empty() {
            self.signature = Some(signature.to_owned());
        }
        if let Some(call) = part.get("functionCall") {
            let draft = told
                .calls
                .begin("", text_at(call, "/id"), text_at(call, "/name"));
            draft.arguments = arguments_text(call.get("args").unwrap_or(&Value::Null));
            let signature = self.signature.take();
            draft.state =
                signature.map(|signature| provider_state::signature(&self.model, &signature));
            draft.closed = true;
        } else if part.get("thought").and_then(Value::as_bool) == Some(true) {
            told.reasoning(text_at(part, "/text"));
        } else {
            told.text(text_at(part, "/text"));
        }
    }
}

fn stop_reason(reason: &str) -> StopReason {
    match reason {
        "STOP" => StopReason::EndTurn,
        "MAX_TOKENS" => StopReason::MaxTokens,
        "SAFETY" | "RECITATION" | "LANGUAGE" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII"
        | "IMAGE_SAFETY" => StopReason::Refused,
        _ => StopReason::Unknown,
    }
}

/// Comes with every frame and counts from the beginning, so the last one holds.
fn read_usage(frame: &Value, told: &mut Told) {
    let Some(usage) = frame.get("usageMetadata").filter(|usage| usage.is_object()) else {
        return;
    };
    let sum = |first: Option<u64>, second: Option<u64>| match (first, second) {
        (None, None) => None,
        (first, second) => Some(first.unwrap_or(0) + second.unwrap_or(0)),
    };
    let thoughts = number_at(usage, "/thoughtsTokenCount");
    told.usage.input_tokens = sum(
        number_at(usage, "/promptTokenCount"),
        number_at(usage, "/toolUsePromptTokenCount"),
    );
    told.usage.cached_input_tokens = number_at(usage, "/cachedContentTokenCount");
    told.usage.output_tokens = sum(number_at(usage, "/candidatesTokenCount"), thoughts);
    told.usage.reasoning_tokens = thoughts;
}
