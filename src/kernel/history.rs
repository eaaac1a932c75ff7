//! What a model is told of the turns before: read off the ledger, the same in every process.

mod known;

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use self::known::Known;
use crate::domain::{EventSeq, ItemKind, ThreadId, TurnId, TurnStatus};
use crate::kernel::model::{Message, ToolCall, ToolResult};
use crate::store::{ItemRecord, Store, StoreError, TurnRecord};

/// Conversations that are kept.
const KEPT: usize = 64;
/// Bytes of text of all that are kept.
const KEPT_BYTES: usize = 8 << 20;

/// Said before the next thing the user says.
const AFTER_INTERRUPT: &str = "[The turn before this one was interrupted. What it had begun may have \
     happened in whole or in part: look before you repeat a command, a write, a push or a pull request.]";
const AFTER_FAILURE: &str = "[The turn before this one failed before it was done. What it did until then \
     stays done.]";
/// The result of a call that has none in the ledger.
const NO_RESULT: &str =
    "outcome unknown: no result was recorded; it may have happened in whole or in part";

/// What was said before a turn.
#[derive(Default)]
pub(super) struct Before {
    pub messages: Vec<Message>,
    /// How the last turn ended.
    pub ended: Option<TurnStatus>,
    /// What the turn it goes on with left open.
    pub left: Left,
}

/// What an interrupted turn left to the one that goes on with it.
#[derive(Default)]
pub(super) struct Left {
    /// Its answers that called tools.
    pub answers: u32,
    /// The calls of the last answer that did not begin to act, by their place in it.
    pub calls: Vec<(usize, ToolCall)>,
    /// The results of the others; empty when no call is open.
    pub results: Vec<(usize, ToolResult)>,
}

/// The conversation of a thread before `turn`.
pub(super) async fn before(store: &Store, turn: &TurnRecord) -> Result<Before, StoreError> {
    let items = store.items(&turn.thread).await?;
    let items: Vec<_> = items.iter().filter(|item| item.turn != turn.id).collect();
    let known = Known::of(store, turn, &items).await?;
    let mut told = Telling::default();
    for item in &items {
        told.item(item, &known);
    }
    let ended = told
        .turn
        .as_ref()
        .and_then(|turn| known.endings.get(turn).copied());
    let left = told.left(turn.continues.is_some());
    Ok(Before {
        messages: told.messages,
        ended,
        left,
    })
}

/// What the user says in `turn`, with what the model must know of the turn before.
pub(super) fn user_text(before: Option<TurnStatus>, text: &str) -> String {
    match before {
        Some(TurnStatus::Interrupted) => format!("{AFTER_INTERRUPT}\n\n{text}"),
        Some(TurnStatus::Failed) => format!("{AFTER_FAILURE}\n\n{text}"),
        _ => text.to_owned(),
    }
}

#[derive(Default)]
struct Telling {
    messages: Vec<Message>,
    /// The turn of the item before, and the one that chain of turns began with.
    turn: Option<TurnId>,
    root: Option<TurnId>,
    /// How the turn before that ended.
    before: Option<TurnStatus>,
    /// Number of the answer the calls below belong to.
    answer: u32,
    text: String,
    calls: Vec<ToolCall>,
    results: Vec<(usize, ToolResult)>,
    /// Those of the calls that are open.
    open: Vec<(usize, ToolCall)>,
}

impl Telling {
    fn item(&mut self, item: &ItemRecord, known: &Known) {
        let last = self.turn.replace(item.turn.clone());
        let root = known.root(&item.turn);
        if self.root.as_ref() != Some(root) {
            self.finish_answer();
            self.root = Some(root.clone());
            self.answer = 0;
            self.before = last.and_then(|turn| known.endings.get(&turn).copied());
        }
        match item.kind {
            ItemKind::UserMessage => {
                let text = user_text(self.before, text(item));
                self.messages.push(Message::User { text });
            }
            ItemKind::AssistantMessage if known.was_asked_again(item) => {}
            ItemKind::AssistantMessage => {
                self.finish_answer();
                text(item).clone_into(&mut self.text);
            }
            ItemKind::Tool => self.call(item, known),
            _ => {}
        }
    }

