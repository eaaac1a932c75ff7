//! Models of real providers, each against a local server that speaks its stream. `stub` is there
//! for every test that wants a turn over a provider.

mod calls;
mod dialect;
mod failures;
mod history;
mod latency;
mod streams;
pub mod stub;
mod turns;

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use serde_json::json;
use threadkeep::kernel::model::{
    Environment, Message, Model, ModelError, ModelEvent, ModelRequest, ModelStream, StopReason,
    ToolCall, ToolDeclaration, Usage, open,
};

use self::stub::{Kind, Reply, StubProvider};

/// All five ways of speaking.
const KINDS: [Kind; 5] = [
    Kind::Responses,
    Kind::Chat,
    Kind::Anthropic,
    Kind::Ollama,
    Kind::Gemini,
];

type Events = Vec<Result<ModelEvent, ModelError>>;

/// The model behind a stub, asked without real waits.
fn model(provider: &StubProvider) -> Arc<dyn Model> {
    open(&provider.model().parse().unwrap(), &provider.environment()).unwrap()
}

async fn ask(provider: &StubProvider) -> Events {
    all(model(provider).stream(request(vec![user("go")]))).await
}

/// A stream to its end, which must come.
async fn all(stream: ModelStream) -> Events {
    let events = tokio::time::timeout(Duration::from_secs(30), stream.collect()).await;
    events.expect("the stream does not end")
}

/// What a model says to one scripted stream.
async fn hear(kind: Kind, reply: Reply) -> Events {
    ask(&StubProvider::start(kind, vec![reply])).await
}

fn request(messages: Vec<Message>) -> ModelRequest {
    ModelRequest {
        system: "be brief".into(),
        messages,
        tools: Arc::from([ToolDeclaration {
            name: "list_dir".into(),
            description: "lists a directory".into(),
            parameters: json!({
                "type": "object",
                "properties": { "path": { "type": "string" } },
            }),
        }]),
        max_output_tokens: None,
    }
}

fn user(text: &str) -> Message {
    Message::User { text: text.into() }
}

/// The text of an answer, which must have no error in it.
fn text(events: &Events) -> String {
    let texts = events.iter().map(|event| match event {
        Ok(ModelEvent::Text(text)) => text.as_str(),
        Ok(_) => "",
        Err(error) => panic!("{error}"),
    });
    texts.collect()
}

fn reasoning(events: &Events) -> String {
    let texts = events.iter().map(|event| match event {
        Ok(ModelEvent::Reasoning(text)) => text.as_str(),
        _ => "",
    });
    texts.collect()
}

fn tool_calls(events: &Events) -> Vec<ToolCall> {
    let calls = events.iter().filter_map(|event| match event {
        Ok(ModelEvent::ToolCall(call)) => Some(call.clone()),
        _ => None,
    });
    calls.collect()
}

/// Name and arguments of each call.
fn calls(events: &Events) -> Vec<(String, String)> {
    let calls = tool_calls(events).into_iter();
    calls.map(|call| (call.name, call.arguments)).collect()
}

/// How an answer ended; it must have ended once, at its end, without an error.
fn finish(events: &Events) -> (StopReason, Usage) {
    let finished =
        |event: &Result<ModelEvent, ModelError>| matches!(event, Ok(ModelEvent::Finished { .. }));
    assert_eq!(
        events.iter().filter(|event| finished(event)).count(),
        1,
        "{events:?}"
    );
    match events.last() {
        Some(Ok(ModelEvent::Finished { stop, usage })) => (*stop, *usage),
        other => panic!("{other:?}"),
    }
}

fn usage(input: u64, output: u64) -> Usage {
    Usage {
        input_tokens: Some(input),
        output_tokens: Some(output),
        ..Usage::default()
    }
}
