//! What a program writes: the first and the last of it in memory, all of it in a file.

use std::io::{self, SeekFrom};

use tokio::fs::File;
use tokio::io::{AsyncSeekExt as _, AsyncWriteExt as _};

use super::super::OUTPUT_LIMIT;

/// The most bytes of a program's output that are kept. More is read and counted.
pub(super) const SPOOL_LIMIT: u64 = 256 * 1024 * 1024;

/// Bytes of the beginning, and of the end, that stay in memory.
const ENDS: usize = OUTPUT_LIMIT;

/// Takes in output. Its memory does not depend on how much there is.
#[derive(Default)]
pub(super) struct Spool {
    /// The first [`ENDS`] bytes.
    head: Vec<u8>,
    /// The last bytes after those: at least [`ENDS`] when there are so many.
    tail: Vec<u8>,
    total: u64,
    /// All of it, once it does not fit into `head`. It has no name, so nothing is left behind.
    file: Option<File>,
    written: u64,
    trouble: Option<io::Error>,
}

impl Spool {
    /// Takes in the next bytes.
    pub async fn take(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let room = ENDS - self.head.len();
        let (first, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(first);
        if rest.is_empty() {
            return;
        }
        if self.trouble.is_none()
            && let Err(error) = self.write(rest).await
        {
            self.trouble = Some(error);
        }
        if self.tail.len() > ENDS {
            self.tail.drain(..self.tail.len() - ENDS);
        }
        self.tail.extend_from_slice(rest);
    }

    /// How many bytes came.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The first bytes and the last; together they are all of it when they are as long.
    pub fn ends(&self) -> (&[u8], &[u8]) {
        (&self.head, &self.tail)
    }

    /// All of it, up to [`SPOOL_LIMIT`], as a file at its start.
    ///
    /// # Errors
    /// When it could not be written: the disk is full, say.
    pub async fn into_file(mut self) -> io::Result<File> {
        if let Some(error) = self.trouble {
            return Err(error);
        }
        if self.file.is_none() {
            self.write(&[]).await?;
        }
        let mut file = self.file.ok_or(io::ErrorKind::NotFound)?;
        file.flush().await?;
        file.seek(SeekFrom::Start(0)).await?;
        Ok(file)
    }

    /// Writes what is not yet in the file.
    async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.file.is_none() {
            let file = tokio::task::spawn_blocking(tempfile::tempfile).await??;
            let mut file = File::from_std(file);
            file.write_all(&self.head).await?;
            self.written = self.head.len() as u64;
            self.file = Some(file);
        }
        let room = usize::try_from(SPOOL_LIMIT - self.written).unwrap_or(usize::MAX);
        let bytes = &bytes[..room.min(bytes.len())];
        if let Some(file) = &mut self.file {
            file.write_all(bytes).await?;
            self.written += bytes.len() as u64;
        }
        Ok(())
    }
}
