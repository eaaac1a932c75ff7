//! What every request tells the model before the conversation.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::instructions::instructions;
use super::permission::PermissionMode;

/// How long project instructions are taken as they were read.
const FRESH: Duration = Duration::from_secs(10);

const ROLE: &str = "You are a coding agent. You work in one directory, the workspace, with the tools you are \
     offered. Look before you change anything, read a file before you edit it, and say what you did. A tool \
     result that says an outcome is unknown means that the act may have happened: check before you repeat it.";

/// Project instructions of one workspace, read now and then.
#[derive(Default)]
pub(super) struct Instructions {
    read: Mutex<Option<(Instant, Arc<str>)>>,
}

impl Instructions {
    /// What AGENTS.md files say about `workspace`.
    pub async fn of(&self, workspace: &Path) -> Arc<str> {
        if let Some((at, text)) = &*self.read.lock().unwrap_or_else(PoisonError::into_inner)
            && at.elapsed() < FRESH
        {
            return Arc::clone(text);
        }
        let path = workspace.to_owned();
        let text: Arc<str> = match tokio::task::spawn_blocking(move || instructions(&path)).await {
            Ok(text) => text.into(),
            Err(error) => {
                tracing::error!(%error, "project instructions could not be read");
                "".into()
            }
        };
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        *read = Some((Instant::now(), Arc::clone(&text)));
        text
    }
}

/// The system prompt.
pub(super) fn system(workspace: &Path, mode: PermissionMode, instructions: &str) -> String {
    let mut text = format!("{ROLE}\n\nWorkspace: {}", workspace.display());
    // Writing to a string has no failing branch.
    let _ = match mode {
        PermissionMode::Default | PermissionMode::Manual => {
            write!(
                text,
                "\nWriting files and running programs may have to be approved."
            )
        }
        PermissionMode::DontAsk => {
            write!(
                text,
                "\nOnly what a rule allows can be written or run; nobody can be asked."
            )
        }
        PermissionMode::Plan => {
            write!(
                text,
                "\nPlan mode: nothing is written and no program is run. Answer with a plan."
            )
        }
    };
    if !instructions.is_empty() {
        let _ = write!(text, "\n\nInstructions of this project:\n\n{instructions}");
    }
    text
}
