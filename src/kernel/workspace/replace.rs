//! Putting new content in the place of old: whole or not at all, and only over what is known.
//!
//! The new content is written to a file of its own beside the old one, made durable, and renamed
//! over it. Nothing is ever written into an existing file: a crash would leave half of it, and a
//! second hard link to it, perhaps outside the workspace, would change with it. A file whose owner
//! cannot be kept that way is refused.

use std::ffi::OsStr;
use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::sync::PoisonError;

use cap_fs_ext::DirExt;
use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt};
use rustix::fs::{RenameFlags, XattrFlags};
use rustix::io::Errno;

use super::file::{open_below, open_to_replace, raced, read_bounded};
use super::path::shown;
use super::{PathError, Place, Workspace};
use crate::domain::Digest;

/// What a file may be changed to: its permissions without those that lend an identity, which any
/// write takes from a file.
const MODE_KEPT: u32 = 0o1777;

/// The most bytes of an extended attribute, or of the names of all, as on Linux.
const ATTRIBUTE_LIMIT: usize = 64 * 1024;

/// Why content was not put in place.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReplaceError {
    /// Nothing happened: the place cannot be used.
    #[error(transparent)]
    Path(#[from] PathError),
    /// Nothing happened: something else is there than was known.
    #[error("{0} changed since you read it, nothing was written: read it again")]
    Stale(String),
    /// Nothing happened: there is a file where there was none.
    #[error("{0} was created by somebody else, nothing was written: read it first")]
    Exists(String),
    /// Nothing happened: the new file would belong to somebody else.
    #[error("{0} belongs to another user or group, which cannot be kept: nothing was written")]
    Owner(String),
    /// It may have happened.
    #[error("{path} may or may not have been written: {error}; read it again")]
    Unknown {
        /// The place.
        path: String,
        /// What failed.
        error: io::Error,
    },
}

impl Workspace {
    /// Makes `content` what is at `place`, if its content there is that of the digest `before`, or
    /// nothing is there when there is no digest. Creates the directories above it. On return it is
    /// durable.
    ///
    /// # Errors
    /// [`ReplaceError::Unknown`] when it may have happened, any other when it did not.
    pub(crate) fn replace(
        &self,
        place: &Place,
        before: Option<Digest>,
        content: &[u8],
    ) -> Result<(), ReplaceError> {
        // Two calls of this process do not come between each other's check and rename.
        let _alone = self.writes.lock().unwrap_or_else(PoisonError::into_inner);
        let mut above = Above::default();
        let io = |error| ReplaceError::Path(raced(place, error));
        let (dir, name) = match before {
            Some(_) => self.parent(place)?,
            None => self.made_parent(place, &mut above)?,
        };
        let draft = match before {
            Some(_) => {
                let old = open_to_replace(&dir, name).map_err(io)?;
                let draft = Draft::new(&dir, 0o600).map_err(io)?;
                keep_owner(&old, &draft.file, place)?;
                keep_access(&old, &draft.file).map_err(io)?;
                draft
            }
            None => Draft::new(&dir, 0o666).map_err(io)?,
        };
        draft.fill(content).map_err(io)?;
        check(&dir, name, place, before)?;
        draft.put(name, place, before)?;
        above.keep();
        dir.open(".")
            .and_then(|dir| dir.sync_all())
            .map_err(|error| unknown(place, error))
    }

    /// The directory that is to hold `place`, made if it is missing.
    fn made_parent<'a>(
        &self,
        place: &'a Place,
        above: &mut Above,
    ) -> Result<(Dir, &'a OsStr), ReplaceError> {
        let path = Path::new(place.path());
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(PathError::Unusable(shown(place.path())).into());
        };
        let mut make = || {
            let mut dir = self.dir.try_clone()?;
            for step in parent.components() {
                let step = step.as_os_str();
                dir = match dir.open_dir_nofollow(step) {
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {
                        above.make(dir, step)?
                    }
                    opened => opened?,
                };
            }
            Ok(dir)
        };
        let dir = make().map_err(|error| raced(place, error))?;
        Ok((dir, name))
    }
}

/// The directories made for a file. They go when the file does not come.
#[derive(Default)]
struct Above {
    made: Vec<(Dir, std::ffi::OsString)>,
}

impl Above {
    fn make(&mut self, parent: Dir, name: &OsStr) -> io::Result<Dir> {
        parent.create_dir(name)?;
        let dir = parent.open_dir_nofollow(name);
        parent.open(".")?.sync_all()?;
        self.made.push((parent, name.to_owned()));
        dir
    }

