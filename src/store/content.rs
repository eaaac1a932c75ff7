use std::io;

use sha2::{Digest as _, Sha256};
use tokio::fs::File;
use tokio::io::{AsyncReadExt as _, AsyncSeekExt as _};

use super::writer::Writer;
use crate::domain::Digest;

/// Bytes of one piece of content.
const PIECE: usize = 256 * 1024;

/// Keeps content too large for an event, named by its digest.
#[derive(Clone)]
pub struct StoreContent {
    pub(super) writer: Writer,
}

/// One thing to keep outside the ledger.
#[derive(Debug)]
pub(super) enum Keep {
    /// A piece of content.
    Piece {
        digest: Digest,
        position: i64,
        bytes: Vec<u8>,
    },
    /// All pieces are kept.
    Whole { digest: Digest, bytes: i64 },
}

impl StoreContent {
    /// Keeps all of `spool` and returns its digest and length in bytes. Memory use does not depend
    /// on the length.
    ///
    /// # Errors
    /// When the file cannot be read or the store does not take it.
    pub async fn keep(&self, mut spool: File) -> io::Result<(Digest, u64)> {
        let (digest, bytes) = measure(&mut spool).await?;
        spool.rewind().await?;
        let mut position = 0;
        loop {
            let piece = next_piece(&mut spool).await?;
            if piece.is_empty() {
                break;
            }
            self.store(Keep::Piece {
                digest,
                position,
                bytes: piece,
            })
            .await?;
            position += 1;
        }
        let length = i64::try_from(bytes).map_err(io::Error::other)?;
        self.store(Keep::Whole {
            digest,
            bytes: length,
        })
        .await?;
        Ok((digest, bytes))
    }

    async fn store(&self, keep: Keep) -> io::Result<()> {
        self.writer.keep(keep).await.map_err(io::Error::other)
    }
}

async fn measure(spool: &mut File) -> io::Result<(Digest, u64)> {
    spool.rewind().await?;
    let mut hasher = Sha256::new();
    let mut bytes = 0;
    loop {
        let piece = next_piece(spool).await?;
        if piece.is_empty() {
            return Ok((Digest::from_bytes(hasher.finalize().into()), bytes));
        }
        hasher.update(&piece);
        bytes += piece.len() as u64;
    }
}

async fn next_piece(spool: &mut File) -> io::Result<Vec<u8>> {
    let mut piece = Vec::with_capacity(PIECE);
    spool.take(PIECE as u64).read_to_end(&mut piece).await?;
    Ok(piece)
}
