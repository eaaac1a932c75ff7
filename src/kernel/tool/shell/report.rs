//! What the model and the record are told of a program that has ended.

use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;

use serde_json::{Value, json};

use super::super::{ContentStore, EffectReceipt, EffectState, Kept, OUTPUT_LIMIT, Outcome};
use super::follow::{End, Followed};
use super::millis;
use super::spool::{SPOOL_LIMIT, Spool};
use super::text::{Excerpt, excerpt};
use crate::kernel::process::Survivor;

/// Bytes of the model's text that are not output: how many were left out, how it ended.
const NOTES_LIMIT: usize = 2_048;

/// The most survivors that are named, and the most characters of each one's command.
const SURVIVORS_NAMED: usize = 5;
const COMMAND_SHOWN: usize = 60;

/// The outcome of a program that could not be started.
pub(super) fn not_started(reason: &str) -> Outcome {
    Outcome {
        content: reason.to_owned(),
        is_error: true,
        details: json!({ "started": false }),
        receipts: vec![EffectReceipt {
            state: EffectState::DidNotHappen,
            after: None,
            exit_code: None,
            details: json!({ "reason": reason }),
        }],
    }
}

/// The outcome of a program that has ended.
pub(super) async fn report(pid: i32, ended: Followed, content: &dyn ContentStore) -> Outcome {
    let total = ended.output.total();
    let (head, tail) = ended.output.ends();
    let Excerpt { mut text, faithful } = excerpt(head, tail, total, OUTPUT_LIMIT - NOTES_LIMIT);
    let kept = if faithful {
        Ok(None)
    } else {
        keep(ended.output, content).await.map(Some)
    };
    let status = match ended.end {
        End::Exited(status) => status,
        End::TimedOut | End::Cancelled => None,
    };
    let mut notes = Vec::new();
    notes.extend(kept_note(total, kept.as_ref().err()));
    notes.extend(end_note(ended.end, millis(ended.after), text.is_empty()));
    notes.extend(ended.left_behind.then(|| LEFT_BEHIND.to_owned()));
    notes.extend(survivors_note(&ended.survivors));
    for note in notes {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&note);
    }
    let exit_code = status.and_then(|status| status.code());
    Outcome {
        content: text,
        is_error: exit_code != Some(0),
        details: json!({
            "pid": pid,
            "exitCode": exit_code,
            "signal": status.and_then(|status| status.signal()),
            "durationMs": millis(ended.after),
            "timedOut": ended.end == End::TimedOut,
            "cancelled": ended.end == End::Cancelled,
            "outputBytes": total,
            "output": kept.ok().flatten(),
            "survivors": survivors(&ended.survivors),
        }),
        receipts: vec![receipt(ended.end, exit_code)],
    }
}

const LEFT_BEHIND: &str = "[what it left in the background still runs and ends with the turn]";

async fn keep(output: Spool, content: &dyn ContentStore) -> io::Result<Kept> {
    content.keep(output.into_file().await?).await
}

fn receipt(end: End, exit_code: Option<i32>) -> EffectReceipt {
    let state = match end {
        End::Exited(Some(_)) => EffectState::Happened,
        End::Exited(None) | End::TimedOut | End::Cancelled => EffectState::Unknown,
    };
    EffectReceipt {
        state,
        after: None,
        exit_code,
        details: Value::Null,
    }
}

fn kept_note(total: u64, trouble: Option<&io::Error>) -> Option<String> {
    match trouble {
        Some(error) => Some(format!("[the whole output could not be kept: {error}]")),
        None if total > SPOOL_LIMIT => Some(format!(
            "[only the first {SPOOL_LIMIT} of {total} bytes of output were kept]"
        )),
        None => None,
    }
}

fn end_note(end: End, millis: u64, silent: bool) -> Option<String> {
    Some(match end {
        End::Exited(Some(status)) => return exit_note(status, silent),
        End::Exited(None) => "[how it ended could not be learned]".to_owned(),
        End::TimedOut => {
            format!("[timed out after {millis} ms; it and everything it had started was killed]")
        }
        End::Cancelled => {
            format!("[cancelled after {millis} ms; it and everything it had started was killed]")
        }
    })
}

fn exit_note(status: ExitStatus, silent: bool) -> Option<String> {
    match (status.code(), status.signal()) {
        (Some(0), _) => silent.then(|| "[no output]".to_owned()),
        (Some(code), _) => Some(format!("[exit code {code}]")),
        (None, Some(signal)) => Some(format!("[ended by signal {signal}]")),
        (None, None) => Some(format!("[{status}]")),
    }
}

fn survivors_note(survivors: &[Survivor]) -> Option<String> {
    if survivors.is_empty() {
        return None;
    }
    let named = survivors.iter().take(SURVIVORS_NAMED);
    let named: Vec<String> = named
        .map(|survivor| {
            let command: String = survivor.command.chars().take(COMMAND_SHOWN).collect();
            format!("{} ({command})", survivor.pid)
        })
        .collect();
    Some(format!(
        "[{} could not be killed: {}]",
        survivors.len(),
        named.join(", ")
    ))
}

fn survivors(survivors: &[Survivor]) -> Value {
    let named = survivors.iter().take(SURVIVORS_NAMED);
    named
        .map(|survivor| json!({ "pid": survivor.pid, "command": survivor.command }))
        .collect()
}
