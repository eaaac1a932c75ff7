use std::sync::Arc;

use futures_util::StreamExt;
use serde_json::json;

use super::super::super::{ToolDeclaration, ToolResult};
use super::*;

const TOOLS: &[&str] = &[
    "read_file",
    "list_dir",
    "glob",
    "grep",
    "write_file",
    "edit_file",
    "shell",
];

/// Plays a whole turn: asks, answers each call with what `tool` says, until the model is done.
/// Returns every text it said, the calls it made and its last text.
async fn turn(
    question: &str,
    tools: &[&str],
    tool: impl Fn(&str, &Value) -> Result<String, String>,
) -> (Vec<(String, Value)>, String) {
    let model = Local::new("rehearsal/default".parse().unwrap());
    let mut messages = vec![Message::User {
        text: question.into(),
    }];
    let mut made = Vec::new();
    loop {
        let request = ModelRequest {
            system: String::new(),
            messages: messages.clone(),
            tools: declarations(tools),
            max_output_tokens: None,
        };
        let (text, tool_calls) = said(model.stream(request).collect().await);
        if tool_calls.is_empty() {
            return (made, text);
        }
        let results = tool_calls.iter().map(|call| {
            let arguments: Value = serde_json::from_str(&call.arguments).unwrap();
            let outcome = tool(&call.name, &arguments);
            made.push((call.name.clone(), arguments));
            ToolResult {
                call_id: call.call_id.clone(),
                name: call.name.clone(),
                is_error: outcome.is_err(),
                content: outcome.unwrap_or_else(|error| error),
            }
        });
        let results = results.collect();
        messages.push(Message::Assistant { text, tool_calls });
        messages.push(Message::ToolResults(results));
    }
}

fn declarations(names: &[&str]) -> Arc<[ToolDeclaration]> {
    let declared = names.iter().map(|name| ToolDeclaration {
        name: (*name).into(),
        description: String::new(),
        parameters: json!({ "type": "object" }),
    });
    declared.collect()
}

fn said(events: Vec<Result<ModelEvent, ModelError>>) -> (String, Vec<ToolCall>) {
    let mut text = String::new();
    let mut calls = Vec::new();
    for event in events {
        match event.unwrap() {
            ModelEvent::Text(delta) => text.push_str(&delta),
            ModelEvent::ToolCall(call) => calls.push(call),
            ModelEvent::Finished { stop, usage } => {
                let expected = if calls.is_empty() {
                    StopReason::EndTurn
                } else {
                    StopReason::ToolUse
                };
                assert_eq!(stop, expected);
                assert!(usage.input_tokens > Some(0) && usage.output_tokens > Some(0));
            }
            other => panic!("{other:?}"),
        }
    }
    (text, calls)
}

fn workspace(name: &str, arguments: &Value) -> Result<String, String> {
    match (name, arguments["path"].as_str()) {
        ("list_dir", Some(".")) => Ok("Cargo.toml\nREADME.md\nsrc/\n".into()),
        ("read_file", Some("README.md")) => {
            Ok("1\t# Threadkeep\n2\t\n3\tKeeps every thread\n4\tsafe.\n5\t\n6\tMore.".into())
        }
        ("read_file", Some("Cargo.toml")) => {
            Ok("# What this is.\n[package]\nname = \"threadkeep\"\nversion = \"0.1.0\"\n".into())
        }
        ("grep", _) => Ok("src/chain.rs:12:fn hash() {}\nsrc/chain.rs:40:let hash = 1;\n".into()),
        _ => Err(format!("no such thing: {name} {arguments}")),
    }
}

#[tokio::test]
async fn an_overview_is_answered_from_what_the_files_really_say() {
    let (calls, answer) = turn("what is in this repository?", TOOLS, workspace).await;
    let names: Vec<&str> = calls.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["list_dir", "read_file", "read_file"]);
    assert!(
        answer.contains("3 entries: Cargo.toml, README.md, src/"),
        "{answer}"
    );
    assert!(
        answer.contains("“Threadkeep” and begins: Keeps every thread safe."),
        "{answer}"
    );
    assert!(
        answer.contains("name threadkeep, version 0.1.0"),
        "{answer}"
    );
}

