use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::Value;

use super::super::output::{cut_line, one_line, plain};
use crate::domain::ItemId;
use crate::store::{Event, EventType};

/// Columns a line about a tool may fill.
const LINE: usize = 100;
/// Lines of a tool's result that are shown.
const RESULT_LINES: usize = 6;
/// Unfinished items whose text is shown, and bytes of it.
const UNFINISHED: usize = 64;
const UNFINISHED_BYTES: usize = 64 * 1024;

/// Tells events as a transcript.
#[derive(Default)]
pub(super) struct Transcript {
    /// Text of items that have not ended.
    growing: BTreeMap<ItemId, String>,
    open: bool,
}

impl Transcript {
    /// What an event adds to the transcript.
    pub fn event(&mut self, event: &Event) -> String {
        let mut text = String::new();
        let Some(payload) = event.payload.as_deref() else {
            return format!("  (event {} was erased)\n", event.seq);
        };
        let payload: Value = serde_json::from_str(payload).unwrap_or_default();
        // Writing to a string has no failing branch.
        let _ = self.tell(event, &payload, &mut text);
        plain(&text)
    }

    /// What is left at the end: what has not ended.
    pub fn end(&self) -> String {
        let mut text = String::new();
        for said in self.growing.values().filter(|said| !said.is_empty()) {
            let _ = writeln!(text, "\nassistant (not finished)\n{}", indented(said));
        }
        if self.open {
            text.push_str("\n  the turn has not ended\n");
        }
        plain(&text)
    }

    fn tell(&mut self, event: &Event, payload: &Value, out: &mut String) -> std::fmt::Result {
        let said = |name: &str| payload[name].as_str().unwrap_or_default();
        match event.known_type() {
            Some(EventType::ThreadStarted) => {
                writeln!(out, "thread {}  {}", event.thread, event.at)?;
                title(payload, out)
            }
            Some(EventType::ThreadForked) => {
                let source = &payload["source"];
                let from = source["threadId"].as_str().unwrap_or_default();
                writeln!(
                    out,
                    "\nforked as {} from {from} at event {}",
                    event.thread, source["eventSeq"]
                )?;
                title(payload, out)
            }
            Some(EventType::ThreadArchived) => writeln!(out, "\narchived  {}", event.at),
            Some(EventType::TurnStarted) => {
                self.open = true;
                let turn = event
                    .turn
                    .as_ref()
                    .map(ToString::to_string)
                    .unwrap_or_default();
                writeln!(
                    out,
                    "\nturn {turn}  {}  {}  mode {}",
                    event.at,
                    said("model"),
                    said("permissionMode")
                )
            }
            Some(EventType::ItemStarted) => {
                self.begin(event);
                Ok(())
            }
            Some(EventType::ItemDelta) => {
                self.grow(event, payload);
                Ok(())
            }
            Some(EventType::ItemCompleted) => self.item(event, payload, out),
            Some(EventType::ApprovalRequested) => {
                let request = &payload["request"];
                let reason = request["reason"].as_str().unwrap_or_default();
                writeln!(
                    out,
                    "  approval asked ({}): {}",
                    request["risk"].as_str().unwrap_or("?"),
                    one_line(reason, LINE)
                )
            }
            Some(EventType::EffectReconciled) => writeln!(
                out,
                "\n{} found that effect {} {}: {}",
                one_line(said("actor"), LINE),
                said("effectId"),
                said("outcome"),
                one_line(said("note"), LINE)
            ),
            Some(EventType::ApprovalResolved) => {
                let approved = if payload["approved"] == true {
                    "approved"
                } else {
                    "refused"
                };
                let decision = payload["decision"]["kind"]
                    .as_str()
                    .unwrap_or("no decision");
                writeln!(out, "  approval {approved}: {decision}, by {}", said("via"))
            }
            Some(EventType::EffectSettled) => {
                let exit = payload["exitCode"]
                    .as_i64()
                    .map(|code| format!(", exit code {code}"));
                writeln!(
                    out,
                    "  effect {}{}",
                    said("state").replace('_', " "),
                    exit.unwrap_or_default()
                )
            }
            Some(EventType::TurnCompleted | EventType::TurnFailed | EventType::TurnInterrupted) => {
                self.open = false;
                ended(event, payload, out)
            }
            _ => Ok(()),
        }
    }

