//! Keeping the requests a script received, one JSON line each, for tests to look at.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

use serde_json::{Value, json};

use super::super::{Message, ModelRequest};

/// Appends `request` to the file at `path` in one write, so that lines of several writers stay
/// whole.
pub(super) fn append(path: &Path, request: &ModelRequest) -> io::Result<()> {
    let mut line = line(request).to_string();
    line.push('\n');
    OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)?
        .write_all(line.as_bytes())
}

fn line(request: &ModelRequest) -> Value {
    json!({
        "system": request.system,
        "messages": request.messages.iter().map(message).collect::<Vec<_>>(),
        "tools": request.tools.iter().map(|tool| &tool.name).collect::<Vec<_>>(),
        "max_output_tokens": request.max_output_tokens,
    })
}

fn message(message: &Message) -> Value {
    match message {
        Message::User { text } => json!({ "role": "user", "text": text }),
        Message::Assistant { text, tool_calls } => json!({
            "role": "assistant",
            "text": text,
            "tool_calls": tool_calls.iter().map(|call| json!({
                "call_id": call.call_id,
                "name": call.name,
                "arguments": call.arguments,
            })).collect::<Vec<_>>(),
        }),
        Message::ToolResults(results) => json!({
            "role": "results",
            "results": results.iter().map(|result| json!({
                "call_id": result.call_id,
                "name": result.name,
                "content": result.content,
                "is_error": result.is_error,
            })).collect::<Vec<_>>(),
        }),
    }
}
