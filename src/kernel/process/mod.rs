//! Programs: started in their own session, bounded in time and output, and all gone in the end.
//!
//! May use: the operating system. Promises: whatever a program forks, detaches or ignores, when
//! its [`Scope`] has ended it is gone, or its pid is reported.

mod family;
mod hunt;
mod registry;
mod scope;
mod table;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

pub use scope::{Exit, Running, Scope};

/// Names in the environment of every program the scopes and calls it belongs to.
pub const MARKER: &str = "THREADKEEP_SCOPE";

/// What opens model providers, and addresses that may hold a password. No program gets them.
pub const WITHHELD: [&str; 11] = [
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "GOOGLE_GEMINI_BASE_URL",
    "OLLAMA_API_KEY",
    "OPENROUTER_API_KEY",
    "AZURE_OPENAI_API_KEY",
];

/// Starts programs for this whole process and reaps whatever they leave behind.
///
/// Every program that leaves this process's session must be started here: orphans are told from
/// children by their session.
pub struct Broker(());

/// What is to be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The program, looked up in `PATH` when it has no `/`, and its arguments.
    pub argv: Vec<String>,
    /// Where it runs.
    pub directory: PathBuf,
}

/// A process that could not be killed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Survivor {
    /// Its process id.
    pub pid: i32,
    /// Its command line, as far as it can be told.
    pub command: String,
}

impl Broker {
    /// Makes this process the one that orphans of its programs fall back to.
    ///
    /// # Errors
    /// When the operating system refuses.
    pub fn start() -> io::Result<Arc<Self>> {
        #[cfg(target_os = "linux")]
        rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
        Ok(Arc::new(Self(())))
    }

    /// A scope for the programs of one turn.
    pub fn scope(self: &Arc<Self>, turn: &str) -> Arc<Scope> {
        Arc::new(Scope::new(turn))
    }
}

#[cfg(test)]
mod tests {
    use super::WITHHELD;
    use crate::kernel::model::Environment;

    #[test]
    fn no_program_is_given_what_opens_a_provider() {
        Environment::from_variables(|name| {
            assert!(name == "OLLAMA_HOST" || WITHHELD.contains(&name), "{name}");
            None
        });
    }
}
