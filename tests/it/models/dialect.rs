//! A whole, well-formed answer as each provider writes it.

use serde_json::{Value, json};

use super::stub::{Kind, Say};

/// How the path of a request to the provider ends.
pub fn path(kind: Kind) -> &'static str {
    match kind {
        Kind::Responses => "/v1/responses",
        Kind::Chat => "/v1/chat/completions",
        Kind::Anthropic => "/v1/messages",
        Kind::Ollama => "/api/chat",
        Kind::Gemini => "/v1beta/models/stub-model:streamGenerateContent?alt=sse",
    }
}

pub fn content_type(kind: Kind) -> &'static str {
    match kind {
        Kind::Ollama => "application/x-ndjson",
        _ => "text/event-stream",
    }
}

/// How many pieces of an answer that only says a text come before its first word.
pub fn pieces_before_text(kind: Kind) -> usize {
    match kind {
        Kind::Responses | Kind::Chat => 1,
        Kind::Anthropic => 2,
        Kind::Ollama | Kind::Gemini => 0,
    }
}

/// The pieces of an answer, one frame each.
pub fn render(kind: Kind, said: &[Say]) -> Vec<String> {
    match kind {
        Kind::Responses => responses(said).iter().map(named).collect(),
        Kind::Chat => {
            let mut pieces: Vec<String> = chat(said).iter().map(unnamed).collect();
            pieces.push("data: [DONE]\n\n".into());
            pieces
        }
        Kind::Anthropic => anthropic(said).iter().map(named).collect(),
        Kind::Ollama => ollama(said)
            .iter()
            .map(|frame| format!("{frame}\n"))
            .collect(),
        Kind::Gemini => gemini(said).iter().map(unnamed).collect(),
    }
}

fn named(frame: &Value) -> String {
    let name = frame["type"].as_str().unwrap();
    format!("event: {name}\ndata: {frame}\n\n")
}

fn unnamed(frame: &Value) -> String {
    format!("data: {frame}\n\n")
}

/// A text in the pieces a model would say it in.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(' ')
}

fn calls_tools(said: &[Say]) -> bool {
    said.iter().any(|say| matches!(say, Say::Call { .. }))
}

/// A JSON text in two pieces.
fn halves(arguments: &Value) -> (String, String) {
    let text = arguments.to_string();
    let (first, second) = text.split_at(text.len() / 2);
    (first.to_owned(), second.to_owned())
}

fn responses(said: &[Say]) -> Vec<Value> {
    let mut frames = vec![json!({
        "type": "response.created", "response": { "id": "r", "status": "in_progress", "model": "m", "output": [] }
    })];
    for (index, say) in said.iter().enumerate() {
        let item_id = format!("item_{index}");
        match say {
            Say::Text(text) => {
                frames.extend(words(text).map(|delta| {
                    json!({
                        "type": "response.output_text.delta", "item_id": item_id,
                        "output_index": index, "content_index": 0, "delta": delta
                    })
                }));
            }
            Say::Reasoning(text) => {
                frames.push(json!({
                    "type": "response.reasoning_summary_text.delta", "item_id": item_id,
                    "output_index": index, "summary_index": 0, "delta": text
                }));
                frames.push(json!({
                    "type": "response.output_item.done", "output_index": index,
                    "item": { "id": item_id, "type": "reasoning", "summary": [], "encrypted_content": "sealed" }
                }));
            }
            Say::Call {
                id,
                name,
                arguments,
            } => {
                let item = |arguments: &str, status: &str| {
                    json!({
                        "id": item_id, "type": "function_call", "call_id": id, "name": name,
                        "arguments": arguments, "status": status
                    })
                };
                frames.push(json!({
                    "type": "response.output_item.added", "output_index": index, "item": item("", "in_progress")
                }));
                let (first, second) = halves(arguments);
                frames.extend([first, second].map(|delta| {
                    json!({
                        "type": "response.function_call_arguments.delta", "item_id": item_id,
                        "output_index": index, "delta": delta
                    })
                }));
                frames.push(json!({
                    "type": "response.output_item.done", "output_index": index,
                    "item": item(&arguments.to_string(), "completed")
                }));
            }
        }
    }
    frames.push(json!({ "type": "response.completed", "response": {
        "id": "r", "status": "completed", "model": "m", "output": [],
        "usage": { "input_tokens": 10, "output_tokens": 5, "total_tokens": 15 }
    } }));
    frames
}

