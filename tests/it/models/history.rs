//! What goes back to a provider of what it said and what the tools answered.

use serde_json::{Value, json};
use threadkeep::kernel::model::ToolResult;

use super::stub::{Kind, Reply, Say, StubProvider};
use super::*;

/// Has a model call two tools, answers them (the second with an error), and returns what the
/// provider got then.
async fn second_request(kind: Kind, said: &[Say]) -> Value {
    let provider = StubProvider::start(
        kind,
        vec![Reply::says(said), Reply::says(&[Say::text("done")])],
    );
    let events = ask(&provider).await;
    let found = tool_calls(&events);
    let results = found.iter().enumerate().map(|(at, call)| ToolResult {
        call_id: call.call_id.clone(),
        name: call.name.clone(),
        content: format!("result {at}"),
        is_error: at == 1,
    });
    let messages = vec![
        user("go"),
        Message::Assistant {
            text: text(&events),
            tool_calls: found.clone(),
        },
        Message::ToolResults(results.collect()),
    ];
    let events = all(model(&provider).stream(request(messages))).await;
    assert_eq!(text(&events), "done", "{kind:?}");
    provider.seen()[1].body.clone()
}

fn said() -> Vec<Say> {
    vec![
        Say::reasoning("hm"),
        Say::text("looking"),
        Say::call("c1", "list_dir", json!({ "path": "." })),
        Say::call("c2", "list_dir", json!({})),
    ]
}

#[tokio::test]
async fn responses_gets_its_sealed_reasoning_calls_and_outputs_back() {
    let said = [
        Say::text("looking"),
        Say::reasoning("hm"),
        Say::call("c1", "list_dir", json!({ "path": "." })),
        Say::call("c2", "list_dir", json!({})),
    ];
    let body = second_request(Kind::Responses, &said).await;
    let input: Vec<(&str, &str)> = body["input"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| {
            let kind = item["type"].as_str().or(item["role"].as_str()).unwrap();
            (kind, item["call_id"].as_str().unwrap_or_default())
        })
        .collect();
    assert_eq!(
        input,
        [
            ("user", ""),
            ("message", ""),
            ("reasoning", ""),
            ("function_call", "c1"),
            ("function_call", "c2"),
            ("function_call_output", "c1"),
            ("function_call_output", "c2"),
        ]
    );
    assert_eq!(body["input"][2]["encrypted_content"], "sealed");
    assert_eq!(body["instructions"], "be brief");
    assert_eq!(body["store"], false);
    assert_eq!(body["tools"][0]["strict"], false);
}

#[tokio::test]
async fn chat_gets_its_reasoning_calls_and_results_back() {
    let body = second_request(Kind::Chat, &said()).await;
    let messages = &body["messages"];
    assert_eq!(messages[2]["content"], "looking");
    assert_eq!(messages[2]["reasoning_content"], "hm");
    assert_eq!(messages[2]["tool_calls"][0]["id"], "c1");
    assert_eq!(
        messages[2]["tool_calls"][0]["function"]["arguments"],
        r#"{"path":"."}"#
    );
    assert_eq!(
        messages[3],
        json!({ "role": "tool", "tool_call_id": "c1", "content": "result 0" })
    );
    assert_eq!(
        messages[4],
        json!({ "role": "tool", "tool_call_id": "c2", "content": "result 1" })
    );
    assert_eq!(body["stream_options"]["include_usage"], true);
}

#[tokio::test]
async fn anthropic_gets_its_signed_thinking_first_and_all_results_in_one_message() {
    let body = second_request(Kind::Anthropic, &said()).await;
    let messages = body["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 3);
    assert_eq!(
        messages[1]["content"][0],
        json!({ "type": "thinking", "thinking": "hm", "signature": "signed" })
    );
    assert_eq!(messages[1]["content"][2]["input"], json!({ "path": "." }));
    let results = messages[2]["content"].as_array().unwrap();
    assert_eq!(
        results[0],
        json!({ "type": "tool_result", "tool_use_id": "c1", "content": "result 0", "is_error": false })
    );
    assert_eq!(results[1]["is_error"], true);
    let cache = json!({ "type": "ephemeral" });
    assert_eq!(body["system"][0]["cache_control"], cache);
    assert_eq!(results[1]["cache_control"], cache);
}

#[tokio::test]
async fn ollama_gets_one_message_a_result() {
    let body = second_request(Kind::Ollama, &said()).await;
    let messages = &body["messages"];
    assert_eq!(
        messages[2]["tool_calls"][0]["function"]["arguments"],
        json!({ "path": "." })
    );
    assert_eq!(
        messages[3],
        json!({ "role": "tool", "content": "result 0" })
    );
    assert_eq!(
        messages[4],
        json!({ "role": "tool", "content": "result 1" })
    );
}

#[tokio::test]
async fn gemini_gets_its_signatures_and_named_results_back() {
    let body = second_request(Kind::Gemini, &said()).await;
    let contents = body["contents"].as_array().unwrap();
    assert_eq!(contents.len(), 3);
    let call = &contents[1]["parts"][1];
    assert_eq!(call["thoughtSignature"], "signed");
    assert_eq!(call["functionCall"]["args"], json!({ "path": "." }));
    let results = contents[2]["parts"].as_array().unwrap();
    assert_eq!(results.len(), 2);
    assert_eq!(results[0]["functionResponse"]["name"], "list_dir");
    assert_eq!(
        results[0]["functionResponse"]["response"]["content"],
        "result 0"
    );
}

#[tokio::test]
async fn a_thread_that_began_elsewhere_goes_on_without_foreign_secrets_and_ids() {
    let foreign = ToolCall {
        call_id: "call#list_dir#0".into(),
        name: "list_dir".into(),
        arguments: "not json".into(),
        provider_state: Some(json!({
            "model": "other/model", "thinking": [{ "type": "thinking" }],
            "encrypted": ["foreign"], "signature": "foreign", "reasoning": "foreign",
        })),
    };
    let result = ToolResult {
        call_id: "call#list_dir#0".into(),
        name: "list_dir".into(),
        content: "x".into(),
        is_error: true,
    };
    for kind in KINDS {
        let provider = StubProvider::start(kind, vec![Reply::says(&[Say::text("fine")])]);
        let messages = vec![
            user("go"),
            Message::Assistant {
                text: String::new(),
                tool_calls: vec![foreign.clone()],
            },
            Message::ToolResults(vec![result.clone()]),
            user("and now?"),
        ];
        let events = all(model(&provider).stream(request(messages))).await;
        assert_eq!(text(&events), "fine", "{kind:?}");
        let body = provider.seen()[0].body.clone();
        let sent = body.to_string();
        assert!(
            !sent.contains("foreign") && !sent.contains("\"thinking\""),
            "{kind:?}: {sent}"
        );
        assert!(sent.contains("not_an_object"), "{kind:?}: {sent}");
        if kind == Kind::Anthropic {
            assert_eq!(body["messages"][1]["content"][0]["id"], "call_list_dir_0");
            assert_eq!(
                body["messages"][2]["content"][0]["tool_use_id"],
                "call_list_dir_0"
            );
        }
    }
}
