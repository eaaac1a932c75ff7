mod export;

use std::fmt::Write as _;

use clap::{Args, Subcommand};

use super::failure::{Exit, Failure};
use super::output::{plain, say};
use super::place::Place;
use crate::domain::{Digest, TurnId};
use crate::server::view;
use crate::store::TurnEvidence;

/// Show the evidence of a turn that ended, or take it away
#[derive(Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "Example:\n  threadkeep evidence 0192f0c1-… --json\n  \
    threadkeep evidence export 0192f0c1-… --out turn.json"
)]
pub(super) struct Evidence {
    #[command(subcommand)]
    command: Option<Command>,
    /// The turn
    #[arg(required = true)]
    turn: Option<TurnId>,
    /// As JSON, as `evidence/get` gives it
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: Place,
}

#[derive(Subcommand)]
enum Command {
    Export(export::Export),
}

impl Evidence {
    pub async fn run(self) -> Result<Exit, Failure> {
        let turn = match (self.command, self.turn) {
            (Some(Command::Export(export)), _) => return export.run().await,
            (None, Some(turn)) => turn,
            // Which the parser has refused.
            (None, None) => return Err(Failure::usage("say which turn")),
        };
        let store = self.place.read().await?;
        let turn = store.turn_anywhere(&turn).await?;
        let evidence = store.evidence(turn).await?;
        if self.json {
            say(&serde_json::json!(view::turn_evidence(&evidence)).to_string());
        } else {
            let mut text = String::new();
            // Writing to a string has no failing branch.
            let _ = told(&evidence, &mut text);
            say(plain(&text).trim_end());
        }
        Ok(Exit::Done)
    }
}

fn told(evidence: &TurnEvidence, out: &mut String) -> std::fmt::Result {
    let (turn, terminal) = (&evidence.turn, &evidence.terminal);
    let view = view::turn_evidence(evidence);
    writeln!(
        out,
        "turn {} of thread {}: {}, {}",
        turn.id, turn.thread, turn.status, terminal.status
    )?;
    if let Some(error) = &turn.error {
        writeln!(out, "error      {}: {}", error.code, error.message)?;
    }
    writeln!(
        out,
        "events     {} to {}",
        terminal.first_event_seq, terminal.last_event_seq
    )?;
    writeln!(
        out,
        "chain      {} to {}",
        evidence.prev_hash, terminal.event_digest
    )?;
    writeln!(
        out,
        "commit     {}:{}",
        evidence.commit_id,
        evidence.commit_hash.hex()
    )?;
    writeln!(out, "output     {}", known(terminal.output_digest))?;
    writeln!(
        out,
        "tokens     {} read, {} written",
        known(terminal.input_tokens),
        known(terminal.output_tokens)
    )?;
    let counts = view.effects;
    writeln!(
        out,
        "effects    {} happened, {} did not happen, {} unknown",
        counts.happened, counts.did_not_happen, counts.unknown
    )?;
    for alike in &evidence.approvals {
        let decision = alike.decision.as_deref().unwrap_or("no decision");
        let via = alike.via.as_deref().unwrap_or("nobody yet");
        writeln!(
            out,
            "approvals  {} {}: {decision} by {via}",
            alike.count, alike.status
        )?;
    }
    for write in &evidence.file_writes {
        let (before, after) = (short(write.before), short(write.after));
        writeln!(
            out,
            "file       {}: {before} → {after} ({})",
            write.path, write.state
        )?;
    }
    if evidence.file_writes_omitted > 0 {
        writeln!(
            out,
            "           and {} more files",
            evidence.file_writes_omitted
        )?;
    }
    writeln!(
        out,
        "workspace  {}",
        terminal.commit.as_deref().unwrap_or("no git commit known")
    )
}

fn known<T: std::fmt::Display>(value: Option<T>) -> String {
    value.map_or_else(|| "unknown".to_owned(), |value| value.to_string())
}

/// Enough of a digest to tell two apart.
fn short(digest: Option<Digest>) -> String {
    digest.map_or_else(
        || "nothing".to_owned(),
        |digest| digest.hex()[..12].to_owned(),
    )
}