#[tokio::test]
async fn a_question_is_answered_with_the_lines_its_words_occur_in() {
    let (calls, answer) = turn("where is the hash made?", TOOLS, workspace).await;
    assert_eq!(calls, [("grep".into(), json!({ "pattern": "(?i)hash" }))]);
    assert!(
        answer.contains("`hash` is in 2 lines:\n- src/chain.rs:12:fn hash() {}"),
        "{answer}"
    );
}

#[tokio::test]
async fn a_word_that_is_nowhere_is_said_to_be_nowhere() {
    let nothing = |_: &str, _: &Value| Ok("no matches".to_owned());
    let (_, answer) = turn("where is the xylophone?", TOOLS, nothing).await;
    assert!(
        answer.contains("`xylophone` is not found (no matches)"),
        "{answer}"
    );
}

#[tokio::test]
async fn a_replacement_reads_before_it_edits_and_stops_at_a_failure() {
    let fine = |_: &str, _: &Value| Ok("done".to_owned());
    let (calls, _) = turn("replace `a` with `b` in x.txt", TOOLS, fine).await;
    assert_eq!(calls[0].0, "read_file");
    assert_eq!(
        calls[1],
        (
            "edit_file".into(),
            json!({ "path": "x.txt", "old_string": "a", "new_string": "b" })
        )
    );
    let failing = |_: &str, _: &Value| Err("declined".to_owned());
    let (calls, answer) = turn("replace `a` with `b` in x.txt", TOOLS, failing).await;
    assert_eq!(calls.len(), 1);
    assert!(
        answer.contains("failed or did not run:\n\ndeclined"),
        "{answer}"
    );
}

#[tokio::test]
async fn what_it_cannot_do_it_says_and_it_says_what_it_is() {
    let (calls, answer) = turn("make it faster", TOOLS, workspace).await;
    assert!(calls.is_empty());
    assert!(
        answer.contains("not a language model") && answer.contains("`run COMMAND`"),
        "{answer}"
    );
    let (_, answer) = turn("run ls", &["grep"], workspace).await;
    assert!(answer.contains("no tool called `shell`"), "{answer}");
    let (_, answer) = turn("what is in this repository?", &[], workspace).await;
    assert!(answer.contains("no tool called `list_dir`"), "{answer}");
}

#[tokio::test]
async fn a_failed_listing_is_reported() {
    let failing = |_: &str, _: &Value| Err("permission denied".to_owned());
    let (calls, answer) = turn("describe this project", TOOLS, failing).await;
    assert_eq!(calls.len(), 1);
    assert!(
        answer.contains("could not list the workspace: permission denied"),
        "{answer}"
    );
}

#[tokio::test]
async fn a_history_with_an_unanswered_call_is_rejected() {
    let model = Local::new("rehearsal/default".parse().unwrap());
    let request = ModelRequest {
        system: String::new(),
        messages: vec![
            Message::User { text: "hi".into() },
            Message::Assistant {
                text: String::new(),
                tool_calls: vec![ToolCall {
                    call_id: "c".into(),
                    name: "grep".into(),
                    arguments: String::new(),
                    provider_state: None,
                }],
            },
            Message::User {
                text: "again".into(),
            },
        ],
        tools: declarations(&[]),
        max_output_tokens: None,
    };
    let events: Vec<_> = model.stream(request).collect().await;
    let [Err(error)] = events.as_slice() else {
        panic!("{events:?}");
    };
    assert_eq!(error.kind, ModelErrorKind::Rejected);
    assert!(
        error
            .message
            .contains("no tool output found for tool calls [c]"),
        "{error}"
    );
}
