//! The files below a directory, in order of their paths. No link is followed, what the project
//! ignores is passed over, and the walk is bounded in time, depth and number.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::vec;

use cap_fs_ext::DirExt;
use cap_std::fs::Dir;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::reading::View;
use super::stop::{Stop, Stopped};
use crate::kernel::workspace::open_below;

/// The most names looked at in one walk.
const NAME_LIMIT: usize = 500_000;

/// The most directories inside one another; each is open while its files are looked at.
const DEPTH_LIMIT: usize = 64;

/// The most bytes read of a file of ignore rules.
const RULES_LIMIT: u64 = 256 * 1024;

/// Where versions are kept, which is never looked into.
const VERSIONS: [&str; 4] = [".git", ".hg", ".jj", ".svn"];

/// What ignore rules are read from; a later one overrules an earlier one.
const RULES: [&str; 2] = [".gitignore", ".ignore"];

/// A walk that has begun.
pub(super) struct Walk<'a> {
    stop: &'a Stop,
    all: bool,
    /// The rules of the directories above the first.
    above: Vec<Gitignore>,
    /// The directories on the way to the file last given; each with what is still to come.
    levels: Vec<Level>,
    names: usize,
    unreadable: usize,
    unnameable: usize,
    too_deep: usize,
    ended_by: Option<String>,
}

struct Level {
    dir: Dir,
    /// Relative to the workspace; empty for the workspace itself.
    path: String,
    rules: Gitignore,
    entries: vec::IntoIter<(OsString, Entry)>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Entry {
    File,
    Directory,
}

/// A file that was met.
pub(super) struct Met {
    /// Relative to the workspace.
    pub(super) path: String,
    name: OsString,
}

impl<'a> Walk<'a> {
    /// Through the directory a tool looks at; with `all` also through what is ignored.
    ///
    /// # Errors
    /// What the model reads when the directory cannot be opened.
    pub(super) fn new(view: &View, all: bool, stop: &'a Stop) -> Result<Self, String> {
        let open = |path: &str| {
            let path = if path.is_empty() { "." } else { path };
            let place = view.workspace.resolve(path);
            let dir = place.and_then(|place| view.workspace.open_dir(&place));
            dir.map_err(|error| error.to_string())
        };
        let mut walk = Self {
            stop,
            all,
            above: Vec::new(),
            levels: Vec::new(),
            names: 0,
            unreadable: 0,
            unnameable: 0,
            too_deep: 0,
            ended_by: None,
        };
        let first = match view.place.path() {
            "." => "",
            path => path,
        };
        let slashes = first.match_indices('/').map(|(at, _)| at);
        for at in [0].into_iter().chain(slashes).take_while(|_| !all) {
            let above = &first[..at];
            if above != first {
                walk.above.push(rules(&open(above)?, above));
            }
        }
        walk.enter(open(first)?, first.to_owned());
        Ok(walk)
    }

    /// The next file; `None` when there are no more or a limit was met ([`Self::notes`]).
    ///
    /// # Errors
    /// What the model reads when the turn was interrupted.
    pub(super) fn next(&mut self) -> Result<Option<Met>, String> {
        while let Some(level) = self.levels.last_mut() {
            match self.stop.check() {
                Ok(()) => {}
                Err(Stopped::OutOfTime) => {
                    self.end(Stopped::OutOfTime.to_string());
                    break;
                }
                Err(cancelled) => return Err(cancelled.to_string()),
            }
            let Some((name, entry)) = level.entries.next() else {
                self.levels.pop();
                continue;
            };
            let Some(path) = below(&level.path, &name) else {
                self.unnameable += 1;
                continue;
            };
            if self.is_ignored(&path, entry) {
                continue;
            }
            match entry {
                Entry::File => return Ok(Some(Met { path, name })),
                Entry::Directory => self.descend(&name, path),
            }
        }
        Ok(None)
    }

    /// Opens the file last given.
    pub(super) fn open(&self, met: &Met) -> io::Result<File> {
        match self.levels.last() {
            Some(level) => open_below(&level.dir, &met.name),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// Ends the walk before its time, for a reason that is told.
    pub(super) fn end(&mut self, reason: String) {
        self.levels.clear();
        self.ended_by = Some(reason);
    }

    /// What was not looked at, for the model.
    pub(super) fn notes(&self) -> Vec<String> {
        let ended = self.ended_by.as_ref();
        let ended = ended.map(|why| format!("{why}: give a path or a narrower pattern"));
        let counted = [
            (self.unreadable, "directories could not be read"),
            (self.unnameable, "names are not UTF-8 and were left out"),
            (self.too_deep, "directories lie too deep and were left out"),
        ];
        let counted = counted.into_iter().filter(|(count, _)| *count > 0);
        let counted = counted.map(|(count, what)| format!("{count} {what}"));
        ended.into_iter().chain(counted).collect()
    }

    fn descend(&mut self, name: &OsStr, path: String) {
        if self.levels.len() >= DEPTH_LIMIT {
            self.too_deep += 1;
            return;
        }
        let Some(level) = self.levels.last() else {
            return;
        };
        match level.dir.open_dir_nofollow(name) {
            Ok(dir) => self.enter(dir, path),
            Err(_) => self.unreadable += 1,
        }
    }

    fn enter(&mut self, dir: Dir, path: String) {
        let mut entries = Vec::new();
        let Ok(found) = dir.entries() else {
            self.unreadable += 1;
            return;
        };
        for entry in found {
            if self.names == NAME_LIMIT || self.stop.check().is_err() {
                break;
            }
            self.names += 1;
            let Ok((name, kind)) = entry.and_then(|e| Ok((e.file_name(), e.file_type()?))) else {
                self.unreadable += 1;
                break;
            };
            if kind.is_file() {
                entries.push((name, Entry::File));
            } else if kind.is_dir() && !VERSIONS.iter().any(|versions| name == *versions) {
                entries.push((name, Entry::Directory));
            }
        }
        if self.names == NAME_LIMIT {
            return self.end(format!("stopped after {NAME_LIMIT} names"));
        }
        entries.sort_unstable();
        self.levels.push(Level {
            rules: if self.all {
                Gitignore::empty()
            } else {
                rules(&dir, &path)
            },
            dir,
            path,
            entries: entries.into_iter(),
        });
    }

    /// The rule nearest to the file decides.
    fn is_ignored(&self, path: &str, entry: Entry) -> bool {
        let inner = self.levels.iter().rev().map(|level| &level.rules);
        let mut rules = inner.chain(self.above.iter().rev());
        let is_dir = entry == Entry::Directory;
        let decided = rules.find_map(|rules| match rules.matched(path, is_dir) {
            Match::None => None,
            matched => Some(matched.is_ignore()),
        });
        decided.unwrap_or(false)
    }
}

/// The path of `name` in the directory at `path`, if it can be written down.
fn below(path: &str, name: &OsStr) -> Option<String> {
    let name = name.to_str()?;
    Some(if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}/{name}")
    })
}

/// The ignore rules in the directory at `path`. A line that is no rule is passed over, as git does.
fn rules(dir: &Dir, path: &str) -> Gitignore {
    let mut builder = GitignoreBuilder::new(Path::new(path));
    for name in RULES {
        let Ok(file) = open_below(dir, OsStr::new(name)) else {
            continue;
        };
        let mut bytes = Vec::new();
        if file.take(RULES_LIMIT).read_to_end(&mut bytes).is_ok() {
            for line in String::from_utf8_lossy(&bytes).lines() {
                // The error is a line that is no rule.
                let _ = builder.add_line(None, line);
            }
        }
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}
