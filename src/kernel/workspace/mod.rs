//! The one directory a thread works in, and what its model knows of it.
//!
//! May use: `domain` and the operating system. Promises: nothing outside the directory can be
//! reached through a [`Workspace`], whatever the path, the links or the moment.

mod file;
mod path;
mod read_log;
mod replace;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use crate::domain::Digest;

pub(crate) use file::{FILE_LIMIT, open_below};
pub(crate) use path::{Kind, PathError, Place};
pub use read_log::ReadLog;
pub(crate) use replace::ReplaceError;

/// A directory whose outside cannot be reached through it.
///
/// It is opened once; what is done in it is done below that handle. A path is resolved link by
/// link to the place it means ([`Workspace::resolve`]), and a place is opened without following
/// any link, so that a link made in between leads nowhere.
pub struct Workspace {
    root: PathBuf,
    dir: Dir,
    /// Held while something is put in place.
    writes: Mutex<()>,
}

impl Workspace {
    /// The workspace at `path`, which must be a directory.
    ///
    /// # Errors
    /// When it is none or cannot be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        let root = path.canonicalize()?;
        let dir = Dir::open_ambient_dir(&root, ambient_authority())?;
        Ok(Self {
            root,
            dir,
            writes: Mutex::new(()),
        })
    }

    /// Its canonical path.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// What identifies it in an approval's binding.
    pub fn digest(&self) -> Digest {
        Digest::of(self.root.as_os_str().as_encoded_bytes())
    }
}
