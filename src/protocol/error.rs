use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};
use serde_json::{Value, json};

use super::MESSAGE_LIMIT;

/// The situations a client can tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorCode {
    /// The line is not JSON.
    Parse,
    /// The line is JSON and no message of this contract.
    InvalidRequest,
    /// There is no such method.
    MethodNotFound,
    /// The parameters do not fit the method.
    InvalidParams,
    /// Something is wrong here; the details are on stderr.
    Internal,
    /// There is too much to do; try again after `data.retry_after_ms`.
    Overloaded,
    /// `initialize` comes first.
    NotInitialized,
    /// What is named does not exist.
    NotFound,
    /// It cannot be done in the present state.
    Conflict,
    /// It is not finished in time; ask again after `data.retry_after_ms`.
    NotSettled,
}

impl ErrorCode {
    /// The number on the wire.
    #[must_use]
    pub const fn number(self) -> i32 {
        match self {
            Self::Parse => -32700,
            Self::InvalidRequest => -32600,
            Self::MethodNotFound => -32601,
            Self::InvalidParams => -32602,
            Self::Internal => -32603,
            Self::Overloaded => -32001,
            Self::NotInitialized => -32002,
            Self::NotFound => -32004,
            Self::Conflict => -32009,
            Self::NotSettled => -32010,
        }
    }
}

/// Why a request was not done: the `error` of a response.
#[derive(Debug, Clone, PartialEq)]
pub struct Refused {
    /// The situation.
    pub code: ErrorCode,
    /// For a person. At most [`MESSAGE_LIMIT`] characters.
    message: String,
    /// For a program.
    data: Option<Box<Value>>,
}

impl Refused {
    /// A refusal whose message is cut to [`MESSAGE_LIMIT`] characters.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        let mut message = message.into();
        if let Some((end, _)) = message.char_indices().nth(MESSAGE_LIMIT) {
            message.truncate(end);
        }
        Self {
            code,
            message,
            data: None,
        }
    }

    /// A refusal that says when to try again.
    pub fn retry(code: ErrorCode, message: impl Into<String>, after_ms: u64) -> Self {
        Self::new(code, message).with(json!({ "retry_after_ms": after_ms }))
    }

    /// Something is wrong here. The message never changes: what happened is for stderr.
    pub fn internal() -> Self {
        Self::new(
            ErrorCode::Internal,
            "internal error; the server's stderr says more",
        )
    }

    /// The same refusal with data for a program.
    #[must_use]
    pub fn with(mut self, data: Value) -> Self {
        self.data = Some(Box::new(data));
        self
    }
}

impl Serialize for Refused {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let members = 2 + usize::from(self.data.is_some());
        let mut error = serializer.serialize_struct("Error", members)?;
        error.serialize_field("code", &self.code.number())?;
        error.serialize_field("message", &self.message)?;
        if let Some(data) = &self.data {
            error.serialize_field("data", data)?;
        }
        error.end()
    }
}
