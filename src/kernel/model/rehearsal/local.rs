//! `rehearsal/default`: answers from what its tools say, and from nothing else.

mod command;
mod help;
mod intent;
mod look;
mod overview;
mod question;
mod turn;

use futures_util::{StreamExt, stream};
use serde_json::Value;

use self::intent::Intent;
use self::turn::Turn;
use super::super::{
    Message, Model, ModelError, ModelErrorKind, ModelEvent, ModelName, ModelRequest, ModelStream,
    StopReason, ToolCall, Usage, history,
};
use super::selection;

/// Said once in every turn.
const WHAT_I_AM: &str = "(I am the rehearsal model: a small program that uses the tools it is \
                         offered. I am not a language model.)\n\n";

/// Bytes counted as one token: the usage reported is bytes of text divided by this, rounded up.
const BYTES_PER_TOKEN: u64 = 4;

/// Words to one delta.
const WORDS_PER_DELTA: usize = 3;

/// The embedded model.
pub(super) struct Local {
    name: ModelName,
}

/// What the model does next.
enum Move {
    /// Says something and ends its turn.
    Answer(String),
    /// Says something (perhaps nothing) and calls tools.
    Call(String, Vec<Call>),
}

/// A tool and its arguments.
struct Call {
    name: &'static str,
    arguments: Value,
}

impl Call {
    fn new(name: &'static str, arguments: Value) -> Self {
        Self { name, arguments }
    }
}

impl Local {
    pub(super) fn new(name: ModelName) -> Self {
        Self { name }
    }
}

impl Model for Local {
    fn name(&self) -> &ModelName {
        &self.name
    }

    fn stream(&self, request: ModelRequest) -> ModelStream {
        if let Some(problem) = history::problem(&request.messages) {
            let message = format!("{}: {problem}", self.name);
            let error = ModelError::new(ModelErrorKind::Rejected, message);
            return stream::iter([Err(error)]).boxed();
        }
        let next = next_move(&Turn::of(&request));
        stream::iter(events(&request, next).into_iter().map(Ok)).boxed()
    }
}

/// Decides from the current turn alone, so that a restart changes nothing.
fn next_move(turn: &Turn<'_>) -> Move {
    let next = match Intent::of(turn.question) {
        Intent::Do(command) => command::next(turn, &command),
        Intent::Overview => overview::next(turn),
        Intent::Find(words) => question::next(turn, &words),
        Intent::Unknown => Move::Answer(help::text(turn)),
    };
    match next {
        Move::Answer(text) if turn.rounds.is_empty() => Move::Answer(format!("{WHAT_I_AM}{text}")),
        Move::Call(text, calls) if turn.rounds.is_empty() => {
            Move::Call(format!("{WHAT_I_AM}{text}"), calls)
        }
        later => later,
    }
}

fn events(request: &ModelRequest, next: Move) -> Vec<ModelEvent> {
    let (text, calls) = match next {
        Move::Answer(text) => (text, Vec::new()),
        Move::Call(text, calls) => (text, calls),
    };
    let mut written = text.len();
    let mut events = deltas(&text);
    let stop = if calls.is_empty() {
        StopReason::EndTurn
    } else {
        StopReason::ToolUse
    };
    let answered = selection::answered(request) + 1;
    for (at, call) in calls.into_iter().enumerate() {
        let arguments = call.arguments.to_string();
        written += call.name.len() + arguments.len();
        events.push(ModelEvent::ToolCall(ToolCall {
            call_id: format!("call_{answered}_{}", at + 1),
            name: call.name.to_owned(),
            arguments,
            provider_state: None,
        }));
    }
    events.push(ModelEvent::Finished {
        stop,
        usage: Usage {
            input_tokens: Some(tokens(read(request))),
            cached_input_tokens: None,
            output_tokens: Some(tokens(written)),
            reasoning_tokens: None,
        },
    });
    events
}

fn deltas(text: &str) -> Vec<ModelEvent> {
    let words: Vec<&str> = text.split_inclusive(' ').collect();
    words
        .chunks(WORDS_PER_DELTA)
        .map(|words| ModelEvent::Text(words.concat()))
        .collect()
}

/// Bytes of everything the model was sent.
fn read(request: &ModelRequest) -> usize {
    let messages = request.messages.iter().map(|message| match message {
        Message::User { text } => text.len(),
        Message::Assistant { text, tool_calls } => {
            let calls = tool_calls.iter();
            text.len()
                + calls
                    .map(|call| call.name.len() + call.arguments.len())
                    .sum::<usize>()
        }
        Message::ToolResults(results) => results.iter().map(|result| result.content.len()).sum(),
    });
    request.system.len() + messages.sum::<usize>()
}

fn tokens(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(BYTES_PER_TOKEN)
}

#[cfg(test)]
mod tests;
