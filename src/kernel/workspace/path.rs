//! From a path as a model writes it to the one place in the workspace that it means.

use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};

use cap_std::fs::{FileType, FileTypeExt};

use super::Workspace;

/// The most bytes of a path, resolved or not.
const PATH_LIMIT: usize = 4_096;

/// The most links followed for one path, as on Linux.
const LINK_LIMIT: usize = 40;

/// The most characters of a path repeated in a message.
const SHOWN_LIMIT: usize = 200;

/// Why a path cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PathError {
    /// It leads out of the workspace.
    #[error("{path} is outside the workspace: give a path inside {root}")]
    Outside { path: String, root: String },
    /// Nothing is there.
    #[error("there is no {0}: look with list_dir or glob")]
    Missing(String),
    /// Something else than a regular file is there.
    #[error("{path} is {kind}, not a file")]
    NotAFile { path: String, kind: Kind },
    /// Something else than a directory is there.
    #[error("{0} is not a directory")]
    NotADirectory(String),
    /// It has too many links, or they go round in a circle.
    #[error("{0} has more than {LINK_LIMIT} symbolic links, or they lead in a circle")]
    TooManyLinks(String),
    /// It is no path a file can have.
    #[error(
        "{0:?} cannot be used: a path is 1 to {PATH_LIMIT} bytes of UTF-8 without a NUL, also after \
         its links are followed"
    )]
    Unusable(String),
    /// What was resolved is something else now, perhaps a link.
    #[error("{0} was replaced in this moment: try again")]
    Changed(String),
    /// The file is larger than what can be held.
    #[error("{path} is larger than {limit} bytes")]
    TooLarge { path: String, limit: usize },
    /// The operating system refused.
    #[error("{path}: {error}")]
    Io { path: String, error: io::Error },
}

impl PathError {
    pub(super) fn io(path: &str, error: io::Error) -> Self {
        let path = shown(path);
        match error.kind() {
            io::ErrorKind::NotFound => Self::Missing(path),
            io::ErrorKind::NotADirectory => Self::NotADirectory(path),
            _ => Self::Io { path, error },
        }
    }
}

/// The beginning of a path, for a message.
pub(super) fn shown(path: &str) -> String {
    path.chars().take(SHOWN_LIMIT).collect()
}

/// What is at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A device, a named pipe or a socket; never opened.
    Special(&'static str),
}

impl Kind {
    pub(super) fn of(kind: FileType) -> Self {
        if kind.is_file() {
            Self::File
        } else if kind.is_dir() {
            Self::Directory
        } else if kind.is_fifo() {
            Self::Special("a named pipe")
        } else if kind.is_socket() {
            Self::Special("a socket")
        } else {
            Self::Special("a device")
        }
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::File => "a file",
            Self::Directory => "a directory",
            Self::Special(what) => what,
        })
    }
}

/// A place in a workspace: no link, no `.` and no `..` in its path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    relative: String,
    kind: Option<Kind>,
}

impl Place {
    /// Its path relative to the workspace; `.` for the workspace itself.
    pub(crate) fn path(&self) -> &str {
        if self.relative.is_empty() {
            "."
        } else {
            &self.relative
        }
    }

    /// What was there when it was resolved; `None` when nothing was.
    pub(crate) const fn kind(&self) -> Option<Kind> {
        self.kind
    }

    /// The path with `name` below it.
    pub(crate) fn below(&self, name: &str) -> String {
        if self.relative.is_empty() {
            name.to_owned()
        } else {
            format!("{}/{name}", self.relative)
        }
    }
}

impl Workspace {
    /// The place `path` means: relative to the workspace, or absolute and inside it.
    ///
    /// Links are followed here and nowhere else, as long as they stay inside; an absolute one that
    /// points inside does. A path through something missing means what would be created there.
    ///
    /// # Errors
    /// [`PathError`] when it leads outside or cannot be resolved.
    pub(crate) fn resolve(&self, path: &str) -> Result<Place, PathError> {
        if path.is_empty() || path.len() > PATH_LIMIT || path.contains('\0') {
            return Err(PathError::Unusable(shown(path)));
        }
        let mut way = Way {
            workspace: self,
            path,
            at: PathBuf::new(),
            kind: Some(Kind::Directory),
            todo: Vec::new(),
            links: 0,
        };
        way.add(Path::new(path))?;
        while let Some(step) = way.todo.pop() {
            way.go(step)?;
        }
        way.end()
    }
}

/// A path while it is resolved.
struct Way<'a> {
    workspace: &'a Workspace,
    /// As it was given, for messages.
    path: &'a str,
    /// Where it has got to: without links.
    at: PathBuf,
    /// What is there.
    kind: Option<Kind>,
    /// The steps still to take, the next one last.
    todo: Vec<OsString>,
    links: usize,
}

