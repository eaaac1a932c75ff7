//! The answer to one request, over as many attempts as it takes.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::super::{ModelError, ModelErrorKind, ModelEvent, ModelRequest, Retry};
use super::attempt::Attempt;
use super::failure::{Again, Failure};
use super::{Target, Wire, question};

/// An answer in the making. Dropping it drops the connection it is read from.
pub(super) struct Answer {
    target: Arc<Target>,
    request: ModelRequest,
    state: State,
    attempts: u32,
    /// Something was shown: from here on no attempt may start over.
    shown: bool,
    ready: VecDeque<ModelEvent>,
}

enum State {
    Ask,
    Read(Box<Attempt>),
    Wait(Duration),
    Over,
}

impl Answer {
    pub(super) fn new(target: Arc<Target>, request: ModelRequest) -> Self {
        Self {
            target,
            request,
            state: State::Ask,
            attempts: 0,
            shown: false,
            ready: VecDeque::new(),
        }
    }

    pub(super) async fn next(&mut self) -> Option<Result<ModelEvent, ModelError>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                self.note(&event);
                return Some(Ok(event));
            }
            if matches!(self.state, State::Over) {
                return None;
            }
            if let Err(failure) = self.step().await
                && let Some(error) = self.failed(&failure)
            {
                self.state = State::Over;
                return Some(Err(error));
            }
        }
    }

    fn note(&mut self, event: &ModelEvent) {
        match event {
            ModelEvent::Text(_) | ModelEvent::Reasoning(_) | ModelEvent::ToolCall(_) => {
                self.shown = true;
            }
            ModelEvent::Retrying(_) => {}
            ModelEvent::Finished { .. } => self.state = State::Over,
        }
    }

    async fn step(&mut self) -> Result<(), Failure> {
        match &mut self.state {
            State::Ask => {
                self.attempts += 1;
                let wire = self.target.wire();
                let attempt = Attempt::start(&self.target, wire, &self.request).await?;
                self.state = State::Read(Box::new(attempt));
            }
            State::Read(attempt) => self.ready.extend(attempt.read(&self.target).await?),
            State::Wait(wait) => {
                self.target.retry.pass(*wait).await;
                self.state = State::Ask;
            }
            State::Over => {}
        }
        Ok(())
    }

    /// What becomes of a failure: another attempt, or the error that ends the answer.
    fn failed(&mut self, failure: &Failure) -> Option<ModelError> {
        if self.shown {
            return Some(self.error_after_showing(failure));
        }
        if self.asks_differently(failure) {
            self.attempts -= 1;
            self.state = State::Ask;
            return None;
        }
        let wait = match failure.again {
            Again::Never => None,
            Again::Perhaps(asked) => self.target.retry.wait(self.attempts, asked),
        };
        let Some(after) = wait else {
            return Some(self.final_error(failure));
        };
        self.state = State::Wait(after);
        self.ready.push_back(ModelEvent::Retrying(Retry {
            attempt: self.attempts,
            after,
            error: self.error(failure.kind, &failure.message),
        }));
        None
    }

    /// Learns from a refusal what the endpoint or model does not know; true when that was news.
    fn asks_differently(&self, failure: &Failure) -> bool {
        let target = &self.target;
        let no_responses = matches!(failure.status, Some(404 | 405 | 501))
            && target.wire() == Wire::Responses
            && target.address.custom;
        if no_responses {
            return !target.without_responses.swap(true, Ordering::Relaxed);
        }
        let words = failure.message.to_lowercase();
        let no_extras = failure.status == Some(400)
            && question::has_extras(target, target.wire())
            && ["reasoning", "encrypted", "thinking", "verified"]
                .iter()
                .any(|extra| words.contains(extra));
        no_extras && !target.without_extras.swap(true, Ordering::Relaxed)
    }

    fn error_after_showing(&self, failure: &Failure) -> ModelError {
        let is_passing =
            failure.again != Again::Never || failure.kind == ModelErrorKind::Unavailable;
        if is_passing {
            return self.error(ModelErrorKind::Cut, &failure.message);
        }
        self.final_error(failure)
    }

    /// The error that ends the answer, with what to do.
    fn final_error(&self, failure: &Failure) -> ModelError {
        let target = &self.target;
        let advice = match failure.kind {
            ModelErrorKind::Unauthorized => format!("; check {}", target.key_variable),
            ModelErrorKind::Unavailable if target.wire == Wire::Ollama => {
                "; is Ollama running there?".to_owned()
            }
            ModelErrorKind::ContextTooLong => "; start a new thread or compact this one".to_owned(),
            ModelErrorKind::RateLimited => "; try again later".to_owned(),
            ModelErrorKind::Rejected if failure.status == Some(404) && target.address.custom => {
                format!("; check the model's name and {}", target.address.variable)
            }
            _ => String::new(),
        };
        self.error(failure.kind, &format!("{}{advice}", failure.message))
    }

    fn error(&self, kind: ModelErrorKind, what: &str) -> ModelError {
        let message = format!("{}: {what}", self.target.name);
        ModelError::new(kind, redact(&message, self.target.key.reveal()))
    }
}

/// The shortest key worth looking for: shorter ones are words like `none`.
const KEY_MIN: usize = 8;

/// Providers quote keys back, whole or in part.
fn redact(message: &str, key: &str) -> String {
    if key.len() < KEY_MIN {
        return message.to_owned();
    }
    let start = key.get(..KEY_MIN).unwrap_or(key);
    let words = message.replace(key, "…");
    let words = words.split(' ').map(|word| match word.find(start) {
        Some(at) => format!("{}…", &word[..at]),
        None => word.to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_are_quoted_back_are_taken_out() {
        let key = "sk-proj-abcdef-0123456789";
        let message = "wrong key sk-proj-abcdef-0123456789, or (sk-proj-abc*****6789).";
        assert_eq!(redact(message, key), "wrong key …, or (…");
        assert_eq!(redact("none of it", "none"), "none of it");
    }
}
