use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustix::fs::OFlags;

/// The beginning of a file.
pub(super) struct Beginning {
    pub bytes: Vec<u8>,
    /// How long the whole file is.
    pub total: u64,
}

impl Beginning {
    pub fn is_all(&self) -> bool {
        self.bytes.len() as u64 == self.total
    }
}

/// Opens a regular file. A pipe or a device is an error and does not block.
pub(super) fn open(path: &Path) -> io::Result<File> {
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).map_err(io::Error::other)?;
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(flags)
        .open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    Ok(file)
}

/// Reads at most `limit` bytes of a regular file.
pub(super) fn read(path: &Path, limit: usize) -> io::Result<Beginning> {
    let file = open(path)?;
    let length = file.metadata()?.len();
    let mut bytes = Vec::new();
    file.take(limit as u64).read_to_end(&mut bytes)?;
    Ok(Beginning {
        total: length.max(bytes.len() as u64),
        bytes,
    })
}
