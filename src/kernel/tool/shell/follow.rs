//! Following a program until it ends, is cancelled or runs out of time.

use std::process::ExitStatus;
use std::time::Duration;

use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe;
use tokio::time::{Instant, sleep, timeout_at};
use tokio_util::sync::CancellationToken;

use super::spool::Spool;
use crate::kernel::process::{Running, Scope, Survivor};

/// How long output is waited for that was written before the end and is not read yet.
const DRAIN: Duration = Duration::from_millis(100);

/// How long killing may take before the survivors are reported.
const KILL_DEADLINE: Duration = Duration::from_secs(5);

/// Bytes read at once: what a pipe holds.
const PIECE: usize = 64 * 1024;

/// A program that has ended, and what it wrote.
pub(super) struct Followed {
    pub end: End,
    pub after: Duration,
    pub output: Spool,
    /// Something it started still holds its output open.
    pub left_behind: bool,
    /// What could not be killed.
    pub survivors: Vec<Survivor>,
}

/// Why a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// By itself; `None` when how could not be learned.
    Exited(Option<ExitStatus>),
    /// It ran for too long and was killed.
    TimedOut,
    /// The call was cancelled and it was killed.
    Cancelled,
}

/// Reads a program's output until it ends.
pub(super) async fn follow(
    mut running: Running,
    scope: &Scope,
    limit: Duration,
    cancel: CancellationToken,
) -> Followed {
    let begin = Instant::now();
    let mut output = Spool::default();
    let end = watch(&mut running, &mut output, limit, cancel).await;
    let after = begin.elapsed();
    let survivors = match end {
        End::Exited(_) => Vec::new(),
        End::TimedOut | End::Cancelled => running.kill(KILL_DEADLINE).await,
    };
    let left_behind = drain(&mut running.output, &mut output).await;
    if left_behind {
        scope.discard(running.output);
    }
    Followed {
        end,
        after,
        output,
        left_behind,
        survivors,
    }
}

async fn watch(
    running: &mut Running,
    output: &mut Spool,
    limit: Duration,
    cancel: CancellationToken,
) -> End {
    let mut piece = vec![0; PIECE];
    let mut open = true;
    let mut out_of_time = std::pin::pin!(sleep(limit));
    loop {
        tokio::select! {
            status = running.exit.wait() => return End::Exited(status),
            () = cancel.cancelled() => return End::Cancelled,
            () = &mut out_of_time => return End::TimedOut,
            read = running.output.read(&mut piece), if open => match read {
                Ok(count @ 1..) => output.take(&piece[..count]).await,
                Ok(0) | Err(_) => open = false,
            },
        }
    }
}

/// Reads what is still to come, [`DRAIN`] at most. Returns whether somebody may still write more.
async fn drain(pipe: &mut pipe::Receiver, output: &mut Spool) -> bool {
    let until = Instant::now() + DRAIN;
    let mut piece = vec![0; PIECE];
    // A pipe that always holds more is always ready before the time is over.
    while Instant::now() < until {
        match timeout_at(until, pipe.read(&mut piece)).await {
            Ok(Ok(count @ 1..)) => output.take(&piece[..count]).await,
            Ok(Ok(0) | Err(_)) => return false,
            Err(_) => break,
        }
    }
    true
}
