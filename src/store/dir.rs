use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::error::StoreError;

/// How long a start waits for another process that is creating or migrating the store.
const START_WAIT: Duration = Duration::from_secs(30);
const START_POLL: Duration = Duration::from_millis(5);

/// The directory the store lives in: only its owner may look into it.
#[derive(Debug, Clone)]
pub(super) struct StateDir {
    path: PathBuf,
}

/// `PRAGMA application_id` of a store: "thkp", as migrations/ sets it.
const APPLICATION_ID: u32 = 1_953_000_304;

/// Bytes of a database's header that are looked at.
const HEADER: usize = 72;

/// What is where the database belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// Nothing, or a store.
    Ours,
    /// No database.
    Damaged,
    /// A database of something else, or no file.
    Foreign,
}

impl StateDir {
    /// Makes the directory (and its parents) where it is missing; refuses one that others can
    /// read or that belongs to somebody else.
    pub fn create(path: &Path) -> Result<Self, StoreError> {
        let dir = Self {
            path: path.to_owned(),
        };
        for path in [dir.path.clone(), dir.owners()] {
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(&path)
                .map_err(|error| problem(&path, format!("cannot be created: {error}")))?;
            private(&path, "700")?;
        }
        // SQLite gives its companion files the mode of the database file.
        for file in [dir.database(), dir.start_lock(), dir.use_lock()] {
            OpenOptions::new()
                .create(true)
                .append(true)
                .mode(0o600)
                .custom_flags(no_detour())
                .open(&file)
                .map_err(|error| {
                    problem(&file, format!("cannot be opened for writing: {error}"))
                })?;
            private(&file, "600")?;
        }
        Ok(dir)
    }

    /// The directory as it is, to be read only.
    pub fn existing(path: &Path) -> Result<Self, StoreError> {
        let dir = Self {
            path: path.to_owned(),
        };
        let database = dir.database();
        if !database.is_file() {
            let what = "there is no store here; name another directory with --state-dir".to_owned();
            return Err(problem(path, what));
        }
        private(path, "700")?;
        private(&database, "600")?;
        Ok(dir)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn database(&self) -> PathBuf {
        self.path.join("threadkeep.db")
    }

    pub fn owners(&self) -> PathBuf {
        self.path.join("owners")
    }

    fn start_lock(&self) -> PathBuf {
        self.path.join("start.lock")
    }

    fn use_lock(&self) -> PathBuf {
        self.path.join("use.lock")
    }

    /// A lock that says that this process writes here, until it is dropped or the process ends.
    pub fn in_use(&self) -> Result<File, StoreError> {
        let path = self.use_lock();
        let failed = |error: io::Error| problem(&path, format!("cannot be locked: {error}"));
        let file = OpenOptions::new()
            .append(true)
            .open(&path)
            .map_err(failed)?;
        // Whoever holds it alone holds the start lock too, so this does not wait.
        file.lock_shared().map_err(failed)?;
        Ok(file)
    }

    /// Holds off other starts while the store is created, checked and migrated.
    pub async fn lock_start(&self) -> Result<File, StoreError> {
        let path = self.start_lock();
        let failed = |error: io::Error| problem(&path, format!("cannot be locked: {error}"));
        let file = OpenOptions::new()
            .append(true)
            .open(&path)
            .map_err(failed)?;
        let deadline = Instant::now() + START_WAIT;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(fs::TryLockError::Error(error)) => return Err(failed(error)),
                Err(fs::TryLockError::WouldBlock) if Instant::now() >= deadline => {
                    let waited = START_WAIT.as_secs();
                    let what = format!(
                        "another threadkeep has been starting for {waited} s; end it and try again"
                    );
                    return Err(problem(&path, what));
                }
                Err(fs::TryLockError::WouldBlock) => tokio::time::sleep(START_POLL).await,
            }
        }
    }

    /// What is there, before SQLite is let near it: it takes a short file of anything for an empty
    /// database and writes over it.
    pub fn look(&self) -> Found {
        let database = self.database();
        let Ok(known) = fs::metadata(&database) else {
            return Found::Ours;
        };
        if !known.is_file() {
            return Found::Foreign;
        }
        if known.len() == 0 {
            return Found::Ours;
        }
        let mut header = [0; HEADER];
        let read = File::open(&database).and_then(|mut file| file.read_exact(&mut header));
        judge(read, &header)
    }

    /// Puts a damaged database aside, with its companions, and says where it is now. Not while
    /// somebody writes it: what they go on to acknowledge would go with it.
    pub fn set_aside(&self, stamp: i64) -> io::Result<PathBuf> {
        let alone = OpenOptions::new().append(true).open(self.use_lock())?;
        alone.try_lock().map_err(|error| match error {
            fs::TryLockError::Error(error) => error,
            fs::TryLockError::WouldBlock => {
                io::Error::other("a threadkeep that runs is using it; end that and try again")
            }
        })?;
        let database = self.database();
        let kept = self.path.join(format!("{ASIDE}{stamp}"));
        for companion in ["-wal", "-shm", ""] {
            let from = with_suffix(&database, companion);
            if from.exists() {
                fs::rename(&from, with_suffix(&kept, companion))?;
            }
        }
        Ok(kept)
    }

    /// A database that was set aside here and is still there.
    pub fn aside(&self) -> Option<PathBuf> {
        let entries = fs::read_dir(&self.path).ok()?;
        let mut names = entries.filter_map(|entry| Some(entry.ok()?.file_name()));
        let is_database = |name: &OsString| {
            let stamp = name.as_encoded_bytes().strip_prefix(ASIDE.as_bytes());
            stamp.is_some_and(|stamp| stamp.iter().all(u8::is_ascii_digit))
        };
        let name = names.find(is_database)?;
        Some(self.path.join(name))
    }
}

