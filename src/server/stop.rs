use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::task::AbortOnDropHandle;

use super::ExitReason;
use super::connection::{Connection, Telling};
use crate::transport::{Ended, Signals};

/// How long accepted requests and running turns have to come to an end by themselves.
pub(super) const DRAIN: Duration = Duration::from_millis(100);
/// How often it is looked whether turns still run, meanwhile.
const DRAIN_LOOK: Duration = Duration::from_millis(5);
/// How long interrupted turns have to end.
const INTERRUPT: Duration = Duration::from_millis(900);
/// How long requests that waited for them have after that.
const ANSWER: Duration = Duration::from_millis(100);
/// When everything is over after that, whatever is left: 1,500 ms from the cause less what the
/// store and the process need to end.
const OVER: Duration = Duration::from_millis(1_200);

/// The name of the first signal that tells this process to end.
pub(super) async fn signal() -> ExitReason {
    match Signals::listen() {
        Ok(mut signals) => ExitReason::Signalled(signals.next().await),
        Err(error) => {
            tracing::warn!(%error, "signals cannot be heard; one ends the process at once");
            std::future::pending().await
        }
    }
}

/// Brings a connection to its end: nothing is taken in any more, what was accepted drains, turns
/// are interrupted, and the host is told all of it as long as `writer` still writes.
pub(super) async fn stop(
    mut connection: Connection,
    writer: Option<AbortOnDropHandle<Ended>>,
    patience: Duration,
) {
    let over = Instant::now() + patience + OVER;
    let handler = Arc::clone(&connection.handler);
    handler.approver.disconnect();
    drain(&mut connection, patience).await;
    let (left, answered) = tokio::join!(
        handler.kernel.shutdown(INTERRUPT),
        timeout(INTERRUPT + ANSWER, connection.finish_all())
    );
    if left > 0 {
        tracing::warn!(
            turns = left,
            "turns did not end in time; the next start closes them"
        );
    }
    if answered.is_err() {
        tracing::warn!("requests did not end in time");
    }
    let told = timeout_at(over, async {
        if let Some(Telling { task, finish }) = connection.router.take() {
            finish.cancel();
            // One that broke has nothing more to tell.
            let _ = task.await;
        }
        handler.outbox.close();
        if let Some(writer) = writer {
            // How it ends is no matter any more.
            let _ = writer.await;
        }
    });
    if told.await.is_err() {
        tracing::warn!("the host did not take everything in time");
    }
}

/// Waits until every accepted request is answered and no turn runs, `patience` at most.
async fn drain(connection: &mut Connection, patience: Duration) {
    let kernel = connection.handler.kernel.clone();
    let drained = timeout(patience, async {
        connection.finish_all().await;
        while kernel.running() > 0 {
            tokio::time::sleep(DRAIN_LOOK).await;
        }
    });
    if drained.await.is_err() {
        tracing::info!("turns or requests are cut short");
    }
}
