//! From what is asked of a model to what `genai` sends.

use std::sync::Arc;

use genai::chat::{
    CacheControl, ChatMessage, ChatOptions, ChatRequest, ContentPart, MessageContent,
    MessageOptions, ReasoningEffort, Tool, ToolResponse,
};
use genai::resolver::{AuthData, Endpoint};
use genai::{ModelIden, ServiceTarget};
use serde_json::{Map, Value, json};

use super::super::{Message, ModelRequest, ToolCall, ToolResult};
use super::frames::Inbox;
use super::{Target, Wire, provider_state};

/// The name, the address and the key.
pub(super) fn target(target: &Target, wire: Wire) -> ServiceTarget {
    let name = target.name.name();
    // What stands before the first `::` would be taken for a namespace.
    let name = if name.contains("::") {
        format!("{}::{name}", target.name.provider())
    } else {
        name.to_owned()
    };
    ServiceTarget {
        endpoint: Endpoint::from_owned(target.address.base.as_str()),
        auth: AuthData::from_single(target.key.reveal()),
        model: ModelIden::new(wire.adapter(), name),
    }
}

/// Limits, the frame sink, and what a model is asked for besides.
pub(super) fn options(
    target: &Target,
    wire: Wire,
    request: &ModelRequest,
    inbox: Arc<Inbox>,
) -> ChatOptions {
    let mut options = ChatOptions::default()
        .with_stream_header_timeout(target.retry.patience)
        .with_stream_read_timeout(target.retry.patience)
        .with_raw_frame_sink_arc(inbox)
        // Asks Chat Completions to tell the usage.
        .with_capture_usage(true);
    options.max_tokens = request.max_output_tokens;
    options.reasoning_effort = literal_name(wire, target.name.name());
    if has_extras(target, wire) {
        match wire {
            Wire::Responses => {
                options.extra_body = Some(json!({
                    "include": ["reasoning.encrypted_content"],
                    "reasoning": { "summary": "auto" },
                }));
            }
            _ => options.capture_reasoning_content = Some(true),
        }
    }
    options
}

/// Whether the model is asked to show its reasoning and to hand over what continues it.
pub(super) fn has_extras(target: &Target, wire: Wire) -> bool {
    let name = target.name.name();
    target.with_extras()
        && match wire {
            Wire::Responses => reasons(name),
            Wire::Gemini => thinks(name),
            // These show it unasked, or only when the caller pays for a budget.
            Wire::Chat | Wire::Anthropic | Wire::Ollama => false,
        }
}

/// `genai` takes the end of a name like `qwen-max` or `gpt-5.1-codex-max` for a wish and cuts it
/// off. An effort that adds nothing to the request keeps the name as it is.
fn literal_name(wire: Wire, name: &str) -> Option<ReasoningEffort> {
    let (Some(_), _) = ReasoningEffort::from_model_name(name) else {
        return None;
    };
    match wire {
        Wire::Responses | Wire::Chat => Some(ReasoningEffort::Budget(0)),
        Wire::Anthropic | Wire::Gemini => Some(ReasoningEffort::Zero),
        // Takes names as they are, and any effort as a wish.
        Wire::Ollama => None,
    }
}

/// Whether an `OpenAI` model reasons, by its name.
fn reasons(name: &str) -> bool {
    let is_numbered_o = |name: &str| {
        let mut letters = name.chars();
        letters.next() == Some('o') && letters.next().is_some_and(|c| c.is_ascii_digit())
    };
    let is_chat = name.contains("-chat");
    (is_numbered_o(name)
        || ["gpt-5", "gpt-6", "codex"]
            .iter()
            .any(|known| name.starts_with(known)))
        && !is_chat
}

/// Whether a Gemini model thinks, by its name.
fn thinks(name: &str) -> bool {
    ["gemini-2.5", "gemini-3"]
        .iter()
        .any(|known| name.starts_with(known))
        && !["image", "tts", "live"]
            .iter()
            .any(|other| name.contains(other))
}

/// The conversation and the tools.
pub(super) fn request(model: &str, wire: Wire, request: &ModelRequest) -> ChatRequest {
    let mut messages = Vec::with_capacity(request.messages.len() + 1);
    if !request.system.is_empty() {
        messages.push(cached(wire, ChatMessage::system(request.system.as_str())));
    }
    for message in &request.messages {
        match message {
            Message::User { text } => messages.push(ChatMessage::user(text.as_str())),
            Message::Assistant { text, tool_calls } => {
                messages.extend(assistant(model, wire, text, tool_calls));
            }
            Message::ToolResults(results) => messages.extend(tool_results(wire, results)),
        }
    }
    if let Some(last) = messages.pop() {
        messages.push(cached(wire, last));
    }
    let chat = if wire == Wire::Responses {
        instructions_apart(messages)
    } else {
        ChatRequest::from_messages(messages)
    };
    if request.tools.is_empty() {
        return chat;
    }
    chat.with_tools(request.tools.iter().map(|declared| {
        let tool = Tool::new(declared.name.as_str())
            .with_description(declared.description.as_str())
            .with_schema(declared.parameters.clone());
        match wire {
            // Left out it means strict, which makes every optional argument required.
            Wire::Responses => tool.with_strict(false),
            _ => tool,
        }
    }))
}

/// Responses takes the system prompt apart from the conversation.
fn instructions_apart(mut messages: Vec<ChatMessage>) -> ChatRequest {
    let has_system = messages
        .first()
        .is_some_and(|first| first.role == genai::chat::ChatRole::System);
    if !has_system {
        return ChatRequest::from_messages(messages);
    }
    let system = messages.remove(0).content.into_joined_texts();
    ChatRequest::from_messages(messages).with_system(system.unwrap_or_default())
}

