//! Reads all that proves one turn.

use futures_util::TryStreamExt as _;
use sqlx::{Connection as _, SqliteConnection};

use super::super::verify::rows::CommitRow;
use super::super::{Store, connect};
use super::checkpoint::{Checkpoint, TreeHead};
use super::commits;
use super::envelope::envelope;
use super::error::ProofError;
use super::key::Key;
use super::merkle::Tree;
use super::note::Note;
use super::statement::{
    CommitProof, EventProof, EventRow, Hex, Path, Predicate, Statement, TerminalEvidence,
};
use crate::domain::{Digest, EventSeq, ThreadId, TurnId};

/// The most events of an export.
pub const MAX_EVENTS: i64 = 50_000;
/// The most bytes of payload of an export.
pub const MAX_PAYLOAD_BYTES: i64 = 32 * 1024 * 1024;

/// A commit with events of the turn.
struct Touched {
    row: CommitRow,
    hash: Digest,
}

impl Store {
    /// Evidence of a turn that ended, signed: its events, and the proof that each is in a commit
    /// that is in the tree of a checkpoint by the same key. The thread is verified first.
    ///
    /// # Errors
    /// See [`ProofError`].
    pub async fn export_evidence(
        &self,
        turn: &TurnId,
        key: &Key,
        checkpoint: &Note,
    ) -> Result<String, ProofError> {
        let signed = Checkpoint::verified(checkpoint, key.verifier())?.head;
        let mut connection = connect::scan(&self.inner.dir).await?;
        let mut snapshot = connection.begin().await?;
        let evidence = terminal_evidence(&mut snapshot, turn).await?;
        bounded(&mut snapshot, turn, &evidence).await?;
        self.thread_holds(&evidence).await?;
        let events = events(&mut snapshot, &evidence).await?;
        let (touched, proofs) = pass(&mut snapshot, &events, signed).await?;
        cover(turn, &touched, &events, signed)?;
        let mut commits = Vec::new();
        for (Touched { row, hash }, proof) in touched.into_iter().zip(proofs) {
            let events = in_commit(&mut snapshot, &row, &events).await?;
            commits.push(CommitProof::new(&row, hash, proof, events));
        }
        let statement = serde_json::to_vec(&Statement::about(Predicate {
            terminal_evidence: &evidence,
            events: &events,
            commits,
            checkpoint: checkpoint.to_string(),
        }));
        // The rows are as large as the text of them, and are not needed beside it.
        drop(events);
        statement
            .and_then(|statement| envelope(&statement, key))
            .map_err(|error| {
                ProofError::Broken(format!("the evidence cannot be written as JSON: {error}"))
            })
    }

    async fn thread_holds(&self, evidence: &TerminalEvidence) -> Result<(), ProofError> {
        let thread: ThreadId = super::super::decode::decoded(&evidence.thread_id)?;
        let report = self.verify_thread(&thread).await?;
        match report.findings.into_iter().next() {
            None => Ok(()),
            Some(finding) => Err(ProofError::Broken(finding.message)),
        }
    }
}

impl Key {
    /// A checkpoint of the log that has the key's name.
    pub(super) fn sign_head(&self, head: TreeHead) -> Note {
        let origin = self.verifier().name().to_string();
        self.sign_note(Checkpoint { origin, head }.to_string())
    }
}

async fn terminal_evidence(
    snapshot: &mut SqliteConnection,
    turn: &TurnId,
) -> Result<TerminalEvidence, ProofError> {
    let id = turn.as_str();
    let row = sqlx::query_file!("queries/proof/turn_evidence.sql", id)
        .fetch_optional(snapshot)
        .await?
        .ok_or_else(|| ProofError::UnknownTurn(turn.clone()))?;
    let thread_id = row.thread_id;
    // The schema has the columns that are looked at NOT NULL: there is a row, or there is none.
    let evidence = (|| {
        Some(TerminalEvidence {
            turn_id: turn.to_string(),
            thread_id,
            status: row.status?,
            event_digest: row.event_digest?.into(),
            output_digest: row.output_digest.map(Hex::from),
            first_event_seq: row.first_event_seq?,
            last_event_seq: row.last_event_seq?,
            artifact_ids: row.artifact_ids?,
            workspace_commit: row.workspace_commit,
            test_receipt_ids: row.test_receipt_ids?,
            input_tokens: row.input_tokens,
            output_tokens: row.output_tokens,
            event_id: row.event_id?,
            event_hash: row.event_hash?.into(),
        })
    })();
    evidence.ok_or_else(|| ProofError::Running(turn.clone()))
}

