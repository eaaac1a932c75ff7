//! The frames of a provider's stream, as they come off the wire.

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use futures_util::StreamExt;
use genai::chat::{ChatFrameSink, ChatStream, FrameCtx, RawFrameRef};
use serde_json::Value;
use serde_json::error::Category;

use super::failure::Failure;

/// The most bytes of all frames of one answer: far beyond what a model can say.
const ANSWER_LIMIT: usize = 64 * 1024 * 1024;

/// Where `genai` leaves each frame while it is polled.
#[derive(Default)]
pub(super) struct Inbox(Mutex<VecDeque<String>>);

impl Inbox {
    fn frames(&self) -> MutexGuard<'_, VecDeque<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Inbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Inbox(…)")
    }
}

impl ChatFrameSink for Inbox {
    fn on_frame(&self, _: &FrameCtx, frame: RawFrameRef<'_>) {
        let data = frame.data.trim();
        if !data.is_empty() {
            self.frames().push_back(data.to_owned());
        }
    }
}

/// A provider's stream as frames.
pub(super) struct Frames {
    stream: ChatStream,
    inbox: Arc<Inbox>,
    ended: Option<End>,
    /// The beginning of a frame whose rest has not come yet.
    partial: String,
    bytes_read: usize,
}

/// How a stream ends.
pub(super) enum End {
    Closed,
    Failed(genai::Error),
}

/// What comes next.
pub(super) enum Next {
    Json(Value),
    /// The end marker `[DONE]`.
    Marker,
    End(End),
}

impl Frames {
    pub(super) fn new(stream: ChatStream, inbox: Arc<Inbox>) -> Self {
        Self {
            stream,
            inbox,
            ended: None,
            partial: String::new(),
            bytes_read: 0,
        }
    }

    pub(super) async fn next(&mut self) -> Result<Next, Failure> {
        loop {
            match poll_fn(|context| self.poll(context)).await {
                Ok(frame) if frame == "[DONE]" => return Ok(Next::Marker),
                Ok(frame) => {
                    if let Some(json) = self.complete(&frame)? {
                        return Ok(Next::Json(json));
                    }
                }
                Err(end) => return Ok(Next::End(end)),
            }
        }
    }

    /// What `genai` makes of a frame is not used, only that it has left one: it may leave one and
    /// report nothing.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<String, End>> {
        loop {
            if let Some(frame) = self.inbox.frames().pop_front() {
                return Poll::Ready(Ok(frame));
            }
            if let Some(end) = self.ended.take() {
                return Poll::Ready(Err(end));
            }
            match self.stream.poll_next_unpin(context) {
                Poll::Ready(Some(Ok(_))) => {}
                Poll::Ready(Some(Err(error))) if is_reading_error(&error) => {}
                Poll::Ready(Some(Err(error))) => self.ended = Some(End::Failed(error)),
                Poll::Ready(None) => self.ended = Some(End::Closed),
                Poll::Pending => {
                    let frame = self.inbox.frames().pop_front();
                    return frame.map_or(Poll::Pending, |frame| Poll::Ready(Ok(frame)));
                }
            }
        }
    }

    /// A frame is torn in two when a read ends between the CR and the LF of a line end inside it.
    /// Half a JSON text is never a whole one, so the halves are put together again.
    fn complete(&mut self, frame: &str) -> Result<Option<Value>, Failure> {
        self.bytes_read += frame.len();
        if self.bytes_read > ANSWER_LIMIT {
            return Err(Failure::malformed("it does not end"));
        }
        let text = if self.partial.is_empty() {
            frame
        } else {
            self.partial.push('\n');
            self.partial.push_str(frame);
            &self.partial
        };
        match serde_json::from_str(text) {
            Ok(json) => {
                self.partial.clear();
                Ok(Some(json))
            }
            Err(error) if error.classify() == Category::Eof => {
                if self.partial.is_empty() {
                    frame.clone_into(&mut self.partial);
                }
                Ok(None)
            }
            Err(error) => Err(Failure::malformed(&error.to_string())),
        }
    }
}

/// Whether `genai` only failed to understand a frame.
fn is_reading_error(error: &genai::Error) -> bool {
    !matches!(
        error,
        genai::Error::WebStream { .. } | genai::Error::HttpError { .. }
    )
}
