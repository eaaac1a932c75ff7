use serde::Serialize;
use serde_json::value::RawValue;

use super::object::{Item, Thread, Turn};
use crate::domain::{ApprovalId, ItemId, ThreadId, ToolUseId, TurnId};

/// What the server tells without being asked.
pub trait Notification: Serialize {
    /// Its name.
    fn method(&self) -> &'static str;
}

macro_rules! notifications {
    ($($name:ident => $method:literal),* $(,)?) => {$(
        impl Notification for $name<'_> {
            fn method(&self) -> &'static str {
                $method
            }
        }
    )*};
}

notifications!(
    ThreadUpdated => "thread/updated",
    TurnStarted => "turn/started",
    TurnCompleted => "turn/completed",
    ItemDelta => "item/delta",
    ToolRequested => "tool/requested",
    ToolResult => "tool/result",
    ApprovalRequested => "approval/requested",
    ApprovalResolved => "approval/resolved",
);

/// A thread began, was put away, or has another status.
#[derive(Debug, Serialize)]
pub struct ThreadUpdated<'a> {
    /// The thread.
    pub thread: Thread<'a>,
}

/// A turn is at work.
#[derive(Debug, Serialize)]
pub struct TurnStarted<'a> {
    /// The turn.
    pub turn: Turn<'a>,
}

/// A turn ended.
#[derive(Debug, Serialize)]
pub struct TurnCompleted<'a> {
    /// The turn, with its terminal evidence.
    pub turn: Turn<'a>,
    /// What went wrong.
    pub error: Option<TurnFailure<'a>>,
}

/// Why a turn failed or was interrupted.
#[derive(Debug, Serialize)]
pub struct TurnFailure<'a> {
    /// A stable word.
    pub code: &'a str,
    /// For a person.
    pub message: &'a str,
}

/// An item began or ended.
#[derive(Debug, Serialize)]
pub struct ItemChanged<'a> {
    /// The item.
    pub item: Item<'a>,
}

impl Notification for ItemChanged<'_> {
    fn method(&self) -> &'static str {
        if self.item.completed_at.is_some() {
            "item/completed"
        } else {
            "item/started"
        }
    }
}

/// More of an item's content.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ItemDelta<'a> {
    /// The thread.
    pub thread_id: &'a ThreadId,
    /// The turn.
    pub turn_id: &'a TurnId,
    /// The item.
    pub item_id: &'a ItemId,
    /// What was added.
    pub delta: &'a RawValue,
}

/// The model called a tool.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolRequested<'a> {
    /// The thread.
    pub thread_id: &'a ThreadId,
    /// The turn.
    pub turn_id: &'a TurnId,
    /// The item.
    pub item_id: &'a ItemId,
    /// The call.
    pub tool_use_id: &'a ToolUseId,
    /// The tool.
    pub tool: &'a RawValue,
    /// Its arguments.
    pub args: &'a RawValue,
}

/// A tool call was answered.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolResult<'a> {
    /// The thread.
    pub thread_id: &'a ThreadId,
    /// The turn.
    pub turn_id: &'a TurnId,
    /// The item.
    pub item_id: &'a ItemId,
    /// The call.
    pub tool_use_id: &'a ToolUseId,
    /// The tool.
    pub tool: &'a RawValue,
    /// True when it failed or did not run.
    pub is_error: bool,
    /// Why, when it failed.
    pub error: Option<&'a RawValue>,
    /// What the model reads.
    pub result: Option<&'a RawValue>,
    /// How it was allowed or refused.
    pub permission_decision: Option<&'a RawValue>,
}

/// Somebody is asked whether an operation may happen.
#[derive(Debug, Serialize)]
pub struct ApprovalRequested<'a> {
    /// The question.
    pub request: &'a RawValue,
}

/// The question was settled.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalResolved<'a> {
    /// The thread.
    pub thread_id: &'a ThreadId,
    /// The turn.
    pub turn_id: &'a TurnId,
    /// The question.
    pub approval_id: &'a ApprovalId,
    /// True when the operation may happen.
    pub approved: bool,
    /// Who or what settled it.
    pub via: &'a str,
}