/// The part of the thread that is the turn.
fn part(evidence: &TerminalEvidence) -> (&str, EventSeq, EventSeq) {
    let TerminalEvidence {
        thread_id,
        first_event_seq: first,
        last_event_seq: last,
        ..
    } = evidence;
    (thread_id, *first, *last)
}

async fn bounded(
    snapshot: &mut SqliteConnection,
    turn: &TurnId,
    evidence: &TerminalEvidence,
) -> Result<(), ProofError> {
    let (thread, first, last) = part(evidence);
    let size = sqlx::query_file!("queries/proof/turn_size.sql", thread, first, last)
        .fetch_one(snapshot)
        .await?;
    if size.events <= MAX_EVENTS && size.bytes <= MAX_PAYLOAD_BYTES {
        return Ok(());
    }
    Err(ProofError::TooLarge {
        turn: turn.clone(),
        events: size.events,
        bytes: size.bytes,
        max_events: MAX_EVENTS,
        max_bytes: MAX_PAYLOAD_BYTES,
    })
}

async fn events(
    snapshot: &mut SqliteConnection,
    evidence: &TerminalEvidence,
) -> Result<Vec<EventRow>, ProofError> {
    let (thread, first, last) = part(evidence);
    let events = sqlx::query_file_as!(
        EventRow,
        "queries/proof/turn_events.sql",
        thread,
        first,
        last
    )
    .fetch_all(snapshot)
    .await?;
    let ends = events.last().is_some_and(|last| {
        last.hash == evidence.event_digest && last.turn_id.as_deref() == Some(&evidence.turn_id)
    });
    if ends {
        Ok(events)
    } else {
        Err(ProofError::Broken(format!(
            "the terminal evidence of turn {} is not that of its last event",
            evidence.turn_id
        )))
    }
}

/// Goes over the commits that are signed and keeps those with events of the turn, each with its
/// proof.
async fn pass(
    snapshot: &mut SqliteConnection,
    events: &[EventRow],
    signed: TreeHead,
) -> Result<(Vec<Touched>, Vec<Vec<Digest>>), ProofError> {
    let mut tree = Tree::default();
    let mut touched = Vec::new();
    let mut open = events;
    commits::each(snapshot, signed.size, |row, hash| {
        let inside = open.partition_point(|event| event.event_id <= row.last_event_id);
        if inside == 0 {
            tree.push(hash.as_bytes());
        } else {
            tree.push_proven(hash.as_bytes());
            let row = row.clone();
            touched.push(Touched { row, hash });
        }
        open = &open[inside..];
    })
    .await?;
    let TreeHead { size, root } = signed;
    let there = tree.size();
    let finished = tree.finish();
    if there == size && finished.root == root {
        return Ok((touched, finished.proofs));
    }
    Err(ProofError::Contradicted(format!(
        "the checkpoint is of {size} commits that are not the first of the {there} of this ledger; \
         `threadkeep verify --checkpoint FILE` says what is wrong"
    )))
}

/// That the last event of the turn is in one of the commits.
fn cover(
    turn: &TurnId,
    touched: &[Touched],
    events: &[EventRow],
    signed: TreeHead,
) -> Result<(), ProofError> {
    let (last, end) = (touched.last(), events.last());
    let reached = last.map_or(0, |last| last.row.last_event_id);
    if end.is_some_and(|end| end.event_id <= reached) {
        return Ok(());
    }
    Err(ProofError::TooEarly {
        turn: turn.clone(),
        size: signed.size,
    })
}

/// The proofs of the turn's events in one of its commits.
async fn in_commit(
    snapshot: &mut SqliteConnection,
    commit: &CommitRow,
    events: &[EventRow],
) -> Result<Vec<EventProof>, ProofError> {
    let (first, last) = (commit.first_event_id, commit.last_event_id);
    let from = events.partition_point(|event| event.event_id < first);
    let to = events.partition_point(|event| event.event_id <= last);
    let own = &events[from..to];
    let mut wanted = own.iter().map(|event| event.event_id).peekable();
    let mut tree = Tree::default();
    let mut id = first;
    let mut hashes =
        sqlx::query_file_scalar!("queries/proof/commit_hashes.sql", first, last).fetch(snapshot);
    while let Some(hash) = hashes.try_next().await? {
        if wanted.next_if_eq(&id).is_some() {
            tree.push_proven(&hash);
        } else {
            tree.push(&hash);
        }
        id += 1;
    }
    let finished = tree.finish();
    if commit.root != Some(finished.root) || finished.proofs.len() != own.len() {
        return Err(ProofError::Broken(format!(
            "the root of commit {} is not that of its events",
            commit.commit_id
        )));
    }
    let proofs = own.iter().zip(finished.proofs);
    Ok(proofs
        .map(|(event, proof)| EventProof {
            event_id: event.event_id,
            proof: Path(proof),
        })
        .collect())
}
