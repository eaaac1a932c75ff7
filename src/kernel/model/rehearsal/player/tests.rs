use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::super::super::{Environment, Message, ToolResult, Usage, open};
use super::*;

struct Stage {
    directory: TempDir,
    model: Arc<dyn Model>,
}

impl Stage {
    fn new(script: &Value) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("sub").join("script.json");
        std::fs::create_dir(path.parent().unwrap()).unwrap();
        std::fs::write(&path, script.to_string()).unwrap();
        Self {
            model: open_file(&path).unwrap(),
            directory,
        }
    }

    async fn ask(&self, messages: &[Message]) -> Vec<Result<ModelEvent, ModelError>> {
        self.model.stream(request(messages)).collect().await
    }

    /// The text of an answer, or the message of its error.
    async fn text(&self, messages: &[Message]) -> String {
        let events = self.ask(messages).await.into_iter();
        events
            .map(|event| match event {
                Ok(ModelEvent::Text(text)) => text,
                Ok(_) => String::new(),
                Err(error) => error.message,
            })
            .collect()
    }
}

fn open_file(path: &Path) -> Result<Arc<dyn Model>, ModelError> {
    let name = format!("rehearsal/{}", path.display()).parse().unwrap();
    open(&name, &Environment::default())
}

fn request(messages: &[Message]) -> ModelRequest {
    ModelRequest {
        system: "be brief".into(),
        messages: messages.to_vec(),
        tools: Vec::new().into(),
        max_output_tokens: Some(9),
    }
}

fn user(text: &str) -> Message {
    Message::User { text: text.into() }
}

fn assistant(text: &str) -> Message {
    Message::Assistant {
        text: text.into(),
        tool_calls: Vec::new(),
    }
}

fn call(id: &str) -> Message {
    Message::Assistant {
        text: String::new(),
        tool_calls: vec![ToolCall {
            call_id: id.into(),
            name: "grep".into(),
            arguments: "{}".into(),
            provider_state: None,
        }],
    }
}

fn result(id: &str, content: &str) -> Message {
    Message::ToolResults(vec![ToolResult {
        call_id: id.into(),
        name: "grep".into(),
        content: content.into(),
        is_error: false,
    }])
}

fn texts(names: &[&str]) -> Value {
    let replies = names
        .iter()
        .map(|name| json!({ "steps": [{ "text": name }] }));
    json!({ "replies": replies.collect::<Vec<_>>() })
}

