//! The one directory a thread works in, and what its model knows of it.
//!
//! May use: `domain` and the operating system. Promises: nothing outside the directory can be
//! reached through a [`Workspace`], whatever the path, the links or the moment.

use std::io;
use std::path::{Path, PathBuf};

use crate::domain::Digest;

/// A directory whose outside cannot be reached through it.
pub struct Workspace {
    root: PathBuf,
}

impl Workspace {
    /// The workspace at `path`, which must be a directory.
    ///
    /// # Errors
    /// When it is none or cannot be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self {
            root: path.canonicalize()?,
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

/// The content the model has seen, by path. Bounded; what it forgot must be read again.
#[derive(Default)]
pub struct ReadLog;
