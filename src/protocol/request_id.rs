use std::fmt;

use serde::Serialize;
use serde_json::Value;

/// What a request is answered under: a string, or an integer that every JSON reader keeps exact.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(untagged)]
pub enum RequestId {
    /// An integer within ±2^53.
    Integer(i64),
    /// Any text.
    Text(String),
}

impl RequestId {
    /// 2^53: beyond it a double cannot tell neighbours apart.
    const FARTHEST: i64 = 1 << 53;

    /// The id a JSON value is; `None` for a fraction, null, boolean, object, array or an integer
    /// beyond ±2^53.
    pub(super) fn of(value: &Value) -> Option<Self> {
        match value {
            Value::String(text) => Some(Self::Text(text.clone())),
            Value::Number(number) => number
                .as_i64()
                .filter(|number| (-Self::FARTHEST..=Self::FARTHEST).contains(number))
                .map(Self::Integer),
            _ => None,
        }
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(number) => write!(f, "{number}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}
