use std::path::{Path, PathBuf};

use ignore::{DirEntry, WalkBuilder};

use super::plain_file::{self, Beginning};

/// The file agents look for (<https://agents.md>).
const NAME: &str = "AGENTS.md";

/// The most bytes of one file.
const FILE_LIMIT: usize = 32 * 1024;

/// The most bytes of all files together. Those nearest to the workspace come first.
const TOTAL_LIMIT: usize = 64 * 1024;

/// How deep below the workspace, and among how many entries, more files are looked for.
const NESTED_DEPTH: usize = 8;
const NESTED_VISITS: usize = 5_000;

/// The most files below the workspace that are named.
const NESTED_LIMIT: usize = 50;

/// Directories of other people's code and of build results.
const FOREIGN: [&str; 5] = ["node_modules", "target", "vendor", "venv", "dist"];

/// What the project's AGENTS.md files say: those from the git work tree's root down to the
/// workspace, outermost first, and where there are more below it. Empty when there are none.
pub(super) fn instructions(workspace: &Path) -> String {
    let levels = levels(workspace);
    let outermost = levels.last().copied().unwrap_or(workspace);
    let mut room = TOTAL_LIMIT;
    let mut parts = Vec::new();
    for (up, directory) in levels.iter().enumerate() {
        let path = directory.join(NAME);
        let Some(text) = read(&path, outermost, FILE_LIMIT.min(room)) else {
            continue;
        };
        room = room.saturating_sub(text.len());
        parts.push(format!("## {}{NAME}\n\n{text}", "../".repeat(up)));
    }
    parts.reverse();
    parts.extend(nested(workspace));
    parts.join("\n\n")
}

/// The workspace and the directories above it up to the root of its git work tree; the workspace
/// alone when it is in none.
fn levels(workspace: &Path) -> Vec<&Path> {
    let is_root = |dir: &Path| dir.join(".git").symlink_metadata().is_ok();
    let depth = workspace.ancestors().position(is_root).unwrap_or(0);
    workspace.ancestors().take(depth + 1).collect()
}

/// The text of a file, cut to `limit` bytes. `None` when there is none, or it is not one to read.
fn read(path: &Path, project: &Path, limit: usize) -> Option<String> {
    path.symlink_metadata().ok()?;
    match readable(path, project, limit) {
        Ok(text) => Some(text),
        Err(why) => {
            tracing::warn!(path = %path.display(), why, "project instructions are left out");
            None
        }
    }
}

fn readable(path: &Path, project: &Path, limit: usize) -> Result<String, String> {
    let real = path.canonicalize().map_err(|error| error.to_string())?;
    let project = project.canonicalize().map_err(|error| error.to_string())?;
    // A link must not carry a private file of this machine to a provider.
    if !real.starts_with(project) {
        return Err("it is a link that leaves the project".to_owned());
    }
    let beginning = plain_file::read(&real, limit).map_err(|error| error.to_string())?;
    let shown = text(&beginning).ok_or("it is not UTF-8")?;
    let text = shown.trim_start_matches('\u{feff}').trim_end();
    if beginning.is_all() {
        return Ok(text.to_owned());
    }
    let (shown, total) = (shown.len(), beginning.total);
    Ok(format!("{text}\n[cut: the first {shown} of {total} bytes]"))
}

/// What was read as text; its last character may have been cut.
fn text(read: &Beginning) -> Option<&str> {
    match str::from_utf8(&read.bytes) {
        Ok(text) => Some(text),
        Err(error) if error.error_len().is_none() && !read.is_all() => {
            str::from_utf8(&read.bytes[..error.valid_up_to()]).ok()
        }
        Err(_) => None,
    }
}

/// Names the files below the workspace. What is ignored by git is not asked: that depends on the
/// user's own settings.
fn nested(workspace: &Path) -> Option<String> {
    let walk = WalkBuilder::new(workspace)
        .standard_filters(false)
        .hidden(true)
        .max_depth(Some(NESTED_DEPTH))
        .sort_by_file_name(Ord::cmp)
        .filter_entry(|entry| !is_foreign(entry))
        .build();
    let files: Vec<String> = walk
        .take(NESTED_VISITS)
        .filter_map(Result::ok)
        .filter(|entry| entry.depth() > 1 && entry.file_name() == NAME)
        .filter_map(|entry| shown(entry.path().strip_prefix(workspace).ok()?.to_path_buf()))
        .take(NESTED_LIMIT)
        .collect();
    if files.is_empty() {
        return None;
    }
    Some(format!(
        "Read these before you work in their directories:\n- {}",
        files.join("\n- ")
    ))
}

fn is_foreign(entry: &DirEntry) -> bool {
    entry.depth() > 0 && FOREIGN.iter().any(|name| entry.file_name() == *name)
}

/// A path that fits on a line.
fn shown(path: PathBuf) -> Option<String> {
    let text = path.into_os_string().into_string().ok()?;
    (!text.contains(char::is_control)).then_some(text)
}

#[cfg(test)]
mod tests;
