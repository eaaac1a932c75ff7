//! Opening what is at a place, without following a link and without waiting for a device.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path};

use cap_fs_ext::{DirExt, FollowSymlinks, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::fs::{Dir, OpenOptions};
use rustix::io::Errno;

use super::path::shown;
use super::{Kind, PathError, Place, Workspace};

/// The most bytes of a file that is held at once: what can be edited or replaced.
pub(crate) const FILE_LIMIT: usize = 16 * 1024 * 1024;

impl Workspace {
    /// The regular file at `place`, for reading.
    ///
    /// # Errors
    /// When there is none or it cannot be opened.
    pub(crate) fn open_file(&self, place: &Place) -> Result<File, PathError> {
        match place.kind() {
            Some(Kind::File) => {}
            Some(kind) => return Err(not_a_file(place, kind)),
            None => return Err(PathError::Missing(shown(place.path()))),
        }
        let (parent, name) = self.parent(place)?;
        open_below(&parent, name).map_err(|error| raced(place, error))
    }

    /// The content of the regular file at `place`, [`FILE_LIMIT`] bytes at most.
    ///
    /// # Errors
    /// When there is none, it is larger, or it cannot be read.
    pub(crate) fn read(&self, place: &Place) -> Result<Vec<u8>, PathError> {
        let file = self.open_file(place)?;
        let content = read_bounded(&file).map_err(|error| PathError::io(place.path(), error))?;
        content.ok_or_else(|| PathError::TooLarge {
            path: shown(place.path()),
            limit: FILE_LIMIT,
        })
    }

    /// The directory at `place`.
    ///
    /// # Errors
    /// When there is none or it cannot be opened.
    pub(crate) fn open_dir(&self, place: &Place) -> Result<Dir, PathError> {
        match place.kind() {
            Some(Kind::Directory) => self.descend(place, Path::new(place.path())),
            Some(_) => Err(PathError::NotADirectory(shown(place.path()))),
            None => Err(PathError::Missing(shown(place.path()))),
        }
    }

    /// The directory that holds `place`, and its name there.
    pub(super) fn parent<'a>(&self, place: &'a Place) -> Result<(Dir, &'a OsStr), PathError> {
        let path = Path::new(place.path());
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(not_a_file(place, Kind::Directory));
        };
        Ok((self.descend(place, parent)?, name))
    }

    fn descend(&self, place: &Place, path: &Path) -> Result<Dir, PathError> {
        let open = || {
            let mut dir = self.dir.try_clone()?;
            for step in path.components().filter(|step| *step != Component::CurDir) {
                dir = dir.open_dir_nofollow(step)?;
            }
            Ok(dir)
        };
        open().map_err(|error| raced(place, error))
    }
}

/// The regular file `name` in `dir`, for reading.
pub(crate) fn open_below(dir: &Dir, name: &OsStr) -> io::Result<File> {
    open_regular(dir, name, OpenOptions::new().read(true))
}

/// The regular file `name` in `dir`, if this process may write it. It is not written to.
pub(super) fn open_to_replace(dir: &Dir, name: &OsStr) -> io::Result<File> {
    open_regular(dir, name, OpenOptions::new().read(true).write(true))
}

fn open_regular(dir: &Dir, name: &OsStr, options: &mut OpenOptions) -> io::Result<File> {
    // A named pipe is opened at once and then found not to be a file.
    options.follow(FollowSymlinks::No).nonblock(true);
    let file = dir.open_with(name, options)?.into_std();
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(Errno::LOOP.into())
    }
}

/// All of `file`, or nothing when it is larger than [`FILE_LIMIT`].
pub(super) fn read_bounded(file: &File) -> io::Result<Option<Vec<u8>>> {
    let mut content = Vec::new();
    file.take(FILE_LIMIT as u64 + 1).read_to_end(&mut content)?;
    Ok((content.len() <= FILE_LIMIT).then_some(content))
}

fn not_a_file(place: &Place, kind: Kind) -> PathError {
    PathError::NotAFile {
        path: shown(place.path()),
        kind,
    }
}

/// A place has no links: one that is met now was made since it was resolved.
pub(super) fn raced(place: &Place, error: io::Error) -> PathError {
    match Errno::from_io_error(&error) {
        Some(Errno::LOOP | Errno::NOTDIR) => PathError::Changed(shown(place.path())),
        _ => PathError::io(place.path(), error),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    use rustix::fs::FileType;

    use super::*;

    fn workspace() -> (tempfile::TempDir, Workspace) {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("ws/sub")).unwrap();
        std::fs::create_dir(dir.path().join("outside")).unwrap();
        for path in ["ws/sub/file", "ws/file", "outside/file"] {
            std::fs::write(dir.path().join(path), path).unwrap();
        }
        let workspace = Workspace::open(&dir.path().join("ws")).unwrap();
        (dir, workspace)
    }

    #[test]
    fn what_became_a_link_after_it_was_resolved_is_not_followed() {
        let (dir, workspace) = workspace();
        let in_sub = workspace.resolve("sub/file").unwrap();
        let file = workspace.resolve("file").unwrap();
        let sub = workspace.resolve("sub").unwrap();
        let root = dir.path().join("ws");
        std::fs::remove_dir_all(root.join("sub")).unwrap();
        symlink("../outside", root.join("sub")).unwrap();
        std::fs::remove_file(root.join("file")).unwrap();
        symlink("../outside/file", root.join("file")).unwrap();
        for error in [
            workspace.read(&in_sub).unwrap_err(),
            workspace.read(&file).unwrap_err(),
            workspace.open_dir(&sub).unwrap_err(),
        ] {
            assert!(matches!(error, PathError::Changed(_)), "{error}");
        }
    }

    #[test]
    fn a_pipe_or_a_socket_is_refused_at_once_even_when_it_replaced_a_file() {
        let (dir, workspace) = workspace();
        let root = dir.path().join("ws");
        let file = workspace.resolve("file").unwrap();
        std::fs::remove_file(root.join("file")).unwrap();
        let path = root.join("file");
        let mode = rustix::fs::Mode::from(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, path, FileType::Fifo, mode, 0).unwrap();
        let _listener = UnixListener::bind(root.join("socket")).unwrap();
        for (place, message) in [
            (file, "was replaced"),
            (
                workspace.resolve("file").unwrap(),
                "a named pipe, not a file",
            ),
            (workspace.resolve("socket").unwrap(), "a socket, not a file"),
            (workspace.resolve("sub").unwrap(), "a directory, not a file"),
            (workspace.resolve(".").unwrap(), "a directory, not a file"),
        ] {
            let error = workspace.read(&place).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }

    #[test]
    fn a_file_larger_than_can_be_held_is_refused() {
        let (dir, workspace) = workspace();
        let large = File::create(dir.path().join("ws/large")).unwrap();
        large.set_len(FILE_LIMIT as u64).unwrap();
        let place = workspace.resolve("large").unwrap();
        assert_eq!(workspace.read(&place).unwrap().len(), FILE_LIMIT);
        large.set_len(FILE_LIMIT as u64 + 1).unwrap();
        let error = workspace.read(&place).unwrap_err();
        assert!(matches!(error, PathError::TooLarge { .. }), "{error}");
    }
}
