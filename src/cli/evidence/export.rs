use std::path::PathBuf;

use clap::Args;

use super::super::checkpoint::{Signing, read_note};
use super::super::deliver::deliver;
use super::super::failure::{Exit, Failure};
use super::super::place::Place;
use crate::domain::TurnId;
use crate::store::proof::Checkpoint;

/// Write signed evidence of a turn that can be checked without the ledger
#[derive(Args)]
#[command(
    after_help = "Example:\n  threadkeep evidence export 0197a2c4-… --out turn.json\n  \
    queries/audit/verify_evidence.py turn.json \"$(threadkeep checkpoint --public)\"\n\n\
    It holds all the turn said, read and did, as the ledger has it: at most 50000 events and 32 MiB.\n\
    The format is in docs/PROOFS.md."
)]
pub(super) struct Export {
    /// The turn; it must have ended
    turn: String,
    /// A checkpoint by the same key, made after the turn [default: a new one]
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    #[command(flatten)]
    signing: Signing,
    /// Where to write it; it must be new [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    place: Place,
}

impl Export {
    pub async fn run(self) -> Result<Exit, Failure> {
        let turn: TurnId = self
            .turn
            .parse()
            .map_err(|error| Failure::usage(format!("{:?} is no turn id: {error}", self.turn)))?;
        let store = self.place.read().await?;
        let checkpoint = self.checkpoint.as_deref().map(read_note).transpose()?;
        // The log's name is not in the key's file; a checkpoint says it, and its signature covers it.
        let name = checkpoint.as_ref().map(Checkpoint::claimed_origin);
        let key = self.signing.key(&store, name.transpose()?)?;
        let checkpoint = match checkpoint {
            Some(given) => given,
            None => store.sign_checkpoint(&key, None).await?.note,
        };
        let envelope = store.export_evidence(&turn, &key, &checkpoint).await?;
        deliver(&format!("{envelope}\n"), self.out.as_deref())?;
        Ok(Exit::Done)
    }
}
