//! What the tools that only look have in common: they need no permission, leave no trace, work
//! on a thread of their own and can be stopped.

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

use super::stop::Stop;
use super::{Access, Grant, Outcome, Plan, Refusal, Risk, Session, Tool};
use crate::kernel::model::ToolDeclaration;
use crate::kernel::workspace::{Place, ReadLog, Workspace};

/// A tool that looks at one place of the workspace.
pub(super) trait Look: Send + Sync + 'static {
    /// Its arguments, already checked against its schema.
    type Args: DeserializeOwned + Send + Sync + 'static;

    fn declaration() -> ToolDeclaration;

    /// The path it looks at.
    fn path(args: &Self::Args) -> &str;

    /// Looks. The error is what the model reads.
    fn look(view: &View, args: &Self::Args, stop: &Stop) -> Result<Found, String>;
}

/// What a tool looks at.
pub(super) struct View {
    pub(super) workspace: Arc<Workspace>,
    pub(super) reads: Arc<ReadLog>,
    pub(super) place: Place,
}

/// What it found.
pub(super) struct Found {
    /// For the model; at most [`super::OUTPUT_LIMIT`] bytes.
    pub(super) content: String,
    /// For the record; an object.
    pub(super) details: Value,
}

/// A [`Look`] as a [`Tool`].
pub(super) struct Reading<L> {
    declaration: ToolDeclaration,
    look: PhantomData<L>,
}

impl<L: Look> Reading<L> {
    pub(super) fn new() -> Self {
        Self {
            declaration: L::declaration(),
            look: PhantomData,
        }
    }
}

#[async_trait]
impl<L: Look> Tool for Reading<L> {
    fn declaration(&self) -> &ToolDeclaration {
        &self.declaration
    }

    async fn plan(&self, args: &Value, session: &Session) -> Result<Plan, Refusal> {
        let parsed: L::Args = parse(args)?;
        let path = L::path(&parsed).to_owned();
        let workspace = Arc::clone(&session.workspace);
        let place = off_thread(move || Ok(workspace.resolve(&path)?)).await?;
        let mut operation = json!({ "tool": self.declaration.name });
        merge(&mut operation, args.clone());
        merge(&mut operation, json!({ "path": place.path() }));
        Ok(Plan {
            operation,
            access: Access::Read,
            grant: Grant {
                capability: "fs.read".to_owned(),
                scope: place.path().to_owned(),
            },
            risk: Risk::Low,
            reason: format!("{} looks at {}", self.declaration.name, place.path()),
            effects: Vec::new(),
            state: Box::new((parsed, place)),
        })
    }

    async fn run(&self, plan: Plan, session: &Session, cancel: CancellationToken) -> Outcome {
        let started = Instant::now();
        let Ok(state) = plan.state.downcast::<(L::Args, Place)>() else {
            return failure("this plan was made by another tool".to_owned());
        };
        let (args, place) = *state;
        let view = View {
            workspace: Arc::clone(&session.workspace),
            reads: Arc::clone(&session.reads),
            place,
        };
        let stop = Stop::new(cancel);
        let looked =
            off_thread(move || L::look(&view, &args, &stop).map_err(|message| Refusal { message }));
        match looked.await {
            Ok(found) => {
                let mut details = found.details;
                let took = started.elapsed().as_millis();
                merge(
                    &mut details,
                    json!({ "durationMs": u64::try_from(took).unwrap_or(u64::MAX) }),
                );
                Outcome {
                    content: found.content,
                    is_error: false,
                    details,
                    receipts: Vec::new(),
                }
            }
            Err(refusal) => failure(refusal.message),
        }
    }
}

/// Arguments that passed the schema as the tool's own type. What only the type can tell (a whole
/// number written with a fraction) is said here.
pub(super) fn parse<A: DeserializeOwned>(args: &Value) -> Result<A, Refusal> {
    A::deserialize(args).map_err(|error| Refusal {
        message: format!("the arguments do not fit: {error}"),
    })
}

/// Does work that waits for the disk where it keeps nobody else waiting.
pub(super) async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    spawn_blocking(work).await.unwrap_or_else(|_| {
        Err(Refusal {
            message: "the tool failed inside; nothing is known of its work".to_owned(),
        })
    })
}

/// Adds the members of `more` to `object`.
pub(super) fn merge(object: &mut Value, more: Value) {
    if let (Value::Object(object), Value::Object(more)) = (object, more) {
        object.extend(more);
    }
}

/// The outcome of a call that did not do what it should and changed nothing.
pub(super) fn failure(message: String) -> Outcome {
    Outcome {
        content: message,
        is_error: true,
        details: Value::Object(Map::new()),
        receipts: Vec::new(),
    }
}
