//! Writes messages: each is one JSON object and `\n`. What is written is made of this layer's own
//! types, whose serialisation has no failing branch but for raw JSON that is none.

use serde::Serialize;
use serde_json::Result;

use super::error::Refused;
use super::notification::Notification;
use super::object::{Thread, Turn};
use super::request_id::RequestId;

#[derive(Serialize)]
struct Response<'a, T> {
    jsonrpc: &'static str,
    id: &'a RequestId,
    result: &'a T,
}

#[derive(Serialize)]
struct ErrorResponse<'a> {
    jsonrpc: &'static str,
    id: Option<&'a RequestId>,
    error: &'a Refused,
}

#[derive(Serialize)]
struct ServerRequest<'a, T> {
    jsonrpc: &'static str,
    id: &'a str,
    method: &'a str,
    params: &'a T,
}

#[derive(Serialize)]
struct Told<'a, T> {
    jsonrpc: &'static str,
    method: &'static str,
    params: &'a T,
}

/// The response that carries a result.
///
/// # Errors
/// When `result` cannot be JSON.
pub fn response(id: &RequestId, result: &impl Serialize) -> Result<Vec<u8>> {
    let jsonrpc = "2.0";
    write(&Response {
        jsonrpc,
        id,
        result,
    })
}

/// The response that carries an error; `id` is null when it cannot be told.
pub fn refusal(id: Option<&RequestId>, error: &Refused) -> Vec<u8> {
    let jsonrpc = "2.0";
    write(&ErrorResponse { jsonrpc, id, error }).unwrap_or_default()
}

/// A request of the server.
///
/// # Errors
/// When `params` cannot be JSON.
pub fn request(id: &str, method: &str, params: &impl Serialize) -> Result<Vec<u8>> {
    let jsonrpc = "2.0";
    write(&ServerRequest {
        jsonrpc,
        id,
        method,
        params,
    })
}

/// Adds a notification to `lines`; on an error `lines` is as before.
///
/// # Errors
/// When `told` cannot be JSON.
pub fn notification<N: Notification>(lines: &mut Vec<u8>, told: &N) -> Result<()> {
    let jsonrpc = "2.0";
    let told = Told {
        jsonrpc,
        method: told.method(),
        params: told,
    };
    append(lines, &told)
}

fn write(message: &impl Serialize) -> Result<Vec<u8>> {
    let mut line = Vec::with_capacity(256);
    append(&mut line, message)?;
    Ok(line)
}

fn append(lines: &mut Vec<u8>, message: &impl Serialize) -> Result<()> {
    append_json(lines, message)?;
    lines.push(b'\n');
    Ok(())
}

