//! What differs from run to run, replaced by what stays.

use serde_json::Value;
use uuid::Uuid;

/// Replaces generated identifiers by their number in order of appearance, and digests, times and
/// temporary paths by what they are.
pub(super) struct Redactor {
    ids: Vec<String>,
    dir: String,
}

impl Redactor {
    pub fn new(dir: &std::path::Path) -> Self {
        Self {
            ids: Vec::new(),
            dir: dir.canonicalize().unwrap().display().to_string(),
        }
    }

    pub fn redact(&mut self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.text(text),
            Value::Array(values) => values.iter_mut().for_each(|value| self.redact(value)),
            Value::Object(members) => {
                for (name, value) in members.iter_mut() {
                    match name.as_str() {
                        "nonce" => *value = "<nonce>".into(),
                        "duration_ms" | "durationMs" => *value = 0.into(),
                        _ => self.redact(value),
                    }
                }
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str) -> String {
        let text = text.replace(&self.dir, "<dir>");
        if text.len() == 24 && text.ends_with('Z') && text.as_bytes()[10] == b'T' {
            return "<time>".to_owned();
        }
        let mut redacted = String::new();
        let mut rest = text.as_str();
        while !rest.is_empty() {
            if rest.starts_with("sha256:") && rest.len() >= 71 {
                redacted.push_str("<digest>");
                rest = &rest[71..];
            } else if let Some(id) = rest.get(..36).filter(|id| Uuid::parse_str(id).is_ok()) {
                redacted.push_str(&self.name(id));
                rest = &rest[36..];
            } else {
                let next = rest.chars().next().unwrap();
                redacted.push(next);
                rest = &rest[next.len_utf8()..];
            }
        }
        redacted
    }

    fn name(&mut self, id: &str) -> String {
        let known = self.ids.iter().position(|known| known == id);
        let number = known.unwrap_or_else(|| {
            self.ids.push(id.to_owned());
            self.ids.len() - 1
        });
        format!("<id {number}>")
    }
}
