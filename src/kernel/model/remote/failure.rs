//! What can go wrong with an attempt, and the one stable error it becomes.

use std::error::Error as _;
use std::time::{Duration, SystemTime};

use genai::webc::StreamTimeout;
use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use serde_json::Value;

use super::super::ModelErrorKind;
use super::{Target, retry};

/// The most characters of a provider's own words in a message.
const QUOTE_LIMIT: usize = 300;

/// A failed attempt.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) kind: ModelErrorKind,
    /// What went wrong and what to do, without the model's name.
    pub(super) message: String,
    pub(super) again: Again,
    /// The status the provider answered with, when it did.
    pub(super) status: Option<u16>,
}

/// Whether another attempt may succeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Again {
    Never,
    /// Perhaps, after the time the provider asks for, if it does.
    Perhaps(Option<Duration>),
}

impl Failure {
    pub(super) fn new(kind: ModelErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            again: Again::Never,
            status: None,
        }
    }

    pub(super) fn passing(kind: ModelErrorKind, message: impl Into<String>) -> Self {
        Self {
            again: Again::Perhaps(None),
            ..Self::new(kind, message)
        }
    }

    /// The answer ended before it was whole.
    pub(super) fn cut() -> Self {
        Self::passing(
            ModelErrorKind::Unavailable,
            "the provider ended the connection before the answer was whole",
        )
    }

    pub(super) fn malformed(what: &str) -> Self {
        Self::new(
            ModelErrorKind::Malformed,
            format!("the provider's answer cannot be understood: {what}"),
        )
    }

    /// The model wrote a call that its own provider cannot read; it often does better next time.
    pub(super) fn unreadable_call(reason: &str) -> Self {
        Self::passing(
            ModelErrorKind::Malformed,
            format!("the model wrote a tool call its provider cannot read ({reason})"),
        )
    }

    /// An error a provider tells in the middle of its stream.
    pub(super) fn told(error: &Value) -> Self {
        let names = [error.get("code"), error.get("type"), error.get("status")];
        let status = names
            .iter()
            .find_map(|name| name.and_then(Value::as_u64))
            .and_then(|status| u16::try_from(status).ok());
        let words = quote(match error {
            Value::String(words) => words,
            error => text(error.get("message")),
        });
        if is_too_long(&words) || names.iter().any(|name| is_too_long(text(*name))) {
            return too_long(&words);
        }
        let by_name = names.iter().find_map(|name| named(text(*name), &words));
        by_name.unwrap_or_else(|| match status {
            Some(status) if status >= 400 => answered(status, &words, None),
            _ => Self::passing(
                ModelErrorKind::Unavailable,
                format!("the provider reports an error: {words}"),
            ),
        })
    }
}

fn text(value: Option<&Value>) -> &str {
    value.and_then(Value::as_str).unwrap_or_default()
}

/// The failure that a provider's name for an error stands for.
fn named(name: &str, words: &str) -> Option<Failure> {
    match name {
        "insufficient_quota" | "billing_error" | "billing_hard_limit_reached" => Some(quota(words)),
        "rate_limit_error" | "rate_limit_exceeded" | "RESOURCE_EXHAUSTED" => {
            Some(answered(429, words, None))
        }
        "overloaded_error" | "overloaded" | "server_is_overloaded" | "UNAVAILABLE" => {
            Some(answered(503, words, None))
        }
        "api_error" | "server_error" | "internal_error" | "INTERNAL" | "timeout_error" => {
            Some(answered(500, words, None))
        }
        "authentication_error" | "invalid_api_key" | "UNAUTHENTICATED" => {
            Some(answered(401, words, None))
        }
        "permission_error" | "PERMISSION_DENIED" => Some(answered(403, words, None)),
        "invalid_request_error" | "not_found_error" | "INVALID_ARGUMENT" | "invalid_prompt" => {
            Some(answered(400, words, None))
        }
        _ => None,
    }
}