/// Raw JSON may hold line breaks; outside a string they mean no more than a space, and inside one
/// they cannot be.
fn append_json(lines: &mut Vec<u8>, value: &impl Serialize) -> Result<()> {
    let start = lines.len();
    if let Err(error) = serde_json::to_writer(&mut *lines, value) {
        lines.truncate(start);
        return Err(error);
    }
    let written = &mut lines[start..];
    if written.contains(&b'\n') || written.contains(&b'\r') {
        for byte in written {
            if matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }
    Ok(())
}

/// A response whose result is a list that ends early when it would be too long for one message.
pub struct Page {
    line: Vec<u8>,
    limit: usize,
    empty: bool,
}

impl Page {
    /// A page of threads: `{"threads": […]}`.
    ///
    /// # Errors
    /// Never in practice.
    pub fn of_threads(id: &RequestId, limit: usize) -> Result<Self> {
        Self::open(id, b"{\"threads\":[", limit)
    }

    /// A page of effects: `{"effects": […]}`.
    ///
    /// # Errors
    /// Never in practice.
    pub fn of_effects(id: &RequestId, limit: usize) -> Result<Self> {
        Self::open(id, b"{\"effects\":[", limit)
    }

    /// A page of a thread's events: `{"thread": …, "events": […]}`.
    ///
    /// # Errors
    /// Never in practice.
    pub fn of_events(id: &RequestId, thread: &Thread<'_>, limit: usize) -> Result<Self> {
        let mut page = Self::open(id, b"{\"thread\":", limit)?;
        append_json(&mut page.line, thread)?;
        page.line.extend_from_slice(b",\"events\":[");
        Ok(page)
    }

    /// The same with a turn: `{"thread": …, "turn": …, "events": […]}`.
    ///
    /// # Errors
    /// Never in practice.
    pub fn of_turn_and_events(
        id: &RequestId,
        thread: &Thread<'_>,
        turn: &Turn<'_>,
        limit: usize,
    ) -> Result<Self> {
        let mut page = Self::open(id, b"{\"thread\":", limit)?;
        append_json(&mut page.line, thread)?;
        page.line.extend_from_slice(b",\"turn\":");
        append_json(&mut page.line, turn)?;
        page.line.extend_from_slice(b",\"events\":[");
        Ok(page)
    }

    fn open(id: &RequestId, head: &[u8], limit: usize) -> Result<Self> {
        let mut line = b"{\"jsonrpc\":\"2.0\",\"id\":".to_vec();
        append_json(&mut line, id)?;
        line.extend_from_slice(b",\"result\":");
        line.extend_from_slice(head);
        Ok(Self {
            line,
            limit,
            empty: true,
        })
    }

    /// Adds an entry. False when there is no room for it; the first always fits.
    ///
    /// # Errors
    /// When `entry` cannot be JSON.
    pub fn push(&mut self, entry: &impl Serialize) -> Result<bool> {
        let before = self.line.len();
        if !self.empty {
            self.line.push(b',');
        }
        append_json(&mut self.line, entry)?;
        if !self.empty && self.line.len() > self.limit {
            self.line.truncate(before);
            return Ok(false);
        }
        self.empty = false;
        Ok(true)
    }

    /// The whole response.
    pub fn close(mut self) -> Vec<u8> {
        self.line.extend_from_slice(b"]}}\n");
        self.line
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use serde_json::value::RawValue;

    use super::*;
    use crate::protocol::ErrorCode;

    #[test]
    fn raw_json_that_was_written_over_lines_stays_on_one() {
        let id = RequestId::Integer(1);
        let raw: Box<RawValue> = serde_json::from_str("{\n\t\"a\":\r\n 1}").unwrap();
        let line = response(&id, &raw).unwrap();
        let text = String::from_utf8(line).unwrap();
        assert_eq!(text.find('\n'), Some(text.len() - 1));
        assert!(!text.contains('\r'));
        let message: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(message["result"], json!({ "a": 1 }));
    }

    #[test]
    fn a_page_ends_before_its_limit_and_its_first_entry_always_fits() {
        let id = RequestId::Text("p".to_owned());
        let mut page = Page::of_threads(&id, 100).unwrap();
        assert!(page.push(&"x".repeat(200)).unwrap());
        assert!(!page.push(&"y").unwrap());
        let mut page = Page::of_threads(&id, 100).unwrap();
        let mut pushed = 0;
        while page.push(&pushed).unwrap() {
            pushed += 1;
        }
        let line = page.close();
        assert!(line.len() <= 100 + b"]}}\n".len() && line.len() > 90);
        let message: serde_json::Value = serde_json::from_slice(&line).unwrap();
        assert_eq!(
            message["result"]["threads"].as_array().unwrap().len(),
            pushed
        );
    }

    #[test]
    fn an_error_of_unknown_origin_has_a_null_id() {
        let line = refusal(None, &Refused::new(ErrorCode::Parse, "x".repeat(5_000)));
        let message: serde_json::Value = serde_json::from_slice(&line).unwrap();
        assert!(message["id"].is_null());
        assert_eq!(message["error"]["message"].as_str().unwrap().len(), 4_096);
        assert_eq!(message.as_object().unwrap().len(), 3);
    }
}