fn chat(said: &[Say]) -> Vec<Value> {
    let chunk = |delta: Value, finish: Value| {
        json!({
            "id": "c", "object": "chat.completion.chunk", "model": "m",
            "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }], "usage": null
        })
    };
    let mut frames = vec![chunk(
        json!({ "role": "assistant", "content": "" }),
        Value::Null,
    )];
    let mut calls = 0;
    for say in said {
        match say {
            Say::Text(text) => {
                frames
                    .extend(words(text).map(|word| chunk(json!({ "content": word }), Value::Null)));
            }
            Say::Reasoning(text) => {
                frames.push(chunk(json!({ "reasoning_content": text }), Value::Null));
            }
            Say::Call {
                id,
                name,
                arguments,
            } => {
                let (first, second) = halves(arguments);
                let head = json!({
                    "index": calls, "id": id, "type": "function",
                    "function": { "name": name, "arguments": first }
                });
                let rest = json!({ "index": calls, "function": { "arguments": second } });
                frames.push(chunk(json!({ "tool_calls": [head] }), Value::Null));
                frames.push(chunk(json!({ "tool_calls": [rest] }), Value::Null));
                calls += 1;
            }
        }
    }
    let finish = if calls_tools(said) {
        "tool_calls"
    } else {
        "stop"
    };
    frames.push(chunk(json!({}), json!(finish)));
    frames.push(json!({
        "id": "c", "object": "chat.completion.chunk", "model": "m", "choices": [],
        "usage": { "prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15 }
    }));
    frames
}

fn anthropic(said: &[Say]) -> Vec<Value> {
    let mut frames = vec![json!({ "type": "message_start", "message": {
        "id": "m", "type": "message", "role": "assistant", "model": "m", "content": [],
        "usage": { "input_tokens": 10, "output_tokens": 1 }
    } })];
    for (index, say) in said.iter().enumerate() {
        let start = |block: Value| json!({ "type": "content_block_start", "index": index, "content_block": block });
        let delta =
            |delta: Value| json!({ "type": "content_block_delta", "index": index, "delta": delta });
        match say {
            Say::Text(text) => {
                frames.push(start(json!({ "type": "text", "text": "" })));
                frames.extend(
                    words(text).map(|word| delta(json!({ "type": "text_delta", "text": word }))),
                );
            }
            Say::Reasoning(text) => {
                frames.push(start(
                    json!({ "type": "thinking", "thinking": "", "signature": "" }),
                ));
                frames.push(delta(json!({ "type": "thinking_delta", "thinking": text })));
                frames.push(delta(
                    json!({ "type": "signature_delta", "signature": "signed" }),
                ));
            }
            Say::Call {
                id,
                name,
                arguments,
            } => {
                frames.push(start(
                    json!({ "type": "tool_use", "id": id, "name": name, "input": {} }),
                ));
                let (first, second) = halves(arguments);
                frames.extend([first, second].map(|piece| {
                    delta(json!({ "type": "input_json_delta", "partial_json": piece }))
                }));
            }
        }
        frames.push(json!({ "type": "content_block_stop", "index": index }));
        frames.push(json!({ "type": "ping" }));
    }
    let stop = if calls_tools(said) {
        "tool_use"
    } else {
        "end_turn"
    };
    frames.push(json!({
        "type": "message_delta", "delta": { "stop_reason": stop, "stop_sequence": null },
        "usage": { "output_tokens": 5 }
    }));
    frames.push(json!({ "type": "message_stop" }));
    frames
}

fn ollama(said: &[Say]) -> Vec<Value> {
    let line = |message: Value| json!({ "model": "m", "message": message, "done": false });
    let mut lines = Vec::new();
    for say in said {
        match say {
            Say::Text(text) => lines.extend(
                words(text).map(|word| line(json!({ "role": "assistant", "content": word }))),
            ),
            Say::Reasoning(text) => {
                lines.push(line(
                    json!({ "role": "assistant", "content": "", "thinking": text }),
                ));
            }
            Say::Call {
                id,
                name,
                arguments,
            } => lines.push(line(json!({
                "role": "assistant", "content": "",
                "tool_calls": [{ "id": id, "function": { "name": name, "arguments": arguments } }]
            }))),
        }
    }
    lines.push(json!({
        "model": "m", "message": { "role": "assistant", "content": "" }, "done": true,
        "done_reason": "stop", "prompt_eval_count": 10, "eval_count": 5
    }));
    lines
}

fn gemini(said: &[Say]) -> Vec<Value> {
    let frame = |parts: Value| json!({ "candidates": [{ "content": { "role": "model", "parts": parts }, "index": 0 }] });
    let mut frames = Vec::new();
    for say in said {
        match say {
            Say::Text(text) => {
                frames.extend(words(text).map(|word| frame(json!([{ "text": word }]))));
            }
            Say::Reasoning(text) => frames.push(frame(json!([{ "text": text, "thought": true }]))),
            Say::Call {
                id,
                name,
                arguments,
            } => frames.push(frame(json!([{
                "functionCall": { "id": id, "name": name, "args": arguments },
                "thoughtSignature": "signed"
            }]))),
        }
    }
    frames.push(json!({
        "candidates": [{ "content": { "role": "model", "parts": [] }, "finishReason": "STOP", "index": 0 }],
        "usageMetadata": { "promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15 }
    }));
    frames
}
