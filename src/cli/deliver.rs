//! Results that go into a file, and small files that are read whole.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use super::failure::Failure;
use super::output::{note, print};

/// Writes to standard output, or into a new file: whole or not at all, and for its owner alone.
pub(super) fn deliver(text: &str, out: Option<&Path>) -> Result<(), Failure> {
    let Some(path) = out else {
        print(text);
        return Ok(());
    };
    create(text, path).map_err(|error| {
        let name = path.display();
        match error.kind() {
            io::ErrorKind::AlreadyExists => Failure::usage(format!(
                "{name} exists already and was left as it is; name a new file"
            )),
            _ => Failure::failed(format!("{name} cannot be written: {error}")),
        }
    })?;
    note(&format!("wrote {}", path.display()));
    Ok(())
}

fn create(text: &str, path: &Path) -> io::Result<()> {
    let dir = match path.parent() {
        Some(dir) if dir.as_os_str() != "" => dir,
        _ => Path::new("."),
    };
    let mut file = tempfile::NamedTempFile::new_in(dir)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist_noclobber(path).map_err(|error| error.error)?;
    File::open(dir)?.sync_all()
}

/// The whole of a file, when it has no more than `most` bytes. Nobody at the other end of a pipe is
/// waited for.
pub(super) fn read_small(path: &Path, most: u64) -> Result<Vec<u8>, Failure> {
    let name = path.display();
    let failed = |error: io::Error| Failure::usage(format!("{name} cannot be read: {error}"));
    let nonblock = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(nonblock)
        .open(path)
        .map_err(failed)?;
    if !file.metadata().map_err(failed)?.is_file() {
        return Err(Failure::usage(format!("{name} is no file")));
    }
    let mut bytes = Vec::new();
    file.take(most + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() as u64 > most {
        return Err(Failure::usage(format!(
            "{name} has more than {most} bytes; it is not what is read here"
        )));
    }
    Ok(bytes)
}
