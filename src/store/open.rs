use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::clock::Clock;
use super::dir::{Found, StateDir};
use super::error::StoreError;
use super::owner::Owner;
use super::record::RecoveredTurn;
use super::writer::Writer;
use super::{Inner, Store, connect, migrate, state};

/// How a store is opened.
#[derive(Debug, Clone)]
pub struct StoreOptions {
    /// The state directory; made when missing.
    pub dir: PathBuf,
    /// Where the time comes from.
    pub clock: Clock,
}

impl StoreOptions {
    /// The store in `dir`, by the clock of the machine.
    pub fn new(dir: impl Into<PathBuf>) -> Self {
        Self {
            dir: dir.into(),
            clock: Clock::system(),
        }
    }
}

/// A store, and what was found while opening it.
pub struct Opened {
    /// The store.
    pub store: Store,
    /// Turns that were closed because their process is gone.
    pub recovered: Vec<RecoveredTurn>,
}

/// Result codes that say that a file is no sound database: `SQLITE_CORRUPT`, `SQLITE_NOTADB`.
const DAMAGED: [u32; 2] = [11, 26];

impl Store {
    /// Opens the store to read and write: creates what is missing, migrates the schema, and closes
    /// the turns of processes that are gone.
    ///
    /// # Errors
    /// [`StoreError::Directory`], [`StoreError::Newer`], [`StoreError::Corrupt`], or the database.
    pub async fn open(options: StoreOptions) -> Result<Opened, StoreError> {
        let dir = StateDir::create(&options.dir)?;
        let starting = dir.lock_start().await?;
        match dir.look() {
            Found::Ours => {}
            Found::Foreign => return Err(foreign(&dir)),
            Found::Damaged => {
                return Err(set_aside(&dir, &options.clock, "it is no SQLite database"));
            }
        }
        let unusable = |error: sqlx::Error| unusable(&dir, &options.clock, &error);
        let mut connection = connect::writer(&dir).await.map_err(unusable)?;
        migrate::migrate(&dir, &mut connection).await?;
        state::ledger_head(&mut connection)
            .await
            .map_err(unusable)?;
        let in_use = dir.in_use()?;
        drop(starting);
        let closing = CancellationToken::new();
        let (writer, task) = Writer::start(
            connection,
            options.clock.clone(),
            closing.clone(),
            dir.aside(),
        );
        let store = Self {
            inner: Arc::new(Inner {
                pool: connect::readers(&dir),
                owner: Owner::new(&dir),
                dir,
                clock: options.clock,
                writer: Some(writer),
                closing,
                task: tokio::sync::Mutex::new(Some(task)),
                in_use: Some(in_use).into(),
            }),
        };
        let recovered = store.recover().await?;
        Ok(Opened { store, recovered })
    }

    /// Opens an existing store to be read only; commands fail with [`StoreError::Closing`].
    ///
    /// # Errors
    /// [`StoreError::Directory`] when there is none, [`StoreError::Newer`], or the database.
    pub async fn open_read_only(dir: &Path) -> Result<Self, StoreError> {
        let dir = StateDir::existing(dir)?;
        match dir.look() {
            Found::Ours => {}
            Found::Foreign => return Err(foreign(&dir)),
            Found::Damaged => {
                return Err(StoreError::Directory {
                    path: dir.database(),
                    problem: "this is no SQLite database; put a copy of the store there, or begin \
                          afresh: the next `threadkeep exec` keeps the file under another name"
                        .to_owned(),
                });
            }
        }
        let pool = connect::readers(&dir);
        let mut connection = pool.acquire().await?;
        let (found, known) = (
            migrate::version(&mut connection).await?,
            migrate::known_version(),
        );
        drop(connection);
        if found > known {
            return Err(StoreError::Newer {
                path: dir.database(),
                found,
                known,
            });
        }
        Ok(Self {
            inner: Arc::new(Inner {
                pool,
                owner: Owner::new(&dir),
                dir,
                clock: Clock::system(),
                writer: None,
                closing: CancellationToken::new(),
                task: tokio::sync::Mutex::new(None),
                in_use: None.into(),
            }),
        })
    }
}

fn foreign(dir: &StateDir) -> StoreError {
    StoreError::Directory {
        path: dir.database(),
        problem:
            "this is not a store of ours but something else; it was not touched. Name another \
                  directory with --state-dir"
                .to_owned(),
    }
}

/// A database that cannot be opened: set aside when it is damaged, left alone otherwise.
fn unusable(dir: &StateDir, clock: &Clock, error: &sqlx::Error) -> StoreError {
    let code = error
        .as_database_error()
        .and_then(sqlx::error::DatabaseError::code)
        .and_then(|code| code.parse::<u32>().ok());
    if !code.is_some_and(|code| DAMAGED.contains(&(code & 0xff))) {
        return StoreError::Database(error.to_string());
    }
    set_aside(dir, clock, &error.to_string())
}

fn set_aside(dir: &StateDir, clock: &Clock, problem: &str) -> StoreError {
    match dir.set_aside(clock.now().millis()) {
        Ok(kept) => StoreError::Corrupt {
            path: dir.database(),
            problem: problem.to_owned(),
            kept,
        },
        Err(error) => StoreError::Damaged {
            path: dir.database(),
            problem: format!("{problem}; it was not set aside: {error}"),
        },
    }
}
