use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;

use tokio::io::AsyncRead;
use tokio::task::{Id, JoinError, JoinSet};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::handler::Handler;
use super::queue::{Bounds, Full, Queue};
use super::router::Router;
use super::scope::{self, Scope};
use super::{ExitReason, ServeOptions, stop};
use crate::domain::EventId;
use crate::kernel::Kernel;
use crate::protocol::{
    Agreement, Call, ErrorCode, Feature, Initialize, LINE_LIMIT, Limits, Message, Refused, Request,
    RequestId, line, parse,
};
use crate::store::Store;
use crate::transport::{Ended, Frame, Frames, Outbox, Transport};

/// When to try again after the queue was full, in ms.
const RETRY_AFTER_MS: u64 = 100;

/// What a connection is made of besides its transport.
pub(super) struct Parts {
    store: Store,
    kernel: Kernel,
    options: ServeOptions,
}

impl Parts {
    pub fn new(store: Store, kernel: Kernel, options: ServeOptions) -> Self {
        Self {
            store,
            kernel,
            options,
        }
    }
}

/// Serves until the input ends, the output does, or `told` says so.
pub(super) async fn serve(
    transport: Transport,
    parts: Parts,
    told: impl Future<Output = ExitReason>,
) -> ExitReason {
    let Transport {
        kind,
        input,
        output,
    } = transport;
    let patience = parts.options.drain;
    let outbox = Outbox::new(parts.options.output());
    let writing = outbox.clone();
    let mut writer =
        AbortOnDropHandle::new(tokio::spawn(async move { writing.write_to(output).await }));
    let mut connection = Connection {
        handler: Arc::new(Handler::new(parts.store, parts.kernel, outbox)),
        limits: parts.options.limits(),
        kind,
        queue: Queue::new(bounds(&parts.options.limits())),
        work: JoinSet::new(),
        doing: HashMap::new(),
        router: None,
    };
    let (reason, open) = tokio::select! {
        biased;
        reason = told => (reason, true),
        ended = &mut writer => (output_ended(&ended), false),
        reason = connection.listen(Frames::new(input)) => (reason, true),
    };
    stop::stop(connection, open.then_some(writer), patience).await;
    reason
}

fn bounds(limits: &Limits) -> Bounds {
    Bounds {
        requests: limits.max_queued_requests,
        bytes: limits.max_queued_request_bytes,
        at_work: limits.max_concurrent_requests,
    }
}

/// One connection and all it has begun.
pub(super) struct Connection {
    pub handler: Arc<Handler>,
    limits: Limits,
    kind: &'static str,
    queue: Queue<(RequestId, Call)>,
    work: JoinSet<()>,
    /// What each task of `work` does.
    doing: HashMap<Id, (RequestId, Scope)>,
    /// Tells events, once the host has introduced itself.
    pub router: Option<Telling>,
}

/// The router at work, and how it is told to come to an end.
pub(super) struct Telling {
    pub task: AbortOnDropHandle<()>,
    pub finish: CancellationToken,
}

impl Connection {
    /// Takes in what the host says until there is no more.
    async fn listen(&mut self, mut frames: Frames<impl AsyncRead + Unpin>) -> ExitReason {
        let outbox = self.handler.outbox.clone();
        loop {
            let next = async {
                // What is read must be answered, if only by a refusal.
                outbox.room().await;
                frames.next().await
            };
            tokio::select! {
                biased;
                Some(done) = self.work.join_next_with_id() => self.finish(done).await,
                () = broken(&mut self.router, &outbox) => return ExitReason::Broken,
                frame = next => match frame {
                    Ok(Frame::Line(line)) => self.take(&line).await,
                    Ok(Frame::TooLong) => self.refuse(None, &too_long()).await,
                    Ok(Frame::End) => return ExitReason::InputEnded,
                    Err(error) => return ExitReason::InputFailed(error.kind()),
                },
            }
        }
    }

    async fn take(&mut self, line: &[u8]) {
        match parse(line) {
            Ok(Message::Request(request)) => self.request(request, line.len()).await,
            Ok(Message::Reply(reply)) => {
                self.handler
                    .approver
                    .answer(reply.id.as_ref(), reply.answer);
            }
            // None is known, and JSON-RPC 2.0 §4.1 forbids an answer.
            Ok(Message::Notification { method }) => {
                let method: String = method.chars().take(80).collect();
                tracing::info!(method, "a notification was ignored");
            }
            Err(invalid) => self.refuse(invalid.id.as_ref(), &invalid.error).await,
        }
    }

