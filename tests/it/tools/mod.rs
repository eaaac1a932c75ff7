//! The file tools as the kernel uses them: admitted, planned and run.

mod boundary;
mod keeping;
mod looking;
mod searching;
mod writing;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use threadkeep::kernel::process::Broker;
use threadkeep::kernel::tool::{
    ContentStore, Kept, OUTPUT_LIMIT, Outcome, Plan, Refusal, Session, Tool, Toolbox,
};
use threadkeep::kernel::workspace::{ReadLog, Workspace};
use tokio_util::sync::CancellationToken;

/// A workspace on the disk, beside a directory it must not reach.
pub struct Place {
    dir: tempfile::TempDir,
    session: Session,
    tools: Toolbox,
}

/// The file tools keep no content.
struct NoContent;

#[async_trait]
impl ContentStore for NoContent {
    async fn keep(&self, _spool: tokio::fs::File) -> io::Result<Kept> {
        Err(io::Error::other("no file tool keeps content"))
    }
}

impl Place {
    /// A workspace with these files, beside a directory `outside` with a file `secret`.
    pub fn with(files: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("ws");
        fs::create_dir(&root).unwrap();
        fs::create_dir(dir.path().join("outside")).unwrap();
        fs::write(dir.path().join("outside/secret"), "secret\n").unwrap();
        let session = Session {
            workspace: Arc::new(Workspace::open(&root).unwrap()),
            reads: Arc::new(ReadLog::default()),
            content: Arc::new(NoContent),
            processes: Broker::start().unwrap().scope("turn"),
        };
        let place = Self {
            dir,
            session,
            tools: Toolbox::standard(),
        };
        for (path, content) in files {
            place.write(path, content);
        }
        place
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.dir.path().join("ws").join(path)
    }

    pub fn outside(&self) -> PathBuf {
        self.dir.path().join("outside")
    }

    /// Changes a file as somebody else would.
    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub fn bytes(&self, path: &str) -> Vec<u8> {
        fs::read(self.path(path)).unwrap()
    }

    /// Admits and plans a call.
    pub async fn plan(&self, tool: &str, args: &Value) -> Result<(Arc<dyn Tool>, Plan), Refusal> {
        let (tool, args) = self.tools.admit(tool, &args.to_string())?;
        let plan = tool.plan(&args, &self.session).await?;
        Ok((tool, plan))
    }

    /// Runs what was planned.
    pub async fn run(&self, (tool, plan): (Arc<dyn Tool>, Plan)) -> Outcome {
        let effects = plan.effects.len();
        let outcome = tool
            .run(plan, &self.session, CancellationToken::new())
            .await;
        assert!(outcome.content.len() <= OUTPUT_LIMIT);
        assert!(outcome.details.is_object());
        assert_eq!(outcome.receipts.len(), effects);
        outcome
    }

    /// The whole call: what the model reads when it went well.
    pub async fn call(&self, tool: &str, args: Value) -> Result<String, String> {
        let planned = self.plan(tool, &args).await;
        let outcome = self.run(planned.map_err(|refusal| refusal.message)?).await;
        if outcome.is_error {
            Err(outcome.content)
        } else {
            Ok(outcome.content)
        }
    }

    /// What a call that must fail says.
    pub async fn refused(&self, tool: &str, args: Value) -> String {
        let what = format!("{tool} {args:.200}");
        self.call(tool, args).await.expect_err(&what)
    }
}

/// The names in a directory, sorted.
pub fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}
