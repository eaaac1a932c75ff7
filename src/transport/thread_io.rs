//! Asynchronous reading and writing over a thread each, for descriptors of any kind.
//!
//! The descriptors stay blocking: to make one non-blocking would change it for every process that
//! shares it. The threads are not waited for at the end, so that a blocked one holds nothing up.

use std::fs::File;
use std::io::{self, Read, Write};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// Bytes read at once.
const READ_PIECE: usize = 64 * 1024;
/// Bytes written at once. A write that is not done counts as nothing taken, so this is also the
/// least that a slow reader must take in the time after which it counts as dead.
const WRITE_PIECE: usize = 32 * 1024;

/// Reads on a thread.
pub(super) struct ThreadReader {
    pieces: Receiver<io::Result<Vec<u8>>>,
    piece: Vec<u8>,
    taken: usize,
}

impl ThreadReader {
    pub fn of(input: File) -> io::Result<Self> {
        let (sender, pieces) = channel(1);
        std::thread::Builder::new()
            .name("input".to_owned())
            .spawn(move || read(input, &sender))?;
        Ok(Self {
            pieces,
            piece: Vec::new(),
            taken: 0,
        })
    }
}

fn read(mut input: File, pieces: &Sender<io::Result<Vec<u8>>>) {
    let mut buffer = vec![0; READ_PIECE];
    loop {
        let piece = match input.read(&mut buffer) {
            Ok(0) => return,
            Ok(read) => Ok(buffer[..read].to_vec()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => Err(error),
        };
        let last = piece.is_err();
        if pieces.blocking_send(piece).is_err() || last {
            return;
        }
    }
}

impl AsyncRead for ThreadReader {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.taken == self.piece.len() {
            let Some(piece) = ready!(self.pieces.poll_recv(context)) else {
                return Poll::Ready(Ok(()));
            };
            self.piece = piece?;
            self.taken = 0;
        }
        let rest = &self.piece[self.taken..];
        let part = &rest[..rest.len().min(buffer.remaining())];
        buffer.put_slice(part);
        self.taken += part.len();
        Poll::Ready(Ok(()))
    }
}

/// Writes on a thread, one piece at a time. What a write says of errors is told with the next.
pub(super) struct ThreadWriter {
    pieces: Sender<Vec<u8>>,
    results: Receiver<io::Result<()>>,
    busy: bool,
}

impl ThreadWriter {
    pub fn of(output: File) -> io::Result<Self> {
        let (pieces, mut to_write) = channel::<Vec<u8>>(1);
        let (done, results) = channel(1);
        std::thread::Builder::new()
            .name("output".to_owned())
            .spawn(move || {
                let mut output = output;
                while let Some(piece) = to_write.blocking_recv() {
                    if done.blocking_send(output.write_all(&piece)).is_err() {
                        return;
                    }
                }
            })?;
        Ok(Self {
            pieces,
            results,
            busy: false,
        })
    }

    /// Ready when the piece before is written.
    fn poll_idle(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.busy {
            let result = ready!(self.results.poll_recv(context));
            self.busy = false;
            result.unwrap_or_else(|| Err(io::ErrorKind::BrokenPipe.into()))?;
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for ThreadWriter {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_idle(context))?;
        let piece = &bytes[..bytes.len().min(WRITE_PIECE)];
        // Idle means that the one place in the channel is free.
        if self.pieces.try_send(piece.to_vec()).is_err() {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        }
        self.busy = true;
        Poll::Ready(Ok(piece.len()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_idle(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_flush(context)
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::OwnedFd;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    fn pipe() -> (File, File) {
        let (reader, writer) = io::pipe().unwrap();
        let file = |end: OwnedFd| File::from(end);
        (file(reader.into()), file(writer.into()))
    }

    #[tokio::test]
    async fn bytes_pass_unchanged_and_the_end_is_seen() {
        let (reader, writer) = pipe();
        let mut input = ThreadReader::of(reader).unwrap();
        let mut output = ThreadWriter::of(writer).unwrap();
        let sent: Vec<u8> = (0..=u8::MAX).cycle().take(300_000).collect();
        let mut received = Vec::new();
        let feed = async {
            output.write_all(&sent).await.unwrap();
            output.flush().await.unwrap();
            drop(output);
        };
        let ((), read) = tokio::join!(feed, input.read_to_end(&mut received));
        read.unwrap();
        assert!(received == sent);
    }

    #[tokio::test]
    async fn a_closed_pipe_is_an_error() {
        let (reader, writer) = pipe();
        drop(reader);
        let mut output = ThreadWriter::of(writer).unwrap();
        output.write_all(b"x").await.unwrap();
        let error = output.flush().await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }
}
