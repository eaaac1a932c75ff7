//! Which reply of a script answers a request: a rule that needs nothing but the request, so that
//! it holds over many turns, restarts and forks.
//!
//! Replies whose `when` is contained in the last user message answer the requests of that turn,
//! in the order they stand: the first one its first request, the next one the request after its
//! tool results, and so on. In every other turn the replies without `when` are numbered over the
//! whole conversation: the reply number is the number of assistant messages in the request.

use super::super::{Message, ModelRequest};
use super::script::Script;

/// The index of the reply that answers `request`, or the problem in words when none is left.
pub(super) fn select(script: &Script, request: &ModelRequest) -> Result<usize, String> {
    let (user, answered_in_turn) = turn(request);
    let of_this_turn = replies(script, |when| when.is_some_and(|when| user.contains(when)));
    let (replies, number) = if of_this_turn.is_empty() {
        (replies(script, |when| when.is_none()), answered(request))
    } else {
        (of_this_turn, answered_in_turn)
    };
    let last = replies.last().filter(|_| script.repeat_last);
    replies.get(number).or(last).copied().ok_or_else(|| {
        format!(
            "the script has no reply number {} for this request (it has {}); add one, or set \
             \"repeat_last\": true",
            number + 1,
            replies.len()
        )
    })
}

/// The indexes of the replies whose `when` is `wanted`.
fn replies(script: &Script, wanted: impl Fn(Option<&str>) -> bool) -> Vec<usize> {
    let indexed = script.replies.iter().enumerate();
    indexed
        .filter(|(_, reply)| wanted(reply.when.as_deref()))
        .map(|(at, _)| at)
        .collect()
}

/// How many assistant messages the conversation holds.
pub(super) fn answered(request: &ModelRequest) -> usize {
    count(&request.messages)
}

/// The last user message and how many assistant messages follow it.
fn turn(request: &ModelRequest) -> (&str, usize) {
    for (at, message) in request.messages.iter().enumerate().rev() {
        if let Message::User { text } = message {
            return (text, count(&request.messages[at..]));
        }
    }
    ("", 0)
}

fn count(messages: &[Message]) -> usize {
    messages
        .iter()
        .filter(|message| matches!(message, Message::Assistant { .. }))
        .count()
}
