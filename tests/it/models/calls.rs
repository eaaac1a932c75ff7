//! Tool calls whose pieces are numbered and named wrongly, as real endpoints do it.

use serde_json::{Value, json};
use threadkeep::kernel::model::StopReason;

use super::stub::{Kind, Reply};
use super::*;

/// A Chat Completions stream with these `tool_calls` lists, one a chunk.
fn chat(lists: &[Value]) -> Reply {
    let mut frames: Vec<String> = lists
        .iter()
        .map(|list| {
            let choice =
                json!({ "index": 0, "delta": { "tool_calls": list }, "finish_reason": null });
            format!("data: {}\n\n", json!({ "choices": [choice] }))
        })
        .collect();
    let end = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "tool_calls" }] });
    frames.push(format!("data: {end}\n\ndata: [DONE]\n\n"));
    let frames: Vec<&str> = frames.iter().map(String::as_str).collect();
    Reply::pieces(&frames)
}

/// Asserts which calls come of `lists`: id (empty when the endpoint gave none), name, arguments.
async fn assert_calls(case: &str, lists: &[Value], expected: &[(&str, &str, &str)]) {
    let events = hear(Kind::Chat, chat(lists)).await;
    let found = tool_calls(&events);
    assert_eq!(found.len(), expected.len(), "{case}: {found:?}");
    for (call, (id, name, arguments)) in found.iter().zip(expected) {
        assert_eq!(
            (call.name.as_str(), call.arguments.as_str()),
            (*name, *arguments),
            "{case}"
        );
        if id.is_empty() {
            assert!(call.call_id.starts_with("call_"), "{case}: {call:?}");
        } else {
            assert_eq!(call.call_id, *id, "{case}");
        }
    }
    let mut ids: Vec<&str> = found.iter().map(|call| call.call_id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), expected.len(), "{case}: two calls share an id");
    assert_eq!(finish(&events).0, StopReason::ToolUse, "{case}");
}