/// What an answer with an error status means.
fn answered(status: u16, words: &str, asked: Option<Duration>) -> Failure {
    let again = Again::Perhaps(asked);
    let said = if words.is_empty() {
        format!("HTTP {status}")
    } else {
        format!("HTTP {status}: {words}")
    };
    let (kind, message, again) = match status {
        401 => (
            ModelErrorKind::Unauthorized,
            "the provider does not accept the key (HTTP 401)".to_owned(),
            Again::Never,
        ),
        403 => (
            ModelErrorKind::Unauthorized,
            format!("the provider does not allow this with this key ({said})"),
            Again::Never,
        ),
        413 => return too_long(words),
        429 => (
            ModelErrorKind::RateLimited,
            format!("the provider asks to slow down ({said})"),
            again,
        ),
        500 | 502 | 503 | 504 | 529 => (
            ModelErrorKind::Unavailable,
            format!("the provider cannot answer now ({said})"),
            again,
        ),
        505.. => (
            ModelErrorKind::Unavailable,
            format!("the provider cannot answer now ({said})"),
            Again::Never,
        ),
        300..=399 => (
            ModelErrorKind::Rejected,
            format!("the address answers with a redirect (HTTP {status}); set the final address"),
            Again::Never,
        ),
        404 => (
            ModelErrorKind::Rejected,
            format!("the provider knows no such model or address ({said})"),
            Again::Never,
        ),
        _ => (
            ModelErrorKind::Rejected,
            format!("the provider refuses the request ({said})"),
            Again::Never,
        ),
    };
    Failure {
        kind,
        message,
        again,
        status: Some(status),
    }
}

fn quota(words: &str) -> Failure {
    Failure::new(
        ModelErrorKind::RateLimited,
        format!("the account's quota is used up: {words}"),
    )
}

fn too_long(words: &str) -> Failure {
    Failure::new(
        ModelErrorKind::ContextTooLong,
        format!("the conversation is too large for the model: {words}"),
    )
}

fn is_too_long(text: &str) -> bool {
    let text = text.to_lowercase();
    [
        "context_length_exceeded",
        "context length",
        "context window",
        "context size",
        "prompt is too long",
        "input is too long",
        "request_too_large",
        "too many tokens",
        "input token count",
        "exceeds the maximum number of tokens",
    ]
    .iter()
    .any(|sign| text.contains(sign))
}

/// The failure of a response with an error status.
pub(super) fn of_response(status: StatusCode, headers: &HeaderMap, body: &str) -> Failure {
    let json: Option<Value> = serde_json::from_str(body).ok();
    // Gemini wraps its error object in a list.
    let json = json.as_ref().map(|json| json.get(0).unwrap_or(json));
    let error = json.map(|json| json.get("error").unwrap_or(json));
    let member = |name: &str| error.and_then(|error| error.get(name)?.as_str());
    let words = match error {
        Some(Value::String(words)) => quote(words),
        Some(_) => quote(member("message").unwrap_or_default()),
        None => quote(body),
    };
    let code = member("code").or(member("type")).unwrap_or_default();
    if matches!(code, "insufficient_quota" | "billing_hard_limit_reached") {
        return quota(&words);
    }
    if status.is_client_error() && (is_too_long(&words) || is_too_long(code)) {
        return too_long(&words);
    }
    let asked = retry::asked_wait(headers, SystemTime::now());
    answered(status.as_u16(), &words, asked)
}

/// The failure of the connection itself; `None` when `genai` only could not read a frame, which
/// is not its part here.
pub(super) fn of_transport(error: genai::Error, target: &Target) -> Option<Failure> {
    match error {
        genai::Error::WebStream { error, .. } => Some(of_stream(error, target)),
        genai::Error::HttpError {
            status,
            body,
            headers,
            ..
        } => Some(of_response(status, &headers, &body)),
        _ => None,
    }
}

fn of_stream(error: genai::BoxError, target: &Target) -> Failure {
    let error = match error.downcast::<genai::Error>() {
        Ok(error) => {
            return of_transport(*error, target).unwrap_or_else(Failure::cut);
        }
        Err(error) => error,
    };
    if let Some(timeout) = error.downcast_ref::<StreamTimeout>() {
        let what = match timeout {
            StreamTimeout::Headers => "did not begin to answer",
            StreamTimeout::Read => "stopped in the middle of its answer",
        };
        // Waiting as long again would only double the silence.
        return Failure::new(
            ModelErrorKind::Unavailable,
            format!("{} {what} in time", target.address.host),
        );
    }
    let Some(error) = error.downcast_ref::<reqwest::Error>() else {
        return Failure::passing(
            ModelErrorKind::Unavailable,
            format!("the answer of {} is not UTF-8 text", target.address.host),
        );
    };
    let what = if error.is_connect() || error.is_timeout() {
        "cannot be reached"
    } else {
        "ended the connection before the answer was whole"
    };
    let message = format!("{} {what}: {}", target.address.host, root_cause(error));
    // Nobody listens on this machine: a person has to start it, waiting does not.
    if error.is_connect() && target.address.local {
        return Failure::new(ModelErrorKind::Unavailable, message);
    }
    Failure::passing(ModelErrorKind::Unavailable, message)
}

