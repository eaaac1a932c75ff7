//! Plays a script behind the model boundary.

use std::sync::Arc;

use futures_util::{StreamExt, stream};
use tokio::time::{Instant, sleep, sleep_until};

use super::super::{
    Model, ModelError, ModelErrorKind, ModelEvent, ModelName, ModelRequest, ModelStream, Retry,
    StopReason, ToolCall, history,
};
use super::script::{DeltaKind, Reply, Script, Step};
use super::{record, selection};

/// A model that answers from a script.
pub(super) struct Scripted {
    name: ModelName,
    script: Arc<Script>,
}

impl Scripted {
    pub(super) fn new(name: ModelName, script: Script) -> Self {
        Self {
            name,
            script: Arc::new(script),
        }
    }

    /// Where the reply to `request` stands in the script.
    fn choose(&self, request: &ModelRequest) -> Result<usize, ModelError> {
        if let Some(path) = &self.script.record {
            record::append(path, request).map_err(|error| {
                self.refusal(&format!("cannot record to {}: {error}", path.display()))
            })?;
        }
        if let Some(problem) = history::problem(&request.messages) {
            return Err(self.refusal(&problem));
        }
        let reply =
            selection::select(&self.script, request).map_err(|problem| self.refusal(&problem))?;
        let expected = self.script.replies[reply].expect.as_ref();
        match expected.and_then(|expected| expected.broken_by(request)) {
            Some(broken) => Err(self.refusal(&format!("expected {broken}"))),
            None => Ok(reply),
        }
    }

    fn refusal(&self, problem: &str) -> ModelError {
        ModelError::new(
            ModelErrorKind::Rejected,
            format!("{}: {problem}", self.name),
        )
    }
}

impl Model for Scripted {
    fn name(&self) -> &ModelName {
        &self.name
    }

    fn stream(&self, request: ModelRequest) -> ModelStream {
        let player = match self.choose(&request) {
            Ok(reply) => Player {
                script: Arc::clone(&self.script),
                reply,
                step: 0,
                repeated: Repeated::default(),
                call_prefix: selection::answered(&request),
                calls: 0,
                over: false,
            },
            Err(error) => return stream::iter([Err(error)]).boxed(),
        };
        stream::unfold(player, |mut player| async move {
            let event = player.next().await?;
            Some((event, player))
        })
        .boxed()
    }
}

/// Where in a reply a stream is.
struct Player {
    script: Arc<Script>,
    reply: usize,
    step: usize,
    repeated: Repeated,
    /// Makes call ids unique over a whole conversation.
    call_prefix: usize,
    calls: usize,
    over: bool,
}

/// How far a repeated text is.
#[derive(Default)]
struct Repeated {
    said: u64,
    since: Option<Instant>,
}

impl Player {
    async fn next(&mut self) -> Option<Result<ModelEvent, ModelError>> {
        let script = Arc::clone(&self.script);
        let reply = &script.replies[self.reply];
        while !self.over {
            let Some(step) = reply.steps.get(self.step) else {
                self.over = true;
                return Some(Ok(self.finished(reply)));
            };
            if let Some(event) = self.play(step).await {
                return Some(event);
            }
            self.step += 1;
            self.repeated = Repeated::default();
        }
        None
    }

    /// The next event of `step`; `None` when it has no more.
    async fn play(&mut self, step: &Step) -> Option<Result<ModelEvent, ModelError>> {
        match step {
            Step::Deltas { times, .. } if self.repeated.said >= *times => None,
            Step::Deltas {
                kind, text, every, ..
            } => {
                self.repeated.wait(*every).await;
                Some(Ok(delta(*kind, text, self.repeated.said)))
            }
            Step::Delay(duration) => {
                sleep(*duration).await;
                None
            }
            Step::ToolCall {
                name,
                arguments,
                call_id,
            } => {
                self.step += 1;
                Some(Ok(ModelEvent::ToolCall(ToolCall {
                    call_id: self.call_id(call_id.as_ref()),
                    name: name.clone(),
                    arguments: arguments.clone(),
                    provider_state: None,
                })))
            }
            Step::Retry {
                attempt,
                after,
                kind,
                message,
            } => {
                self.step += 1;
                Some(Ok(ModelEvent::Retrying(Retry {
                    attempt: *attempt,
                    after: *after,
                    error: ModelError::new(*kind, message.clone()),
                })))
            }
            Step::Error { kind, message } => {
                self.over = true;
                Some(Err(ModelError::new(*kind, message.clone())))
            }
            Step::Hang => std::future::pending().await,
            Step::Break => {
                self.over = true;
                None
            }
        }
    }

    fn call_id(&mut self, given: Option<&String>) -> String {
        self.calls += 1;
        given
            .cloned()
            .unwrap_or_else(|| format!("call_{}_{}", self.call_prefix + 1, self.calls))
    }

    fn finished(&self, reply: &Reply) -> ModelEvent {
        let stop = if self.calls > 0 {
            StopReason::ToolUse
        } else {
            StopReason::EndTurn
        };
        ModelEvent::Finished {
            stop: reply.stop.unwrap_or(stop),
            usage: reply.usage,
        }
    }
}

impl Repeated {
    /// Waits until the next text is due. Due times count from the first one, so that the rate
    /// holds although a timer is no finer than a millisecond.
    async fn wait(&mut self, every: std::time::Duration) {
        if !every.is_zero() {
            let since = *self.since.get_or_insert_with(Instant::now);
            let said = u32::try_from(self.said).unwrap_or(u32::MAX);
            let due = since + every.saturating_mul(said);
            if due > Instant::now() {
                sleep_until(due).await;
            }
        }
        self.said += 1;
    }
}

fn delta(kind: DeltaKind, text: &str, number: u64) -> ModelEvent {
    let text = if text.contains("{n}") {
        text.replace("{n}", &number.to_string())
    } else {
        text.to_owned()
    };
    match kind {
        DeltaKind::Text => ModelEvent::Text(text),
        DeltaKind::Reasoning => ModelEvent::Reasoning(text),
    }
}

#[cfg(test)]
mod tests;
