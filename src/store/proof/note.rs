//! Signed notes, as <https://c2sp.org/signed-note> says.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{PUBLIC_KEY_LENGTH, Signature, VerifyingKey};

use super::error::ProofError;
use crate::domain::Digest;

/// The longest note that is read, in bytes: room for more than the 16 signatures that must be taken,
/// were each as long as a post-quantum one.
pub const MAX_NOTE_BYTES: u64 = 256 * 1024;
/// The longest name of a key, in bytes.
const MAX_NAME_BYTES: usize = 255;
/// The byte that says Ed25519 in key ids and encoded keys.
const ED25519: u8 = 1;
/// What begins a signature line.
const DASH: &str = "\u{2014} ";

/// A name that a key, and the log it signs for, can have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyName(String);

/// A public key, and the name it signs under.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifierKey {
    name: KeyName,
    id: [u8; 4],
    key: VerifyingKey,
}

/// A text, and what vouches for it. The text means nothing before [`Note::verify`] says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    text: String,
    signatures: Vec<SignatureLine>,
}

/// One line below the text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct SignatureLine {
    name: String,
    id: [u8; 4],
    signature: Vec<u8>,
}

impl KeyName {
    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for KeyName {
    type Err = ProofError;

    fn from_str(text: &str) -> Result<Self, ProofError> {
        let fits = (1..=MAX_NAME_BYTES).contains(&text.len()) && is_name(text);
        if fits {
            Ok(Self(text.to_owned()))
        } else {
            Err(ProofError::Name(text.chars().take(80).collect()))
        }
    }
}

impl fmt::Display for KeyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn is_name(text: &str) -> bool {
    let odd = |c: char| c.is_whitespace() || c.is_control() || c == '+';
    !text.is_empty() && !text.contains(odd)
}

impl VerifierKey {
    /// The key under a name.
    #[must_use]
    pub fn new(name: KeyName, key: VerifyingKey) -> Self {
        let named = [name.as_str().as_bytes(), b"\n", &[ED25519], key.as_bytes()];
        let [a, b, c, d, ..] = *Digest::of_parts(&named).as_bytes();
        Self {
            name,
            id: [a, b, c, d],
            key,
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &KeyName {
        &self.name
    }

    /// Name and id: what tells it from others.
    #[must_use]
    pub fn label(&self) -> String {
        label(self.name.as_str(), self.id)
    }

    fn signed(&self, text: &str, signature: &[u8]) -> bool {
        Signature::from_slice(signature)
            .is_ok_and(|signature| self.key.verify_strict(text.as_bytes(), &signature).is_ok())
    }
}

fn label(name: &str, id: [u8; 4]) -> String {
    format!("{name}+{:08x}", u32::from_be_bytes(id))
}

/// `NAME+ID+KEY`: the id as 8 hexadecimal digits, the key in base64 after a byte for its kind.
impl fmt::Display for VerifierKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = [&[ED25519][..], self.key.as_bytes()].concat();
        write!(f, "{}+{}", self.label(), STANDARD.encode(key))
    }
}

impl FromStr for VerifierKey {
    type Err = ProofError;

