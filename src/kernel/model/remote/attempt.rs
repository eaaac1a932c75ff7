//! One attempt at an answer: a request, and its stream read to the end.

use std::sync::Arc;
use std::time::Duration;

use super::super::{ModelErrorKind, ModelEvent, ModelRequest};
use super::failure::{self, Failure};
use super::frames::{End, Frames, Inbox, Next};
use super::reader::{self, Progress, Reader, Told};
use super::{Target, Wire, question};

/// How long is waited for the usage of an answer that is whole: some providers never tell it and
/// keep the connection.
const USAGE_WAIT: Duration = Duration::from_secs(2);

/// An answer that is being read.
pub(super) struct Attempt {
    frames: Frames,
    reader: Box<dyn Reader>,
    told: Told,
}

impl Attempt {
    /// Asks. Whether the provider hears it shows when it is read.
    pub(super) async fn start(
        target: &Target,
        wire: Wire,
        request: &ModelRequest,
    ) -> Result<Self, Failure> {
        let unconfigured = |what: String| Failure::new(ModelErrorKind::Unconfigured, what);
        let client = target
            .connections
            .client(&target.address)
            .map_err(|error| unconfigured(format!("no HTTP client can be made: {error}")))?;
        let inbox = Arc::new(Inbox::default());
        let options = question::options(target, wire, request, Arc::clone(&inbox));
        let response = client
            .exec_chat_stream(
                question::target(target, wire),
                question::request(&target.name.to_string(), wire, request),
                Some(&options),
            )
            .await
            .map_err(|_| unconfigured("the request cannot be written for this provider".into()))?;
        Ok(Self {
            frames: Frames::new(response.stream, inbox),
            reader: reader::for_wire(wire, target),
            told: Told::default(),
        })
    }

    /// Reads on until there is something to pass on. After [`ModelEvent::Finished`] nothing
    /// follows.
    pub(super) async fn read(&mut self, target: &Target) -> Result<Vec<ModelEvent>, Failure> {
        while self.told.events.is_empty() {
            if self.told.progress == Progress::Done {
                self.told.finish();
                break;
            }
            match self.next().await? {
                Next::Json(frame) => self.reader.read(&frame, &mut self.told)?,
                Next::Marker => self.reader.read_marker(&mut self.told),
                // The answer is whole: how the connection ends does not matter.
                Next::End(_) if self.told.progress == Progress::Whole => {
                    self.told.progress = Progress::Done;
                }
                Next::End(End::Closed) => return Err(Failure::cut()),
                Next::End(End::Failed(error)) => {
                    let failure = failure::of_transport(error, target);
                    return Err(failure.unwrap_or_else(Failure::cut));
                }
            }
        }
        Ok(std::mem::take(&mut self.told.events))
    }

    async fn next(&mut self) -> Result<Next, Failure> {
        if self.told.progress != Progress::Whole {
            return self.frames.next().await;
        }
        match tokio::time::timeout(USAGE_WAIT, self.frames.next()).await {
            Ok(next) => next,
            Err(_) => Ok(Next::End(End::Closed)),
        }
    }
}
