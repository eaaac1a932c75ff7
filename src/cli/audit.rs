use clap::Args;
use serde_json::{Map, Value, json};

use super::failure::{Exit, Failure};
use super::output::{complain, note, print, say};
use super::place::Place;
use super::table::table;
use crate::store::audit::{Answer, Cell, MAX_ROWS, questions};

/// Ask the ledger a canned question, or list the questions there are
#[derive(Args)]
#[command(after_help = "Example:\n  threadkeep audit commands --csv > commands.csv")]
pub(super) struct Audit {
    /// The question; all are listed without it
    question: Option<String>,
    /// The answer as JSON, an object a row
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// The answer as CSV (RFC 4180)
    #[arg(long)]
    csv: bool,
    #[command(flatten)]
    place: Place,
}

impl Audit {
    pub async fn run(self) -> Result<Exit, Failure> {
        let Some(name) = &self.question else {
            self.list();
            return Ok(Exit::Done);
        };
        let store = self.place.read().await?;
        let answer = store.ask(name).await?;
        if self.json {
            for row in &answer.rows {
                say(&object(&answer, row).to_string());
            }
        } else if self.csv {
            print(&csv(&answer)?);
        } else {
            let columns: Vec<&str> = answer.columns.iter().map(String::as_str).collect();
            let rows = answer.rows.iter().map(|row| row.iter().map(text).collect());
            say(&table(&columns, rows));
        }
        if answer.rows.is_empty() {
            note("no rows");
        }
        if answer.truncated {
            complain(&format!(
                "these are the first {MAX_ROWS} rows; ask for the rest with sqlite3 and queries/audit/{name}.sql"
            ));
        }
        Ok(Exit::Done)
    }

    fn list(&self) {
        if self.json {
            say(&json!(questions()).to_string());
            return;
        }
        let rows = questions()
            .iter()
            .map(|question| vec![question.name.to_owned(), question.title.to_owned()]);
        say(&table(&["QUESTION", "SHOWS"], rows));
    }
}

fn object(answer: &Answer, row: &[Cell]) -> Value {
    let members = answer
        .columns
        .iter()
        .cloned()
        .zip(row.iter().map(|cell| json!(cell)));
    Value::Object(members.collect::<Map<_, _>>())
}

fn text(cell: &Cell) -> String {
    match cell {
        Cell::Null => "–".to_owned(),
        Cell::Integer(number) => number.to_string(),
        Cell::Real(number) => number.to_string(),
        Cell::Text(text) => text.clone(),
    }
}

fn csv(answer: &Answer) -> Result<String, Failure> {
    let failed = |error: csv::Error| Failure::failed(format!("no CSV can be made of it: {error}"));
    let mut writer = csv::WriterBuilder::new()
        .terminator(csv::Terminator::CRLF)
        .from_writer(Vec::new());
    writer.write_record(&answer.columns).map_err(failed)?;
    for row in &answer.rows {
        let cells = row.iter().map(|cell| match cell {
            Cell::Null => String::new(),
            cell => text(cell),
        });
        writer.write_record(cells).map_err(failed)?;
    }
    let bytes = writer
        .into_inner()
        .map_err(|error| Failure::failed(error.to_string()))?;
    String::from_utf8(bytes).map_err(|error| Failure::failed(error.to_string()))
}
