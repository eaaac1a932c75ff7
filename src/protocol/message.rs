use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::error::Category;
use serde_json::{Map, Value, json};

use super::error::{ErrorCode, Refused};
use super::request_id::RequestId;
use super::strict::Strict;

/// The most problems an invalid message is told of.
const PROBLEM_LIMIT: usize = 32;

/// What a client says in one line.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// It wants something and waits for a response.
    Request(Request),
    /// It tells of something. None is known in this version.
    Notification {
        /// What it tells.
        method: String,
    },
    /// It answers a request of the server.
    Reply(Reply),
}

/// A request of the client, its parameters not yet looked at.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// What it is answered under.
    pub id: RequestId,
    /// What it wants.
    pub method: String,
    /// With what.
    pub params: Map<String, Value>,
}

/// A response of the client.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The request it answers; `None` when that cannot be told.
    pub id: Option<RequestId>,
    /// What it says.
    pub answer: Answer,
}

/// What a response of the client says.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// A result.
    Result(Value),
    /// An error.
    Error(Value),
    /// Something that is no response, and why.
    Invalid(String),
}

/// A line that is no message, with the response to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Invalid {
    /// The id of the response; null when `None`.
    pub id: Option<RequestId>,
    /// Why.
    pub error: Refused,
}

impl Invalid {
    fn of(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            id: None,
            error: Refused::new(code, message),
        }
    }
}

/// Reads one line.
///
/// # Errors
/// [`Invalid`] with what is to be answered when it is no message.
pub fn parse(line: &[u8]) -> Result<Message, Invalid> {
    let text = std::str::from_utf8(line).map_err(|error| {
        let at = error.valid_up_to();
        let message = format!("the line is not UTF-8: byte {at} starts no character");
        Invalid::of(ErrorCode::Parse, message)
    })?;
    let value = match serde_json::from_str(text) {
        Ok(Strict(value)) => value,
        Err(error) if error.classify() == Category::Data => {
            return untrusted(text, format!("invalid message: {error}"));
        }
        Err(error) => {
            let message = format!("the line is not JSON: {error}");
            return Err(Invalid::of(ErrorCode::Parse, message));
        }
    };
    match value {
        Value::Object(members) => classify(members),
        Value::Array(_) => Err(Invalid::of(
            ErrorCode::InvalidRequest,
            "invalid message: there are no batches; send one object a line",
        )),
        _ => Err(Invalid::of(
            ErrorCode::InvalidRequest,
            "invalid message: a message is a JSON object",
        )),
    }
}

/// What is told of a message that is not to be trusted. A member of this that is there twice is
/// not told.
#[derive(Deserialize)]
struct Glimpse {
    id: Option<Value>,
    method: Option<IgnoredAny>,
    result: Option<IgnoredAny>,
    error: Option<IgnoredAny>,
}

/// A message that names a member twice: whoever waits for it is told.
fn untrusted(text: &str, problem: String) -> Result<Message, Invalid> {
    // An array would be taken for the object.
    let object = text.trim_start().starts_with('{');
    let glimpse: Option<Glimpse> = object.then(|| serde_json::from_str(text).ok()).flatten();
    let id = glimpse
        .as_ref()
        .and_then(|glimpse| RequestId::of(glimpse.id.as_ref()?));
    match glimpse {
        Some(glimpse)
            if glimpse.method.is_none()
                && (glimpse.result.is_some() || glimpse.error.is_some()) =>
        {
            Ok(Message::Reply(Reply {
                id,
                answer: Answer::Invalid(problem),
            }))
        }
        _ => Err(Invalid {
            id,
            error: Refused::new(ErrorCode::InvalidRequest, problem),
        }),
    }
}

fn classify(members: Map<String, Value>) -> Result<Message, Invalid> {
    let answers = members.contains_key("result") || members.contains_key("error");
    if answers && !members.contains_key("method") {
        Ok(Message::Reply(reply(members)))
    } else {
        request(members)
    }
}

