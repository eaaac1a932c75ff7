//! What the ledger and the model are told of a tool call.

use serde_json::Value;

use super::super::history::written;
use super::calls::arguments;
use crate::domain::{Digest, EffectId, ItemId, ItemKind, ItemStatus, ToolUseId};
use crate::kernel::model;
use crate::kernel::tool::{EffectIntent, EffectReceipt, EffectState, OUTPUT_LIMIT, Outcome};
use crate::store::body::{
    EffectIntended, EffectSettled, ItemState, ToolContent, ToolRequested, ToolResult,
};
use crate::store::{EventType, NewEvent};

/// A tool call of an answer, as the ledger names it.
pub(super) struct Call {
    /// Its place among the calls of the answer.
    pub at: usize,
    pub answer: u32,
    pub item: ItemId,
    pub tool_use: ToolUseId,
    pub asked: model::ToolCall,
}

impl Call {
    /// Names the calls of an answer.
    pub fn name_all(asked: Vec<model::ToolCall>, answer: u32) -> Vec<Self> {
        Self::name_those(asked.into_iter().enumerate(), answer)
    }

    /// Names some calls of an answer, by their place in it.
    pub fn name_those(
        asked: impl IntoIterator<Item = (usize, model::ToolCall)>,
        answer: u32,
    ) -> Vec<Self> {
        let named = |(at, asked)| Self {
            at,
            answer,
            item: ItemId::generate(),
            tool_use: ToolUseId::generate(),
            asked,
        };
        asked.into_iter().map(named).collect()
    }

    /// The call as the model will read it in every later request, in this process and any other.
    pub fn asked_again(&self) -> model::ToolCall {
        model::ToolCall {
            arguments: written(&arguments(&self.asked.arguments)),
            ..self.asked.clone()
        }
    }

    /// The events that tell it was asked for.
    pub fn announced(&self) -> [NewEvent; 2] {
        let content = self.content();
        let requested = ToolRequested {
            tool: content.tool.clone(),
            args: content.args.clone(),
        };
        [
            self.event(
                EventType::ItemStarted,
                &state(ItemStatus::Started, &content),
                "started",
            ),
            self.event(EventType::ToolRequested, &requested, "requested"),
        ]
    }

    fn content(&self) -> ToolContent {
        ToolContent {
            tool_use_id: self.tool_use.to_string(),
            call_id: self.asked.call_id.clone(),
            tool: self.asked.name.clone(),
            args: arguments(&self.asked.arguments),
            answer: self.answer,
            provider_state: self.asked.provider_state.clone(),
            result: None,
            is_error: None,
            details: Value::Null,
        }
    }

    fn event(&self, event_type: EventType, body: &impl serde::Serialize, name: &str) -> NewEvent {
        NewEvent::new(event_type, body)
            .of_item(&self.item)
            .of_tool_use(&self.tool_use)
            .keyed(&format!("{}/{name}", self.item))
    }
}

fn state(status: ItemStatus, content: &ToolContent) -> ItemState {
    ItemState {
        kind: ItemKind::Tool,
        status,
        // A plain struct of strings and JSON: it has no failing branch.
        content: serde_json::to_value(content).unwrap_or_default(),
    }
}

/// Effects about to be tried.
pub(super) struct Intended {
    effects: Vec<EffectIntended>,
}

/// What became of them.
pub(super) struct Settled {
    pub events: Vec<NewEvent>,
    /// How many have an outcome nobody knows.
    pub unknown: usize,
}

