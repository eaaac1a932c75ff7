//! Putting tool calls together from their pieces.

use std::collections::HashSet;

use serde_json::Value;
use uuid::Uuid;

use super::super::ToolCall;

/// A tool call in the making.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) arguments: String,
    pub(super) state: Option<Value>,
    /// The provider said that nothing more belongs to it.
    pub(super) closed: bool,
    /// The keys pieces of it may come under.
    keys: Vec<String>,
}

impl Draft {
    /// Whether its arguments are a whole JSON object.
    pub(super) fn is_whole(&self) -> bool {
        serde_json::from_str::<serde_json::Map<String, Value>>(&self.arguments).is_ok()
    }
}

/// Tool calls in the order the model began them.
#[derive(Debug, Default)]
pub(super) struct Calls {
    drafts: Vec<Draft>,
    given: HashSet<String>,
}

impl Calls {
    /// Whether the model has called any tool.
    pub(super) fn any(&self) -> bool {
        !self.given.is_empty() || !self.drafts.is_empty()
    }

    /// Begins a call whose pieces come under `key`.
    pub(super) fn begin(&mut self, key: &str, id: &str, name: &str) -> &mut Draft {
        // A key means the newest call that bears it.
        for draft in &mut self.drafts {
            draft.keys.retain(|known| known != key);
        }
        self.drafts.push(Draft {
            id: id.to_owned(),
            name: name.to_owned(),
            keys: vec![key.to_owned()],
            ..Draft::default()
        });
        let newest = self.drafts.len() - 1;
        &mut self.drafts[newest]
    }

    /// The call whose pieces come under `key`.
    pub(super) fn under(&mut self, key: &str) -> Option<&mut Draft> {
        self.drafts
            .iter_mut()
            .find(|draft| draft.keys.iter().any(|known| known == key))
    }

    pub(super) fn with_id(&mut self, id: &str) -> Option<&mut Draft> {
        self.drafts.iter_mut().find(|draft| draft.id == id)
    }

    /// The call begun first.
    pub(super) fn first(&mut self) -> Option<&mut Draft> {
        self.drafts.first_mut()
    }

    /// The call begun last.
    pub(super) fn newest(&mut self) -> Option<&mut Draft> {
        self.drafts.last_mut()
    }

    /// All calls, at the end of an answer. When the model was stopped, the call it was stopped in
    /// is not whole and never will be.
    pub(super) fn take(&mut self, stopped: bool) -> Vec<ToolCall> {
        let mut drafts = std::mem::take(&mut self.drafts);
        if stopped && drafts.last().is_some_and(|last| !last.is_whole()) {
            drafts.pop();
        }
        drafts
            .into_iter()
            .filter(|draft| !stopped || draft.closed || draft.is_whole())
            .map(|draft| self.give(draft))
            .collect()
    }

    fn give(&mut self, draft: Draft) -> ToolCall {
        let known = draft.id.is_empty() || self.given.contains(&draft.id);
        let call_id = if known { new_id() } else { draft.id };
        self.given.insert(call_id.clone());
        ToolCall {
            call_id,
            name: draft.name,
            arguments: draft.arguments,
            provider_state: draft.state,
        }
    }
}

impl Draft {
    /// Lets pieces of it come under `key` too.
    pub(super) fn also_under(&mut self, key: &str) {
        if !self.keys.iter().any(|known| known == key) {
            self.keys.push(key.to_owned());
        }
    }
}

/// An id for a call whose provider gave it none.
fn new_id() -> String {
    format!("call_{}", Uuid::new_v4().simple())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(calls: &[ToolCall]) -> Vec<&str> {
        calls.iter().map(|call| call.call_id.as_str()).collect()
    }

    #[test]
    fn missing_and_repeated_ids_are_replaced() {
        let mut calls = Calls::default();
        for _ in 0..2 {
            calls.begin("0", "", "t");
            calls.begin("0", "same", "t");
        }
        let given = calls.take(false);
        let distinct: HashSet<&str> = ids(&given).into_iter().collect();
        assert_eq!(distinct.len(), 4);
        assert!(!distinct.contains(""));
    }

    #[test]
    fn a_call_the_model_was_stopped_in_is_left_out() {
        let mut calls = Calls::default();
        calls.begin("0", "a", "t").arguments = "{}".into();
        calls.begin("1", "b", "t").closed = true;
        calls.begin("2", "c", "t").arguments = "{\"path\": \"x".into();
        calls.begin("3", "d", "t").closed = true;
        assert_eq!(ids(&calls.take(true)), ["a", "b"]);
    }
}
