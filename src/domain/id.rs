use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Why a text cannot be an identifier.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// Empty text.
    #[error("an identifier cannot be empty")]
    Empty,
    /// More characters than the kind of identifier allows.
    #[error("an identifier has at most {limit} characters, this one has {length}")]
    TooLong {
        /// The most characters allowed.
        limit: usize,
        /// The characters the text has.
        length: usize,
    },
    /// A character outside the alphabet, or a first character that is no letter or digit.
    #[error(
        "an identifier starts with a letter or digit and goes on with letters, digits and . _ : / -; {0:?} is not allowed there"
    )]
    Character(char),
}

fn check(text: &str, limit: usize) -> Result<(), IdError> {
    let first = text.chars().next().ok_or(IdError::Empty)?;
    if text.len() > limit {
        let length = text.chars().count();
        return Err(IdError::TooLong { limit, length });
    }
    if !first.is_ascii_alphanumeric() {
        return Err(IdError::Character(first));
    }
    let allowed = |c: &char| c.is_ascii_alphanumeric() || "._:/-".contains(*c);
    text.chars()
        .find(|c| !allowed(c))
        .map_or(Ok(()), |c| Err(IdError::Character(c)))
}

macro_rules! identifier {
    ($(#[$doc:meta])* $name:ident, $limit:expr) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(Arc<str>);

        impl $name {
            /// The identifier as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, IdError> {
                check(text, $limit)?;
                Ok(Self(text.into()))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

macro_rules! generated {
    ($($name:ident),*) => {$(
        impl $name {
            /// A new identifier, unique and ordered by time (UUID version 7, RFC 9562 §5.7).
            #[must_use]
            pub fn generate() -> Self {
                let mut buffer = uuid::Uuid::encode_buffer();
                Self(Arc::from(&*uuid::Uuid::now_v7().hyphenated().encode_lower(&mut buffer)))
            }
        }
    )*};
}

identifier!(
    /// Names a thread. 1–160 characters.
    ThreadId,
    160
);
identifier!(
    /// Names a turn. 1–160 characters.
    TurnId,
    160
);
identifier!(
    /// Names an item. 1–160 characters.
    ItemId,
    160
);
identifier!(
    /// Names one tool call, unique within the store. 1–160 characters.
    ToolUseId,
    160
);
identifier!(
    /// Names an approval request. 1–160 characters.
    ApprovalId,
    160
);
identifier!(
    /// Names an effect on something outside the ledger. 1–160 characters.
    EffectId,
    160
);
identifier!(
    /// Names a process that may run turns. 1–160 characters.
    OwnerId,
    160
);
identifier!(
    /// Groups the events of one cause. 1–160 characters.
    TraceId,
    160
);
identifier!(
    /// Chosen by the caller so that a repeated request happens once. 1–256 characters.
    IdempotencyKey,
    256
);

generated!(
    ThreadId, TurnId, ItemId, ToolUseId, ApprovalId, EffectId, OwnerId, TraceId
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_alphabet_within_the_limit_is_an_identifier() {
        for right in ["a", "0", "A.b_c:d/e-f", &"x".repeat(160)] {
            assert_eq!(
                right.parse::<ThreadId>().map(|id| id.to_string()),
                Ok(right.into())
            );
        }
        for wrong in ["", "-", ".a", "a b", "a\n", "é", &"x".repeat(161)] {
            assert!(wrong.parse::<ThreadId>().is_err(), "{wrong:?}");
        }
        assert!("x".repeat(256).parse::<IdempotencyKey>().is_ok());
        assert!(ThreadId::generate().as_str().parse::<ThreadId>().is_ok());
    }
}