impl Intended {
    pub fn of(call: &Call, intents: &[EffectIntent], ground: &str) -> Self {
        let args_digest = Digest::of(call.asked.arguments.as_bytes());
        let effects = intents.iter().map(|intent| EffectIntended {
            effect_id: EffectId::generate(),
            kind: intent.kind.clone(),
            target: intent.target.clone(),
            args_digest,
            permission_decision: Some(ground.to_owned()),
            before: intent.before,
            after: intent.after,
        });
        Self {
            effects: effects.collect(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.effects.is_empty()
    }

    pub fn events(&self, call: &Call) -> Vec<NewEvent> {
        let event = |effect: &EffectIntended| {
            call.event(EventType::EffectIntended, effect, "")
                .keyed(&format!("{}/intended", effect.effect_id))
        };
        self.effects.iter().map(event).collect()
    }

    /// An effect without a receipt has an unknown outcome.
    pub fn settled(self, call: &Call, receipts: &[EffectReceipt]) -> Settled {
        let mut settled = Settled {
            events: Vec::new(),
            unknown: 0,
        };
        let receipts = receipts.iter().map(Some).chain(std::iter::repeat(None));
        for (effect, receipt) in self.effects.into_iter().zip(receipts) {
            let state = receipt.map_or(EffectState::Unknown, |receipt| receipt.state);
            settled.unknown += usize::from(state == EffectState::Unknown);
            let key = format!("{}/settled", effect.effect_id);
            let body = EffectSettled {
                effect_id: effect.effect_id,
                state: name(state).to_owned(),
                after: receipt.and_then(|receipt| receipt.after),
                exit_code: receipt.and_then(|receipt| receipt.exit_code),
                details: receipt.map_or(Value::Null, |receipt| receipt.details.clone()),
            };
            let event = call.event(EventType::EffectSettled, &body, "");
            settled.events.push(event.keyed(&key));
        }
        settled
    }
}

const fn name(state: EffectState) -> &'static str {
    match state {
        EffectState::Happened => "happened",
        EffectState::DidNotHappen => "did_not_happen",
        EffectState::Unknown => "unknown",
    }
}

/// The answer to a call.
pub(super) struct Told {
    content: String,
    is_error: bool,
    details: Value,
    status: ItemStatus,
    decision: Option<&'static str>,
    /// What became of its effects.
    pub settled: Vec<NewEvent>,
}

impl Told {
    /// It ran, for better or worse.
    pub fn outcome(
        outcome: Outcome,
        decision: Option<&'static str>,
        settled: Vec<NewEvent>,
    ) -> Self {
        let mut content = outcome.content;
        content.truncate(content.floor_char_boundary(OUTPUT_LIMIT));
        Self {
            content,
            is_error: outcome.is_error,
            details: outcome.details,
            status: if outcome.is_error {
                ItemStatus::Failed
            } else {
                ItemStatus::Completed
            },
            decision,
            settled,
        }
    }

    /// It was not run because it may not, or cannot be, done.
    pub fn refused(why: String, decision: Option<&'static str>) -> Self {
        Self {
            content: why,
            is_error: true,
            details: Value::Null,
            status: ItemStatus::Failed,
            decision,
            settled: Vec::new(),
        }
    }

    /// It was not run because the turn ends.
    pub fn not_run(why: &str) -> Self {
        Self {
            status: ItemStatus::Cancelled,
            ..Self::refused(why.to_owned(), None)
        }
    }

    pub fn events(&self, call: &Call) -> Vec<NewEvent> {
        let said = || self.content.clone();
        let result = ToolResult {
            tool: call.asked.name.clone(),
            is_error: self.is_error,
            error: self.is_error.then(said),
            result: (!self.is_error).then(said),
            permission_decision: self.decision.map(str::to_owned),
        };
        let mut content = call.content();
        content.result = Some(said());
        content.is_error = Some(self.is_error);
        content.details = self.details.clone();
        let mut events = self.settled.clone();
        events.push(call.event(EventType::ToolResult, &result, "result"));
        events.push(call.event(
            EventType::ItemCompleted,
            &state(self.status, &content),
            "completed",
        ));
        events
    }

    pub fn result(self, call: &Call) -> model::ToolResult {
        model::ToolResult {
            call_id: call.asked.call_id.clone(),
            name: call.asked.name.clone(),
            content: self.content,
            is_error: self.is_error,
        }
    }
}
