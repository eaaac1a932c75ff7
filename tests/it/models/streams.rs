//! Streams that are written or cut up in unusual but permitted ways.

use serde_json::json;
use threadkeep::kernel::model::{ModelErrorKind, StopReason};

use super::stub::{Ending, Kind, Reply, Say};
use super::*;

const SSE: [Kind; 4] = [Kind::Responses, Kind::Chat, Kind::Anthropic, Kind::Gemini];

/// What the streams below say.
fn said() -> Vec<Say> {
    vec![
        Say::text("grüße 🦀 an alle"),
        Say::call("c1", "list_dir", json!({ "path": "ä" })),
    ]
}

fn stream(kind: Kind) -> String {
    dialect::render(kind, &said()).concat()
}

/// Each frame in several `data` lines.
fn in_several_lines(kind: Kind) -> String {
    stream(kind).replace(",\"", ",\ndata: \"")
}

fn assert_heard(events: &Events, what: &str) {
    assert_eq!(text(events), "grüße 🦀 an alle", "{what}");
    let expected = ("list_dir".to_owned(), r#"{"path":"ä"}"#.to_owned());
    assert_eq!(calls(events), [expected], "{what}");
    assert_eq!(
        finish(events),
        (StopReason::ToolUse, usage(10, 5)),
        "{what}"
    );
}

#[tokio::test]
async fn every_way_of_ending_lines_is_understood() {
    for kind in SSE {
        for ending in ["\r\n", "\r"] {
            let stream = stream(kind).replace('\n', ending);
            let events = hear(kind, Reply::pieces(&[&stream])).await;
            assert_heard(&events, &format!("{kind:?} {ending:?}"));
        }
    }
}

#[tokio::test]
async fn comments_and_unknown_fields_and_events_are_passed_over() {
    for kind in SSE {
        let noise = ": keep-alive\n\nid: 7\nretry: 10\n: another\n";
        let stream = stream(kind).replace("data: ", &format!("{noise}data: "));
        let stream = format!("event: surprise\ndata: {{\"type\":\"surprise\"}}\n\n{stream}");
        let events = hear(kind, Reply::pieces(&[&stream])).await;
        assert_heard(&events, &format!("{kind:?}"));
    }
}

#[tokio::test]
async fn data_of_several_lines_is_one_frame() {
    for kind in SSE {
        let stream = in_several_lines(kind);
        for stream in [stream.clone(), stream.replace('\n', "\r\n")] {
            let events = hear(kind, Reply::pieces(&[&stream])).await;
            assert_heard(&events, &format!("{kind:?}"));
        }
    }
}

#[tokio::test]
async fn a_stream_may_be_split_at_any_byte() {
    for kind in KINDS {
        let stream = match kind {
            Kind::Ollama => stream(kind),
            _ => in_several_lines(kind),
        };
        for stream in [stream.clone(), stream.replace('\n', "\r\n")] {
            let bytes = stream.as_bytes().iter().map(|byte| vec![*byte]).collect();
            let events = hear(kind, Reply::Pieces(bytes, Ending::Whole)).await;
            assert_heard(&events, &format!("{kind:?}"));
        }
    }
}

#[tokio::test]
async fn a_stream_without_its_end_marker_is_whole_when_the_model_said_it_is() {
    let chat = stream(Kind::Chat).replace("data: [DONE]\n\n", "");
    assert_heard(&hear(Kind::Chat, Reply::pieces(&[&chat])).await, "chat");
    let cut = Reply::ending(&[&chat], Ending::Cut);
    assert_heard(
        &hear(Kind::Chat, cut).await,
        "chat, cut after the last frame",
    );
    let mut anthropic = dialect::render(Kind::Anthropic, &said());
    anthropic.pop();
    let anthropic = anthropic.concat();
    assert_heard(
        &hear(Kind::Anthropic, Reply::pieces(&[&anthropic])).await,
        "anthropic",
    );
}

#[tokio::test]
async fn an_open_connection_after_a_whole_answer_does_not_hold_it_up_for_long() {
    let chat = stream(Kind::Chat).replace("data: [DONE]\n\n", "");
    let events = hear(Kind::Chat, Reply::ending(&[&chat], Ending::Open)).await;
    assert_heard(&events, "chat");
}

#[tokio::test]
async fn frames_without_event_names_are_understood() {
    for kind in [Kind::Responses, Kind::Anthropic] {
        let lines: Vec<String> = stream(kind)
            .lines()
            .filter(|line| !line.starts_with("event:"))
            .map(|line| format!("{line}\n"))
            .collect();
        let events = hear(kind, Reply::pieces(&[&lines.concat()])).await;
        assert_heard(&events, &format!("{kind:?}"));
    }
}

fn chat_frames(frames: &[serde_json::Value]) -> Reply {
    let frames: Vec<String> = frames
        .iter()
        .map(|frame| format!("data: {frame}\n\n"))
        .collect();
    let frames: Vec<&str> = frames.iter().map(String::as_str).collect();
    Reply::pieces(&frames)
}

#[tokio::test]
async fn empty_choices_and_usage_in_every_place_are_understood() {
    let hi = json!({ "choices": [{ "delta": { "content": "hi" } }], "usage": null });
    let end = |usage: serde_json::Value| json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }], "usage": usage });
    let numbers = json!({
        "prompt_tokens": 10, "completion_tokens": 5,
        "prompt_tokens_details": { "cached_tokens": 4 },
        "completion_tokens_details": { "reasoning_tokens": 3 },
    });
    let known = Usage {
        cached_input_tokens: Some(4),
        reasoning_tokens: Some(3),
        ..usage(10, 5)
    };
    let cases = [
        ("null", vec![hi.clone(), end(json!(null))], Usage::default()),
        (
            "absent",
            vec![
                hi.clone(),
                json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }] }),
            ],
            Usage::default(),
        ),
        (
            "with the end",
            vec![hi.clone(), end(numbers.clone())],
            known,
        ),
        (
            "after the end",
            vec![
                hi.clone(),
                end(json!(null)),
                json!({ "choices": [], "usage": numbers }),
            ],
            known,
        ),
        (
            "in every chunk",
            vec![
                json!({ "choices": [], "prompt_filter_results": [] }),
                json!({ "choices": [{ "delta": { "content": "hi" } }], "usage": { "prompt_tokens": 10, "completion_tokens": 1 } }),
                end(numbers.clone()),
                json!({ "choices": [] }),
            ],
            known,
        ),
        (
            "in part",
            vec![hi.clone(), end(json!({ "prompt_tokens": 10 }))],
            Usage {
                input_tokens: Some(10),
                ..Usage::default()
            },
        ),
    ];
    for (case, frames, expected) in cases {
        let events = hear(Kind::Chat, chat_frames(&frames)).await;
        assert_eq!(text(&events), "hi", "{case}");
        assert_eq!(finish(&events), (StopReason::EndTurn, expected), "{case}");
    }
}

