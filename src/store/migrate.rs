//! Brings a database to the schema this version knows, with refinery over the same `SQLite` the
//! rest of the store uses.

use refinery_core::traits::r#async::{AsyncMigrate, AsyncQuery, AsyncTransaction};
use refinery_core::{Migration, Target};
use sqlx::{Executor, Row, SqliteConnection};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::dir::StateDir;
use super::error::StoreError;

refinery::embed_migrations!("migrations");

const MIGRATIONS_TABLE: &str = "refinery_schema_history";

/// The schema version this program knows.
pub(super) fn known_version() -> i64 {
    migrations::runner()
        .get_migrations()
        .iter()
        .map(|migration| i64::from(migration.version()))
        .max()
        .unwrap_or(0)
}

/// The schema version of a database; 0 when it is empty.
pub(super) async fn version(connection: &mut SqliteConnection) -> Result<i64, sqlx::Error> {
    let version = sqlx::query_file_scalar!("queries/schema_version.sql")
        .fetch_one(connection)
        .await?;
    Ok(version.unwrap_or(0))
}

/// Refuses a database of a version before `needed`.
pub(super) async fn needs(
    connection: &mut SqliteConnection,
    needed: i64,
) -> Result<(), StoreError> {
    match version(connection).await? {
        found if found < needed => Err(StoreError::Older { found, needed }),
        _ => Ok(()),
    }
}

/// Runs what migrations are missing. A database of a later version is refused untouched.
pub(super) async fn migrate(
    dir: &StateDir,
    connection: &mut SqliteConnection,
) -> Result<(), StoreError> {
    let known = known_version();
    let found = version(connection)
        .await
        .map_err(|error| StoreError::Database(error.to_string()))?;
    if found > known {
        return Err(StoreError::Newer {
            path: dir.database(),
            found,
            known,
        });
    }
    if found == known {
        return Ok(());
    }
    run(connection, Target::Latest).await
}

/// Makes the schema of `version` in an empty database.
pub(super) async fn build(
    connection: &mut SqliteConnection,
    version: i64,
) -> Result<(), StoreError> {
    run(
        connection,
        Target::Version(i32::try_from(version).unwrap_or(0)),
    )
    .await
}

async fn run(connection: &mut SqliteConnection, target: Target) -> Result<(), StoreError> {
    let runner = migrations::runner();
    let migrations = runner.get_migrations();
    Connection(connection)
        .migrate(migrations, true, true, true, target, MIGRATIONS_TABLE)
        .await
        .map_err(|error| StoreError::Database(format!("the schema cannot be migrated: {error}")))?;
    Ok(())
}

struct Connection<'c>(&'c mut SqliteConnection);

impl AsyncTransaction for Connection<'_> {
    type Error = sqlx::Error;

    async fn execute<'a, T: Iterator<Item = &'a str> + Send + 'a>(
        &'a mut self,
        queries: T,
    ) -> Result<usize, sqlx::Error> {
        let mut transaction = sqlx::Connection::begin(&mut *self.0).await?;
        let mut count = 0;
        for query in queries {
            // The text is refinery's own and the migrations compiled into this program.
            transaction
                .execute(sqlx::raw_sql(sqlx::AssertSqlSafe(query)))
                .await?;
            count += 1;
        }
        transaction.commit().await?;
        Ok(count)
    }
}

impl AsyncQuery<Vec<Migration>> for Connection<'_> {
    async fn query<'a>(&'a mut self, query: &'a str) -> Result<Vec<Migration>, sqlx::Error> {
        let rows = self
            .0
            .fetch_all(sqlx::raw_sql(sqlx::AssertSqlSafe(query)))
            .await?;
        rows.iter()
            .map(|row| {
                let applied_on: String = row.try_get(2)?;
                let checksum: String = row.try_get(3)?;
                Ok(Migration::applied(
                    row.try_get(0)?,
                    row.try_get(1)?,
                    OffsetDateTime::parse(&applied_on, &Rfc3339).map_err(decode)?,
                    checksum.parse().map_err(decode)?,
                ))
            })
            .collect()
    }
}

fn decode(error: impl std::error::Error + Send + Sync + 'static) -> sqlx::Error {
    sqlx::Error::Decode(Box::new(error))
}

impl AsyncMigrate for Connection<'_> {}
