//! The same turn over every provider: the host cannot tell which one it was.

use serde_json::{Value, json};
use threadkeep::kernel::Kernel;
use threadkeep::server::ServeOptions;

use super::host::Host;
use super::redact::Redactor;
use crate::kernel::stand::Stand;
use crate::models::stub::{Kind, Reply, Say, StubProvider};

#[tokio::test]
async fn a_turn_reads_the_same_whichever_provider_spoke() {
    let kinds = [
        Kind::Responses,
        Kind::Chat,
        Kind::Anthropic,
        Kind::Ollama,
        Kind::Gemini,
    ];
    let mut transcripts = Vec::new();
    for kind in kinds {
        transcripts.push(transcript(kind).await);
    }
    insta::assert_snapshot!(transcripts[0]);
    for (kind, transcript) in kinds.iter().zip(&transcripts) {
        assert_eq!(*transcript, transcripts[0], "{kind:?}");
    }
}

/// A turn with a tool call in it, one message a line.
async fn transcript(kind: Kind) -> String {
    let provider = StubProvider::start(
        kind,
        vec![
            Reply::says(&[
                Say::text("Let me look."),
                Say::call("c1", "look", json!({ "what": "around" })),
            ]),
            Reply::says(&[Say::text("All is well.")]),
        ],
    );
    let stand = Stand::new().await;
    let mut options = stand.options(&json!([{ "steps": [] }]));
    options.model = provider.model().parse().unwrap();
    options.environment = provider.environment();
    let kernel = Kernel::new(stand.store.clone(), options).unwrap();
    let mut redactor = Redactor::new(stand.dir.path());
    let mut host = Host::on(stand, kernel, ServeOptions::default());
    host.introduce(json!({})).await;
    let thread = host.thread().await;
    let messages = host.turn(&thread, "look around").await;
    let lines = messages.into_iter().map(|mut message| {
        redactor.redact(&mut message);
        nameless(&mut message);
        message.to_string()
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Leaves out what a provider calls its call, and what it wants back with it.
fn nameless(message: &mut Value) {
    let content = message.pointer_mut("/params/item/content");
    if let Some(content) = content.and_then(Value::as_object_mut) {
        content.retain(|name, _| name != "callId" && name != "providerState");
    }
}