#[tokio::test]
async fn a_reply_plays_its_steps_in_order() {
    let stage = Stage::new(&json!({ "replies": [{
        "steps": [
            { "retry": { "after_ms": 5, "kind": "rate_limited", "message": "slow down" } },
            { "reasoning": "hm" },
            { "text": "tok {n} ", "repeat": 3 },
            { "tool_call": { "name": "grep", "arguments": { "pattern": "x" } } },
            { "tool_call": { "name": "grep", "arguments": "{half", "call_id": "mine" } },
        ],
        "usage": { "input_tokens": 7 },
    }] }));
    let tool_call = |id: &str, arguments: &str| {
        Ok(ModelEvent::ToolCall(ToolCall {
            call_id: id.into(),
            name: "grep".into(),
            arguments: arguments.into(),
            provider_state: None,
        }))
    };
    let expected = vec![
        Ok(ModelEvent::Retrying(Retry {
            attempt: 1,
            after: Duration::from_millis(5),
            error: ModelError::new(ModelErrorKind::RateLimited, "slow down"),
        })),
        Ok(ModelEvent::Reasoning("hm".into())),
        Ok(ModelEvent::Text("tok 1 ".into())),
        Ok(ModelEvent::Text("tok 2 ".into())),
        Ok(ModelEvent::Text("tok 3 ".into())),
        tool_call("call_1_1", r#"{"pattern":"x"}"#),
        tool_call("mine", "{half"),
        Ok(ModelEvent::Finished {
            stop: StopReason::ToolUse,
            usage: Usage {
                input_tokens: Some(7),
                ..Usage::default()
            },
        }),
    ];
    assert_eq!(stage.ask(&[user("go")]).await, expected);
}

#[tokio::test]
async fn replies_are_numbered_over_the_whole_conversation() {
    let stage = Stage::new(&texts(&["one", "two", "three"]));
    assert_eq!(stage.text(&[user("a")]).await, "one");
    let answered = [user("a"), call("c"), result("c", "")];
    assert_eq!(stage.text(&answered).await, "two");
    let later = [
        user("a"),
        call("c"),
        result("c", ""),
        assistant("two"),
        user("b"),
    ];
    assert_eq!(stage.text(&later).await, "three");
}

#[tokio::test]
async fn a_script_without_a_reply_left_says_so_unless_the_last_one_repeats() {
    let mut script = texts(&["one"]);
    let past = [user("a"), assistant("one"), user("b")];
    let error = Stage::new(&script).text(&past).await;
    assert!(error.contains("no reply number 2"), "{error}");
    script["repeat_last"] = json!(true);
    assert_eq!(Stage::new(&script).text(&past).await, "one");
}

#[tokio::test]
async fn a_turn_can_be_matched_by_its_user_message() {
    let mut script = texts(&["plain", "first", "second"]);
    script["replies"][1]["when"] = json!("special");
    script["replies"][2]["when"] = json!("special");
    let stage = Stage::new(&script);
    assert_eq!(stage.text(&[user("a")]).await, "plain");
    let mut turn = vec![user("a"), assistant("plain"), user("the special one")];
    assert_eq!(stage.text(&turn).await, "first");
    turn.extend([call("c"), result("c", "")]);
    assert_eq!(stage.text(&turn).await, "second");
}

#[tokio::test]
async fn a_request_that_is_not_as_expected_is_rejected() {
    let expectations = [
        (json!({ "last_user": "sum" }), None),
        (
            json!({ "last_user": "other" }),
            Some("last user message to contain \"other\""),
        ),
        (
            json!({ "system": "long" }),
            Some("the system prompt to contain \"long\""),
        ),
        (json!({ "roles": ["user", "assistant", "results"] }), None),
        (
            json!({ "roles": ["user"] }),
            Some("roles [User], found [User, Assistant, Results]"),
        ),
        (
            json!({ "results": [{ "call_id": "c", "contains": "42", "is_error": false }] }),
            None,
        ),
        (
            json!({ "results": [{ "contains": "43" }] }),
            Some("tool result 0"),
        ),
        (
            json!({ "results": [] }),
            Some("0 tool results, found [\"grep\"]"),
        ),
        (
            json!({ "tools": ["shell"] }),
            Some("a tool called \"shell\""),
        ),
        (json!({ "mentions": ["sum", "42"] }), None),
        (
            json!({ "mentions": ["nowhere"] }),
            Some("to mention \"nowhere\""),
        ),
    ];
    let messages = [user("the sum?"), call("c"), result("c", "it is 42")];
    for (expect, broken) in expectations {
        let mut script = texts(&["first", "fine"]);
        script["replies"][1]["expect"] = expect.clone();
        let text = Stage::new(&script).text(&messages).await;
        match broken {
            None => assert_eq!(text, "fine", "{expect}"),
            Some(broken) => assert!(text.contains(broken), "{expect}: {text}"),
        }
    }
}

#[tokio::test]
async fn a_history_no_provider_would_take_is_rejected() {
    let stage = Stage::new(&texts(&["one", "two"]));
    let text = stage.text(&[user("a"), call("c"), user("b")]).await;
    assert!(
        text.contains("no tool output found for tool calls [c]"),
        "{text}"
    );
}

#[tokio::test]
async fn requests_are_recorded_beside_the_script() {
    let mut script = texts(&["one", "two"]);
    script["record"] = json!("requests.jsonl");
    let stage = Stage::new(&script);
    stage.ask(&[user("a")]).await;
    stage.ask(&[user("a"), call("c"), result("c", "r")]).await;
    let record = stage.directory.path().join("sub/requests.jsonl");
    let record = std::fs::read_to_string(record).unwrap();
    let lines: Vec<Value> = record
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(
        lines[0]["messages"],
        json!([{ "role": "user", "text": "a" }])
    );
    assert_eq!(lines[0]["max_output_tokens"], 9);
    assert_eq!(lines[1]["messages"][1]["tool_calls"][0]["call_id"], "c");
    assert_eq!(lines[1]["messages"][2]["results"][0]["content"], "r");
}

#[tokio::test]
async fn errors_and_breaks_end_a_reply() {
    let stage = Stage::new(&json!({ "replies": [
        { "steps": [{ "text": "a" }, { "error": { "kind": "cut", "message": "gone" } }, { "text": "b" }] },
        { "steps": [{ "text": "a" }, { "break": true }, { "text": "b" }] },
    ] }));
    let error = Err(ModelError::new(ModelErrorKind::Cut, "gone"));
    let text = Ok(ModelEvent::Text("a".into()));
    assert_eq!(stage.ask(&[user("x")]).await, [text.clone(), error]);
    assert_eq!(
        stage.ask(&[user("x"), assistant("a"), user("y")]).await,
        [text]
    );
}

#[tokio::test(start_paused = true)]
async fn paced_texts_keep_their_rate_and_delays_are_waited_for() {
    let stage = Stage::new(&json!({ "replies": [{ "steps": [
        { "delay_ms": 250 },
        { "text": "x", "repeat": 1001, "every_us": 500 },
    ] }] }));
    let start = Instant::now();
    stage.ask(&[user("go")]).await;
    let took = start.elapsed();
    assert!((750..=753).contains(&took.as_millis()), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn a_hanging_reply_ends_only_when_it_is_dropped() {
    let stage =
        Stage::new(&json!({ "replies": [{ "steps": [{ "text": "a" }, { "hang": true }] }] }));
    let mut stream = stage.model.stream(request(&[user("go")]));
    assert_eq!(stream.next().await, Some(Ok(ModelEvent::Text("a".into()))));
    let more = tokio::time::timeout(Duration::from_hours(1), stream.next()).await;
    assert!(more.is_err());
}

#[test]
fn a_script_that_cannot_be_used_is_unconfigured_with_the_reason() {
    let directory = tempfile::tempdir().unwrap();
    let missing = open_file(&directory.path().join("none.json"))
        .err()
        .unwrap();
    assert_eq!(missing.kind, ModelErrorKind::Unconfigured);
    assert!(missing.message.contains("none.json"), "{missing}");
    let path = directory.path().join("bad.json");
    std::fs::write(&path, "{\"replies\": [{\"steps\": [{\"txt\": 1}]}]}").unwrap();
    let bad = open_file(&path).err().unwrap();
    assert!(
        bad.message.contains("txt") && bad.message.contains("line 1"),
        "{bad}"
    );
}
