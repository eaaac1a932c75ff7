use clap::Args;
use serde_json::json;

use super::failure::{Exit, Failure};
use super::output::{note, one_line, say};
use super::place::Place;
use super::table::table;
use crate::store::{Archived, ThreadFilter};

/// Columns a title may fill.
const TITLE: usize = 60;

/// List the threads, the last changed first
#[derive(Args)]
#[command(after_help = "Example:\n  threadkeep threads --limit 5")]
pub(super) struct Threads {
    /// Archived ones too
    #[arg(long)]
    all: bool,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
    /// As JSON, an object a line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: Place,
}

impl Threads {
    pub async fn run(self) -> Result<Exit, Failure> {
        let store = self.place.read().await?;
        let archived = if self.all {
            Archived::Included
        } else {
            Archived::Hidden
        };
        let filter = ThreadFilter {
            archived,
            limit: self.limit,
        };
        let mut rows = Vec::new();
        for thread in store.threads(filter).await? {
            let turns = store.turns(&thread.id).await?.len();
            if self.json {
                let line = json!({
                    "id": thread.id, "status": thread.status, "title": thread.title,
                    "parentThreadId": thread.parent, "turns": turns, "events": thread.revision,
                    "createdAt": thread.created_at, "updatedAt": thread.updated_at,
                });
                say(&line.to_string());
                continue;
            }
            rows.push(vec![
                thread.id.to_string(),
                thread.status.to_string(),
                thread.updated_at.to_string(),
                turns.to_string(),
                one_line(thread.title.as_deref().unwrap_or_default(), TITLE),
            ]);
        }
        if self.json {
            return Ok(Exit::Done);
        }
        if rows.is_empty() {
            note("there are no threads yet; `threadkeep exec \"…\"` begins one");
            return Ok(Exit::Done);
        }
        say(&table(
            &["THREAD", "STATUS", "UPDATED", "TURNS", "TITLE"],
            rows,
        ));
        Ok(Exit::Done)
    }
}
