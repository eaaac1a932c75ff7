//! The tool that runs programs.

mod follow;
mod report;
mod request;
mod spool;
mod text;

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{Access, EffectIntent, Outcome, Plan, Refusal, Risk, Session, Tool};
use crate::kernel::model::ToolDeclaration;
use crate::kernel::process::Program;
use follow::follow;
use report::{not_started, report};
use request::Request;

/// How long a program may run when the call does not say.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_mins(2);

/// The longest a call may ask for.
pub const MAX_TIMEOUT: Duration = Duration::from_mins(10);

/// Runs one command line through `/bin/sh`, or one program without a shell.
pub struct Shell {
    declaration: ToolDeclaration,
}

/// What [`Shell::plan`] hands to [`Shell::run`].
struct Act {
    program: Program,
    timeout: Duration,
}

impl Default for Shell {
    fn default() -> Self {
        Self::new()
    }
}

impl Shell {
    /// The tool.
    pub fn new() -> Self {
        Self {
            declaration: ToolDeclaration {
                name: "shell".to_owned(),
                description: DESCRIPTION.to_owned(),
                parameters: parameters(),
            },
        }
    }
}

const DESCRIPTION: &str = "Runs a program in the workspace and returns what it writes to standard \
output and error, together in order of arrival. Give either `command`, text for /bin/sh -c, or \
`argv`, a program and its arguments that no shell reads. There is no terminal and nothing on \
standard input: use flags that ask no questions. Long output is cut in the middle. The call returns \
when the program itself ends; what it left running in the background ends with the turn.";

fn parameters() -> Value {
    json!({
        "type": "object",
        "properties": {
            "command": {
                "type": "string",
                "description": "Text for /bin/sh -c. Not together with argv.",
            },
            "argv": {
                "type": "array",
                "items": { "type": "string" },
                "minItems": 1,
                "description": "The program and its arguments. Not together with command.",
            },
            "cwd": {
                "type": "string",
                "description": "Directory to run in, relative to the workspace. Default: the workspace.",
            },
            "timeout_ms": {
                "type": "integer",
                "minimum": 1,
                "maximum": millis(MAX_TIMEOUT),
                "description": "After how many milliseconds it is killed. Default: 120000.",
            },
        },
        "additionalProperties": false,
    })
}

#[async_trait]
impl Tool for Shell {
    fn declaration(&self) -> &ToolDeclaration {
        &self.declaration
    }

    async fn plan(&self, args: &Value, session: &Session) -> Result<Plan, Refusal> {
        let request = Request::read(args, session.workspace.root()).await?;
        Ok(Plan {
            operation: request.operation(),
            access: Access::Execute,
            grant: request.grant(),
            risk: Risk::High,
            reason: request.reason(),
            effects: vec![EffectIntent {
                kind: "process.exec".to_owned(),
                target: request.target(),
                before: None,
                after: None,
            }],
            state: Box::new(Act {
                program: request.program(),
                timeout: request.timeout,
            }),
        })
    }

    async fn run(&self, plan: Plan, session: &Session, cancel: CancellationToken) -> Outcome {
        let Ok(act) = plan.state.downcast::<Act>() else {
            return not_started("the plan is not one of this tool");
        };
        if !is_still_there(&act.program.directory).await {
            return not_started("its directory is gone or has become a link: plan again");
        }
        if cancel.is_cancelled() {
            return not_started("cancelled before it was started");
        }
        let running = match session.processes.start(&act.program) {
            Ok(running) => running,
            Err(error) => return not_started(&why_not(&act.program, &error)),
        };
        let pid = running.pid;
        let followed = follow(running, &session.processes, act.timeout, cancel).await;
        report(pid, followed, &*session.content).await
    }
}

/// Whether the directory that was planned is the one that would be entered now.
async fn is_still_there(directory: &PathBuf) -> bool {
    let now = tokio::fs::canonicalize(directory).await;
    now.is_ok_and(|now| now == *directory)
}

fn why_not(program: &Program, error: &io::Error) -> String {
    let name = program.argv.first().map_or("", String::as_str);
    match error.kind() {
        io::ErrorKind::NotFound => format!("program not found: {name}"),
        io::ErrorKind::PermissionDenied => format!("not allowed to run {name}: {error}"),
        io::ErrorKind::ArgumentListTooLong => format!("the arguments of {name} are too long"),
        _ => format!("{name} could not be started: {error}"),
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
