use serde::Deserialize;
use serde_json::{Value, json};

use super::super::output::{Reader, cut_line, note, one_line, plain, print, say};
use super::Form;
use super::outcome::Outcome;
use crate::domain::ItemId;
use crate::server::view;
use crate::store::{Event, EventType};

/// Columns a line about a tool may fill.
const LINE: usize = 110;

/// Tells a turn as it happens. When the reader goes away the turn goes on, untold.
pub(super) struct Teller {
    form: Form,
    reader: Reader,
    /// The item whose text is being told, and whether that text ended a line.
    telling: Option<ItemId>,
    line_ended: bool,
    said: bool,
}

#[derive(Deserialize)]
struct Delta {
    delta: Text,
}

#[derive(Deserialize)]
struct Text {
    text: String,
}

impl Teller {
    pub fn new(form: Form) -> Self {
        Self {
            form,
            reader: Reader::There,
            telling: None,
            line_ended: true,
            said: false,
        }
    }

    pub fn event(&mut self, event: &Event) {
        match self.form {
            Form::Text => self.text(event),
            Form::Json => {}
            Form::StreamJson => match view::event(event) {
                Ok(event) => self.object(&json!({ "type": "event", "event": event })),
                Err(error) => tracing::error!(%error, "an event cannot be told"),
            },
        }
    }

    fn text(&mut self, event: &Event) {
        let payload = || event.payload.as_deref().unwrap_or("null");
        let member = |name: &str| {
            let value: Value = serde_json::from_str(payload()).unwrap_or_default();
            value[name].clone()
        };
        match event.known_type() {
            Some(EventType::ItemStarted) if member("kind") == "assistant_message" => {
                self.end_line();
                self.telling.clone_from(&event.item);
            }
            Some(EventType::ItemDelta) if event.item.is_some() && event.item == self.telling => {
                if let Ok(Delta { delta }) = serde_json::from_str(payload()) {
                    self.print(&plain(&delta.text));
                }
            }
            Some(EventType::ToolRequested) => {
                self.end_line();
                let args = member("args");
                let tool = member("tool");
                let text = format!("• {} {args}", tool.as_str().unwrap_or_default());
                note(&cut_line(&text, LINE));
            }
            Some(EventType::ToolResult) if member("isError") == true => {
                let error = member("error");
                note(&one_line(
                    &format!("  {}", error.as_str().unwrap_or_default()),
                    LINE,
                ));
            }
            Some(EventType::ItemCompleted) if member("kind") == "error" => {
                self.end_line();
                let text = &member("content")["text"];
                note(&one_line(
                    &format!("! {}", text.as_str().unwrap_or_default()),
                    LINE,
                ));
            }
            _ => {}
        }
    }

    fn print(&mut self, text: &str) {
        if self.reader == Reader::There && !text.is_empty() {
            self.reader = print(text);
            self.line_ended = text.ends_with('\n');
            self.said = true;
        }
    }

    fn end_line(&mut self) {
        if !self.line_ended {
            self.print("\n");
        }
    }

    fn object(&mut self, value: &Value) {
        if self.reader == Reader::There {
            self.reader = say(&value.to_string());
        }
    }

    pub fn ended(&mut self, outcome: &Outcome) {
        match self.form {
            Form::Text => {
                if !self.said {
                    self.print(&plain(outcome.text()));
                }
                self.end_line();
                if let Some(problem) = outcome.problem() {
                    note(&plain(&problem));
                }
            }
            Form::Json => self.object(&outcome.json()),
            Form::StreamJson => {
                let mut result = outcome.json();
                result["type"] = "result".into();
                self.object(&result);
            }
        }
    }
}
