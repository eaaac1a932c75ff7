//! The programs of one turn, and one of them while it runs.

use std::io;
use std::process::{ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe;
use tokio::process::{Child, Command};
use tokio::sync::watch;
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::family::{Family, Orphans, lock};
use super::hunt::{hunt, settle};
use super::registry::registry;
use super::table::{self, Identity};
use super::{MARKER, Program, Survivor, WITHHELD};

/// How often orphans are reaped while a program runs.
const REAP_INTERVAL: Duration = Duration::from_secs(1);

/// The longest marker inherited from a session this process itself runs in.
const INHERITED_LIMIT: usize = 1_024;

/// The programs of one turn.
pub struct Scope {
    /// What the environment of its programs names: a random id and a dot.
    marker: String,
    turn: String,
    started: AtomicU64,
    family: Arc<Mutex<Family>>,
    ended: CancellationToken,
    tasks: TaskTracker,
}

/// A program that was started. Dropping it neither stops it nor leaves it behind: its scope ends
/// it.
pub struct Running {
    /// Its process id; it leads a session and a group of the same number.
    pub pid: i32,
    /// What it writes to its standard output and error, in order of arrival.
    pub output: pipe::Receiver,
    /// When and how it ends.
    pub exit: Exit,
    family: Arc<Mutex<Family>>,
}

/// The end of a program.
pub struct Exit(watch::Receiver<Option<Status>>);

/// How a program ended; `None` when that could not be learned.
type Status = Option<ExitStatus>;

impl Scope {
    pub(super) fn new(turn: &str) -> Self {
        let marker = format!("{}.", uuid::Uuid::new_v4().simple());
        Self {
            family: Arc::new(Mutex::new(Family::new(marker.clone(), Orphans::TakenIn))),
            marker,
            turn: turn.to_owned(),
            started: AtomicU64::new(0),
            ended: CancellationToken::new(),
            tasks: TaskTracker::new(),
        }
    }

    /// Starts a program in a session of its own: no terminal, nothing to read, both outputs in one
    /// pipe, and none of [`WITHHELD`] in its environment.
    ///
    /// # Errors
    /// When it cannot be started, or the scope has ended.
    pub fn start(&self, program: &Program) -> io::Result<Running> {
        let number = self.started.fetch_add(1, Ordering::Relaxed);
        let marker = format!("{}{number},", self.marker);
        let (output, input) = io::pipe()?;
        let output = pipe::Receiver::from_owned_fd(output.into())?;
        let mut command = command(program, &marker)?;
        command.stdout(input.try_clone()?).stderr(input);
        let mut call = Family::new(marker, Orphans::Left);
        let (child, identity) = self.spawn(command)?;
        call.add(identity);
        let call = Arc::new(Mutex::new(call));
        let (sender, status) = watch::channel(None);
        self.tasks
            .spawn(wait(child, identity.pid, sender, Arc::clone(&self.family)));
        tracing::debug!(turn = self.turn, pid = identity.pid, "started a program");
        Ok(Running {
            pid: identity.pid,
            output,
            exit: Exit(status),
            family: call,
        })
    }

    /// Holds the family from before the program exists until it is a member, so that no end of the
    /// scope can miss it.
    fn spawn(&self, mut command: Command) -> io::Result<(Child, Identity)> {
        let mut family = lock(&self.family);
        if family.closed {
            return Err(io::Error::other("the turn has ended"));
        }
        let mut registry = registry();
        let child = command.spawn()?;
        let pid = child.id().and_then(|pid| i32::try_from(pid).ok());
        let pid = pid.ok_or_else(|| io::Error::other("the program has no process id"))?;
        registry.children.insert(pid);
        // Nobody waits for it yet, so even a program that is already dead is in the table.
        let identity = table::process(pid).map_or(Identity { pid, started: 0 }, |found| found.id);
        registry.open(&self.marker, identity.started);
        family.add(identity);
        Ok((child, identity))
    }

    /// Reads what a program's leftovers still write, so that they are not stopped by a pipe nobody
    /// reads, until the scope ends.
    pub fn discard(&self, mut output: pipe::Receiver) {
        let ended = self.ended.clone();
        self.tasks.spawn(async move {
            let mut bytes = vec![0; 4_096];
            let read = async { while matches!(output.read(&mut bytes).await, Ok(1..)) {} };
            ended.run_until_cancelled(read).await;
        });
    }

    /// Kills what is left and waits until it is gone, `deadline` at most. Returns what is not. No
    /// program can be started any more.
    pub async fn end(&self, deadline: Duration) -> Vec<Survivor> {
        let unused = {
            let mut family = lock(&self.family);
            family.closed = true;
            family.is_empty()
        };
        self.ended.cancel();
        self.tasks.close();
        if unused {
            return Vec::new();
        }
        let family = Arc::clone(&self.family);
        let hunted = spawn_blocking(move || hunt(&family, deadline)).await;
        let survivors = hunted.unwrap_or_default();
        if survivors.is_empty() {
            self.tasks.wait().await;
        }
        registry().close(&self.marker);
        survivors
    }
}

impl Drop for Scope {
    fn drop(&mut self) {
        registry().close(&self.marker);
    }
}

impl Exit {
    /// Waits until the program itself has ended, whatever it left behind. `None` when how it ended
    /// could not be learned. May be called again, and be dropped while it waits.
    pub async fn wait(&mut self) -> Option<ExitStatus> {
        let status = self.0.wait_for(Option::is_some).await;
        status.ok().and_then(|status| *status).flatten()
    }
}

impl Running {
    /// Kills the program and all that came of it and waits until it is gone, `deadline` at most.
    /// Returns what is not. Goes on even when it is dropped.
    pub async fn kill(&self, deadline: Duration) -> Vec<Survivor> {
        let family = Arc::clone(&self.family);
        let hunted = spawn_blocking(move || hunt(&family, deadline)).await;
        hunted.unwrap_or_default()
    }
}

fn command(program: &Program, marker: &str) -> io::Result<Command> {
    let (name, args) = program
        .argv
        .split_first()
        .ok_or(io::ErrorKind::InvalidInput)?;
    let mut command = Command::new(name);
    command
        .args(args)
        .current_dir(&program.directory)
        .stdin(Stdio::null());
    for name in WITHHELD {
        command.env_remove(name);
    }
    let inherited = std::env::var(MARKER).unwrap_or_default();
    if inherited.len() <= INHERITED_LIMIT {
        command.env(MARKER, inherited + marker);
    } else {
        command.env(MARKER, marker);
    }
    leave_session(&mut command);
    Ok(command)
}

/// Starts the program in a session of its own, which has no terminal. There is no stable safe way
/// yet (<https://github.com/rust-lang/rust/issues/105376>).
#[allow(unsafe_code)]
fn leave_session(command: &mut Command) {
    // SAFETY: the closure runs in the child between fork and exec. It makes one system call,
    // setsid(2), which is async-signal-safe; it allocates nothing, takes no lock and uses nothing
    // of the parent's memory, in the error case either.
    unsafe {
        command.pre_exec(|| Ok(rustix::process::setsid().map(drop)?));
    }
}

/// Waits for one child. The only place where children are reaped.
async fn wait(
    mut child: Child,
    pid: i32,
    sender: watch::Sender<Option<Status>>,
    family: Arc<Mutex<Family>>,
) {
    let status = loop {
        tokio::select! {
            status = child.wait() => break status.ok(),
            () = tokio::time::sleep(REAP_INTERVAL) => note(&family).await,
        }
    };
    registry().children.remove(&pid);
    sender.send_replace(Some(status));
    note(&family).await;
}

async fn note(family: &Arc<Mutex<Family>>) {
    let family = Arc::clone(family);
    let _ = spawn_blocking(move || settle(&family)).await;
}
