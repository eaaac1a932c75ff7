//! Small files of the state directory: for their owner alone, there whole or not at all.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use super::super::dir::{no_detour, unshared};

/// What becomes of a file that is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Old {
    Stays,
    Goes,
}

/// The text of a file that only its owner can read; `None` when there is no file. What was opened is
/// what is judged, and nobody at the other end of a pipe is waited for.
pub(super) fn read(path: &Path, most: u64) -> Result<Option<String>, String> {
    let failed = |error: io::Error| format!("cannot be read: {error}");
    let opened = OpenOptions::new()
        .read(true)
        .custom_flags(no_detour())
        .open(path);
    let file = match opened {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) => {
            return Err("is a symbolic link; name the real file".to_owned());
        }
        Err(error) => return Err(failed(error)),
    };
    let found = file.metadata().map_err(failed)?;
    if !found.is_file() {
        return Err("is no file".to_owned());
    }
    unshared(path, &found, "600")?;
    if found.len() > most {
        return Err(format!("is longer than {most} bytes"));
    }
    let mut text = String::new();
    file.take(most).read_to_string(&mut text).map_err(failed)?;
    Ok(Some(text))
}

/// Writes a file of `dir`; false when there is one and it stays.
pub(super) fn write(dir: &Path, path: &Path, text: &str, old: Old) -> io::Result<bool> {
    // It is made for its owner alone.
    let mut file = tempfile::NamedTempFile::new_in(dir)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    let put = match old {
        Old::Stays => file.persist_noclobber(path),
        Old::Goes => file.persist(path),
    };
    match put {
        Ok(_) => File::open(dir)?.sync_all().map(|()| true),
        Err(error) if old == Old::Stays && error.error.kind() == io::ErrorKind::AlreadyExists => {
            Ok(false)
        }
        Err(error) => Err(error.error),
    }
}
