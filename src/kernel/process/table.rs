//! The operating system's table of processes, as `/proc` shows it.

use std::fs::{self, File};
use std::io::{self, Read as _};

/// The most bytes read of a process's environment or command line.
const TEXT_LIMIT: u64 = 4 * 1024 * 1024;

/// The most characters of a command line in a report.
const COMMAND_LIMIT: usize = 200;

/// A process at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Process {
    pub id: Identity,
    pub parent: i32,
    pub group: i32,
    pub session: i32,
    /// It has ended and waits for its parent to notice.
    pub dead: bool,
}

/// A pid and when it started, in clock ticks since boot: pids are used again, this pair is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Identity {
    pub pid: i32,
    pub started: u64,
}

/// All processes.
///
/// # Errors
/// Where there is no `/proc`, or it may not be read.
pub(super) fn processes() -> io::Result<Vec<Process>> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc")? {
        let name = entry?.file_name();
        let pid = name.to_str().and_then(|name| name.parse().ok());
        found.extend(pid.and_then(process));
    }
    if found.is_empty() {
        return Err(io::ErrorKind::Unsupported.into());
    }
    Ok(found)
}

/// The process `pid`, when there is one.
pub(super) fn process(pid: i32) -> Option<Process> {
    parse(&fs::read(format!("/proc/{pid}/stat")).ok()?)
}

/// This process.
pub(super) fn own() -> Option<Process> {
    process(rustix::process::getpid().as_raw_nonzero().get())
}

/// The variable `name` in the environment `pid` was started with.
pub(super) fn variable(pid: i32, name: &str) -> Option<String> {
    let environment = read(pid, "environ")?;
    let entry = environment.split(|byte| *byte == 0).find_map(|entry| {
        let rest = entry.strip_prefix(name.as_bytes())?;
        rest.strip_prefix(b"=")
    })?;
    Some(String::from_utf8_lossy(entry).into_owned())
}

/// The command line of `pid`, for a person.
pub(super) fn command_line(pid: i32) -> String {
    let bytes = match read(pid, "cmdline") {
        Some(bytes) if !bytes.is_empty() => bytes,
        _ => read(pid, "comm").unwrap_or_default(),
    };
    let text = String::from_utf8_lossy(&bytes);
    let words = text.split(['\0', '\n']).filter(|word| !word.is_empty());
    let line = words.collect::<Vec<_>>().join(" ");
    line.chars().take(COMMAND_LIMIT).collect()
}

fn read(pid: i32, file: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = File::open(format!("/proc/{pid}/{file}")).ok()?;
    file.take(TEXT_LIMIT).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Reads `PID (NAME) STATE PPID PGRP SESSION …`, see `proc_pid_stat(5)`. The name may hold
/// anything, `)` included.
fn parse(stat: &[u8]) -> Option<Process> {
    let name_end = stat.iter().rposition(|byte| *byte == b')')?;
    let (head, tail) = stat.split_at(name_end);
    let pid = str::from_utf8(head.split(|byte| *byte == b' ').next()?).ok()?;
    let tail = str::from_utf8(tail.get(1..)?).ok()?;
    let fields: Vec<&str> = tail.split_ascii_whitespace().take(20).collect();
    let number = |index: usize| fields.get(index)?.parse().ok();
    Some(Process {
        id: Identity {
            pid: pid.parse().ok()?,
            started: fields.get(19)?.parse().ok()?,
        },
        parent: number(1)?,
        group: number(2)?,
        session: number(3)?,
        dead: matches!(*fields.first()?, "Z" | "X"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_and_spaces_does_not_shift_the_fields() {
        let stat = b"42 (a) Z 9 (b) S 7 40 41 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 9876 1 2\n";
        let read = parse(stat).expect("a whole line");
        assert_eq!(
            read,
            Process {
                id: Identity {
                    pid: 42,
                    started: 9876
                },
                parent: 7,
                group: 40,
                session: 41,
                dead: false,
            }
        );
        assert_eq!(parse(b"42 (a) S 7 40"), None);
        assert_eq!(parse(b""), None);
    }
}
