//! What a model may do to the world, and how each act is planned, approved, run and recorded.
//!
//! May use: `domain` and the operating system. Promises: planning looks and never changes
//! anything; running does exactly what the plan said or refuses; nothing outside the workspace
//! is touched by a file tool.

mod diff;
mod edit_file;
mod glob;
mod grep;
mod list_dir;
mod page;
mod read_file;
mod reading;
mod shell;
mod stop;
mod toolbox;
mod walk;
mod window;
mod write_file;
mod writing;

use std::any::Any;
use std::io;
use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::domain::Digest;
use crate::kernel::model::ToolDeclaration;
use crate::kernel::process::Scope;
use crate::kernel::workspace::{PathError, ReadLog, Workspace};

pub use shell::{DEFAULT_TIMEOUT, MAX_TIMEOUT, Shell};
pub use toolbox::Toolbox;

/// One thing a model can call.
#[async_trait]
pub trait Tool: Send + Sync + 'static {
    /// How the model is told about it; its parameters are the schema arguments are checked
    /// against before [`Tool::plan`] is called.
    fn declaration(&self) -> &ToolDeclaration;

    /// Works out what the call would do, without doing any of it.
    ///
    /// # Errors
    /// [`Refusal`] when the call cannot be done as asked; the model reads its message.
    async fn plan(&self, args: &Value, session: &Session) -> Result<Plan, Refusal>;

    /// Does what the plan said. Ends soon after `cancel` fires, and only when everything it
    /// started is gone.
    async fn run(&self, plan: Plan, session: &Session, cancel: CancellationToken) -> Outcome;
}

/// What a call would do.
pub struct Plan {
    /// The whole act as data: what the approver sees and what the operation digest covers.
    pub operation: Value,
    /// What kind of act it is.
    pub access: Access,
    /// What exactly a grant for this act would cover, no more.
    pub grant: Grant,
    /// How bad it can be.
    pub risk: Risk,
    /// Why it needs asking, for a person: one sentence.
    pub reason: String,
    /// What it would change outside the ledger, committed before it acts. Empty for a read.
    pub effects: Vec<EffectIntent>,
    /// What the tool itself needs to run it.
    pub state: Box<dyn Any + Send + Sync>,
}

/// The kinds of act, by what they can change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// Looks at the workspace.
    Read,
    /// Changes files in the workspace.
    Write,
    /// Runs a program.
    Execute,
}

/// A permission, as narrow as the act: `capability` on exactly `scope`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Grant {
    /// `fs.write` or `process.exec`.
    pub capability: String,
    /// For `fs.write` the path relative to the workspace; for `process.exec` the whole command
    /// with its working directory. Compared to the letter, never as a prefix. At most 4,096
    /// characters: a longer one is replaced by its digest.
    pub scope: String,
}

/// How bad an act can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    /// Nothing changes.
    Low,
    /// Something changes that can be seen and put back.
    Medium,
    /// Something may change that cannot be put back.
    High,
    /// The machine or its data are at stake.
    Critical,
}

/// A change that is about to be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EffectIntent {
    /// `file.write` or `process.exec`.
    pub kind: String,
    /// The path relative to the workspace, or the command line.
    pub target: String,
    /// Digest of the content before; `None` when there is none (or it cannot be known).
    pub before: Option<Digest>,
    /// Digest of the content it is to have after, where that is known beforehand.
    pub after: Option<Digest>,
}

/// What became of one [`EffectIntent`]. No receipt means the outcome is unknown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EffectReceipt {
    /// What is known about it.
    pub state: EffectState,
    /// Digest of the content after, for files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Digest>,
    /// Exit code of a process; `None` when a signal ended it or it is a file effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// Anything more for the record.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub details: Value,
}

/// What is known of an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectState {
    /// It happened.
    Happened,
    /// It did not happen, and nothing of it did.
    DidNotHappen,
    /// Some of it may have happened: a process that was killed, a write that failed midway.
    Unknown,
}

/// What a call did.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// What the model reads, already bounded ([`OUTPUT_LIMIT`]).
    pub content: String,
    /// True when the call failed.
    pub is_error: bool,
    /// What the record keeps besides: byte counts, exit code, duration in ms, digests of kept
    /// content. An object.
    pub details: Value,
    /// One for each effect of the plan, in order.
    pub receipts: Vec<EffectReceipt>,
}

/// The most bytes of a tool's output that go to the model.
pub const OUTPUT_LIMIT: usize = 32 * 1024;

/// A call that was not run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// What the model reads: what is wrong, with which field or path, and what to do.
    pub message: String,
}

impl From<PathError> for Refusal {
    fn from(error: PathError) -> Self {
        Self {
            message: error.to_string(),
        }
    }
}

/// Where content too large for an event is kept, named by its digest.
#[async_trait]
pub trait ContentStore: Send + Sync + 'static {
    /// Keeps all of `spool` (read from its start) and returns its digest and length in bytes.
    ///
    /// # Errors
    /// When the content cannot be read or kept.
    async fn keep(&self, spool: tokio::fs::File) -> io::Result<Kept>;
}

/// Content that is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Kept {
    /// SHA-256 of the content.
    pub digest: Digest,
    /// Its length in bytes.
    pub bytes: u64,
}

/// What the tool calls of one turn share.
pub struct Session {
    /// The only directory file tools see.
    pub workspace: Arc<Workspace>,
    /// What the model has read in this thread, so that it edits only what it knows.
    pub reads: Arc<ReadLog>,
    /// Where whole outputs are kept.
    pub content: Arc<dyn ContentStore>,
    /// The programs of the turn.
    pub processes: Arc<Scope>,
}
