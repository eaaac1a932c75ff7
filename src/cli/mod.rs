//! The command line: what a person, a host or a job types.
//!
//! May use: everything; it composes. Promises: one place maps every end to an exit code; standard
//! output carries results only, diagnostics go to standard error; a reader that goes away early is
//! no error.

mod agent;
mod audit;
mod checkpoint;
mod deliver;
mod effects;
mod evidence;
mod exec;
mod failure;
mod follow;
mod output;
mod place;
mod reconcile;
mod serve;
mod show;
mod table;
mod threads;
mod verify;

use std::future::Future;
use std::io::IsTerminal;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, Subcommand};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

use self::failure::{Exit, Failure};
use crate::transport::Diagnostics;

/// Threads of the runtime of commands that run turns.
const WORKERS: usize = 2;
/// How long the last diagnostics may take to be written.
const LAST_WORDS: Duration = Duration::from_millis(50);

/// A session service for coding agents that never loses a session.
#[derive(Parser)]
#[command(
    name = "threadkeep",
    version,
    after_help = "Example:\n  threadkeep exec \"what is in this repository?\"\n\n\
                  Exit codes: 0 done, 1 failed, 2 usage or configuration, 3 interrupted,\n\
                  4 budget exhausted, 5 approval refused, 6 done but an effect is unknown."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Exec(exec::Exec),
    #[command(visible_aliases = ["app-server", "agent-server"])]
    Serve(serve::Serve),
    Threads(threads::Threads),
    Show(show::Show),
    Evidence(evidence::Evidence),
    Effects(effects::Effects),
    Reconcile(reconcile::Reconcile),
    Verify(verify::Verify),
    Checkpoint(checkpoint::MakeCheckpoint),
    Audit(audit::Audit),
}

/// Parses the arguments of this process and does what they say.
pub fn main() -> ExitCode {
    let stderr = Diagnostics::to_stderr();
    diagnose(&stderr);
    let exit = run();
    stderr.drain(LAST_WORDS);
    exit
}

fn run() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        // Help and version go to standard output and are no failure; the rest is usage.
        Err(error) => {
            let exit = if error.use_stderr() {
                Exit::Usage
            } else {
                Exit::Done
            };
            // A reader that went away has seen enough.
            let _ = error.print();
            return exit.into();
        }
    };
    let done = match cli.command {
        Command::Exec(exec) => working(exec.run()),
        Command::Serve(serve) => working(serve.run()),
        Command::Threads(threads) => reading(threads.run()),
        Command::Show(show) => reading(show.run()),
        Command::Evidence(evidence) => reading(evidence.run()),
        Command::Effects(effects) => reading(effects.run()),
        Command::Reconcile(reconcile) => working(reconcile.run()),
        Command::Verify(verify) => reading(verify.run()),
        Command::Checkpoint(checkpoint) => reading(checkpoint.run()),
        Command::Audit(audit) => reading(audit.run()),
    };
    match done {
        Ok(Exit::Done) if output::lost() => Exit::Failed.into(),
        Ok(exit) => exit.into(),
        Err(failure) => {
            output::complain(&failure.to_string());
            failure.exit.into()
        }
    }
}

/// Runs what runs turns.
fn working(work: impl Future<Output = Result<Exit, Failure>>) -> Result<Exit, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(WORKERS)
        .enable_all()
        .build()
        .map_err(|error| Failure::usage(format!("no runtime: {error}")))?;
    let done = runtime.block_on(work);
    // What still waits (a read of standard input, say) is not waited for.
    runtime.shutdown_background();
    done
}

/// Runs what only reads.
fn reading(work: impl Future<Output = Result<Exit, Failure>>) -> Result<Exit, Failure> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::usage(format!("no runtime: {error}")))?
        .block_on(work)
}

/// Diagnostics go to standard error; `THREADKEEP_LOG` says how much (`warn` when unset). A library is
/// heard only when it is named: what it logs may quote a provider, and a provider may quote a key.
fn diagnose(stderr: &Diagnostics) {
    let asked = std::env::var("THREADKEEP_LOG").unwrap_or_default();
    let filter = EnvFilter::try_new(ours(&asked)).unwrap_or_else(|_| EnvFilter::new(ours("")));
    let stderr = stderr.clone();
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(move || stderr.clone())
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(false)
        .init();
}

/// A filter in which a level that names no module means ours.
fn ours(asked: &str) -> String {
    let mut directives = vec![format!("{}=warn", env!("CARGO_CRATE_NAME"))];
    directives.extend(asked.split(',').map(|directive| {
        let level = directive.trim();
        match level.parse::<LevelFilter>() {
            Ok(_) if !level.is_empty() => format!("{}={level}", env!("CARGO_CRATE_NAME")),
            _ => level.to_owned(),
        }
    }));
    directives.retain(|directive| !directive.is_empty());
    directives.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_means_this_program_and_no_library() {
        assert_eq!(ours(""), "threadkeep=warn");
        assert_eq!(ours("trace"), "threadkeep=warn,threadkeep=trace");
        assert_eq!(
            ours("debug, genai=off"),
            "threadkeep=warn,threadkeep=debug,genai=off"
        );
    }
}
