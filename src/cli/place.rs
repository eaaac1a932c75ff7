use std::path::PathBuf;

use clap::Args;
use etcetera::BaseStrategy as _;

use super::failure::Failure;
use crate::domain::ThreadId;
use crate::store::{Archived, Opened, Store, StoreOptions, ThreadFilter};

/// Threads looked through for a prefix of an id.
const LOOKED_THROUGH: u32 = 100_000;

/// Where the sessions are kept.
#[derive(Args, Debug)]
pub(super) struct Place {
    /// Where sessions are kept [default: the XDG state directory]
    #[arg(
        long,
        value_name = "DIR",
        env = "THREADKEEP_STATE_DIR",
        hide_env = true,
        alias = "app-server-state-dir"
    )]
    state_dir: Option<PathBuf>,
}

impl Place {
    /// The state directory that holds `file`: a host may name the database itself.
    pub fn of_file(file: &std::path::Path) -> Result<Self, Failure> {
        let named = file.file_name().is_some_and(|name| name == "threadkeep.db");
        match file.parent() {
            Some(dir) if named => Ok(Self {
                state_dir: Some(dir.to_owned()),
            }),
            _ => Err(Failure::usage(format!(
                "{} is no store of ours; the file is called threadkeep.db and has a directory of its own",
                file.display()
            ))),
        }
    }

    pub fn dir(&self) -> Result<PathBuf, Failure> {
        if let Some(dir) = &self.state_dir {
            return Ok(dir.clone());
        }
        let base = etcetera::base_strategy::Xdg::new()
            .map_err(|_| Failure::usage("there is no home directory; say --state-dir DIR"))?;
        let state = base
            .state_dir()
            .ok_or_else(|| Failure::usage("there is no state directory; say --state-dir DIR"))?;
        Ok(state.join("threadkeep"))
    }

    /// The store to run turns on; what is missing is made.
    pub async fn open(&self) -> Result<Store, Failure> {
        let Opened { store, recovered } = Store::open(StoreOptions::new(self.dir()?)).await?;
        for turn in recovered {
            tracing::info!(thread = %turn.thread, turn = %turn.turn, "closed a turn whose process is gone");
        }
        Ok(store)
    }

    /// The store to read.
    pub async fn read(&self) -> Result<Store, Failure> {
        Ok(Store::open_read_only(&self.dir()?).await?)
    }
}

/// The thread of that name, or the only one whose name begins so.
pub(super) async fn thread(store: &Store, name: &str) -> Result<ThreadId, Failure> {
    let id: ThreadId = name
        .parse()
        .map_err(|error| Failure::usage(format!("{name:?} is no thread id: {error}")))?;
    if store.thread(&id).await.is_ok() {
        return Ok(id);
    }
    let filter = ThreadFilter {
        archived: Archived::Included,
        limit: LOOKED_THROUGH,
    };
    let threads = store.threads(filter).await?;
    let mut found = threads
        .into_iter()
        .map(|thread| thread.id)
        .filter(|id| id.as_str().starts_with(name));
    match (found.next(), found.next()) {
        (Some(only), None) => Ok(only),
        (Some(one), Some(other)) => Err(Failure::usage(format!(
            "several threads begin with {name}, for example {one} and {other}; give more of the id"
        ))),
        (None, _) => Err(Failure::usage(format!(
            "there is no thread {name}; `threadkeep threads` lists those there are"
        ))),
    }
}