#[tokio::test]
async fn what_a_provider_does_not_tell_of_its_cost_stays_unknown() {
    let anthropic = [
        json!({ "type": "message_start", "message": { "usage": { "input_tokens": 3, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 100, "output_tokens": 1 } } }),
        json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "hi" } }),
        json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" }, "usage": { "output_tokens": 5 } }),
        json!({ "type": "message_stop" }),
    ];
    let cached = Usage {
        cached_input_tokens: Some(100),
        ..usage(123, 5)
    };
    let responses = [
        json!({ "type": "response.output_text.delta", "delta": "hi" }),
        json!({ "type": "response.completed", "response": { "id": "r", "status": "completed", "model": "m", "output": [], "usage": null } }),
    ];
    let gemini = [json!({
        "candidates": [{ "content": { "parts": [{ "text": "hi" }] }, "finishReason": "STOP" }],
        "usageMetadata": { "promptTokenCount": 7, "candidatesTokenCount": 2, "thoughtsTokenCount": 4, "cachedContentTokenCount": 5 },
    })];
    let thought = Usage {
        cached_input_tokens: Some(5),
        reasoning_tokens: Some(4),
        ..usage(7, 6)
    };
    let cases = [
        (Kind::Anthropic, &anthropic[..], cached),
        (Kind::Responses, &responses[..], Usage::default()),
        (Kind::Gemini, &gemini[..], thought),
    ];
    for (kind, frames, expected) in cases {
        let events = hear(kind, chat_frames(frames)).await;
        assert_eq!(text(&events), "hi");
        assert_eq!(finish(&events).1, expected, "{kind:?}");
    }
}

#[tokio::test]
async fn every_reason_to_stop_is_told() {
    let chat = |reason: &str| {
        chat_frames(&[
            json!({ "choices": [{ "delta": { "content": "x" }, "finish_reason": reason }] }),
        ])
    };
    let anthropic = |reason: &str| {
        chat_frames(&[
            json!({ "type": "message_delta", "delta": { "stop_reason": reason } }),
            json!({ "type": "message_stop" }),
        ])
    };
    let responses = |reason: &str| {
        chat_frames(&[json!({ "type": "response.incomplete", "response": {
            "id": "r", "status": "incomplete", "model": "m", "output": [],
            "incomplete_details": { "reason": reason }
        } })])
    };
    let gemini = |reason: &str| {
        chat_frames(&[
            json!({ "candidates": [{ "content": { "parts": [] }, "finishReason": reason }] }),
        ])
    };
    let cases = [
        (Kind::Chat, chat("length"), StopReason::MaxTokens),
        (Kind::Chat, chat("content_filter"), StopReason::Refused),
        (Kind::Chat, chat("never heard of"), StopReason::Unknown),
        (
            Kind::Anthropic,
            anthropic("max_tokens"),
            StopReason::MaxTokens,
        ),
        (Kind::Anthropic, anthropic("refusal"), StopReason::Refused),
        (
            Kind::Anthropic,
            anthropic("stop_sequence"),
            StopReason::EndTurn,
        ),
        (
            Kind::Responses,
            responses("max_output_tokens"),
            StopReason::MaxTokens,
        ),
        (
            Kind::Responses,
            responses("content_filter"),
            StopReason::Refused,
        ),
        (Kind::Gemini, gemini("MAX_TOKENS"), StopReason::MaxTokens),
        (Kind::Gemini, gemini("SAFETY"), StopReason::Refused),
        (
            Kind::Gemini,
            chat_frames(&[json!({ "promptFeedback": { "blockReason": "OTHER" } })]),
            StopReason::Refused,
        ),
    ];
    for (kind, reply, expected) in cases {
        let what = format!("{kind:?} {reply:?}");
        assert_eq!(finish(&hear(kind, reply).await).0, expected, "{what}");
    }
}

#[tokio::test]
async fn nonsense_is_malformed_and_not_an_empty_answer() {
    for kind in SSE {
        let events = hear(kind, Reply::pieces(&["data: {\"a\" nonsense}\n\n"])).await;
        let [Err(error)] = events.as_slice() else {
            panic!("{kind:?}: {events:?}");
        };
        assert_eq!(error.kind, ModelErrorKind::Malformed, "{kind:?}");
    }
}
