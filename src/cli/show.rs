//! A thread as a person reads it.

mod transcript;

use clap::Args;

use self::transcript::Transcript;
use super::failure::{Exit, Failure};
use super::output::{Reader, complain, print, say};
use super::place::{self, Place};
use crate::domain::TurnId;
use crate::server::view;
use crate::store::Event;

/// Events read at once.
const PAGE: u32 = 1_000;

/// Show what happened in a thread
#[derive(Args)]
#[command(after_help = "Example:\n  threadkeep show 0192f0c1")]
pub(super) struct Show {
    /// The thread, or the beginning of its id
    thread: String,
    /// Only this turn
    #[arg(long, value_name = "ID")]
    turn: Option<TurnId>,
    /// Every event as JSON, an object a line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: Place,
}

impl Show {
    pub async fn run(self) -> Result<Exit, Failure> {
        let store = self.place.read().await?;
        let thread = place::thread(&store, &self.thread).await?;
        if let Some(turn) = &self.turn {
            store.turn(&thread, turn).await?;
        }
        let mut transcript = Transcript::default();
        let mut after = 0;
        loop {
            let events = store.events(&thread, after, PAGE).await?;
            let Some(last) = events.last() else {
                break;
            };
            after = last.seq;
            for event in events.iter().filter(|event| self.wants(event)) {
                if self.tell(event, &mut transcript) == Reader::Gone {
                    return Ok(Exit::Done);
                }
            }
        }
        print(&transcript.end());
        Ok(Exit::Done)
    }

    fn wants(&self, event: &Event) -> bool {
        self.turn.is_none() || event.turn == self.turn
    }

    fn tell(&self, event: &Event, transcript: &mut Transcript) -> Reader {
        if !self.json {
            return print(&transcript.event(event));
        }
        match view::event(event).map(|event| serde_json::json!(event)) {
            Ok(event) => say(&event.to_string()),
            Err(error) => {
                complain(&format!(
                    "event {} cannot be shown: {error}",
                    event.event_id
                ));
                Reader::There
            }
        }
    }
}
