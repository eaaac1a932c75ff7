use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Component, Path, PathBuf};

use super::plain_file;

/// The ref that says what is checked out.
const HEAD: &str = "HEAD";

/// The most bytes of a line, and of a file that holds one.
const LINE_LIMIT: usize = 4_096;

/// The most bytes read of `packed-refs`: some 700,000 refs.
const PACKED_LIMIT: u64 = 64 * 1024 * 1024;

/// The most symbolic refs followed from `HEAD`, as in git.
const SYMBOLIC_LIMIT: usize = 5;

/// Where git keeps what it knows of a work tree; see gitrepository-layout(5).
struct Repository {
    /// What belongs to the work tree alone.
    own: PathBuf,
    /// What all work trees of the repository share; often the same.
    common: PathBuf,
}

/// Commit of the git work tree that holds `workspace`, without running git. `None` when there is
/// none, no commit yet, or anything is not as git leaves it.
pub(super) fn head_commit(workspace: &Path) -> Option<String> {
    let repository = Repository::around(workspace)?;
    let mut name = HEAD.to_owned();
    for _ in 0..=SYMBOLIC_LIMIT {
        let value = repository.value(&name)?;
        match value.strip_prefix("ref:") {
            Some(next) => ref_name(next.trim())?.clone_into(&mut name),
            None => return object_id(&value),
        }
    }
    None
}

impl Repository {
    fn around(workspace: &Path) -> Option<Self> {
        let found = workspace.ancestors().map(|dir| dir.join(".git"));
        let dot_git = found
            .into_iter()
            .find(|path| path.symlink_metadata().is_ok())?;
        let own = if dot_git.is_dir() {
            dot_git
        } else {
            // A linked work tree or a submodule.
            let text = line(&dot_git)?;
            dot_git.parent()?.join(text.strip_prefix("gitdir:")?.trim())
        };
        let common = match line(&own.join("commondir")) {
            Some(path) => own.join(path),
            None => own.clone(),
        };
        Some(Self { own, common })
    }

    /// What a ref holds: an object id, or `ref:` and another's name.
    fn value(&self, name: &str) -> Option<String> {
        let own = line(&self.own.join(name));
        if own.is_some() || name == HEAD {
            return own;
        }
        line(&self.common.join(name)).or_else(|| self.packed(name))
    }

    fn packed(&self, name: &str) -> Option<String> {
        let file = plain_file::open(&self.common.join("packed-refs")).ok()?;
        let mut refs = BufReader::new(file.take(PACKED_LIMIT));
        let mut line = Vec::new();
        loop {
            line.clear();
            let mut next = refs.by_ref().take(LINE_LIMIT as u64);
            if next.read_until(b'\n', &mut line).ok()? == 0 {
                return None;
            }
            let split = str::from_utf8(&line)
                .ok()
                .and_then(|line| line.split_once(' '));
            if let Some((id, named)) = split
                && named.trim_end() == name
            {
                return Some(id.to_owned());
            }
        }
    }
}

/// The only line of a file, without the white space around it.
fn line(path: &Path) -> Option<String> {
    let read = plain_file::read(path, LINE_LIMIT).ok()?;
    let text = str::from_utf8(&read.bytes).ok()?.trim();
    (read.is_all() && !text.contains('\n')).then(|| text.to_owned())
}

/// A name below `refs/`, and nothing that leads out of it.
fn ref_name(name: &str) -> Option<&str> {
    let plain = Path::new(name)
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    (plain && name.starts_with("refs/")).then_some(name)
}

/// SHA-1 or SHA-256 as git writes it.
fn object_id(text: &str) -> Option<String> {
    let hexadecimal = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    (matches!(text.len(), 40 | 64) && text.bytes().all(hexadecimal)).then(|| text.to_owned())
}

#[cfg(test)]
mod tests;
