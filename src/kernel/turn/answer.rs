use std::time::Instant;

use futures_util::StreamExt as _;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::ending::error_item;
use super::journal::Journal;
use crate::domain::{ItemId, ItemKind, ItemStatus};
use crate::kernel::model::{
    Model, ModelError, ModelErrorKind, ModelEvent, ModelRequest, Retry, StopReason, ToolCall, Usage,
};
use crate::store::body::{ItemDelta, ItemState, TextDelta, UsageRecorded};
use crate::store::{EventType, NewEvent, StoreError};

/// Pieces of an answer that are ready at once and so are committed at once.
const TOGETHER: usize = 64;

/// One answer of the model, whole or not.
pub(super) struct Answer {
    /// What it said.
    pub text: String,
    /// What it called; empty unless the answer is whole.
    pub calls: Vec<ToolCall>,
    /// How it ended.
    pub end: AnswerEnd,
    /// What is still to be written of it: the last state of its items, its usage.
    pub closing: Vec<NewEvent>,
}

/// How an answer ended.
pub(super) enum AnswerEnd {
    /// The model finished it.
    Whole { stop: StopReason, usage: Usage },
    /// It failed.
    Failed(ModelError),
    /// The turn was told to stop.
    Cancelled,
}

/// Asks `model` and writes what it says while it says it.
pub(super) async fn ask(
    model: &dyn Model,
    request: ModelRequest,
    journal: &mut Journal,
    cancel: &CancellationToken,
) -> Result<Answer, StoreError> {
    let began = Instant::now();
    let mut listening = Listening::default();
    let mut pieces = model.stream(request).ready_chunks(TOGETHER);
    let end = loop {
        let ready = tokio::select! {
            biased;
            () = cancel.cancelled() => break AnswerEnd::Cancelled,
            ready = pieces.next() => ready,
        };
        let Some(ready) = ready else {
            break AnswerEnd::Failed(cut(model));
        };
        // The last pieces are written with the end of the answer.
        if let Some(end) = listening.hear_all(ready) {
            break end;
        }
        if !listening.heard.is_empty() {
            journal.post(std::mem::take(&mut listening.heard)).await?;
        }
    };
    Ok(listening.closed(model, end, began))
}

fn cut(model: &dyn Model) -> ModelError {
    ModelError::new(
        ModelErrorKind::Cut,
        format!("{}: the answer ended before it was whole", model.name()),
    )
}

/// An item whose text is still growing.
struct Growing {
    item: ItemId,
    kind: ItemKind,
    text: String,
}

/// What has been heard of an answer so far.
#[derive(Default)]
struct Listening {
    said: Option<Growing>,
    reasoning: Option<Growing>,
    calls: Vec<ToolCall>,
    /// Events not written yet.
    heard: Vec<NewEvent>,
}

impl Listening {
    /// Takes in what is ready, up to the end of the answer.
    fn hear_all(&mut self, ready: Vec<Result<ModelEvent, ModelError>>) -> Option<AnswerEnd> {
        for piece in ready {
            match piece {
                Ok(ModelEvent::Finished { stop, usage }) => {
                    return Some(AnswerEnd::Whole { stop, usage });
                }
                Ok(event) => self.hear(event),
                Err(error) => return Some(AnswerEnd::Failed(error)),
            }
        }
        None
    }

    fn hear(&mut self, event: ModelEvent) {
        match event {
            ModelEvent::Text(text) => {
                self.reasoned(ItemStatus::Completed);
                grow(
                    &mut self.said,
                    ItemKind::AssistantMessage,
                    &text,
                    &mut self.heard,
                );
            }
            ModelEvent::Reasoning(text) => {
                grow(
                    &mut self.reasoning,
                    ItemKind::Reasoning,
                    &text,
                    &mut self.heard,
                );
            }
            ModelEvent::ToolCall(call) => self.calls.push(call),
            ModelEvent::Retrying(retry) => self.heard.extend(retrying(&retry)),
            ModelEvent::Finished { .. } => {}
        }
    }

    fn reasoned(&mut self, status: ItemStatus) {
        if let Some(reasoning) = self.reasoning.take() {
            self.heard.push(reasoning.ended(status));
        }
    }

    /// The answer as it ended. What it said stays, whole or not; what it called counts only when
    /// it is whole.
    fn closed(mut self, model: &dyn Model, end: AnswerEnd, began: Instant) -> Answer {
        let status = match end {
            AnswerEnd::Whole { .. } => ItemStatus::Completed,
            AnswerEnd::Failed(_) => ItemStatus::Failed,
            AnswerEnd::Cancelled => ItemStatus::Cancelled,
        };
        self.reasoned(status);
        let mut closing = self.heard;
        let text = match self.said {
            Some(said) => {
                closing.push(said.ended(status));
                said.text
            }
            None => String::new(),
        };
        if let AnswerEnd::Whole { stop, usage } = &end {
            closing.push(usage_recorded(model, *stop, usage, began));
        } else {
            self.calls.clear();
        }
        Answer {
            text,
            calls: self.calls,
            end,
            closing,
        }
    }
}

fn grow(growing: &mut Option<Growing>, kind: ItemKind, text: &str, heard: &mut Vec<NewEvent>) {
    let growing = growing.get_or_insert_with(|| {
        let item = ItemId::generate();
        let state = ItemState {
            kind,
            status: ItemStatus::Streaming,
            content: Value::Null,
        };
        heard.push(
            NewEvent::new(EventType::ItemStarted, &state)
                .of_item(&item)
                .keyed(&format!("{item}/started")),
        );
        Growing {
            item,
            kind,
            text: String::new(),
        }
    });
    growing.text.push_str(text);
    let delta = ItemDelta {
        delta: TextDelta { text },
    };
    heard.push(NewEvent::new(EventType::ItemDelta, &delta).of_item(&growing.item));
}

impl Growing {
    fn ended(&self, status: ItemStatus) -> NewEvent {
        let state = ItemState {
            kind: self.kind,
            status,
            content: json!({ "text": self.text }),
        };
        NewEvent::new(EventType::ItemCompleted, &state)
            .of_item(&self.item)
            .keyed(&format!("{}/completed", self.item))
    }
}

fn retrying(retry: &Retry) -> Vec<NewEvent> {
    let after = u64::try_from(retry.after.as_millis()).unwrap_or(u64::MAX);
    error_item(json!({
        "text": retry.error.message,
        "willRetry": true,
        "attempt": retry.attempt,
        "afterMs": after,
    }))
}

fn usage_recorded(model: &dyn Model, stop: StopReason, usage: &Usage, began: Instant) -> NewEvent {
    let stop = match stop {
        StopReason::EndTurn => "end_turn",
        StopReason::ToolUse => "tool_use",
        StopReason::MaxTokens => "max_tokens",
        StopReason::Refused => "refused",
        StopReason::Unknown => "unknown",
    };
    let body = UsageRecorded {
        model: model.name().to_string(),
        input_tokens: usage.input_tokens,
        cached_input_tokens: usage.cached_input_tokens,
        output_tokens: usage.output_tokens,
        reasoning_tokens: usage.reasoning_tokens,
        stop: stop.to_owned(),
        duration_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
    };
    NewEvent::new(EventType::UsageRecorded, &body)
}
