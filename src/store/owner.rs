use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::dir::StateDir;
use crate::domain::{OwnerId, Timestamp};

/// This process as the owner of turns. Its lock file is held by the kernel for as long as the
/// process lives and no longer, whatever ends it.
pub(super) struct Owner {
    id: OwnerId,
    owners: PathBuf,
    lock: Mutex<Option<File>>,
}

/// What a lock file says of its process.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct OwnerNote {
    pid: u32,
    started_at: Timestamp,
}

/// Whether the process that owns a turn still lives.
pub(super) enum Liveness {
    /// It is this process.
    Ourselves,
    /// It lives; the text names it for a person.
    Alive(String),
    /// It is gone. While the claim is held nobody else can come to the same conclusion.
    Dead(DeadOwner),
}

/// The lock of a dead process, now ours.
pub(super) struct DeadOwner {
    path: PathBuf,
    _lock: Option<File>,
}

impl DeadOwner {
    /// Removes the lock file: nothing of that process is left to be closed.
    pub fn forget(&self) -> io::Result<()> {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

impl Owner {
    pub fn new(dir: &StateDir) -> Self {
        Self {
            id: OwnerId::generate(),
            owners: dir.owners(),
            lock: Mutex::new(None),
        }
    }

    pub fn id(&self) -> &OwnerId {
        &self.id
    }

    /// Takes the lock, once, before the first turn. The file appears under its name only when it
    /// is locked, so that nobody can find it free while its process lives.
    pub fn hold(&self, now: Timestamp) -> io::Result<()> {
        let mut held = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        if held.is_some() {
            return Ok(());
        }
        let path = lock_path(&self.owners, &self.id);
        let unnamed = path.with_extension("new");
        let mut file = OpenOptions::new()
            .create_new(true)
            .write(true)
            .mode(0o600)
            .open(&unnamed)?;
        file.lock()?;
        let note = OwnerNote {
            pid: std::process::id(),
            started_at: now,
        };
        file.write_all(serde_json::to_string(&note)?.as_bytes())?;
        fs::rename(&unnamed, &path)?;
        *held = Some(file);
        Ok(())
    }

    /// Gives the lock back when the process ends in order.
    pub fn release(&self) {
        let held = self
            .lock
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if held.is_some()
            && let Err(error) = fs::remove_file(lock_path(&self.owners, &self.id))
        {
            tracing::warn!(%error, "the owner lock file stays; the next start removes it");
        }
    }

    /// Looks whether the process behind `owner` lives.
    pub fn liveness(&self, owner: &OwnerId) -> io::Result<Liveness> {
        if *owner == self.id {
            return Ok(Liveness::Ourselves);
        }
        let path = lock_path(&self.owners, owner);
        let mut file = match OpenOptions::new().read(true).open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Liveness::Dead(DeadOwner { path, _lock: None }));
            }
            Err(error) => return Err(error),
        };
        match file.try_lock() {
            Ok(()) => Ok(Liveness::Dead(DeadOwner {
                path,
                _lock: Some(file),
            })),
            Err(TryLockError::Error(error)) => Err(error),
            Err(TryLockError::WouldBlock) => Ok(Liveness::Alive(describe(&mut file))),
        }
    }
}

fn lock_path(owners: &Path, owner: &OwnerId) -> PathBuf {
    // An identifier may hold `/` and `:`; only ours, which are UUIDs, ever name a file.
    owners
        .join(owner.as_str().replace(['/', ':'], "_"))
        .with_extension("lock")
}

fn describe(file: &mut File) -> String {
    let mut text = String::new();
    let note = file
        .read_to_string(&mut text)
        .ok()
        .and_then(|_| serde_json::from_str::<OwnerNote>(&text).ok());
    match note {
        Some(note) => format!("process {} holds it since {}", note.pid, note.started_at),
        None => "another process holds it".to_owned(),
    }
}
