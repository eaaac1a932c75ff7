//! The rule every provider enforces on a conversation: each tool call is answered exactly once.

use super::Message;

/// What is wrong with `messages`, in words a provider would use; `None` when they can be sent.
pub(super) fn problem(messages: &[Message]) -> Option<String> {
    if !matches!(
        messages.last(),
        Some(Message::User { .. } | Message::ToolResults(_))
    ) {
        return Some("the conversation does not end with a user message or tool results".into());
    }
    let mut open: &[super::ToolCall] = &[];
    for (at, message) in messages.iter().enumerate() {
        match message {
            Message::ToolResults(results) => {
                let asked = open.iter().map(|call| call.call_id.as_str());
                let answered = results.iter().map(|result| result.call_id.as_str());
                if open.is_empty() || !asked.clone().eq(answered.clone()) {
                    return Some(format!(
                        "message {at}: tool calls [{}] are answered by results [{}]",
                        join(asked),
                        join(answered)
                    ));
                }
                open = &[];
            }
            _ if !open.is_empty() => {
                return Some(format!(
                    "message {at}: no tool output found for tool calls [{}]",
                    join(open.iter().map(|call| call.call_id.as_str()))
                ));
            }
            Message::User { text } if text.is_empty() => {
                return Some(format!("message {at}: the user message is empty"));
            }
            Message::User { .. } => {}
            Message::Assistant { text, tool_calls } => {
                if text.is_empty() && tool_calls.is_empty() {
                    return Some(format!("message {at}: the assistant message is empty"));
                }
                open = tool_calls;
            }
        }
    }
    None
}

fn join<'a>(ids: impl Iterator<Item = &'a str>) -> String {
    ids.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::super::{ToolCall, ToolResult};
    use super::*;

    fn user() -> Message {
        Message::User { text: "hi".into() }
    }

    fn calls(ids: &[&str]) -> Message {
        Message::Assistant {
            text: String::new(),
            tool_calls: ids
                .iter()
                .map(|id| ToolCall {
                    call_id: (*id).into(),
                    name: "t".into(),
                    arguments: String::new(),
                    provider_state: None,
                })
                .collect(),
        }
    }

    fn results(ids: &[&str]) -> Message {
        Message::ToolResults(
            ids.iter()
                .map(|id| ToolResult {
                    call_id: (*id).into(),
                    name: "t".into(),
                    content: String::new(),
                    is_error: false,
                })
                .collect(),
        )
    }

    #[test]
    fn a_conversation_is_sendable_only_when_every_call_has_one_result_in_order() {
        let fine = [
            vec![user()],
            vec![user(), calls(&["a", "b"]), results(&["a", "b"])],
            vec![user(), calls(&["a"]), results(&["a"]), user()],
        ];
        for messages in fine {
            assert_eq!(problem(&messages), None);
        }
        let broken = [
            vec![],
            vec![user(), calls(&["a"])],
            vec![user(), calls(&["a"]), user()],
            vec![user(), calls(&["a", "b"]), results(&["b", "a"])],
            vec![user(), calls(&["a", "b"]), results(&["a"])],
            vec![user(), calls(&["a"]), results(&["a", "a"])],
            vec![user(), results(&["a"])],
            vec![user(), calls(&["a"]), results(&["a"]), results(&["a"])],
            vec![user(), calls(&[]), user()],
            vec![Message::User {
                text: String::new(),
            }],
        ];
        for messages in broken {
            assert!(problem(&messages).is_some(), "{messages:?}");
        }
    }
}