impl Way<'_> {
    /// Puts the steps of `path` before those still to take.
    fn add(&mut self, path: &Path) -> Result<(), PathError> {
        let below = if path.is_absolute() {
            self.at.clear();
            path.strip_prefix(&self.workspace.root)
                .map_err(|_| self.outside())?
        } else {
            path
        };
        let steps = below.components().rev();
        let steps = steps.filter(|step| *step != Component::CurDir);
        self.todo.extend(steps.map(|step| step.as_os_str().into()));
        Ok(())
    }

    fn go(&mut self, step: OsString) -> Result<(), PathError> {
        match self.kind {
            Some(Kind::Directory) => {}
            Some(_) => return Err(PathError::NotADirectory(self.shown())),
            None if step == ".." => return Err(PathError::Missing(self.shown())),
            None => {
                self.at.push(step);
                return Ok(());
            }
        }
        if step == ".." {
            return self.at.pop().then_some(()).ok_or_else(|| self.outside());
        }
        self.at.push(step);
        match self.workspace.dir.symlink_metadata(&self.at) {
            Ok(found) if found.is_symlink() => self.follow(),
            Ok(found) => {
                self.kind = Some(Kind::of(found.file_type()));
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.kind = None;
                Ok(())
            }
            Err(error) => Err(PathError::io(self.path, error)),
        }
    }

    fn follow(&mut self) -> Result<(), PathError> {
        self.links += 1;
        if self.links > LINK_LIMIT {
            return Err(PathError::TooManyLinks(self.shown()));
        }
        let target = self.workspace.dir.read_link_contents(&self.at);
        let target = target.map_err(|error| PathError::io(self.path, error))?;
        self.at.pop();
        self.add(&target)
    }

    fn end(self) -> Result<Place, PathError> {
        let unusable = PathError::Unusable(self.shown());
        match self.at.into_os_string().into_string() {
            Ok(relative) if relative.len() <= PATH_LIMIT => Ok(Place {
                relative,
                kind: self.kind,
            }),
            _ => Err(unusable),
        }
    }

    fn outside(&self) -> PathError {
        PathError::Outside {
            path: self.shown(),
            root: self.workspace.root.display().to_string(),
        }
    }

    fn shown(&self) -> String {
        shown(self.path)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A workspace beside a directory it must not reach.
    fn workspace() -> (tempfile::TempDir, Workspace) {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap().join("ws");
        std::fs::create_dir_all(root.join("sub/deep")).unwrap();
        std::fs::create_dir(dir.path().join("outside")).unwrap();
        std::fs::write(root.join("file"), "text").unwrap();
        std::fs::write(dir.path().join("outside/secret"), "secret").unwrap();
        for (link, target) in [
            ("to_file", "file".into()),
            ("to_deep", "sub/deep".into()),
            ("to_nothing", "sub/nothing".into()),
            ("sub/up", "../file".into()),
            ("absolute_inside", root.join("sub")),
            ("out", "../outside".into()),
            ("out_file", "../outside/secret".into()),
            ("out_nothing", "../outside/nothing".into()),
            ("out_absolute", dir.path().join("outside")),
            ("out_via", "out/secret".into()),
            ("cwd", "/proc/self/cwd".into()),
            ("circle", "circle".into()),
        ] {
            symlink(target, root.join(link)).unwrap();
        }
        let workspace = Workspace::open(&root).unwrap();
        (dir, workspace)
    }

    #[test]
    fn a_path_inside_means_the_place_its_links_lead_to() {
        let (_dir, workspace) = workspace();
        let root = workspace.root().to_str().unwrap();
        for (path, place, kind) in [
            (".", ".", Some(Kind::Directory)),
            (root, ".", Some(Kind::Directory)),
            ("./sub//deep/.", "sub/deep", Some(Kind::Directory)),
            ("file", "file", Some(Kind::File)),
            (&format!("{root}/file"), "file", Some(Kind::File)),
            ("sub/../file", "file", Some(Kind::File)),
            ("to_file", "file", Some(Kind::File)),
            ("to_deep/x", "sub/deep/x", None),
            ("to_deep/..", "sub", Some(Kind::Directory)),
            ("sub/up", "file", Some(Kind::File)),
            ("absolute_inside/deep", "sub/deep", Some(Kind::Directory)),
            ("to_nothing", "sub/nothing", None),
            ("new/a/b", "new/a/b", None),
        ] {
            let found = workspace.resolve(path).unwrap();
            assert_eq!((found.path(), found.kind()), (place, kind), "{path}");
        }
    }

    #[test]
    fn a_path_that_leads_outside_is_refused() {
        let (dir, workspace) = workspace();
        let outside = dir.path().join("outside/secret");
        let root = workspace.root().to_str().unwrap();
        for path in [
            "..",
            "../outside/secret",
            "sub/../../outside/secret",
            "to_deep/../../../outside",
            outside.to_str().unwrap(),
            &format!("{root}/../outside/secret"),
            &format!("{root}2/file"),
            "/etc/passwd",
            "/proc/self/cwd",
            "/proc/self/cwd/file",
            "/dev/stdin",
            "out",
            "out/secret",
            "out/new",
            "out_file",
            "out_nothing",
            "out_absolute/secret",
            "out_via",
            "cwd/file",
        ] {
            let error = workspace.resolve(path).unwrap_err();
            assert!(
                matches!(error, PathError::Outside { .. }),
                "{path}: {error}"
            );
        }
    }

    #[test]
    fn a_path_that_is_none_is_refused_with_the_reason() {
        let (_dir, workspace) = workspace();
        let long = "x/".repeat(PATH_LIMIT);
        for (path, message) in [
            ("", "cannot be used"),
            ("a\0b", "cannot be used"),
            (long.as_str(), "cannot be used"),
            ("file/x", "is not a directory"),
            ("file/..", "is not a directory"),
            ("missing/../file", "there is no"),
            ("circle", "lead in a circle"),
        ] {
            let error = workspace.resolve(path).unwrap_err().to_string();
            assert!(error.contains(message), "{path:.20}: {error}");
        }
    }
}
