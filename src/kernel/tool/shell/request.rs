//! What a call asks for, checked.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::super::{Grant, Refusal};
use super::{DEFAULT_TIMEOUT, MAX_TIMEOUT, millis};
use crate::domain::Digest;
use crate::kernel::process::Program;

/// What reads a command line.
const SHELL: &str = "/bin/sh";

/// The most bytes of a command line or of all arguments together.
const LINE_LIMIT: usize = 64 * 1024;

/// The most characters of a grant's scope and of an effect's target.
const SCOPE_LIMIT: usize = 4_096;

/// The most characters of the line in a reason.
const REASON_LINE: usize = 500;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Args {
    command: Option<String>,
    argv: Option<Vec<String>>,
    cwd: Option<String>,
    timeout_ms: Option<u64>,
}

/// A call that can be run.
pub(super) struct Request {
    act: Exact,
    directory: PathBuf,
    pub timeout: Duration,
}

/// The command to the letter. Its JSON text is what a grant covers.
#[derive(Serialize)]
struct Exact {
    #[serde(flatten)]
    line: Line,
    /// Relative to the workspace.
    cwd: String,
}

#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
enum Line {
    Command(String),
    Argv(Vec<String>),
}

impl Request {
    /// Checks a call's arguments.
    ///
    /// # Errors
    /// [`Refusal`] naming the field that is wrong.
    pub async fn read(args: &Value, workspace: &Path) -> Result<Self, Refusal> {
        let args = Args::deserialize(args).map_err(|error| refused(error.to_string()))?;
        let line = line(args.command, args.argv)?;
        let (cwd, directory) = directory(args.cwd.as_deref().unwrap_or("."), workspace).await?;
        Ok(Self {
            act: Exact { line, cwd },
            directory,
            timeout: timeout(args.timeout_ms)?,
        })
    }

    pub fn operation(&self) -> Value {
        let (name, line) = match &self.act.line {
            Line::Command(command) => ("command", json!(command)),
            Line::Argv(argv) => ("argv", json!(argv)),
        };
        json!({
            "tool": "shell",
            name: line,
            "cwd": self.act.cwd,
            "timeoutMs": millis(self.timeout),
        })
    }

    pub fn grant(&self) -> Grant {
        let exact = json_text(&self.act);
        let scope = if exact.chars().count() > SCOPE_LIMIT {
            Digest::of(exact.as_bytes()).to_string()
        } else {
            exact
        };
        Grant {
            capability: "process.exec".to_owned(),
            scope,
        }
    }

    pub fn reason(&self) -> String {
        let line = bounded(&self.text(), REASON_LINE);
        format!(
            "runs a program with all your rights, in {}: {line}",
            self.act.cwd
        )
    }

    pub fn target(&self) -> String {
        bounded(&self.text(), SCOPE_LIMIT)
    }

    pub fn program(&self) -> Program {
        let argv = match self.act.line.clone() {
            Line::Command(command) => vec![SHELL.to_owned(), "-c".to_owned(), command],
            Line::Argv(argv) => argv,
        };
        Program {
            argv,
            directory: self.directory.clone(),
        }
    }

    /// The command as it was given, or the arguments as JSON, which shows where each ends.
    fn text(&self) -> String {
        match &self.act.line {
            Line::Command(command) => command.clone(),
            Line::Argv(argv) => json_text(argv),
        }
    }
}

fn line(command: Option<String>, argv: Option<Vec<String>>) -> Result<Line, Refusal> {
    let line = match (command, argv) {
        (Some(command), None) => Line::Command(command),
        (None, Some(argv)) => Line::Argv(argv),
        (Some(_), Some(_)) => return Err(refused("give either command or argv, not both")),
        (None, None) => return Err(refused("give command (text for /bin/sh) or argv")),
    };
    let (empty, bytes, nul) = match &line {
        Line::Command(text) => (text.trim().is_empty(), text.len(), text.contains('\0')),
        Line::Argv(argv) => (
            argv.first().is_none_or(String::is_empty),
            argv.iter().map(|arg| arg.len() + 1).sum(),
            argv.iter().any(|arg| arg.contains('\0')),
        ),
    };
    if empty {
        return Err(refused("command, or the first of argv, is empty"));
    }
    if bytes > LINE_LIMIT {
        return Err(refused(format!(
            "the command is {bytes} bytes long, at most {LINE_LIMIT} are allowed: write a script file and run it"
        )));
    }
    if nul {
        return Err(refused("a command cannot hold a NUL character"));
    }
    Ok(line)
}

fn timeout(millis_asked: Option<u64>) -> Result<Duration, Refusal> {
    let Some(asked) = millis_asked else {
        return Ok(DEFAULT_TIMEOUT);
    };
    if asked == 0 || asked > millis(MAX_TIMEOUT) {
        return Err(refused(format!(
            "timeout_ms is {asked}; it must be 1 to {}",
            millis(MAX_TIMEOUT)
        )));
    }
    Ok(Duration::from_millis(asked))
}

/// The directory to run in: relative to the workspace, and canonical.
async fn directory(cwd: &str, workspace: &Path) -> Result<(String, PathBuf), Refusal> {
    if Path::new(cwd).is_absolute() {
        return Err(refused(format!(
            "cwd {cwd} must be relative to the workspace"
        )));
    }
    let found = tokio::fs::canonicalize(workspace.join(cwd)).await;
    let found = found.map_err(|error| refused(format!("cwd {cwd}: {error}")))?;
    let Ok(relative) = found.strip_prefix(workspace) else {
        return Err(refused(format!("cwd {cwd} is outside the workspace")));
    };
    if !tokio::fs::metadata(&found)
        .await
        .is_ok_and(|found| found.is_dir())
    {
        return Err(refused(format!("cwd {cwd} is not a directory")));
    }
    let name = match relative.to_str() {
        Some("") => ".".to_owned(),
        Some(name) => name.to_owned(),
        None => {
            return Err(refused(format!(
                "cwd {cwd} leads to a name that is not UTF-8"
            )));
        }
    };
    Ok((name, found))
}

fn refused(message: impl Into<String>) -> Refusal {
    Refusal {
        message: message.into(),
    }
}

fn bounded(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        None => text.to_owned(),
        Some(_) => text.chars().take(limit - 1).chain(['…']).collect(),
    }
}

/// Strings and lists of strings always have a JSON text.
fn json_text(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
