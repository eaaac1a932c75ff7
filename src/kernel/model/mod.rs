//! The one boundary between the kernel and language models.
//!
//! May use: nothing of the crate above it. Promises: whatever a provider does on its wire, the
//! kernel sees whole tool calls in order, usage that is known or `None`, and one stable error.

mod catalog;
mod environment;
mod history;
mod rehearsal;
mod remote;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::BoxStream;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use catalog::open;
pub use environment::{Environment, Provider, Secret};
pub use remote::{RetryPolicy, Waits};

/// What is asked of a model: everything it may know, in order.
#[derive(Debug, Clone)]
pub struct ModelRequest {
    /// The system prompt.
    pub system: String,
    /// The conversation, oldest first. Every tool call of an assistant message is answered by
    /// exactly one result in the [`Message::ToolResults`] that follows it, in the same order.
    pub messages: Vec<Message>,
    /// The tools the model may call.
    pub tools: Arc<[ToolDeclaration]>,
    /// The most tokens it may answer with; the provider's own limit when `None`.
    pub max_output_tokens: Option<u32>,
}

/// A tool as a model is told about it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ToolDeclaration {
    /// Lower-case letters, digits and `_`; 1–64 characters.
    pub name: String,
    /// What it does and when to use it, for the model to read.
    pub description: String,
    /// JSON Schema of its arguments; always an object schema.
    pub parameters: Value,
}

/// One step of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub enum Message {
    /// What the user said.
    User {
        /// Its text, never empty.
        text: String,
    },
    /// What the model said and asked for. Text and calls are not both empty.
    Assistant {
        /// Its text; may be empty when there are calls.
        text: String,
        /// The tools it called, in order.
        tool_calls: Vec<ToolCall>,
    },
    /// The answers to the calls of the assistant message before, in the same order.
    ToolResults(Vec<ToolResult>),
}

/// A tool call as the model made it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCall {
    /// The provider's name for the call, or one made here where it gave none. Unique within a
    /// response.
    pub call_id: String,
    /// The tool.
    pub name: String,
    /// The arguments exactly as the model wrote them: perhaps not JSON. Empty means `{}`.
    pub arguments: String,
    /// What the provider wants back unchanged with this call (a thought signature, say).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_state: Option<Value>,
}

/// The answer to one tool call.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ToolResult {
    /// The [`ToolCall::call_id`] it answers.
    pub call_id: String,
    /// The tool that was called.
    pub name: String,
    /// What the model reads.
    pub content: String,
    /// True when the tool failed or did not run.
    pub is_error: bool,
}

/// What comes out of a model, in order. A stream that ends without [`ModelEvent::Finished`] and
/// without an error is broken; the kernel treats it as [`ModelErrorKind::Cut`].
#[derive(Debug, Clone, PartialEq)]
pub enum ModelEvent {
    /// More of the answer's text; never empty.
    Text(String),
    /// More of the reasoning the provider shows; never empty.
    Reasoning(String),
    /// A whole tool call. Calls come in the order the model made them.
    ToolCall(ToolCall),
    /// An attempt failed before anything was shown and will be made again.
    Retrying(Retry),
    /// The end of the answer. Nothing follows.
    Finished {
        /// Why the model stopped.
        stop: StopReason,
        /// What the answer cost, as far as the provider said.
        usage: Usage,
    },
}

/// An attempt that will be repeated.
#[derive(Debug, Clone, PartialEq)]
pub struct Retry {
    /// The attempt that failed: 1 is the first.
    pub attempt: u32,
    /// How long until the next one.
    pub after: Duration,
    /// Why it failed.
    pub error: ModelError,
}

/// Why a model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// It said all it wanted.
    EndTurn,
    /// It waits for the results of its tool calls.
    ToolUse,
    /// It reached the most tokens it may write.
    MaxTokens,
    /// The provider or model refused to go on.
    Refused,
    /// The provider gave no reason known here.
    Unknown,
}

/// Tokens an answer cost. `None` is unknown and never counted as zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Tokens read, cached ones included.
    pub input_tokens: Option<u64>,
    /// Of those, tokens read from the provider's cache.
    pub cached_input_tokens: Option<u64>,
    /// Tokens written, reasoning included.
    pub output_tokens: Option<u64>,
    /// Of those, tokens of reasoning.
    pub reasoning_tokens: Option<u64>,
}

/// Why a model did not answer, or not to the end.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    /// The situation.
    pub kind: ModelErrorKind,
    /// For a person: what went wrong, with which model, and what to do. No secrets. At most 1,000
    /// characters.
    pub message: String,
}

/// The most characters of [`ModelError::message`].
pub const ERROR_LIMIT: usize = 1_000;

impl ModelError {
    /// An error whose message is cut to [`ERROR_LIMIT`] characters.
    pub fn new(kind: ModelErrorKind, message: impl Into<String>) -> Self {
        let mut message = message.into();
        if let Some((end, _)) = message.char_indices().nth(ERROR_LIMIT) {
            message.truncate(end);
        }
        Self { kind, message }
    }
}

/// The situations a caller can act on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelErrorKind {
    /// No key, or a model name no provider is known for.
    Unconfigured,
    /// The provider does not accept the key.
    Unauthorized,
    /// The provider asks to slow down and the retries are used up.
    RateLimited,
    /// The provider cannot answer now and the retries are used up.
    Unavailable,
    /// The connection ended in the middle of an answer that had already begun to show.
    Cut,
    /// The request is too large for the model's window.
    ContextTooLong,
    /// The provider refuses the request as it is.
    Rejected,
    /// The provider's answer cannot be understood.
    Malformed,
}

/// The stream of one answer. Dropping it cancels the request.
pub type ModelStream = BoxStream<'static, Result<ModelEvent, ModelError>>;

/// A model that can be asked.
pub trait Model: Send + Sync + 'static {
    /// Its name, as recorded in the ledger.
    fn name(&self) -> &ModelName;

    /// Asks. The stream makes its own bounded retries while nothing has been shown yet; after
    /// the first text, reasoning or tool call it never starts over.
    fn stream(&self, request: ModelRequest) -> ModelStream;
}

/// `PROVIDER/NAME`, for example `openai/gpt-5` or `rehearsal/default`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ModelName {
    provider: String,
    name: String,
}

/// The text is not `PROVIDER/NAME`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "a model is written PROVIDER/NAME, for example openai/gpt-5 or rehearsal/default, not {0:?}"
)]
pub struct ModelNameError(String);

impl ModelName {
    /// The part before the first `/`.
    #[must_use]
    pub fn provider(&self) -> &str {
        &self.provider
    }

    /// The part after the first `/`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Default for ModelName {
    /// The built-in model, `rehearsal/default`.
    fn default() -> Self {
        Self {
            provider: "rehearsal".to_owned(),
            name: "default".to_owned(),
        }
    }
}

impl FromStr for ModelName {
    type Err = ModelNameError;

    fn from_str(text: &str) -> Result<Self, ModelNameError> {
        match text.split_once('/') {
            Some((provider, name)) if !provider.is_empty() && !name.is_empty() => Ok(Self {
                provider: provider.to_owned(),
                name: name.to_owned(),
            }),
            _ => Err(ModelNameError(text.chars().take(160).collect())),
        }
    }
}

impl fmt::Display for ModelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.provider, self.name)
    }
}
