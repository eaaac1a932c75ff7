use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::Args;

use crate::kernel::model::{Environment, ModelName};
use crate::kernel::tool::Grant;
use crate::kernel::{AllowRule, Budget, KernelOptions, PermissionMode, Permissions};

/// How turns work.
#[derive(Args, Debug)]
pub(super) struct Agent {
    /// The directory turns work in [default: the current one]
    #[arg(
        long,
        value_name = "DIR",
        default_value = ".",
        hide_default_value = true
    )]
    project: PathBuf,
    /// The model, for example openai/gpt-5
    #[arg(
        long,
        value_name = "PROVIDER/NAME",
        env = "THREADKEEP_MODEL",
        hide_env = true,
        default_value = "rehearsal/default"
    )]
    model: ModelName,
    /// default, manual, dontAsk, plan
    #[arg(long, value_name = "MODE", default_value = "default")]
    permission_mode: PermissionMode,
    /// Allow fs.write, process.exec, or one command: 'process.exec:make'
    #[arg(long, value_name = "RULE")]
    allow: Vec<Rule>,
    /// The most answers of the model in a turn
    #[arg(long, value_name = "N", default_value_t = Budget::default().answers)]
    max_answers: u32,
    /// The most seconds of a turn
    #[arg(long, value_name = "S")]
    max_seconds: Option<u64>,
    /// The most tokens written in a turn
    #[arg(long, value_name = "N")]
    max_output_tokens: Option<u64>,
}

/// A rule as it is typed: a capability, or a capability and what exactly it is allowed on.
#[derive(Debug, Clone)]
struct Rule(AllowRule);

impl FromStr for Rule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (capability, act) = match text.split_once(':') {
            Some((capability, act)) => (capability, Some(act)),
            None => (text, None),
        };
        if !matches!(capability, "fs.write" | "process.exec") {
            return Err(format!(
                "a rule begins with fs.write or process.exec, not {capability:?}"
            ));
        }
        let capability = capability.to_owned();
        Ok(Self(match act {
            None => AllowRule::Capability(capability),
            Some(act) if act.trim().is_empty() => {
                return Err("after the colon comes what is allowed".to_owned());
            }
            Some(act) => AllowRule::Act(Grant {
                scope: scope(&capability, act),
                capability,
            }),
        }))
    }
}

/// What a grant for `act` covers: a path, a command line run in the workspace itself, or the whole
/// scope as an approval names it, which begins with a brace.
fn scope(capability: &str, act: &str) -> String {
    match capability {
        "process.exec" if !act.starts_with('{') => {
            serde_json::json!({ "command": act, "cwd": "." }).to_string()
        }
        _ => act.to_owned(),
    }
}

impl Agent {
    pub fn options(&self) -> KernelOptions {
        let mut options = KernelOptions::new(&self.project);
        options.model = self.model.clone();
        options.environment = Environment::from_process();
        options.permissions = Permissions {
            mode: self.permission_mode,
            allow: self.allow.iter().map(|rule| rule.0.clone()).collect(),
        };
        options.budget = Budget {
            answers: self.max_answers,
            wall_time: self.max_seconds.map(Duration::from_secs),
            output_tokens: self.max_output_tokens,
        };
        options
    }
}
