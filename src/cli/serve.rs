use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::agent::Agent;
use super::failure::{Exit, Failure};
use super::place::Place;
use crate::kernel::Kernel;
use crate::server::{ServeOptions, serve_stdio};

/// Serve a host over stdio (JSON-RPC lines)
#[derive(Args)]
#[command(after_help = "Example:\n  threadkeep serve --project . --model openai/gpt-5")]
pub(super) struct Serve {
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    agent: Agent,
    /// The most requests that wait to be worked on [default: 256]
    #[arg(
        long,
        value_name = "N",
        alias = "app-server-queue-cap",
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    queue_cap: Option<u32>,
    // What hosts of the reference say; standard input and output are all there is.
    #[arg(long, hide = true)]
    app_server: bool,
    #[arg(long, hide = true)]
    stdio: bool,
    #[arg(long, hide = true)]
    app_server_store: Option<StoreKind>,
    #[arg(long, hide = true, value_name = "FILE", conflicts_with = "state_dir")]
    app_server_state_path: Option<PathBuf>,
}

/// The kinds of store there are.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum StoreKind {
    Sqlite,
}

impl Serve {
    pub async fn run(mut self) -> Result<Exit, Failure> {
        if let Some(file) = self.app_server_state_path.take() {
            self.place = Place::of_file(&file)?;
        }
        let store = self.place.open().await?;
        let kernel = Kernel::new(store.clone(), self.agent.options())?;
        let mut options = ServeOptions::default();
        if let Some(cap) = self.queue_cap {
            options.queue_cap = usize::try_from(cap).unwrap_or(usize::MAX);
        }
        let reason = serve_stdio(store, kernel, options).await;
        Ok(if reason.is_orderly() {
            Exit::Done
        } else {
            Exit::Failed
        })
    }
}