/// Anthropic reads again from its cache only what is marked; the others mark by themselves.
fn cached(wire: Wire, message: ChatMessage) -> ChatMessage {
    match wire {
        Wire::Anthropic => {
            let options = MessageOptions::default().with_cache_control(CacheControl::Ephemeral);
            message.with_options(options)
        }
        _ => message,
    }
}

fn assistant(model: &str, wire: Wire, text: &str, calls: &[ToolCall]) -> Vec<ChatMessage> {
    let text = (!text.trim().is_empty()).then(|| ContentPart::from_text(text));
    let mut messages = vec![text.into_iter().collect::<Vec<_>>()];
    for call in calls {
        let before = state_parts(model, wire, call);
        // Encrypted reasoning stands right before the call it led to.
        if wire == Wire::Responses && !before.is_empty() {
            messages.push(before);
        } else if let Some(message) = messages.last_mut() {
            message.splice(0..0, before);
        }
        if let Some(message) = messages.last_mut() {
            message.push(ContentPart::ToolCall(tool_call(model, wire, call)));
        }
    }
    messages.retain(|parts| !parts.is_empty());
    let messages = messages.into_iter();
    messages
        .map(|parts| ChatMessage::assistant(MessageContent::from_parts(parts)))
        .collect()
}

/// What goes back to the model with a call, before it.
fn state_parts(model: &str, wire: Wire, call: &ToolCall) -> Vec<ContentPart> {
    let state = call.provider_state.as_ref();
    let list = |member: &str| {
        let list = provider_state::of(state, model, member).and_then(Value::as_array);
        list.into_iter().flatten()
    };
    match wire {
        Wire::Responses => list("encrypted")
            .filter_map(|blob| Some(ContentPart::ThoughtSignature(blob.as_str()?.to_owned())))
            .collect(),
        Wire::Anthropic => list("thinking")
            .map(|block| ContentPart::from_custom(block.clone(), None))
            .collect(),
        Wire::Chat => provider_state::of(state, model, "reasoning")
            .and_then(Value::as_str)
            .map(|text| ContentPart::ReasoningContent(text.to_owned()))
            .into_iter()
            .collect(),
        Wire::Ollama | Wire::Gemini => Vec::new(),
    }
}

fn tool_call(model: &str, wire: Wire, call: &ToolCall) -> genai::chat::ToolCall {
    let signature = provider_state::of(call.provider_state.as_ref(), model, "signature");
    let signature = signature
        .and_then(Value::as_str)
        .filter(|_| wire == Wire::Gemini);
    genai::chat::ToolCall {
        call_id: call_id(wire, &call.call_id),
        fn_name: call.name.clone(),
        fn_arguments: arguments(&call.arguments),
        thought_signatures: signature.map(|signature| vec![signature.to_owned()]),
    }
}

/// Providers take objects only. What a model wrote and is none goes back to it inside one.
fn arguments(text: &str) -> Value {
    if text.trim().is_empty() {
        return Value::Object(Map::new());
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => Value::Object(object),
        _ => json!({ "not_an_object": text }),
    }
}

/// A conversation may have begun with another provider, whose ids Anthropic would refuse.
fn call_id(wire: Wire, id: &str) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    match wire {
        Wire::Anthropic => id
            .chars()
            .map(|c| if allowed(c) { c } else { '_' })
            .collect(),
        _ => id.to_owned(),
    }
}

fn tool_results(wire: Wire, results: &[ToolResult]) -> Vec<ChatMessage> {
    let parts = results.iter().map(|result| tool_result(wire, result));
    match wire {
        // One message a result, or the last one alone would be kept.
        Wire::Ollama => parts
            .map(|part| ChatMessage::tool(MessageContent::from_parts(vec![part])))
            .collect(),
        _ => vec![ChatMessage::tool(MessageContent::from_parts(
            parts.collect::<Vec<_>>(),
        ))],
    }
}

fn tool_result(wire: Wire, result: &ToolResult) -> ContentPart {
    if wire == Wire::Anthropic {
        // The only one that is told whether a tool failed.
        let block = json!({
            "type": "tool_result",
            "tool_use_id": call_id(wire, &result.call_id),
            "content": result.content,
            "is_error": result.is_error,
        });
        return ContentPart::from_custom(block, None);
    }
    let response = ToolResponse::new(result.call_id.as_str(), result.content.as_str());
    ContentPart::ToolResponse(response.with_fn_name(result.name.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_end_like_a_wish_stay_as_they_are() {
        for name in ["qwen-max", "gpt-5.1-codex-max", "mistral-medium"] {
            assert!(literal_name(Wire::Chat, name).is_some(), "{name}");
        }
        assert!(literal_name(Wire::Chat, "gpt-4o").is_none());
    }

    #[test]
    fn arguments_that_are_no_object_go_back_inside_one() {
        assert_eq!(arguments(r#"{"a": 1}"#), json!({ "a": 1 }));
        assert_eq!(arguments(""), json!({}));
        assert_eq!(arguments("[1"), json!({ "not_an_object": "[1" }));
        assert_eq!(arguments("3"), json!({ "not_an_object": "3" }));
    }

    #[test]
    fn models_that_reason_are_known_by_name() {
        for name in ["o3-mini", "gpt-5", "gpt-5.1-codex", "codex-mini-latest"] {
            assert!(reasons(name), "{name}");
        }
        for name in ["gpt-4o", "omni", "gpt-5-chat-latest", "llama"] {
            assert!(!reasons(name), "{name}");
        }
    }
}