    fn begin(&mut self, event: &Event) {
        if let Some(item) = &event.item
            && self.growing.len() < UNFINISHED
        {
            self.growing.insert(item.clone(), String::new());
        }
    }

    fn grow(&mut self, event: &Event, payload: &Value) {
        if let Some(said) = event
            .item
            .as_ref()
            .and_then(|item| self.growing.get_mut(item))
            && said.len() < UNFINISHED_BYTES
        {
            said.push_str(payload["delta"]["text"].as_str().unwrap_or_default());
        }
    }

    fn item(&mut self, event: &Event, payload: &Value, out: &mut String) -> std::fmt::Result {
        if let Some(item) = &event.item {
            self.growing.remove(item);
        }
        let content = &payload["content"];
        let text = content["text"].as_str().unwrap_or_default();
        let cut = match payload["status"].as_str() {
            Some("cancelled") => " (cut short)",
            Some("failed") => " (failed)",
            _ => "",
        };
        match payload["kind"].as_str() {
            Some("user_message") => writeln!(out, "\nuser\n{}", indented(text)),
            Some("assistant_message") => writeln!(out, "\nassistant{cut}\n{}", indented(text)),
            Some("reasoning") => writeln!(out, "\nreasoning{cut}\n{}", indented(text)),
            Some("tool") => tool(content, cut, out),
            Some("error") => writeln!(out, "  ! {}", one_line(text, LINE)),
            Some(kind) => writeln!(out, "  {kind}{cut}"),
            None => Ok(()),
        }
    }
}

fn title(payload: &Value, out: &mut String) -> std::fmt::Result {
    match payload["title"].as_str() {
        Some(title) => writeln!(out, "{}", one_line(title, LINE)),
        None => Ok(()),
    }
}

fn tool(content: &Value, cut: &str, out: &mut String) -> std::fmt::Result {
    let call = format!(
        "{} {}",
        content["tool"].as_str().unwrap_or("?"),
        content["args"]
    );
    writeln!(out, "\n• {}{cut}", cut_line(&call, LINE))?;
    let result = content["result"].as_str().unwrap_or_default();
    let lines = result.lines().count();
    for line in result.lines().take(RESULT_LINES) {
        writeln!(out, "    {}", cut_line(line, LINE))?;
    }
    if lines > RESULT_LINES {
        writeln!(out, "    … {} more lines", lines - RESULT_LINES)?;
    }
    Ok(())
}

fn ended(event: &Event, payload: &Value, out: &mut String) -> std::fmt::Result {
    let evidence = &payload["evidence"];
    let tokens = |name: &str| match evidence["usage"][name].as_u64() {
        Some(tokens) => tokens.to_string(),
        None => "unknown".to_owned(),
    };
    let how = event.event_type.strip_prefix("turn.").unwrap_or_default();
    writeln!(
        out,
        "\n{how}  {}  evidence {}  tokens {} in, {} out",
        event.at,
        evidence["status"].as_str().unwrap_or("?"),
        tokens("inputTokens"),
        tokens("outputTokens"),
    )?;
    if let Some(message) = payload["error"]["message"].as_str() {
        writeln!(
            out,
            "  {}: {}",
            payload["error"]["code"].as_str().unwrap_or("?"),
            one_line(message, LINE * 4)
        )?;
    }
    writeln!(out, "  {}", event.hash)
}

fn indented(text: &str) -> String {
    let lines: Vec<String> = text
        .trim_end()
        .lines()
        .map(|line| format!("  {line}"))
        .collect();
    lines.join("\n")
}