    fn keep(&mut self) {
        self.made.clear();
    }
}

impl Drop for Above {
    fn drop(&mut self) {
        for (parent, name) in self.made.drain(..).rev() {
            // One that somebody else already uses stays.
            let _ = parent.remove_dir(name);
        }
    }
}

/// A file with the new content, not in its place yet. It goes when it does not get there.
struct Draft<'a> {
    dir: &'a Dir,
    name: String,
    file: File,
}

impl<'a> Draft<'a> {
    fn new(dir: &'a Dir, mode: u32) -> io::Result<Self> {
        let name = format!(".threadkeep-{}.tmp", uuid::Uuid::new_v4().simple());
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(mode);
        let file = dir.open_with(&name, &options)?.into_std();
        Ok(Self { dir, name, file })
    }

    fn fill(&self, content: &[u8]) -> io::Result<()> {
        (&self.file).write_all(content)?;
        self.file.sync_all()
    }

    fn put(self, name: &OsStr, place: &Place, before: Option<Digest>) -> Result<(), ReplaceError> {
        let renamed = match before {
            Some(_) => self.dir.rename(&self.name, self.dir, name),
            None => self.put_first(name),
        };
        // Where the file system is far away, an error does not say that nothing happened.
        renamed.map_err(|error| match check(self.dir, name, place, before) {
            Ok(()) => raced(place, error).into(),
            Err(_) if self.dir.exists(&self.name) => raced(place, error).into(),
            Err(_) => unknown(place, error),
        })
    }

    /// Renames it over nothing.
    fn put_first(&self, name: &OsStr) -> io::Result<()> {
        let flags = RenameFlags::NOREPLACE;
        match rustix::fs::renameat_with(self.dir, &self.name, self.dir, name, flags) {
            // Not every file system knows how. That nothing is there was seen just before.
            Err(Errno::INVAL | Errno::NOSYS) => self.dir.rename(&self.name, self.dir, name),
            renamed => Ok(renamed?),
        }
    }
}

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        // Nothing is there under this name once it was renamed.
        let _ = self.dir.remove_file(&self.name);
    }
}

/// Whether what is at `name` is still what is known.
fn check(
    dir: &Dir,
    name: &OsStr,
    place: &Place,
    before: Option<Digest>,
) -> Result<(), ReplaceError> {
    let path = || shown(place.path());
    let Some(before) = before else {
        return match dir.symlink_metadata(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(raced(place, error).into()),
            Ok(_) => Err(ReplaceError::Exists(path())),
        };
    };
    let now = open_below(dir, name).and_then(|file| read_bounded(&file));
    match now.map_err(|error| raced(place, error))? {
        Some(now) if Digest::of(&now) == before => Ok(()),
        _ => Err(ReplaceError::Stale(path())),
    }
}

fn keep_owner(old: &File, new: &File, place: &Place) -> Result<(), ReplaceError> {
    let io = |error| ReplaceError::Path(PathError::io(place.path(), error));
    let (old, now) = (old.metadata().map_err(io)?, new.metadata().map_err(io)?);
    if (old.uid(), old.gid()) == (now.uid(), now.gid()) {
        return Ok(());
    }
    std::os::unix::fs::fchown(new, Some(old.uid()), Some(old.gid()))
        .map_err(|_| ReplaceError::Owner(shown(place.path())))
}

/// Gives `new` the mode, the access list and the user's attributes of `old`.
fn keep_access(old: &File, new: &File) -> io::Result<()> {
    let mode = old.metadata()?.mode() & MODE_KEPT;
    new.set_permissions(Permissions::from_mode(mode))?;
    let mut names = vec![0; ATTRIBUTE_LIMIT];
    let length = match rustix::fs::flistxattr(old, &mut names) {
        Err(Errno::NOTSUP | Errno::NOSYS) => return Ok(()),
        length => length?,
    };
    let mut value = vec![0; ATTRIBUTE_LIMIT];
    for name in names[..length].split(|byte| *byte == 0) {
        if name.starts_with(b"user.") || name == b"system.posix_acl_access" {
            let length = rustix::fs::fgetxattr(old, name, &mut value)?;
            rustix::fs::fsetxattr(new, name, &value[..length], XattrFlags::empty())?;
        }
    }
    Ok(())
}

fn unknown(place: &Place, error: io::Error) -> ReplaceError {
    ReplaceError::Unknown {
        path: shown(place.path()),
        error,
    }
}
