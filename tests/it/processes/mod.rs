//! Real programs: what they are given, what is read of them, and that none is left.

mod background;
mod environment;
mod grants;
mod limits;
mod scopes;

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use threadkeep::domain::Digest;
use threadkeep::kernel::process::Broker;
use threadkeep::kernel::tool::{ContentStore, Kept, Outcome, Plan, Session, Shell, Tool as _};
use threadkeep::kernel::workspace::Workspace;
use tokio::io::AsyncReadExt as _;
use tokio_util::sync::CancellationToken;

/// Longer than any end may take.
pub(crate) const DEADLINE: Duration = Duration::from_secs(10);

/// Shell: waits for somebody to write to `pids`, but not for ever: a test that fails takes the
/// directory away.
pub(crate) const UNTIL_LISTED: &str =
    "until [ -s pids ] || [ $((n += 1)) -gt 1000 ]; do sleep 0.01; done";

/// A workspace, the shell tool and the scope of one turn.
pub(crate) struct Desk {
    pub shell: Shell,
    pub session: Session,
    pub content: Arc<Shelf>,
    dir: TempDir,
}

/// Keeps content as files, so that keeping takes no memory.
pub(crate) struct Shelf {
    dir: TempDir,
    kept: Mutex<Vec<Kept>>,
}

impl Desk {
    pub fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let content = Arc::new(Shelf {
            dir: tempfile::tempdir().unwrap(),
            kept: Mutex::default(),
        });
        let session = Session {
            workspace: Arc::new(Workspace::open(dir.path()).unwrap()),
            reads: Arc::default(),
            content: Arc::clone(&content) as Arc<dyn ContentStore>,
            processes: Broker::start().unwrap().scope("turn_1"),
        };
        Self {
            shell: Shell::new(),
            session,
            content,
            dir,
        }
    }

    pub async fn plan(&self, args: &Value) -> Plan {
        self.shell.plan(args, &self.session).await.unwrap()
    }

    pub async fn run(&self, args: &Value) -> Outcome {
        let plan = self.plan(args).await;
        self.shell
            .run(plan, &self.session, CancellationToken::new())
            .await
    }

    pub async fn sh(&self, command: &str) -> Outcome {
        self.run(&json!({ "command": command })).await
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// The numbers in the file `pids`, one a line.
    pub fn pids(&self) -> Vec<i32> {
        let text = fs::read_to_string(self.path("pids")).unwrap_or_default();
        text.lines().map(|line| line.parse().unwrap()).collect()
    }
}

impl Shelf {
    pub fn only(&self) -> Kept {
        let kept = self.kept.lock().unwrap();
        assert_eq!(kept.len(), 1);
        kept[0]
    }

    pub fn bytes(&self, kept: Kept) -> Vec<u8> {
        fs::read(self.dir.path().join(kept.digest.hex())).unwrap()
    }
}

#[async_trait::async_trait]
impl ContentStore for Shelf {
    async fn keep(&self, mut spool: tokio::fs::File) -> std::io::Result<Kept> {
        use sha2::Digest as _;
        let mut hasher = sha2::Sha256::new();
        let mut copy = tempfile::NamedTempFile::new_in(self.dir.path())?;
        let mut piece = vec![0; 64 * 1024];
        let mut bytes = 0;
        loop {
            let count = spool.read(&mut piece).await?;
            if count == 0 {
                break;
            }
            hasher.update(&piece[..count]);
            copy.write_all(&piece[..count])?;
            bytes += count as u64;
        }
        let digest = Digest::from_bytes(hasher.finalize().into());
        copy.persist(self.dir.path().join(digest.hex()))?;
        let kept = Kept { digest, bytes };
        self.kept.lock().unwrap().push(kept);
        Ok(kept)
    }
}

/// Whether a process is in the process table, dead or alive.
pub(crate) fn exists(pid: i32) -> bool {
    fs::exists(format!("/proc/{pid}")).unwrap()
}

/// The children of this process.
pub(crate) fn children() -> Vec<i32> {
    let mut found = Vec::new();
    for task in fs::read_dir("/proc/self/task").unwrap() {
        let list = fs::read_to_string(task.unwrap().path().join("children"));
        let list = list.unwrap_or_default();
        found.extend(
            list.split_whitespace()
                .map(|pid| pid.parse::<i32>().unwrap()),
        );
    }
    found
}

/// Runs the test `name` alone in a process of its own, for what is measured of a whole process.
/// True in that process.
pub(crate) fn alone(name: &str, variables: &[(&str, &str)]) -> bool {
    const ALONE: &str = "THREADKEEP_TEST_ALONE";
    if std::env::var(ALONE).is_ok_and(|value| value == name) {
        return true;
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(ALONE, name)
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}\n{errors}"
    );
    false
}
