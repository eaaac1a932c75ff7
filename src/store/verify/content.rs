use sha2::{Digest as _, Sha256};
use sqlx::{Connection as _, SqliteConnection};

use super::super::connect;
use super::super::decode::digest;
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
        let named = digest(&content.digest)?;
        let (found, bytes) = hash(&mut snapshot, &content.digest).await?;
        if found != named || bytes != content.bytes {
            let message = format!("content {named}: what is kept of it hashes to {found}");
            let finding = Finding::new(What::ContentDiffers, message);
            findings.push(finding.in_table("content", named.hex()));
        }
        after = content.digest;
    }
    Ok((count, findings))
}

async fn hash(connection: &mut SqliteConnection, name: &[u8]) -> Result<(Digest, i64), StoreError> {
    let (mut hasher, mut bytes, mut position) = (Sha256::new(), 0, -1);
    loop {
        let piece = sqlx::query_file!("queries/verify/content_piece.sql", name, position)
            .fetch_optional(&mut *connection)
            .await?;
        let Some(piece) = piece else { break };
        hasher.update(&piece.bytes);
        bytes += i64::try_from(piece.bytes.len()).unwrap_or(0);
        position = piece.position;
    }
    Ok((Digest::from_bytes(hasher.finalize().into()), bytes))
}
