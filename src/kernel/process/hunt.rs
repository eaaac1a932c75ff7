//! Ending every process of a family.

use std::collections::BTreeSet;
use std::io;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group, test_kill_process_group};
#[cfg(target_os = "linux")]
use rustix::process::{PidfdFlags, pidfd_open, pidfd_send_signal};

use super::Survivor;
use super::family::{Family, Moment, lock};
use super::registry::registry;
use super::table::{self, Process};

/// How long a process may take to end by itself once it is asked to.
const GRACE: Duration = Duration::from_millis(300);

/// The first and the longest pause before looking again.
const PAUSE: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(20));

/// How often nobody must be seen in a row, once somebody was: who forks while the table is read
/// may be missed once.
const LOOKS: u32 = 2;

/// Reaps orphans and returns who of the family was seen: those who live, and the dead that were
/// this process's to reap. Who forks and exits faster than the table is read shows only by its
/// dead.
///
/// # Errors
/// Where the process table cannot be read.
pub(super) fn look(family: &Mutex<Family>) -> io::Result<Vec<Process>> {
    let mut family = lock(family);
    let table = table::processes()?;
    let own = table::own().ok_or(io::ErrorKind::Unsupported)?;
    let registry = registry();
    registry.reap(&table, &own);
    let now = Moment {
        table: &table,
        own,
        registry: &registry,
    };
    let mut seen = family.members(&now);
    seen.retain(|process| !process.dead || process.parent == own.id.pid);
    Ok(seen)
}

/// Asks every process of the family to end, then kills, until nobody is left or `deadline` is
/// over. Returns who is left. Blocks.
pub(super) fn hunt(family: &Mutex<Family>, deadline: Duration) -> Vec<Survivor> {
    let begin = Instant::now();
    let grace = GRACE.min(deadline / 2);
    let mut asked = BTreeSet::new();
    let mut unseen = LOOKS - 1;
    let mut pause = PAUSE.0;
    loop {
        let Ok(left) = look(family) else {
            return hunt_groups(family, begin, deadline);
        };
        unseen = if left.is_empty() { unseen + 1 } else { 0 };
        if unseen == LOOKS {
            return Vec::new();
        }
        if begin.elapsed() >= deadline {
            return left.iter().map(survivor).collect();
        }
        if begin.elapsed() < grace {
            for process in left.iter().filter(|process| asked.insert(process.id)) {
                signal(process, Signal::TERM);
            }
        } else {
            kill(&left);
        }
        // Who shows only by its dead must be met by chance, so chances must be many.
        let fleeting = left.iter().any(|process| process.dead);
        pause = if fleeting {
            PAUSE.0
        } else {
            PAUSE.1.min(pause * 2)
        };
        thread::sleep(pause);
    }
}

fn survivor(process: &Process) -> Survivor {
    Survivor {
        pid: process.id.pid,
        command: table::command_line(process.id.pid),
    }
}

/// Kills by group first: a group cannot fork faster than it is killed.
fn kill(processes: &[Process]) {
    let groups: BTreeSet<i32> = processes.iter().map(|process| process.group).collect();
    for group in groups.into_iter().filter_map(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    for process in processes {
        signal(process, Signal::KILL);
    }
}

/// Signals the very process, never another that has got its pid since: a descriptor stays with
/// the process it was opened for. Whether it worked shows when the table is read again.
fn signal(process: &Process, signal: Signal) {
    let Some(pid) = Pid::from_raw(process.id.pid) else {
        return;
    };
    #[cfg(target_os = "linux")]
    let descriptor = pidfd_open(pid, PidfdFlags::empty());
    if table::process(process.id.pid).is_none_or(|now| now.id != process.id) {
        return;
    }
    #[cfg(target_os = "linux")]
    if let Ok(descriptor) = descriptor {
        let _ = pidfd_send_signal(descriptor, signal);
        return;
    }
    let _ = kill_process(pid, signal);
}

/// Reaps orphans, and notes who belongs to the family while that can still be told.
pub(super) fn settle(family: &Mutex<Family>) {
    if look(family).is_err() {
        lock(family).groups(group_lives);
    }
}

/// All that can be done where there is no process table to read.
fn hunt_groups(family: &Mutex<Family>, begin: Instant, deadline: Duration) -> Vec<Survivor> {
    let grace = GRACE.min(deadline / 2);
    let mut signal = Some(Signal::TERM);
    loop {
        let left = lock(family).groups(group_lives);
        if left.is_empty() || begin.elapsed() >= deadline {
            return left.into_iter().map(group_survivor).collect();
        }
        if begin.elapsed() >= grace {
            signal = Some(Signal::KILL);
        }
        if let Some(signal) = signal.take() {
            for group in left.into_iter().filter_map(Pid::from_raw) {
                let _ = kill_process_group(group, signal);
            }
        }
        thread::sleep(PAUSE.1);
    }
}

fn group_lives(group: i32) -> bool {
    Pid::from_raw(group).is_some_and(|group| test_kill_process_group(group).is_ok())
}

fn group_survivor(group: i32) -> Survivor {
    Survivor {
        pid: group,
        command: "the process group of this number".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_process_that_has_the_pid_of_another_is_not_signalled() {
        let mut child = Command::new("sleep").arg("300").spawn().unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        let process = table::process(pid).unwrap();
        let mut earlier = process;
        earlier.id.started -= 1;
        signal(&earlier, Signal::KILL);
        assert!(child.try_wait().unwrap().is_none());
        signal(&process, Signal::KILL);
        assert!(!child.wait().unwrap().success());
    }
}