    async fn request(&mut self, request: Request, bytes: usize) {
        let id = request.id.clone();
        if let Err(refused) = self.accept(request, bytes).await {
            self.refuse(Some(&id), &refused).await;
        }
    }

    async fn accept(&mut self, request: Request, bytes: usize) -> Result<(), Refused> {
        let id = request.id.clone();
        let introduces = request.method == "initialize";
        if !introduces && self.router.is_none() {
            let message = "initialize comes first";
            return Err(Refused::new(ErrorCode::NotInitialized, message));
        }
        if introduces && self.router.is_some() {
            let message = "this connection is initialized already";
            return Err(Refused::new(ErrorCode::Conflict, message));
        }
        let call = Call::of(request)?;
        if let Call::Initialize(asked) = call {
            return self.initialize(&id, &asked).await;
        }
        let scope = scope::of(&call);
        self.queue
            .push((id, call), scope, bytes)
            .map_err(|Full| overloaded())?;
        self.begin();
        Ok(())
    }

    async fn initialize(&mut self, id: &RequestId, asked: &Initialize) -> Result<(), Refused> {
        let features = asked.agree()?;
        let handler = Arc::clone(&self.handler);
        let commits = handler.store.commits()?;
        if features.contains(&Feature::StructuredApproval) {
            handler.approver.agree();
        }
        let agreement = Agreement::new(features, self.limits, self.kind);
        handler.outbox.send(line::response(id, &agreement)?).await;
        let seen = handler.store.last_event_id().await.unwrap_or_else(|error| {
            tracing::error!(%error, "the ledger cannot be read; what is missed is not made up for");
            EventId::MAX
        });
        let router = Router {
            store: handler.store.clone(),
            commits,
            seen,
            outbox: handler.outbox.clone(),
            holds: Arc::clone(&handler.holds),
            approver: Arc::clone(&handler.approver),
            finish: CancellationToken::new(),
        };
        self.router = Some(Telling {
            finish: router.finish.clone(),
            task: AbortOnDropHandle::new(tokio::spawn(router.run())),
        });
        Ok(())
    }

    /// Begins whatever may begin.
    fn begin(&mut self) {
        while let Some(((id, call), scope)) = self.queue.begin() {
            let handler = Arc::clone(&self.handler);
            let answered = id.clone();
            let task = self
                .work
                .spawn(async move { handler.handle(answered, call).await });
            self.doing.insert(task.id(), (id, scope));
        }
    }

    /// Waits until every accepted request is done.
    pub async fn finish_all(&mut self) {
        while let Some(done) = self.work.join_next_with_id().await {
            self.finish(done).await;
        }
    }

    async fn finish(&mut self, done: Result<(Id, ()), JoinError>) {
        let task = done.as_ref().map_or_else(JoinError::id, |(task, ())| *task);
        let Some((id, scope)) = self.doing.remove(&task) else {
            return;
        };
        self.queue.done(&scope);
        self.begin();
        if done.is_err() {
            tracing::error!(%id, "a request's handler broke");
            self.refuse(Some(&id), &Refused::internal()).await;
        }
    }

    async fn refuse(&self, id: Option<&RequestId>, refused: &Refused) {
        self.handler.outbox.send(line::refusal(id, refused)).await;
    }
}

/// Ready when the router is gone although it was not told to finish and there is still a reader.
async fn broken(router: &mut Option<Telling>, outbox: &Outbox) {
    let Some(telling) = router else {
        return std::future::pending().await;
    };
    if let Err(error) = (&mut telling.task).await {
        tracing::error!(%error, "events cannot be told any more");
    }
    *router = None;
    if outbox.has_ended() {
        // The writer says why.
        std::future::pending::<()>().await;
    }
}

fn output_ended(ended: &Result<Ended, JoinError>) -> ExitReason {
    match ended {
        Ok(Ended::Stalled(stall)) => ExitReason::OutputStalled(*stall),
        Ok(Ended::Closed(kind)) => ExitReason::OutputClosed(*kind),
        Ok(Ended::Done) | Err(_) => ExitReason::OutputClosed(std::io::ErrorKind::Other),
    }
}

fn too_long() -> Refused {
    let message = format!("invalid message: a line has at most {LINE_LIMIT} bytes");
    Refused::new(ErrorCode::InvalidRequest, message)
}

fn overloaded() -> Refused {
    let message = format!("too many requests wait; try again in {RETRY_AFTER_MS} ms");
    Refused::retry(ErrorCode::Overloaded, message, RETRY_AFTER_MS)
}