    fn from_str(text: &str) -> Result<Self, ProofError> {
        let wrong = |why: &str| ProofError::VerifierKey(why.to_owned());
        let mut parts = text.splitn(3, '+');
        let (Some(name), Some(_), Some(key)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(wrong("it is not NAME+ID+KEY"));
        };
        let name: KeyName = name.parse()?;
        let key = STANDARD
            .decode(key)
            .map_err(|_| wrong("its key is not base64"))?;
        let key: [u8; PUBLIC_KEY_LENGTH] = match key.split_first() {
            Some((&ED25519, key)) => key
                .try_into()
                .map_err(|_| wrong("its key is not 32 bytes"))?,
            _ => return Err(wrong("its key is not for Ed25519")),
        };
        let key = VerifyingKey::from_bytes(&key).map_err(|_| wrong("its key is no point"))?;
        let found = Self::new(name, key);
        if found.to_string() == text {
            Ok(found)
        } else {
            Err(wrong("its id is not that of its name and key"))
        }
    }
}

impl Note {
    /// Reads a note.
    ///
    /// # Errors
    /// [`ProofError::Note`].
    pub fn parse(bytes: &[u8]) -> Result<Self, ProofError> {
        let wrong = |why: &str| ProofError::Note(why.to_owned());
        if bytes.len() as u64 > MAX_NOTE_BYTES {
            return Err(ProofError::Note(format!(
                "it is longer than {MAX_NOTE_BYTES} bytes"
            )));
        }
        let whole = std::str::from_utf8(bytes).map_err(|_| wrong("it is not UTF-8"))?;
        if whole.contains('\r') {
            return Err(wrong(
                "it has carriage returns; get it again without a conversion of line ends",
            ));
        }
        if whole.contains(|c: char| c < ' ' && c != '\n') {
            return Err(wrong("it has control characters"));
        }
        let Some(end) = whole.rfind("\n\n") else {
            return Err(wrong("no blank line parts a text from signatures"));
        };
        let (text, lines) = (&whole[..=end], &whole[end + 2..]);
        if lines.is_empty() {
            return Err(wrong("no signature follows its text"));
        }
        let Some(lines) = lines.strip_suffix('\n') else {
            return Err(wrong("it is cut off: its last line does not end"));
        };
        let signatures = lines.split('\n').map(SignatureLine::parse);
        Ok(Self {
            text: text.to_owned(),
            signatures: signatures.collect::<Result<_, _>>()?,
        })
    }

    /// A text with one signature.
    pub(super) fn signed(text: String, by: &VerifierKey, signature: &Signature) -> Self {
        let line = SignatureLine {
            name: by.name.to_string(),
            id: by.id,
            signature: signature.to_bytes().to_vec(),
        };
        Self {
            text,
            signatures: vec![line],
        }
    }

    /// The text, whoever signed it.
    pub(super) fn unverified(&self) -> &str {
        &self.text
    }

    /// The text, when `key` signed it. What other keys signed is not looked at.
    ///
    /// # Errors
    /// [`ProofError::Unsigned`], [`ProofError::Signature`].
    pub fn verify(&self, key: &VerifierKey) -> Result<&str, ProofError> {
        let by_key = |line: &&SignatureLine| line.name == key.name.as_str() && line.id == key.id;
        let mut signatures = self.signatures.iter().filter(by_key).peekable();
        if signatures.peek().is_none() {
            let by = self.signatures.iter().take(16).map(SignatureLine::label);
            return Err(ProofError::Unsigned {
                key: key.label(),
                by: by.collect::<Vec<_>>().join(", "),
            });
        }
        if signatures.all(|line| key.signed(&self.text, &line.signature)) {
            Ok(&self.text)
        } else {
            Err(ProofError::Signature(key.label()))
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.text)?;
        for line in &self.signatures {
            let signature = STANDARD.encode([&line.id[..], &line.signature].concat());
            writeln!(f, "{DASH}{} {signature}", line.name)?;
        }
        Ok(())
    }
}

impl SignatureLine {
    fn parse(line: &str) -> Result<Self, ProofError> {
        Self::parsed(line).ok_or_else(|| {
            let shown: String = line.chars().take(40).collect();
            let why = format!("{shown:?} is not a dash, a name and a signature in base64");
            ProofError::Note(why)
        })
    }

    fn parsed(line: &str) -> Option<Self> {
        let (name, signature) = line.strip_prefix(DASH)?.split_once(' ')?;
        let bytes = STANDARD.decode(signature).ok()?;
        let (id, signature) = bytes.split_first_chunk()?;
        (is_name(name) && !signature.is_empty()).then(|| Self {
            name: name.to_owned(),
            id: *id,
            signature: signature.to_vec(),
        })
    }

    fn label(&self) -> String {
        label(&self.name, self.id)
    }
}

#[cfg(test)]
mod tests;