/// What the name of a database set aside begins with.
const ASIDE: &str = "threadkeep.db.damaged-";

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

fn private(path: &Path, mode: &str) -> Result<(), StoreError> {
    let found = fs::symlink_metadata(path)
        .map_err(|error| problem(path, format!("cannot be examined: {error}")))?;
    if found.file_type().is_symlink() {
        return Err(problem(
            path,
            "is a symbolic link; name the real directory".to_owned(),
        ));
    }
    unshared(path, &found, mode).map_err(|what| problem(path, what))
}

/// Refuses what belongs to somebody else or can be read by others.
pub(super) fn unshared(path: &Path, found: &fs::Metadata, mode: &str) -> Result<(), String> {
    if found.uid() != rustix::process::geteuid().as_raw() {
        return Err(format!(
            "belongs to user {}; use one of your own",
            found.uid()
        ));
    }
    let bits = found.mode() & 0o777;
    if bits & 0o077 != 0 {
        let path = path.display();
        return Err(format!(
            "has mode {bits:o}, others could read it; run: chmod {mode} '{path}'"
        ));
    }
    Ok(())
}

/// What a file is by the beginning of its header, or by why that could not be read.
///
/// The members are those of <https://www.sqlite.org/fileformat.html>. A database of one page without
/// a mark may be ours, its schema still in the log.
fn judge(read: io::Result<()>, header: &[u8; HEADER]) -> Found {
    let number = |at: usize| {
        let bytes = &header[at..at + 4];
        bytes.iter().fold(0, |n, byte| n << 8 | u32::from(*byte))
    };
    match read {
        Ok(()) if !header.starts_with(b"SQLite format 3\0") => Found::Damaged,
        Ok(()) => match (number(68), number(28)) {
            (APPLICATION_ID, _) | (0, 0..=1) => Found::Ours,
            _ => Found::Foreign,
        },
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Found::Damaged,
        // Nothing is known of it, so it is not moved. SQLite will meet the same and say so.
        Err(_) => Found::Ours,
    }
}

/// Flags that follow no link and wait for nobody at the other end of a pipe.
pub(super) fn no_detour() -> i32 {
    use rustix::fs::OFlags;
    // The kernel's own numbers, which fit what the library takes.
    (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed()
}

fn problem(path: &Path, problem: String) -> StoreError {
    StoreError::Directory {
        path: path.to_owned(),
        problem,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_known_to_be_damaged_may_be_moved() {
        let header = |pages: u32, application: u32| {
            let mut header = [0; HEADER];
            header[..16].copy_from_slice(b"SQLite format 3\0");
            header[28..32].copy_from_slice(&pages.to_be_bytes());
            header[68..].copy_from_slice(&application.to_be_bytes());
            header
        };
        assert_eq!(judge(Ok(()), &header(90, APPLICATION_ID)), Found::Ours);
        assert_eq!(judge(Ok(()), &header(1, 0)), Found::Ours);
        assert_eq!(judge(Ok(()), &header(2, 0)), Found::Foreign);
        assert_eq!(judge(Ok(()), &header(1, 7)), Found::Foreign);
        assert_eq!(judge(Ok(()), &[b'x'; HEADER]), Found::Damaged);
        // EACCES, EIO, EMFILE: the file may be whole.
        for code in [13, 5, 24] {
            let failed = Err(io::Error::from_raw_os_error(code));
            assert_eq!(judge(failed, &[0; HEADER]), Found::Ours, "{code}");
        }
        let short = Err(io::ErrorKind::UnexpectedEof.into());
        assert_eq!(judge(short, &[0; HEADER]), Found::Damaged);
    }
}
