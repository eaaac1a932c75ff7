//! Anthropic Messages.

use serde_json::{Value, json};

use super::super::super::StopReason;
use super::super::failure::Failure;
use super::super::provider_state;
use super::{Progress, Reader, Told, number_at, text_at};

pub(super) struct Anthropic {
    model: String,
    /// Thinking blocks by their index, as they must go back with the calls after them.
    thinking: Vec<(String, Value)>,
    /// What the input cost besides `input_tokens`: tokens written to and read from the cache.
    cached: (u64, u64),
    uncached: Option<u64>,
}

impl Anthropic {
    pub(super) fn new(model: String) -> Self {
        Self {
            model,
            thinking: Vec::new(),
            cached: (0, 0),
            uncached: None,
        }
    }
}

impl Reader for Anthropic {
    fn read(&mut self, frame: &Value, told: &mut Told) -> Result<(), Failure> {
        match text_at(frame, "/type") {
            "message_start" => self.read_usage(frame.pointer("/message/usage"), told),
            "content_block_start" => self.begin(frame, told),
            "content_block_delta" => self.add(frame, told),
            "content_block_stop" => self.close(frame, told),
            "message_delta" => {
                self.read_usage(frame.get("usage"), told);
                let reason = text_at(frame, "/delta/stop_reason");
                if !reason.is_empty() {
                    told.stop = Some(stop_reason(reason));
                    told.progress = Progress::Whole;
                }
            }
            "message_stop" => told.progress = Progress::Done,
            "error" => return Err(Failure::told(frame.get("error").unwrap_or(frame))),
            _ => {}
        }
        Ok(())
    }
}

fn index(frame: &Value) -> String {
    number_at(frame, "/index").map_or_else(String::new, |index| index.to_string())
}

fn stop_reason(reason: &str) -> StopReason {
    match reason {
        "end_turn" | "stop_sequence" => StopReason::EndTurn,
        "tool_use" => StopReason::ToolUse,
        "max_tokens" | "model_context_window_exceeded" => StopReason::MaxTokens,
        "refusal" => StopReason::Refused,
        _ => StopReason::Unknown,
    }
}

impl Anthropic {
    fn begin(&mut self, frame: &Value, told: &mut Told) {
        let block = frame.get("content_block").unwrap_or(&Value::Null);
        match text_at(block, "/type") {
            "text" => told.text(text_at(block, "/text")),
            "thinking" => {
                let thinking = text_at(block, "/thinking");
                told.reasoning(thinking);
                let kept = json!({
                    "type": "thinking",
                    "thinking": thinking,
                    "signature": text_at(block, "/signature"),
                });
                self.thinking.push((index(frame), kept));
            }
            "redacted_thinking" => self.thinking.push((index(frame), block.clone())),
            "tool_use" => {
                let draft = told.calls.begin(
                    &index(frame),
                    text_at(block, "/id"),
                    text_at(block, "/name"),
                );
                // Some gateways give the whole input at once.
                let input = block.get("input").and_then(Value::as_object);
                if let Some(input) = input.filter(|input| !input.is_empty()) {
                    draft.arguments = json!(input).to_string();
                }
            }
            _ => {}
        }
    }

    fn add(&mut self, frame: &Value, told: &mut Told) {
        let delta = frame.get("delta").unwrap_or(&Value::Null);
        match text_at(delta, "/type") {
            "text_delta" => told.text(text_at(delta, "/text")),
            "thinking_delta" => {
                let thinking = text_at(delta, "/thinking");
                told.reasoning(thinking);
                self.extend_thinking(frame, "thinking", thinking);
            }
            "signature_delta" => {
                self.extend_thinking(frame, "signature", text_at(delta, "/signature"));
            }
            "input_json_delta" => {
                if let Some(draft) = told.calls.under(&index(frame)) {
                    draft.arguments.push_str(text_at(delta, "/partial_json"));
                }
            }
            _ => {}
        }
    }

    fn extend_thinking(&mut self, frame: &Value, member: &str, more: &str) {
        let index = index(frame);
        let block = self.thinking.iter_mut().rfind(|(known, _)| *known == index);
        if let Some((_, Value::Object(block))) = block
            && let Some(Value::String(text)) = block.get_mut(member)
        {
            text.push_str(more);
        }
    }

    fn close(&mut self, frame: &Value, told: &mut Told) {
        if let Some(draft) = told.calls.under(&index(frame)) {
            draft.closed = true;
            let thinking = std::mem::take(&mut self.thinking);
            if !thinking.is_empty() {
                let blocks: Vec<Value> = thinking.into_iter().map(|(_, block)| block).collect();
                draft.state = Some(provider_state::thinking(&self.model, &blocks));
            }
        }
    }

    /// Usage comes at the start and again at the end, sometimes only in part; what is said last
    /// holds.
    fn read_usage(&mut self, usage: Option<&Value>, told: &mut Told) {
        let Some(usage) = usage.filter(|usage| usage.is_object()) else {
            return;
        };
        let (written, read) = &mut self.cached;
        let cache = [
            (written, "/cache_creation_input_tokens"),
            (read, "/cache_read_input_tokens"),
        ];
        for (kept, place) in cache {
            *kept = number_at(usage, place).unwrap_or(*kept);
        }
        self.uncached = number_at(usage, "/input_tokens").or(self.uncached);
        let (written, read) = self.cached;
        told.usage.input_tokens = self.uncached.map(|uncached| uncached + written + read);
        if usage
            .pointer("/cache_read_input_tokens")
            .is_some_and(Value::is_u64)
        {
            told.usage.cached_input_tokens = Some(read);
        }
        told.usage.output_tokens = number_at(usage, "/output_tokens").or(told.usage.output_tokens);
        told.usage.reasoning_tokens = number_at(usage, "/output_tokens_details/thinking_tokens")
            .or(told.usage.reasoning_tokens);
    }
}