    fn call(&mut self, item: &ItemRecord, known: &Known) {
        let Some((item, content)) = known.call(item) else {
            return;
        };
        if !self.calls.is_empty() && self.answer != content.answer {
            self.finish_answer();
        }
        self.answer = content.answer;
        let call = ToolCall {
            call_id: content.call_id.clone(),
            name: content.tool.clone(),
            arguments: written(&content.args),
            provider_state: content.provider_state,
        };
        let at = self.calls.len();
        self.calls.push(call.clone());
        if known.open.contains(&item.id) {
            self.open.push((at, call));
            return;
        }
        let mut result = content.result.unwrap_or_else(|| NO_RESULT.to_owned());
        result.extend(known.found.get(&item.id).map(String::as_str));
        let result = ToolResult {
            call_id: content.call_id,
            name: content.tool,
            content: result,
            is_error: content.is_error.unwrap_or(true),
        };
        self.results.push((at, result));
    }

    fn finish_answer(&mut self) {
        let text = std::mem::take(&mut self.text);
        let tool_calls = std::mem::take(&mut self.calls);
        let results = std::mem::take(&mut self.results);
        if text.is_empty() && tool_calls.is_empty() {
            return;
        }
        self.messages.push(Message::Assistant { text, tool_calls });
        if !results.is_empty() && self.open.is_empty() {
            let results = results.into_iter().map(|(_, result)| result).collect();
            self.messages.push(Message::ToolResults(results));
        }
    }

    /// Tells the last answer; its results wait for those of the calls that are open.
    fn left(&mut self, continues: bool) -> Left {
        let answers = if continues { self.answer } else { 0 };
        let results = if self.open.is_empty() {
            Vec::new()
        } else {
            self.results.clone()
        };
        self.finish_answer();
        Left {
            answers,
            calls: std::mem::take(&mut self.open),
            results,
        }
    }
}

fn text(item: &ItemRecord) -> &str {
    item.content
        .get("text")
        .and_then(serde_json::Value::as_str)
        .unwrap_or_default()
}

/// Arguments as the model reads them again: what was no JSON is shown as it was.
pub(super) fn written(args: &serde_json::Value) -> String {
    match args {
        serde_json::Value::String(text) => text.clone(),
        args => args.to_string(),
    }
}

/// Conversations of threads whose last turn ran here, so that turn 500 costs what turn 2 does.
/// Forgetting one costs a read of the ledger and nothing else.
#[derive(Default)]
pub(super) struct Conversations {
    kept: Mutex<VecDeque<Conversation>>,
}

struct Conversation {
    thread: ThreadId,
    /// The event it goes up to; another means that something was added since.
    seq: EventSeq,
    messages: Vec<Message>,
    bytes: usize,
}

impl Conversations {
    /// Takes out the conversation of `thread` if it still goes up to `seq`.
    pub fn take(&self, thread: &ThreadId, seq: EventSeq) -> Option<Vec<Message>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|kept| kept.thread == *thread)?;
        let found = kept.remove(at)?;
        (found.seq == seq).then_some(found.messages)
    }

    /// Keeps a conversation that goes up to `seq`.
    pub fn keep(&self, thread: ThreadId, seq: EventSeq, messages: Vec<Message>) {
        let bytes = messages.iter().map(size).sum();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|kept| kept.thread != thread);
        kept.push_back(Conversation {
            thread,
            seq,
            messages,
            bytes,
        });
        let mut total: usize = kept.iter().map(|kept| kept.bytes).sum();
        while total > KEPT_BYTES || kept.len() > KEPT {
            let Some(oldest) = kept.pop_front() else {
                break;
            };
            total -= oldest.bytes;
        }
    }
}

/// Rough size of a message in memory.
fn size(message: &Message) -> usize {
    64 + match message {
        Message::User { text } => text.len(),
        Message::Assistant { text, tool_calls } => {
            text.len()
                + tool_calls
                    .iter()
                    .map(|call| 128 + call.arguments.len())
                    .sum::<usize>()
        }
        Message::ToolResults(results) => results
            .iter()
            .map(|result| 128 + result.content.len())
            .sum(),
    }
}
