use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};
use sqlx::{Connection as _, SqliteConnection};

use super::super::connect;
use super::super::dir::StateDir;
use super::super::error::StoreError;
use super::report::{Finding, Findings, What};
use crate::domain::Digest;

/// Hashes everything that is kept outside the ledger; returns how many contents there are. Pieces
/// without a row in `content` are of something that was never kept whole, and are not looked at.
pub(super) async fn contents(dir: &StateDir) -> Result<(u64, Findings), StoreError> {
    let mut connection = connect::scan(dir).await?;
    let mut snapshot = connection.begin().await?;
    let (mut count, mut findings) = (0, Findings::default());
    let mut after = Vec::new();
    loop {
        let next = sqlx::query_file!("queries/verify/content_after.sql", after)
            .fetch_optional(&mut *snapshot)
            .await?;
        let Some(content) = next else { break };
        count += 1;
        let (found, bytes) = hash(&mut snapshot, &content.digest).await?;
        if found.as_bytes() != content.digest.as_slice() || bytes != content.bytes {
            let named = hex(&content.digest);
            let message = format!("content sha256:{named}: what is kept of it hashes to {found}");
            let finding = Finding::new(What::ContentDiffers, message);
            findings.push(finding.in_table("content", named));
        }
        after = content.digest;
    }
    Ok((count, findings))
}

async fn hash(connection: &mut SqliteConnection, name: &[u8]) -> Result<(Digest, i64), StoreError> {
    let (mut hasher, mut bytes, mut next) = (Sha256::new(), 0, Some(i64::MIN));
    while let Some(position) = next {
        let piece = sqlx::query_file!("queries/verify/content_piece.sql", name, position)
            .fetch_optional(&mut *connection)
            .await?;
        let Some(piece) = piece else { break };
        hasher.update(&piece.bytes);
        bytes += i64::try_from(piece.bytes.len()).unwrap_or(0);
        next = piece.position.checked_add(1);
    }
    Ok((Digest::from_bytes(hasher.finalize().into()), bytes))
}

/// A name that may be no digest, after a forgery.
fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a `String` cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
