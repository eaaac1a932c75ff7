use std::io;

use tokio::io::{AsyncRead, AsyncReadExt};

use crate::protocol::LINE_LIMIT;

/// Bytes read at once.
const PIECE: usize = 64 * 1024;

/// What comes in.
#[derive(Debug, PartialEq, Eq)]
pub enum Frame {
    /// A line without its end; never empty, at most [`LINE_LIMIT`] bytes.
    Line(Vec<u8>),
    /// A line had more bytes. It is told once, as soon as that is known; the line is skipped as
    /// it streams.
    TooLong,
    /// Nothing more comes.
    End,
}

/// Cuts a byte stream into lines, holding one line at most.
pub struct Frames<R> {
    input: R,
    piece: Box<[u8]>,
    /// What of `piece` is read and not yet looked at.
    unread: std::ops::Range<usize>,
    line: Vec<u8>,
    skipping: bool,
}

impl<R: AsyncRead + Unpin> Frames<R> {
    /// The lines of `input`.
    pub fn new(input: R) -> Self {
        Self {
            input,
            piece: vec![0; PIECE].into(),
            unread: 0..0,
            line: Vec::new(),
            skipping: false,
        }
    }

    /// The next frame. Empty lines are passed over; a last line without an end counts. When the
    /// future is dropped nothing is lost.
    ///
    /// # Errors
    /// When the input cannot be read.
    pub async fn next(&mut self) -> io::Result<Frame> {
        loop {
            while !self.unread.is_empty() {
                if let Some(frame) = self.take() {
                    return Ok(frame);
                }
            }
            let read = self.input.read(&mut self.piece).await?;
            self.unread = 0..read;
            if read == 0 {
                return Ok(self.finish().unwrap_or(Frame::End));
            }
        }
    }

    /// Looks at what is unread up to the end of a line.
    fn take(&mut self) -> Option<Frame> {
        let unread = &self.piece[self.unread.clone()];
        let end = unread.iter().position(|byte| *byte == b'\n');
        let part = &unread[..end.unwrap_or(unread.len())];
        self.unread.start += part.len() + usize::from(end.is_some());
        if self.skipping {
            self.skipping = end.is_none();
            return None;
        }
        if self.line.len() + part.len() > LINE_LIMIT {
            self.line = Vec::new();
            self.skipping = end.is_none();
            return Some(Frame::TooLong);
        }
        self.line.extend_from_slice(part);
        end.and_then(|_| self.finish())
    }

    fn finish(&mut self) -> Option<Frame> {
        let line = std::mem::take(&mut self.line);
        let blank = line.iter().all(u8::is_ascii_whitespace);
        (!blank).then_some(Frame::Line(line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The frames of `input`, read in pieces of `step` bytes.
    async fn frames(input: &[u8], step: usize) -> Vec<Frame> {
        let (mut far, near) = tokio::io::duplex(step);
        let input = input.to_vec();
        let feed = tokio::spawn(async move {
            tokio::io::AsyncWriteExt::write_all(&mut far, &input)
                .await
                .unwrap();
        });
        let mut reader = Frames::new(near);
        let mut frames = Vec::new();
        loop {
            match reader.next().await.unwrap() {
                Frame::End => break,
                frame => frames.push(frame),
            }
        }
        feed.await.unwrap();
        frames
    }

    fn line(text: &str) -> Frame {
        Frame::Line(text.as_bytes().to_vec())
    }

    #[tokio::test]
    async fn lines_come_whole_however_the_bytes_arrive() {
        let input = b"one\n\n  \ntwo\r\nthr\xff\n\r\nlast";
        for step in [1, 2, 3, 7, 1024] {
            let expected = [
                line("one"),
                line("two\r"),
                Frame::Line(b"thr\xff".to_vec()),
                line("last"),
            ];
            assert_eq!(frames(input, step).await, expected, "{step}");
        }
    }

    #[tokio::test]
    async fn a_line_of_the_limit_is_read_and_a_longer_one_skipped_as_it_streams() {
        let mut input = vec![b'x'; LINE_LIMIT];
        input.extend_from_slice(b"\n");
        input.extend(vec![b'y'; LINE_LIMIT + 1]);
        input.extend_from_slice(b"\nnext\n");
        input.extend(vec![b'z'; 3 * LINE_LIMIT]);
        let frames = frames(&input, 1 << 16).await;
        assert_eq!(frames.len(), 4);
        assert_eq!(frames[0], Frame::Line(vec![b'x'; LINE_LIMIT]));
        assert_eq!(frames[1..3], [Frame::TooLong, line("next")]);
        assert_eq!(frames[3], Frame::TooLong);
    }

    #[tokio::test]
    async fn a_skipped_line_is_not_kept() {
        let mut reader = Frames::new(tokio::io::repeat(b'x'));
        assert_eq!(reader.next().await.unwrap(), Frame::TooLong);
        assert!(reader.skipping && reader.line.capacity() == 0);
    }
}