#[tokio::test]
async fn two_entries_with_one_index_in_one_chunk_are_two_calls() {
    assert_calls(
        "with ids",
        &[json!([
            { "index": 0, "id": "a", "function": { "name": "one", "arguments": "{\"x\":1}" } },
            { "index": 0, "id": "b", "function": { "name": "two", "arguments": "{\"y\":2}" } },
        ])],
        &[("a", "one", r#"{"x":1}"#), ("b", "two", r#"{"y":2}"#)],
    )
    .await;
    assert_calls(
        "without ids",
        &[json!([
            { "index": 0, "function": { "name": "one", "arguments": "{\"x\":1}" } },
            { "index": 0, "function": { "name": "one", "arguments": "{\"x\":2}" } },
        ])],
        &[("", "one", r#"{"x":1}"#), ("", "one", r#"{"x":2}"#)],
    )
    .await;
}

#[tokio::test]
async fn a_second_call_whose_head_says_index_0_is_not_glued_to_the_first() {
    let first =
        json!([{ "index": 0, "id": "a", "function": { "name": "t", "arguments": "{\"x\":" } }]);
    let first_rest = json!([{ "index": 0, "function": { "arguments": "1}" } }]);
    let second = json!([{ "index": 0, "id": "b", "function": { "name": "t", "arguments": "" } }]);
    for index in [0, 1] {
        let rest = json!([{ "index": index, "function": { "arguments": "{\"x\":2}" } }]);
        assert_calls(
            "the rest under either index",
            &[first.clone(), first_rest.clone(), second.clone(), rest],
            &[("a", "t", r#"{"x":1}"#), ("b", "t", r#"{"x":2}"#)],
        )
        .await;
    }
}

#[tokio::test]
async fn calls_without_an_index_are_told_apart_by_id_and_order() {
    assert_calls(
        "ids in heads only",
        &[
            json!([{ "id": "a", "function": { "name": "one", "arguments": "{\"x\":" } }]),
            json!([{ "function": { "arguments": "1}" } }]),
            json!([{ "id": "b", "function": { "name": "two", "arguments": "{}" } }]),
        ],
        &[("a", "one", r#"{"x":1}"#), ("b", "two", "{}")],
    )
    .await;
    assert_calls(
        "pieces of two calls in turn",
        &[
            json!([{ "id": "a", "function": { "name": "one", "arguments": "{\"x\":" } }]),
            json!([{ "id": "b", "function": { "name": "two", "arguments": "{\"y\":" } }]),
            json!([{ "id": "a", "function": { "arguments": "1}" } }]),
            json!([{ "id": "b", "function": { "arguments": "2}" } }]),
        ],
        &[("a", "one", r#"{"x":1}"#), ("b", "two", r#"{"y":2}"#)],
    )
    .await;
}

#[tokio::test]
async fn calls_without_ids_are_told_apart_by_index_name_and_order() {
    assert_calls(
        "by index, in turn",
        &[
            json!([{ "index": 0, "function": { "name": "t", "arguments": "{\"x\":" } }]),
            json!([{ "index": 1, "function": { "name": "t", "arguments": "{\"x\":" } }]),
            json!([{ "index": 0, "function": { "arguments": "1}" } }]),
            json!([{ "index": 1, "function": { "arguments": "2}" } }]),
        ],
        &[("", "t", r#"{"x":1}"#), ("", "t", r#"{"x":2}"#)],
    )
    .await;
    assert_calls(
        "neither index nor id",
        &[
            json!([{ "function": { "name": "one", "arguments": "{\"x\":" } }]),
            json!([{ "function": { "arguments": "1}" } }]),
            json!([{ "function": { "name": "two", "arguments": "{}" } }]),
            json!([{ "function": { "name": "two", "arguments": "{}" } }]),
        ],
        &[
            ("", "one", r#"{"x":1}"#),
            ("", "two", "{}"),
            ("", "two", "{}"),
        ],
    )
    .await;
}

#[tokio::test]
async fn what_is_repeated_in_every_piece_makes_no_new_call() {
    assert_calls(
        "id and name in every piece",
        &[
            json!([{ "index": 0, "id": "a", "function": { "name": "t", "arguments": "{\"x\":" } }]),
            json!([{ "index": 0, "id": "a", "function": { "name": "t", "arguments": "1}" } }]),
        ],
        &[("a", "t", r#"{"x":1}"#)],
    )
    .await;
    assert_calls(
        "another id in every piece",
        &[
            json!([{ "index": 0, "id": "a", "function": { "name": "t", "arguments": "{\"x\":" } }]),
            json!([{ "index": 0, "id": "b", "function": { "arguments": "1}" } }]),
        ],
        &[("a", "t", r#"{"x":1}"#)],
    )
    .await;
    assert_calls(
        "the whole call once more at the end",
        &[
            json!([{ "index": 0, "id": "a", "function": { "name": "t", "arguments": "{\"x\":1}" } }]),
            json!([{ "index": 0, "id": "a", "function": { "name": "t", "arguments": "{\"x\":1}" } }]),
        ],
        &[("a", "t", r#"{"x":1}"#)],
    )
    .await;
    assert_calls(
        "null and empty members",
        &[
            json!([{ "index": 0, "id": "a", "function": { "name": "t", "arguments": null } }]),
            json!([{ "index": 0, "id": "", "function": { "name": "", "arguments": "{}" } }]),
            json!([{ "index": 0, "id": null, "function": { "name": null, "arguments": "" } }]),
        ],
        &[("a", "t", "{}")],
    )
    .await;
}

#[tokio::test]
async fn one_id_for_two_calls_still_makes_two() {
    let entry = |x: u32| json!([{ "index": 0, "id": "a", "function": { "name": "t", "arguments": format!("{{\"x\":{x}}}") } }]);
    assert_calls(
        "the same id twice",
        &[entry(1), entry(2)],
        &[("a", "t", r#"{"x":1}"#), ("", "t", r#"{"x":2}"#)],
    )
    .await;
}

#[tokio::test]
async fn a_far_index_costs_nothing_and_arguments_may_be_an_object_or_no_json() {
    assert_calls(
        "an index of four billion",
        &[json!([{ "index": 4_294_967_295_u32, "id": "a", "function": { "name": "t", "arguments": "{}" } }])],
        &[("a", "t", "{}")],
    )
    .await;
    assert_calls(
        "an object",
        &[json!([{ "index": 0, "id": "a", "function": { "name": "t", "arguments": { "x": 1 } } }])],
        &[("a", "t", r#"{"x":1}"#)],
    )
    .await;
    assert_calls(
        "exactly what the model wrote",
        &[json!([{ "index": 0, "id": "a", "function": { "name": "t", "arguments": "{x: 1" } }])],
        &[("a", "t", "{x: 1")],
    )
    .await;
}

#[tokio::test]
async fn a_call_the_token_limit_cut_off_is_not_passed_on() {
    let chunk = |delta: Value, finish: Value| {
        let choice = json!({ "index": 0, "delta": delta, "finish_reason": finish });
        format!("data: {}\n\n", json!({ "choices": [choice] }))
    };
    let entries = json!({ "tool_calls": [
        { "index": 0, "id": "a", "function": { "name": "t", "arguments": "{}" } },
        { "index": 1, "id": "b", "function": { "name": "t", "arguments": "{\"x\": \"unfin" } },
    ] });
    let pieces = [
        chunk(entries, Value::Null),
        chunk(json!({}), json!("length")),
    ];
    let events = hear(Kind::Chat, Reply::pieces(&[&pieces[0], &pieces[1]])).await;
    assert_eq!(calls(&events), [("t".into(), "{}".into())]);
    assert_eq!(finish(&events).0, StopReason::MaxTokens);
}

#[tokio::test]
async fn interleaved_blocks_and_items_are_told_apart_by_every_other_provider() {
    let start = |index: u32, id: &str| json!({ "type": "content_block_start", "index": index, "content_block": { "type": "tool_use", "id": id, "name": "t", "input": {} } });
    let delta = |index: u32, text: &str| json!({ "type": "content_block_delta", "index": index, "delta": { "type": "input_json_delta", "partial_json": text } });
    let anthropic = [
        start(0, "a"),
        start(1, "b"),
        delta(0, "{\"x\":"),
        delta(1, "{\"y\":"),
        delta(0, "1}"),
        delta(1, "2}"),
        json!({ "type": "content_block_stop", "index": 1 }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" } }),
        json!({ "type": "message_stop" }),
    ];
    let added = |index: u32, id: &str| json!({ "type": "response.output_item.added", "output_index": index, "item": { "type": "function_call", "id": format!("i{id}"), "call_id": id, "name": "t", "arguments": "" } });
    // No index: only the item's id tells.
    let piece = |id: &str, text: &str| json!({ "type": "response.function_call_arguments.delta", "item_id": format!("i{id}"), "delta": text });
    let responses = [
        added(0, "a"),
        added(1, "b"),
        piece("a", "{\"x\":"),
        piece("b", "{\"y\":"),
        piece("a", "1}"),
        piece("b", "2}"),
        json!({ "type": "response.completed", "response": { "id": "r", "status": "completed", "model": "m", "output": [] } }),
    ];
    for (kind, frames) in [
        (Kind::Anthropic, &anthropic[..]),
        (Kind::Responses, &responses[..]),
    ] {
        let pieces: Vec<String> = frames
            .iter()
            .map(|frame| format!("data: {frame}\n\n"))
            .collect();
        let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
        let events = hear(kind, Reply::pieces(&pieces)).await;
        assert_eq!(
            calls(&events),
            [
                ("t".into(), r#"{"x":1}"#.into()),
                ("t".into(), r#"{"y":2}"#.into())
            ],
            "{kind:?}"
        );
    }
}

#[tokio::test]
async fn calls_without_ids_get_their_own_from_ollama_and_gemini() {
    let call = json!({ "function": { "name": "t", "arguments": { "x": 1 } } });
    let ollama = format!(
        "{}\n{}\n",
        json!({ "message": { "role": "assistant", "content": "", "tool_calls": [call, call] }, "done": false }),
        json!({ "message": { "role": "assistant", "content": "" }, "done": true, "done_reason": "stop" }),
    );
    let part = json!({ "functionCall": { "name": "t", "args": { "x": 1 } } });
    let gemini = format!(
        "data: {}\n\n",
        json!({ "candidates": [{ "content": { "parts": [part, part] }, "finishReason": "STOP" }] })
    );
    for (kind, stream) in [(Kind::Ollama, ollama), (Kind::Gemini, gemini)] {
        let events = hear(kind, Reply::pieces(&[&stream])).await;
        let found = tool_calls(&events);
        assert_eq!(found.len(), 2, "{kind:?}: {events:?}");
        assert_ne!(found[0].call_id, found[1].call_id, "{kind:?}");
        assert_eq!(found[0].arguments, r#"{"x":1}"#);
        assert_eq!(finish(&events).0, StopReason::ToolUse, "{kind:?}");
    }
}