fn request(mut members: Map<String, Value>) -> Result<Message, Invalid> {
    let mut problems = Problems::default();
    problems.version(members.remove("jsonrpc").as_ref());
    let named = members.remove("id");
    let id = named.as_ref().and_then(RequestId::of);
    if named.is_some() && id.is_none() {
        problems.add("id", "is a string or an integer within ±2^53");
    }
    let method = match members.remove("method") {
        Some(Value::String(method)) => method,
        Some(_) => problems.empty("method", "is a string"),
        None => problems.empty("method", "is missing"),
    };
    let params = match members.remove("params") {
        Some(Value::Object(params)) => params,
        None => Map::new(),
        Some(_) => problems.empty("params", "is an object"),
    };
    problems.strangers(&members);
    match (problems.into_error(), id) {
        (Some(error), id) => Err(Invalid { id, error }),
        (None, None) => Ok(Message::Notification { method }),
        (None, Some(id)) => Ok(Message::Request(Request { id, method, params })),
    }
}

fn reply(mut members: Map<String, Value>) -> Reply {
    let mut problems = Problems::default();
    problems.version(members.remove("jsonrpc").as_ref());
    let id = members.remove("id").as_ref().and_then(RequestId::of);
    let answer = match (members.remove("result"), members.remove("error")) {
        (Some(result), None) => Answer::Result(result),
        (None, Some(error)) => Answer::Error(error),
        _ => {
            problems.add("result", "and error exclude each other");
            Answer::Result(Value::Null)
        }
    };
    problems.strangers(&members);
    let answer = problems.into_text().map_or(answer, Answer::Invalid);
    Reply { id, answer }
}

