//! A plain turn over every provider.

use std::time::Duration;

use futures_util::StreamExt;
use serde_json::json;
use threadkeep::kernel::model::{ModelErrorKind, Secret, StopReason, open};

use super::stub::{Ending, KEY, Kind, Reply, Say, StubProvider};
use super::*;

#[tokio::test]
async fn text_and_reasoning_stream_from_every_provider() {
    for kind in KINDS {
        let said = [
            Say::reasoning("let me see"),
            Say::text("two plus two is four"),
        ];
        let events = hear(kind, Reply::says(&said)).await;
        assert_eq!(text(&events), "two plus two is four", "{kind:?}");
        assert_eq!(reasoning(&events), "let me see", "{kind:?}");
        assert_eq!(
            finish(&events),
            (StopReason::EndTurn, usage(10, 5)),
            "{kind:?}"
        );
        let deltas = events
            .iter()
            .filter(|event| matches!(event, Ok(ModelEvent::Text(_))));
        assert_eq!(deltas.count(), 5, "{kind:?}: {events:?}");
    }
}

#[tokio::test]
async fn parallel_tool_calls_come_whole_and_in_order_from_every_provider() {
    for kind in KINDS {
        let said = [
            Say::text("looking"),
            Say::call("c1", "list_dir", json!({ "path": "." })),
            Say::call("c2", "list_dir", json!({ "path": "src" })),
        ];
        let events = hear(kind, Reply::says(&said)).await;
        let found = tool_calls(&events);
        let ids: Vec<&str> = found.iter().map(|call| call.call_id.as_str()).collect();
        assert_eq!(ids, ["c1", "c2"], "{kind:?}");
        assert_eq!(
            calls(&events),
            [
                ("list_dir".into(), r#"{"path":"."}"#.into()),
                ("list_dir".into(), r#"{"path":"src"}"#.into()),
            ],
            "{kind:?}"
        );
        assert_eq!(finish(&events).0, StopReason::ToolUse, "{kind:?}");
    }
}

#[tokio::test]
async fn every_provider_is_asked_with_its_key_the_system_prompt_and_the_tools() {
    for kind in KINDS {
        let provider = StubProvider::start(kind, vec![Reply::says(&[Say::text("hi")])]);
        ask(&provider).await;
        let seen = provider.seen();
        assert_eq!(seen.len(), 1, "{kind:?}");
        let key = match kind {
            Kind::Responses | Kind::Chat => seen[0].header("authorization"),
            Kind::Anthropic => seen[0].header("x-api-key"),
            Kind::Gemini => seen[0].header("x-goog-api-key"),
            Kind::Ollama => Some(KEY),
        };
        assert!(key.is_some_and(|key| key.ends_with(KEY)), "{kind:?}");
        let body = seen[0].body.to_string();
        for part in ["be brief", "go", "list_dir", "lists a directory"] {
            assert!(body.contains(part), "{kind:?}: {part} is missing in {body}");
        }
    }
}

#[tokio::test]
async fn an_endpoint_without_the_responses_api_is_asked_by_chat_completions() {
    let replies = vec![
        Reply::says(&[Say::text("one")]),
        Reply::says(&[Say::text("two")]),
    ];
    let provider = StubProvider::start(Kind::Chat, replies);
    let name = "openai/stub-model".parse().unwrap();
    let model = open(&name, &provider.environment()).unwrap();
    for expected in ["one", "two"] {
        let events = all(model.stream(request(vec![user("go")]))).await;
        assert_eq!(text(&events), expected);
    }
    let paths: Vec<String> = provider.seen().into_iter().map(|seen| seen.path).collect();
    assert_eq!(
        paths,
        [
            "/v1/responses",
            "/v1/chat/completions",
            "/v1/chat/completions"
        ]
    );
}

#[tokio::test]
async fn a_model_that_cannot_show_its_reasoning_is_asked_without_it() {
    let refusal = r#"{"error":{"message":"Unsupported parameter: 'reasoning.summary'"}}"#;
    let replies = vec![
        Reply::status(400, refusal),
        Reply::says(&[Say::text("fine")]),
    ];
    let provider = StubProvider::start(Kind::Responses, replies);
    let name = "openai/gpt-5-stub".parse().unwrap();
    let model = open(&name, &provider.environment()).unwrap();
    let events = all(model.stream(request(vec![user("go")]))).await;
    assert_eq!(text(&events), "fine");
    let seen = provider.seen();
    assert_eq!(seen[0].body["reasoning"]["summary"], "auto");
    assert_eq!(seen[1].body.get("reasoning"), None);
}

#[tokio::test]
async fn a_name_that_ends_like_a_wish_is_sent_as_it_is() {
    for (kind, name) in [
        (Kind::Chat, "openai-chat/qwen-max"),
        (Kind::Responses, "openai/stub-high"),
        (Kind::Anthropic, "anthropic/qwen-max"),
        (Kind::Ollama, "ollama/stub-low"),
    ] {
        let provider = StubProvider::start(kind, vec![Reply::says(&[Say::text("hi")])]);
        let model = open(&name.parse().unwrap(), &provider.environment()).unwrap();
        let events = all(model.stream(request(vec![user("go")]))).await;
        assert_eq!(text(&events), "hi", "{name}");
        let body = &provider.seen()[0].body;
        let (_, sent) = name.split_once('/').unwrap();
        assert_eq!(body["model"], sent);
        for wish in [
            "reasoning_effort",
            "reasoning",
            "thinking",
            "output_config",
            "think",
        ] {
            assert_eq!(body.get(wish), None, "{name}: {wish}");
        }
    }
}

#[tokio::test]
async fn dropping_the_stream_closes_the_connection() {
    for kind in KINDS {
        let mut pieces = dialect::render(kind, &[Say::text("one two three")]);
        pieces.truncate(3);
        let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
        let provider = StubProvider::start(kind, vec![Reply::ending(&pieces, Ending::Open)]);
        let mut stream = model(&provider).stream(request(vec![user("go")]));
        assert!(
            matches!(stream.next().await, Some(Ok(ModelEvent::Text(_)))),
            "{kind:?}"
        );
        assert_eq!(provider.left(), 0);
        drop(stream);
        let closed = async {
            while provider.left() == 0 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        let closed = tokio::time::timeout(Duration::from_secs(10), closed).await;
        assert!(closed.is_ok(), "{kind:?}");
    }
}

#[tokio::test]
async fn a_missing_key_is_told_when_the_model_is_opened() {
    for (name, variable) in [
        ("openai/gpt-5", "OPENAI_API_KEY"),
        ("openai-chat/gpt-5", "OPENAI_API_KEY"),
        ("anthropic/claude", "ANTHROPIC_API_KEY"),
        ("gemini/gemini-3-pro", "GEMINI_API_KEY"),
    ] {
        let environment = Environment::from_variables(|_| None);
        let error = open(&name.parse().unwrap(), &environment).err().unwrap();
        assert_eq!(error.kind, ModelErrorKind::Unconfigured);
        assert!(error.message.contains(variable), "{error}");
    }
    let mut environment = Environment::default();
    environment.openai.key = Some(Secret::new("two\nlines"));
    let bad = open(&"openai/gpt-5".parse().unwrap(), &environment)
        .err()
        .unwrap();
    assert_eq!(bad.kind, ModelErrorKind::Unconfigured);
    assert!(!bad.message.contains("lines"), "{bad}");
    let unknown = open(&"acme/x".parse().unwrap(), &Environment::default())
        .err()
        .unwrap();
    assert_eq!(unknown.kind, ModelErrorKind::Unconfigured);
    assert!(unknown.message.contains("acme"), "{unknown}");
}
