use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clap::Args;

use super::deliver::{deliver, read_small};
use super::failure::{Exit, Failure};
use super::output::{note, say};
use super::place::Place;
use crate::domain::Digest;
use crate::store::Store;
use crate::store::proof::{
    Checkpoint, Key, KeyName, MAX_NOTE_BYTES, Note, ProofError, Signed, VerifierKey,
};

/// Sign the state of the ledger: kept elsewhere, it shows what is cut off later
#[derive(Args)]
#[command(
    after_help = "Example:\n  threadkeep checkpoint --out /mnt/elsewhere/today.note\n  \
    threadkeep verify --checkpoint /mnt/elsewhere/today.note\n\n\
    The note is a C2SP checkpoint: docs/PROOFS.md. Keep what --public prints elsewhere too: the key is\n\
    made beside the ledger, and whoever can read it there can sign a forgery."
)]
pub(super) struct MakeCheckpoint {
    #[command(flatten)]
    signing: Signing,
    /// The log's name, like example.com/ledger [default: one made of the key]
    #[arg(long, value_name = "NAME")]
    origin: Option<KeyName>,
    /// An earlier one: with the proof that this goes on from it, for a witness
    #[arg(long, value_name = "FILE", conflicts_with = "public")]
    since: Option<PathBuf>,
    /// Where to write the note; it must be new [default: standard output]
    #[arg(long, value_name = "FILE", conflicts_with = "public")]
    out: Option<PathBuf>,
    /// Print the verifier key instead
    #[arg(long)]
    public: bool,
    #[command(flatten)]
    place: Place,
}

/// What to sign with.
#[derive(Args)]
pub(super) struct Signing {
    /// An Ed25519 key, PKCS#8 PEM [default: checkpoint.key beside the ledger]
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
}

impl Signing {
    /// The key, under a name or its own.
    pub fn key(&self, store: &Store, name: Option<KeyName>) -> Result<Key, ProofError> {
        if let Some(path) = &self.key {
            return Key::read(path, name);
        }
        let (key, made) = Key::of_state(store.dir(), name)?;
        if made {
            note(&format!(
                "made a signing key, {}; keep the verifier key elsewhere: threadkeep checkpoint --public",
                Key::path_in(store.dir()).display()
            ));
        }
        Ok(key)
    }
}

impl MakeCheckpoint {
    pub async fn run(self) -> Result<Exit, Failure> {
        let store = self.place.read().await?;
        let key = self.signing.key(&store, self.origin.clone())?;
        if self.public {
            say(&key.verifier().to_string());
            return Ok(Exit::Done);
        }
        let earlier = match &self.since {
            Some(path) => Some(Checkpoint::verified(&read_note(path)?, key.verifier())?.head),
            None => None,
        };
        let Signed { note, proof } = store.sign_checkpoint(&key, earlier).await?;
        let request = earlier.map(|earlier| consistency(earlier.size, &proof));
        let text = request.unwrap_or_default() + &note.to_string();
        deliver(&text, self.out.as_deref())?;
        Ok(Exit::Done)
    }
}

/// What goes before a note that a witness is sent: <https://c2sp.org/tlog-witness>.
fn consistency(earlier: u64, proof: &[Digest]) -> String {
    let mut lines = vec![format!("old {earlier}")];
    lines.extend(proof.iter().map(|hash| STANDARD.encode(hash.as_bytes())));
    lines.join("\n") + "\n\n"
}

/// The note of a file.
pub(super) fn read_note(path: &Path) -> Result<Note, Failure> {
    let bytes = read_small(path, MAX_NOTE_BYTES)?;
    Note::parse(&bytes).map_err(|error| in_file(path, &error))
}

/// The verifier key in an argument, or in the file it names.
pub(super) fn verifier_key(named: &str) -> Result<VerifierKey, Failure> {
    /// Room for the longest name.
    const MOST: u64 = 4 * 1024;
    let path = Path::new(named);
    if !path.exists() {
        return named
            .parse()
            .map_err(|error| Failure::usage(format!("{named:?} is no file, and {error}")));
    }
    let bytes = read_small(path, MOST)?;
    let text = String::from_utf8_lossy(&bytes);
    text.trim().parse().map_err(|error| in_file(path, &error))
}

fn in_file(path: &Path, error: &ProofError) -> Failure {
    Failure::usage(format!("{}: {error}", path.display()))
}
