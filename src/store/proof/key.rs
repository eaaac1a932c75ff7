//! The Ed25519 key that signs checkpoints and evidence.
//!
//! Its file is PKCS#8 (RFC 8410) in PEM, what `openssl genpkey -algorithm ed25519` writes.

use std::io;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signature, Signer as _, SigningKey};

use super::error::ProofError;
use super::file::{self, Old};
use super::note::{KeyName, Note, VerifierKey};
use crate::domain::Digest;

/// The key's file in the state directory.
pub const KEY_FILE: &str = "checkpoint.key";
/// The longest key file that is read, in bytes.
const MAX_KEY_BYTES: u64 = 4 * 1024;
/// What comes before the 32 bytes of the key in PKCS#8.
const PKCS8: [u8; 16] = [
    0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
];
const BEGIN: &str = "-----BEGIN PRIVATE KEY-----";
const END: &str = "-----END PRIVATE KEY-----";

/// A key that signs under a name.
#[derive(Debug)]
pub struct Key {
    secret: SigningKey,
    verifier: VerifierKey,
}

impl Key {
    /// The key of a file.
    ///
    /// # Errors
    /// [`ProofError::Key`] when the file is not there, is shared with others, or holds no such key.
    pub fn read(path: &Path, name: Option<KeyName>) -> Result<Self, ProofError> {
        let text = file::read(path, MAX_KEY_BYTES).map_err(|problem| unusable(path, problem))?;
        let text = text.ok_or_else(|| unusable(path, "is not there".to_owned()))?;
        let secret = from_pem(&text).ok_or_else(|| {
            let problem =
                "is no Ed25519 key in PKCS#8 PEM; make one: openssl genpkey -algorithm ed25519";
            unusable(path, problem.to_owned())
        })?;
        let name = name.map_or_else(|| own_name(&secret), Ok)?;
        Ok(Self {
            verifier: VerifierKey::new(name, secret.verifying_key()),
            secret,
        })
    }

    /// The key of a state directory. Whether it was made for that is said with it.
    ///
    /// # Errors
    /// [`ProofError::Key`].
    pub fn of_state(dir: &Path, name: Option<KeyName>) -> Result<(Self, bool), ProofError> {
        let path = Self::path_in(dir);
        let made = match path.symlink_metadata() {
            Ok(_) => false,
            Err(error) if error.kind() == io::ErrorKind::NotFound => make(dir, &path)
                .map_err(|error| unusable(&path, format!("cannot be made: {error}")))?,
            Err(error) => return Err(unusable(&path, format!("cannot be examined: {error}"))),
        };
        Ok((Self::read(&path, name)?, made))
    }

    /// Where the key of a state directory is.
    #[must_use]
    pub fn path_in(dir: &Path) -> PathBuf {
        dir.join(KEY_FILE)
    }

    /// What others verify its signatures with.
    #[must_use]
    pub fn verifier(&self) -> &VerifierKey {
        &self.verifier
    }

    /// A note with its signature.
    #[must_use]
    pub fn sign_note(&self, text: String) -> Note {
        let signature = self.sign(text.as_bytes());
        Note::signed(text, &self.verifier, &signature)
    }

    pub(super) fn sign(&self, bytes: &[u8]) -> Signature {
        self.secret.sign(bytes)
    }
}

/// A name that no other key has, for a log that was given none.
fn own_name(secret: &SigningKey) -> Result<KeyName, ProofError> {
    let digest = Digest::of(secret.verifying_key().as_bytes()).hex();
    let (short, _) = digest.split_at(16);
    format!("threadkeep/{short}").parse()
}

fn unusable(path: &Path, problem: String) -> ProofError {
    ProofError::Key {
        path: path.to_owned(),
        problem,
    }
}

/// Makes a key file; false when another process was first.
fn make(dir: &Path, path: &Path) -> io::Result<bool> {
    let mut secret = [0; 32];
    getrandom::fill(&mut secret).map_err(io::Error::other)?;
    file::write(dir, path, &pem(&secret), Old::Stays)
}

fn pem(secret: &[u8; 32]) -> String {
    let key = STANDARD.encode([&PKCS8[..], secret].concat());
    format!("{BEGIN}\n{key}\n{END}\n")
}

fn from_pem(text: &str) -> Option<SigningKey> {
    let body = text.trim().strip_prefix(BEGIN)?.strip_suffix(END)?;
    let key: String = body.split_ascii_whitespace().collect();
    let key = STANDARD.decode(key).ok()?;
    let secret: [u8; 32] = key.strip_prefix(&PKCS8)?.try_into().ok()?;
    Some(SigningKey::from_bytes(&secret))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_file_is_read_as_it_was_written_and_nothing_else_is() {
        let text = pem(&[7; 32]);
        assert_eq!(from_pem(&text).map(|key| key.to_bytes()), Some([7; 32]));
        let windows = text.replace('\n', "\r\n");
        assert!(from_pem(&windows).is_some());
        for wrong in [
            "",
            BEGIN,
            &text.replace("PRIVATE", "PUBLIC"),
            &text.replace("MC4", "MC5"),
            &text[..text.len() - 30],
        ] {
            assert!(from_pem(wrong).is_none(), "{wrong}");
        }
    }
}
