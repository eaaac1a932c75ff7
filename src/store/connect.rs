use std::time::Duration;

use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};
use sqlx::{ConnectOptions, SqliteConnection};

use super::dir::StateDir;

/// Page size of a new database, in bytes. A commit writes each page it touches whole.
const PAGE_SIZE: u32 = 1024;
/// How long a connection waits for the write lock of another process.
const BUSY_WAIT: Duration = Duration::from_secs(10);
/// Pages in the write-ahead log before they are moved into the database.
const CHECKPOINT_PAGES: &str = "4000";
/// Bytes the write-ahead log keeps on disk after that.
const LOG_LIMIT: &str = "16777216";
/// Page cache of a connection, in KiB (`SQLite` wants that negative).
const CACHE: &str = "-1024";
/// Page cache of a scratch database, in KiB.
const SCRATCH_CACHE: &str = "-16384";
/// Connections that read.
const READERS: u32 = 2;
/// How long a read waits for one of them.
const READER_WAIT: Duration = Duration::from_secs(30);

/// Rows that wait for a connection that is read from front to back; each may hold a page of events.
const PAGES_AHEAD: usize = 2;

fn options(dir: &StateDir) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(dir.database())
        .busy_timeout(BUSY_WAIT)
        .foreign_keys(false)
        .pragma("cache_size", CACHE)
        .pragma("trusted_schema", "ON")
        .disable_statement_logging()
}

/// The one connection that writes.
pub(super) async fn writer(dir: &StateDir) -> Result<SqliteConnection, sqlx::Error> {
    options(dir)
        .create_if_missing(true)
        .page_size(PAGE_SIZE)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Normal)
        .pragma("wal_autocheckpoint", CHECKPOINT_PAGES)
        .pragma("journal_size_limit", LOG_LIMIT)
        .connect()
        .await
}

/// The connections that read, opened when first needed.
pub(super) fn readers(dir: &StateDir) -> SqlitePool {
    SqlitePoolOptions::new()
        .max_connections(READERS)
        .min_connections(0)
        .acquire_timeout(READER_WAIT)
        .test_before_acquire(false)
        .idle_timeout(None)
        .max_lifetime(None)
        .connect_lazy_with(options(dir).read_only(true).pragma("query_only", "ON"))
}

/// A connection that reads the store from front to back.
pub(super) async fn scan(dir: &StateDir) -> Result<SqliteConnection, sqlx::Error> {
    options(dir)
        .read_only(true)
        .pragma("query_only", "ON")
        .row_buffer_size(PAGES_AHEAD)
        .connect()
        .await
}

/// An empty database of its own, in memory while it is small and in an unnamed file beyond; it can
/// attach others by their URI.
pub(super) async fn scratch() -> Result<SqliteConnection, sqlx::Error> {
    SqliteConnectOptions::new()
        .filename("")
        .busy_timeout(BUSY_WAIT)
        .foreign_keys(false)
        .journal_mode(SqliteJournalMode::Memory)
        .synchronous(SqliteSynchronous::Off)
        .pragma("cache_size", SCRATCH_CACHE)
        .pragma("trusted_schema", "ON")
        .disable_statement_logging()
        .connect()
        .await
}
