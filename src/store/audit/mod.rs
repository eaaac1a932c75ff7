//! Canned questions about the ledger, answered from the audit views.
//!
//! May use: the store's read-only connections and `queries/audit/`. Promises: a question is the
//! text of its file and nothing else, so that the sqlite3 shell gives the same answer; an answer is
//! bounded and says when it was cut.

mod question;

use futures_util::TryStreamExt as _;
use serde::Serialize;
use sqlx::sqlite::SqliteRow;
use sqlx::{Column as _, Executor as _, Row as _, SqliteConnection, Statement as _, TypeInfo as _};
use sqlx::{SqlSafeStr as _, ValueRef as _};

pub use question::{Column, Question, question, questions};

use super::error::StoreError;
use super::{Store, migrate};

/// The most rows of an answer.
pub const MAX_ROWS: usize = 10_000;
/// The schema version that brought the audit views as they are.
const VIEWS_SINCE: i64 = 3;

/// Why a question was not answered.
#[derive(Debug, Clone, thiserror::Error)]
pub enum AuditError {
    /// No question of that name.
    #[error("there is no question {0:?}; `threadkeep audit` lists those there are")]
    UnknownQuestion(String),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for AuditError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

/// What a question found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answer {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// The rows, at most [`MAX_ROWS`].
    pub rows: Vec<Vec<Cell>>,
    /// True when there were more.
    pub truncated: bool,
}

/// One value of an answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Cell {
    /// Unknown, not yet, or erased.
    Null,
    /// A whole number.
    Integer(i64),
    /// Another number.
    Real(f64),
    /// A text.
    Text(String),
}

impl Store {
    /// Answers a canned question.
    ///
    /// # Errors
    /// [`AuditError`].
    pub async fn ask(&self, name: &str) -> Result<Answer, AuditError> {
        let question =
            question(name).ok_or_else(|| AuditError::UnknownQuestion(name.to_owned()))?;
        let mut connection = self.inner.pool.acquire().await?;
        migrate::needs(&mut connection, VIEWS_SINCE).await?;
        answer(question, &mut connection).await
    }
}

async fn answer(
    question: &'static Question,
    connection: &mut SqliteConnection,
) -> Result<Answer, AuditError> {
    let statement = connection.prepare(question.sql.into_sql_str()).await?;
    let mut answer = Answer {
        columns: statement
            .columns()
            .iter()
            .map(|column| column.name().to_owned())
            .collect(),
        rows: Vec::new(),
        truncated: false,
    };
    let mut rows = statement.query().fetch(connection);
    while let Some(row) = rows.try_next().await? {
        if answer.rows.len() == MAX_ROWS {
            answer.truncated = true;
            break;
        }
        answer.rows.push(cells(&row)?);
    }
    Ok(answer)
}

fn cells(row: &SqliteRow) -> Result<Vec<Cell>, sqlx::Error> {
    (0..row.len()).map(|at| cell(row, at)).collect()
}

fn cell(row: &SqliteRow, at: usize) -> Result<Cell, sqlx::Error> {
    let value = row.try_get_raw(at)?;
    if value.is_null() {
        return Ok(Cell::Null);
    }
    Ok(match value.type_info().name() {
        "INTEGER" => Cell::Integer(row.try_get_unchecked(at)?),
        "REAL" => Cell::Real(row.try_get_unchecked(at)?),
        _ => Cell::Text(row.try_get_unchecked(at)?),
    })
}