/// What is wrong with a message, member by member.
#[derive(Default)]
struct Problems(Vec<(String, &'static str)>);

impl Problems {
    fn add(&mut self, member: &str, problem: &'static str) {
        if self.0.len() < PROBLEM_LIMIT {
            self.0.push((member.chars().take(80).collect(), problem));
        }
    }

    /// Adds a problem and gives an empty value in place of the member that has it.
    fn empty<T: Default>(&mut self, member: &str, problem: &'static str) -> T {
        self.add(member, problem);
        T::default()
    }

    fn version(&mut self, version: Option<&Value>) {
        if version.and_then(Value::as_str) != Some("2.0") {
            self.add("jsonrpc", "is \"2.0\"");
        }
    }

    fn strangers(&mut self, members: &Map<String, Value>) {
        for name in members.keys() {
            self.add(name, "is not a member of a message");
        }
    }

    fn into_text(self) -> Option<String> {
        let problems: Vec<String> = self
            .0
            .iter()
            .map(|(member, problem)| format!("{member} {problem}"))
            .collect();
        (!problems.is_empty()).then(|| format!("invalid message: {}", problems.join("; ")))
    }

    fn into_error(self) -> Option<Refused> {
        let errors: Vec<Value> = self
            .0
            .iter()
            .map(|(member, problem)| json!({ "path": member, "message": problem }))
            .collect();
        let text = self.into_text()?;
        Some(Refused::new(ErrorCode::InvalidRequest, text).with(json!({ "errors": errors })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits_for_a_message_with_a_member_twice_is_told() {
        let line = |text: &str| parse(text.as_bytes());
        let id = |number: &str| {
            serde_json::from_str::<Value>(number)
                .ok()
                .as_ref()
                .and_then(RequestId::of)
        };
        let twice = r#"{"jsonrpc":"2.0","id":7,"method":"m","params":{"a":1,"a":2}}"#;
        assert!(matches!(line(twice), Err(invalid) if invalid.id == id("7")));
        let answer = r#"{"jsonrpc":"2.0","id":7,"result":{"kind":"acceptOnce","kind":"decline"}}"#;
        assert!(
            matches!(line(answer), Ok(Message::Reply(Reply { id: told, answer: Answer::Invalid(_) })) if told == id("7"))
        );
        for untold in [
            r#"{"jsonrpc":"2.0","id":7,"id":8,"method":"m"}"#,
            r#"[7,{"a":1,"a":2}]"#,
        ] {
            assert!(
                matches!(line(untold), Err(invalid) if invalid.id.is_none()),
                "{untold}"
            );
        }
    }

    #[test]
    fn ids_are_strings_or_exact_integers() {
        let id_of = |id: &str| {
            let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"m"}}"#);
            match parse(line.as_bytes()) {
                Ok(Message::Request(request)) => Some(serde_json::to_string(&request.id).unwrap()),
                Err(Invalid { id: None, .. }) => None,
                other => panic!("{id}: {other:?}"),
            }
        };
        for id in [
            "\"a\"",
            "\"\"",
            "0",
            "-7",
            "9007199254740992",
            "-9007199254740992",
        ] {
            assert_eq!(id_of(id).as_deref(), Some(id));
        }
        for id in [
            "9007199254740993",
            "-9007199254740993",
            "18446744073709551615",
            "1e99",
        ] {
            assert_eq!(id_of(id), None, "{id}");
        }
        for id in ["1.5", "1.0", "null", "true", "{}", "[]"] {
            assert_eq!(id_of(id), None, "{id}");
        }
    }

    #[test]
    fn what_is_no_message_has_a_code_and_the_id_where_it_can_be_told() {
        use ErrorCode::{InvalidRequest, Parse};
        let one = Some(RequestId::Integer(1));
        let table: [(&[u8], ErrorCode, Option<RequestId>); 19] = [
            (b"{", Parse, None),
            (b"hello", Parse, None),
            (b"{\"a\":\"\xff\"}", Parse, None),
            (b"{\"a\":1} {\"b\":2}", Parse, None),
            (b"{\"a\":\"\\ud800\"}", Parse, None),
            (&[b'['; 4096], Parse, None),
            (b"[]", InvalidRequest, None),
            (
                br#"[{"jsonrpc":"2.0","id":1,"method":"m"}]"#,
                InvalidRequest,
                None,
            ),
            (b"1", InvalidRequest, None),
            (b"null", InvalidRequest, None),
            (b"{}", InvalidRequest, None),
            (br#"{"id":1,"method":"m"}"#, InvalidRequest, one.clone()),
            (
                br#"{"jsonrpc":"1.0","id":1,"method":"m"}"#,
                InvalidRequest,
                one.clone(),
            ),
            (br#"{"jsonrpc":"2.0","id":1}"#, InvalidRequest, one.clone()),
            (
                br#"{"jsonrpc":"2.0","id":1,"method":7}"#,
                InvalidRequest,
                one.clone(),
            ),
            (
                br#"{"jsonrpc":"2.0","id":1,"method":"m","params":[]}"#,
                InvalidRequest,
                one.clone(),
            ),
            (
                br#"{"jsonrpc":"2.0","id":1,"method":"m","x":0}"#,
                InvalidRequest,
                one.clone(),
            ),
            (
                br#"{"jsonrpc":"2.0","id":1,"method":"m","result":0}"#,
                InvalidRequest,
                one.clone(),
            ),
            (
                br#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":{"b":1,"b":2}}}"#,
                InvalidRequest,
                one,
            ),
        ];
        for (line, code, id) in table {
            let invalid = parse(line).unwrap_err();
            let shown = String::from_utf8_lossy(&line[..line.len().min(80)]);
            assert_eq!((invalid.error.code, invalid.id), (code, id), "{shown}");
        }
    }

    #[test]
    fn responses_are_told_from_requests() {
        let answer = |line: &str| match parse(line.as_bytes()) {
            Ok(Message::Reply(reply)) => (reply.id, reply.answer),
            other => panic!("{other:?}"),
        };
        let id = Some(RequestId::Text("s".to_owned()));
        let (of, given) = answer(r#"{"jsonrpc":"2.0","id":"s","result":{}}"#);
        assert_eq!((of, given), (id.clone(), Answer::Result(json!({}))));
        let (of, given) = answer(r#"{"jsonrpc":"2.0","id":null,"error":{"code":1}}"#);
        assert_eq!((of, given), (None, Answer::Error(json!({ "code": 1 }))));
        for line in [
            r#"{"jsonrpc":"2.0","id":"s","result":{},"extra":1}"#,
            r#"{"jsonrpc":"2.0","id":"s","result":{},"error":{}}"#,
            r#"{"id":"s","result":{}}"#,
        ] {
            let (of, given) = answer(line);
            assert!(of == id && matches!(given, Answer::Invalid(_)), "{line}");
        }
    }
}
