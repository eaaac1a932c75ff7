//! What a rehearsal script may say, and reading one.
//!
//! ```json
//! {
//!   "record": "requests.jsonl",
//!   "replies": [
//!     { "steps": [
//!         { "text": "Looking. " },
//!         { "tool_call": { "name": "list_dir", "arguments": { "path": "." } } } ] },
//!     { "expect": { "results": [ { "name": "list_dir", "contains": "README" } ] },
//!       "steps": [ { "text": "tok {n} ", "repeat": 500, "every_us": 2000 } ],
//!       "usage": { "input_tokens": 120, "output_tokens": 500 } }
//!   ]
//! }
//! ```

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use super::super::{ModelErrorKind, StopReason, Usage};
use super::expect::Expectation;

/// The most bytes of a script file.
const SCRIPT_LIMIT: u64 = 16 * 1024 * 1024;

/// A script, checked: playing it cannot fail for what it says.
#[derive(Debug)]
pub(super) struct Script {
    /// Where each request is appended as one JSON line.
    pub(super) record: Option<PathBuf>,
    /// Whether the last reply also answers every later request.
    pub(super) repeat_last: bool,
    pub(super) replies: Vec<Reply>,
}

/// One answer of the model.
#[derive(Debug)]
pub(super) struct Reply {
    /// Answers only turns whose user message contains this.
    pub(super) when: Option<String>,
    pub(super) expect: Option<Expectation>,
    pub(super) steps: Vec<Step>,
    /// Why the model stops; when not said, it follows from whether it called tools.
    pub(super) stop: Option<StopReason>,
    pub(super) usage: Usage,
}

/// One thing a reply does.
#[derive(Debug)]
pub(super) enum Step {
    /// Says `text` `times` times, one event each.
    Deltas {
        kind: DeltaKind,
        /// `{n}` in it stands for the number of the event, from 1.
        text: String,
        times: u64,
        /// From one event to the next; no wait when zero.
        every: Duration,
    },
    Delay(Duration),
    ToolCall {
        name: String,
        arguments: String,
        call_id: Option<String>,
    },
    Retry {
        attempt: u32,
        after: Duration,
        kind: ModelErrorKind,
        message: String,
    },
    /// Ends the reply with an error.
    Error {
        kind: ModelErrorKind,
        message: String,
    },
    /// Never goes on; only dropping the stream ends it.
    Hang,
    /// Ends the stream without saying that it is finished.
    Break,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DeltaKind {
    Text,
    Reasoning,
}

/// Why a script cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum ScriptError {
    #[error("{0}")]
    Unreadable(#[from] io::Error),
    #[error("it is larger than {SCRIPT_LIMIT} bytes")]
    TooLarge,
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    #[error("`replies` is empty; a script has at least one reply")]
    Empty,
    #[error("`replies[{reply}].steps[{step}]`: {problem}")]
    Step {
        reply: usize,
        step: usize,
        problem: String,
    },
}

impl Script {
    /// Reads the script at `path`. A relative `record` is beside the script.
    pub(super) fn read(path: &Path) -> Result<Self, ScriptError> {
        let mut text = Vec::new();
        File::open(path)?
            .take(SCRIPT_LIMIT + 1)
            .read_to_end(&mut text)?;
        if text.len() as u64 > SCRIPT_LIMIT {
            return Err(ScriptError::TooLarge);
        }
        let mut script = Self::parse(&text)?;
        let beside = path.parent().unwrap_or(Path::new(""));
        script.record = script.record.map(|record| beside.join(record));
        Ok(script)
    }

