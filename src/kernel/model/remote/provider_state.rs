//! What a model wants back unchanged with a tool call, kept with the name of the model: another
//! model would refuse it.

use serde_json::{Value, json};

/// Reasoning that Responses keeps encrypted.
pub(super) fn encrypted(model: &str, reasoning: &[String]) -> Value {
    json!({ "model": model, "encrypted": reasoning })
}

/// Thinking blocks of Anthropic.
pub(super) fn thinking(model: &str, blocks: &[Value]) -> Value {
    json!({ "model": model, "thinking": blocks })
}

/// A thought signature of Gemini.
pub(super) fn signature(model: &str, signature: &str) -> Value {
    json!({ "model": model, "signature": signature })
}

/// Plain reasoning that came as `reasoning_content`.
pub(super) fn reasoning_text(model: &str, reasoning: &str) -> Value {
    json!({ "model": model, "reasoning": reasoning })
}

/// What `state` holds for `model` under `member`.
pub(super) fn of<'a>(state: Option<&'a Value>, model: &str, member: &str) -> Option<&'a Value> {
    state.filter(|state| state["model"] == model)?.get(member)
}
