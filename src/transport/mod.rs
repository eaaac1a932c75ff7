//! Bytes to lines and lines to bytes, within stated bounds.
//!
//! May use: `protocol` for its limits, and the operating system. Promises: memory stays bounded
//! whatever comes in and whether or not anyone reads what goes out; nothing but lines of the
//! protocol gets onto a stdio transport's output.

mod diagnostics;
mod frames;
mod outbox;
mod signals;
mod stdio;
mod thread_io;

use tokio::io::{AsyncRead, AsyncWrite};

pub use diagnostics::Diagnostics;
pub use frames::{Frame, Frames};
pub use outbox::{Ended, Outbox, OutputLimits};
pub use signals::Signals;
pub use stdio::stdio;

/// One connection: where its bytes come from and where they go.
pub struct Transport {
    /// What kind it is, as `initialize` names it.
    pub kind: &'static str,
    /// Where its bytes come from.
    pub input: Box<dyn AsyncRead + Send + Unpin>,
    /// Where they go.
    pub output: Box<dyn AsyncWrite + Send + Unpin>,
}

impl Transport {
    /// A connection over any two byte streams, such as the halves of a pipe within the process.
    pub fn over(
        input: impl AsyncRead + Send + Unpin + 'static,
        output: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Self {
        Self {
            kind: "stdio",
            input: Box::new(input),
            output: Box::new(output),
        }
    }
}
