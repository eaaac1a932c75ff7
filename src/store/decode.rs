//! From columns to domain values. A value that does not parse was not written by this program.

use std::str::FromStr;

use crate::domain::Digest;

/// Parses a text column.
pub(super) fn decoded<T>(text: &str) -> Result<T, sqlx::Error>
where
    T: FromStr,
    T::Err: std::error::Error + Send + Sync + 'static,
{
    text.parse()
        .map_err(|error| sqlx::Error::Decode(Box::new(error)))
}

/// Parses a digest column.
pub(super) fn digest(bytes: &[u8]) -> Result<Digest, sqlx::Error> {
    Digest::try_from(bytes).map_err(|error| sqlx::Error::Decode(Box::new(error)))
}