    fn parse(text: &[u8]) -> Result<Self, ScriptError> {
        let file: ScriptFile = serde_json::from_slice(text)?;
        if file.replies.is_empty() {
            return Err(ScriptError::Empty);
        }
        let replies = file
            .replies
            .into_iter()
            .enumerate()
            .map(|(at, reply)| reply.check(at))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            record: file.record,
            repeat_last: file.repeat_last,
            replies,
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptFile {
    record: Option<PathBuf>,
    #[serde(default)]
    repeat_last: bool,
    replies: Vec<ReplyFields>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReplyFields {
    when: Option<String>,
    expect: Option<Expectation>,
    #[serde(default)]
    steps: Vec<StepFields>,
    stop: Option<StopReason>,
    #[serde(default)]
    usage: UsageFields,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct UsageFields {
    #[serde(rename = "input_tokens")]
    input: Option<u64>,
    #[serde(rename = "cached_input_tokens")]
    cached_input: Option<u64>,
    #[serde(rename = "output_tokens")]
    output: Option<u64>,
    #[serde(rename = "reasoning_tokens")]
    reasoning: Option<u64>,
}

/// A step as it is written: one of the first eight members says what it is.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StepFields {
    text: Option<String>,
    reasoning: Option<String>,
    delay_ms: Option<u64>,
    tool_call: Option<CallFields>,
    retry: Option<RetryFields>,
    error: Option<ErrorFields>,
    hang: Option<bool>,
    #[serde(rename = "break")]
    cut: Option<bool>,
    repeat: Option<u64>,
    every_us: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CallFields {
    name: String,
    #[serde(default)]
    arguments: Value,
    call_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RetryFields {
    #[serde(default = "first_attempt")]
    attempt: u32,
    #[serde(default)]
    after_ms: u64,
    kind: ModelErrorKind,
    #[serde(default)]
    message: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ErrorFields {
    kind: ModelErrorKind,
    #[serde(default)]
    message: String,
}

fn first_attempt() -> u32 {
    1
}

impl ReplyFields {
    fn check(self, reply: usize) -> Result<Reply, ScriptError> {
        let steps = self
            .steps
            .into_iter()
            .enumerate()
            .map(|(step, fields)| {
                fields.check().map_err(|problem| ScriptError::Step {
                    reply,
                    step,
                    problem,
                })
            })
            .collect::<Result<_, _>>()?;
        Ok(Reply {
            when: self.when,
            expect: self.expect,
            steps,
            stop: self.stop,
            usage: Usage {
                input_tokens: self.usage.input,
                cached_input_tokens: self.usage.cached_input,
                output_tokens: self.usage.output,
                reasoning_tokens: self.usage.reasoning,
            },
        })
    }
}

impl StepFields {
    fn check(self) -> Result<Step, String> {
        let pace = Pace {
            times: self.repeat,
            every: self.every_us,
        };
        let mut steps = Vec::new();
        steps.extend(self.text.map(|text| pace.deltas(DeltaKind::Text, text)));
        steps.extend(
            self.reasoning
                .map(|text| pace.deltas(DeltaKind::Reasoning, text)),
        );
        steps.extend(
            self.delay_ms
                .map(|ms| Ok(Step::Delay(Duration::from_millis(ms)))),
        );
        steps.extend(self.tool_call.map(|call| Ok(call.into_step())));
        steps.extend(self.retry.map(|retry| Ok(retry.into_step())));
        steps.extend(self.error.map(|error| {
            Ok(Step::Error {
                kind: error.kind,
                message: error.message,
            })
        }));
        steps.extend(flag("hang", self.hang, Step::Hang));
        steps.extend(flag("break", self.cut, Step::Break));
        let [step] = <[_; 1]>::try_from(steps).map_err(|found| {
            format!(
                "a step has exactly one of text, reasoning, delay_ms, tool_call, retry, error, \
                 hang and break, not {}",
                found.len()
            )
        })?;
        let step = step?;
        if !matches!(step, Step::Deltas { .. }) && (pace.times.is_some() || pace.every.is_some()) {
            return Err("repeat and every_us go with text or reasoning only".into());
        }
        Ok(step)
    }
}

/// How often and how fast a text is said.
struct Pace {
    times: Option<u64>,
    every: Option<u64>,
}

impl Pace {
    fn deltas(&self, kind: DeltaKind, text: String) -> Result<Step, String> {
        if text.is_empty() {
            return Err("a text is never empty".into());
        }
        Ok(Step::Deltas {
            kind,
            text,
            times: self.times.unwrap_or(1),
            every: Duration::from_micros(self.every.unwrap_or(0)),
        })
    }
}

impl CallFields {
    fn into_step(self) -> Step {
        Step::ToolCall {
            name: self.name,
            // A string is what the model wrote, perhaps not JSON; anything else is its JSON.
            arguments: match self.arguments {
                Value::Null => String::new(),
                Value::String(raw) => raw,
                value => value.to_string(),
            },
            call_id: self.call_id,
        }
    }
}

impl RetryFields {
    fn into_step(self) -> Step {
        Step::Retry {
            attempt: self.attempt,
            after: Duration::from_millis(self.after_ms),
            kind: self.kind,
            message: self.message,
        }
    }
}

fn flag(name: &str, value: Option<bool>, step: Step) -> Option<Result<Step, String>> {
    value.map(|set| {
        if set {
            Ok(step)
        } else {
            Err(format!("{name} is true or left out"))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(script: &str) -> String {
        Script::parse(script.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn every_kind_of_step_is_understood() {
        let script = Script::parse(
            br#"{"repeat_last": true, "replies": [{"when": "x", "stop": "max_tokens", "steps": [
                {"text": "a", "repeat": 3, "every_us": 5}, {"reasoning": "r"}, {"delay_ms": 2},
                {"tool_call": {"name": "t", "arguments": {"a": 1}}},
                {"tool_call": {"name": "t", "arguments": "{not json", "call_id": "c"}},
                {"retry": {"attempt": 2, "after_ms": 7, "kind": "rate_limited"}},
                {"error": {"kind": "cut", "message": "m"}}, {"hang": true}, {"break": true}]}]}"#,
        )
        .unwrap();
        let steps = &script.replies[0].steps;
        assert_eq!(steps.len(), 9);
        assert!(
            matches!(&steps[0], Step::Deltas { times: 3, every, .. } if every.as_micros() == 5)
        );
        assert!(matches!(&steps[3], Step::ToolCall { arguments, .. } if arguments == r#"{"a":1}"#));
        assert!(matches!(&steps[4], Step::ToolCall { arguments, .. } if arguments == "{not json"));
        assert!(matches!(
            &steps[5],
            Step::Retry {
                attempt: 2,
                kind: ModelErrorKind::RateLimited,
                ..
            }
        ));
        assert_eq!(script.replies[0].stop, Some(StopReason::MaxTokens));
    }

    #[test]
    fn the_documented_scripts_are_understood() {
        let page = include_str!("../../../../docs/REHEARSAL.md");
        let example = page
            .split("```json")
            .nth(1)
            .unwrap()
            .split("```")
            .next()
            .unwrap();
        assert_eq!(Script::parse(example.as_bytes()).unwrap().replies.len(), 2);
        let tour = include_bytes!("../../../../fixtures/rehearsal/tour.json");
        assert!(Script::parse(tour).unwrap().repeat_last);
    }

    #[test]
    fn a_bad_script_is_refused_with_its_line_or_field() {
        let unknown = error("{\"replies\": [\n {\"stepps\": []}]}");
        assert!(
            unknown.contains("stepps") && unknown.contains("line 2"),
            "{unknown}"
        );
        let two =
            error(r#"{"replies": [{"steps": [{"text": "a"}, {"text": "a", "hang": true}]}]}"#);
        assert!(
            two.contains("replies[0].steps[1]") && two.contains("exactly one"),
            "{two}"
        );
        let none = error(r#"{"replies": [{"steps": [{"repeat": 2}]}]}"#);
        assert!(none.contains("not 0"), "{none}");
        let pace = error(r#"{"replies": [{"steps": [{"hang": true, "repeat": 2}]}]}"#);
        assert!(pace.contains("repeat and every_us"), "{pace}");
        let kind = error(r#"{"replies": [{"steps": [{"error": {"kind": "sad"}}]}]}"#);
        assert!(
            kind.contains("sad") && kind.contains("rate_limited"),
            "{kind}"
        );
        assert!(error(r#"{"replies": []}"#).contains("at least one reply"));
        assert!(error(r#"{"replies": [{"steps": [{"text": ""}]}]}"#).contains("never empty"));
    }
}