/// The innermost cause: the outer ones repeat the address.
fn root_cause(error: &reqwest::Error) -> String {
    let mut cause = error.source();
    let mut text = String::from("the request failed");
    while let Some(error) = cause {
        text = error.to_string();
        cause = error.source();
    }
    text
}

/// A provider's own words: one line, not too long.
fn quote(words: &str) -> String {
    let line: Vec<&str> = words.split_whitespace().collect();
    let line = line.join(" ");
    match line.char_indices().nth(QUOTE_LIMIT) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn response(status: u16, body: &Value) -> Failure {
        let status = StatusCode::from_u16(status).unwrap();
        of_response(status, &HeaderMap::new(), &body.to_string())
    }

    #[test]
    fn every_status_becomes_one_kind() {
        use ModelErrorKind as Kind;
        let cases = [
            (400, Kind::Rejected, false),
            (401, Kind::Unauthorized, false),
            (402, Kind::Rejected, false),
            (403, Kind::Unauthorized, false),
            (404, Kind::Rejected, false),
            (307, Kind::Rejected, false),
            (413, Kind::ContextTooLong, false),
            (429, Kind::RateLimited, true),
            (500, Kind::Unavailable, true),
            (501, Kind::Rejected, false),
            (502, Kind::Unavailable, true),
            (503, Kind::Unavailable, true),
            (504, Kind::Unavailable, true),
            (529, Kind::Unavailable, true),
            (599, Kind::Unavailable, false),
        ];
        for (status, kind, again) in cases {
            let failure = response(status, &json!({ "error": { "message": "m" } }));
            assert_eq!(failure.kind, kind, "{status}");
            assert_eq!(failure.again != Again::Never, again, "{status}");
        }
    }

    #[test]
    fn a_spent_quota_is_not_asked_again_and_a_long_prompt_is_told_apart() {
        let quota = json!({ "error": { "code": "insufficient_quota", "message": "pay" } });
        assert_eq!(response(429, &quota).again, Again::Never);
        let bodies = [
            json!({ "error": { "code": "context_length_exceeded", "message": "m" } }),
            json!({ "error": { "message": "prompt is too long: 300000 tokens > 200000" } }),
            json!([{ "error": { "message": "The input token count (9) exceeds the maximum" } }]),
            json!({ "error": "the request exceeds the available context size" }),
        ];
        for body in bodies {
            assert_eq!(
                response(400, &body).kind,
                ModelErrorKind::ContextTooLong,
                "{body}"
            );
        }
    }

    #[test]
    fn errors_told_in_a_stream_are_understood_by_name_or_number() {
        use ModelErrorKind as Kind;
        let cases = [
            (
                json!({ "type": "overloaded_error", "message": "m" }),
                Kind::Unavailable,
                true,
            ),
            (
                json!({ "code": "rate_limit_exceeded", "message": "m" }),
                Kind::RateLimited,
                true,
            ),
            (
                json!({ "code": 502, "message": "m" }),
                Kind::Unavailable,
                true,
            ),
            (
                json!({ "status": "INVALID_ARGUMENT", "message": "m" }),
                Kind::Rejected,
                false,
            ),
            (
                json!({ "code": "context_length_exceeded" }),
                Kind::ContextTooLong,
                false,
            ),
            (json!("the runner stopped"), Kind::Unavailable, true),
        ];
        for (error, kind, again) in cases {
            let failure = Failure::told(&error);
            assert_eq!(
                (failure.kind, failure.again != Again::Never),
                (kind, again),
                "{error}"
            );
        }
    }
}
