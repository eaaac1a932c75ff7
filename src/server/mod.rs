//! One connection: negotiation, requests in order of what they touch, events as notifications.
//!
//! May use: `domain`, `protocol`, `store`, `kernel`, and the `transport` it is handed. Promises: every
//! request gets exactly one response; nothing is told before it is committed; events come once each,
//! in order, however slowly they are read; memory stays bounded.

mod approver;
mod connection;
mod handler;
mod holds;
mod projection;
mod queue;
mod reading;
mod refusal;
mod router;
mod scope;
mod stop;
pub(crate) mod view;

use std::fmt;
use std::io;
use std::time::Duration;

use crate::kernel::Kernel;
use crate::protocol::Limits;
use crate::store::Store;
use crate::transport::{self, Ended, OutputLimits, Transport};

/// How long a host may take nothing before it counts as dead.
const STALL: Duration = Duration::from_secs(30);
/// How long closing the store may take once everything else is done.
const CLOSE_WAIT: Duration = Duration::from_millis(100);

/// How a connection is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServeOptions {
    /// The most requests that wait to be worked on.
    pub queue_cap: usize,
    /// How long the host may take nothing before it counts as dead.
    pub stall: Duration,
    /// How long accepted requests and running turns have, once the service ends, to come to an end
    /// by themselves.
    pub drain: Duration,
}

impl Default for ServeOptions {
    fn default() -> Self {
        Self {
            queue_cap: Limits::default().max_queued_requests,
            stall: STALL,
            drain: stop::DRAIN,
        }
    }
}

impl ServeOptions {
    fn limits(&self) -> Limits {
        Limits {
            max_queued_requests: self.queue_cap,
            ..Limits::default()
        }
    }

    fn output(&self) -> OutputLimits {
        let limits = self.limits();
        OutputLimits {
            messages: limits.max_output_messages,
            bytes: limits.max_output_bytes,
            stall: self.stall,
        }
    }
}

/// Why serving ended: the first cause there was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitReason {
    /// The host closed our input.
    InputEnded,
    /// The input cannot be read.
    InputFailed(io::ErrorKind),
    /// The process was told to end, by the signal of that name.
    Signalled(&'static str),
    /// The host took nothing for too long.
    OutputStalled(Duration),
    /// The host closed our output.
    OutputClosed(io::ErrorKind),
    /// Events cannot be told any more; stderr says why.
    Broken,
}

impl ExitReason {
    /// True when the host or the system asked for it; the rest are failures.
    pub const fn is_orderly(self) -> bool {
        matches!(self, Self::InputEnded | Self::Signalled(_))
    }
}

impl fmt::Display for ExitReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InputEnded => f.write_str("the host closed the input"),
            Self::InputFailed(error) => write!(f, "the input cannot be read: {error}"),
            Self::Signalled(signal) => write!(f, "{signal}"),
            Self::OutputStalled(stall) => Ended::Stalled(*stall).fmt(f),
            Self::OutputClosed(error) => Ended::Closed(*error).fmt(f),
            Self::Broken => f.write_str("events cannot be told any more"),
        }
    }
}

/// Serves one connection until its input ends or its output does. Turns that still run are
/// interrupted then; the process may end when this returns, at most 1,500 ms after its cause.
pub async fn serve(
    transport: Transport,
    store: Store,
    kernel: Kernel,
    options: ServeOptions,
) -> ExitReason {
    let never = std::future::pending();
    connection::serve(
        transport,
        connection::Parts::new(store, kernel, options),
        never,
    )
    .await
}

/// Serves the host at standard input and output until it goes away or a signal ends the process,
/// and closes the store.
pub async fn serve_stdio(store: Store, kernel: Kernel, options: ServeOptions) -> ExitReason {
    let transport = match transport::stdio() {
        Ok(transport) => transport,
        Err(error) => return ExitReason::InputFailed(error.kind()),
    };
    let parts = connection::Parts::new(store.clone(), kernel, options);
    let reason = connection::serve(transport, parts, stop::signal()).await;
    if reason.is_orderly() {
        tracing::info!(%reason, "serving ended");
    } else {
        tracing::error!(%reason, "serving ended");
    }
    if tokio::time::timeout(CLOSE_WAIT, store.close())
        .await
        .is_err()
    {
        tracing::warn!("the store was not closed in time; the next start repairs it");
    }
    reason
}
