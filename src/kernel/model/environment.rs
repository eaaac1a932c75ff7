//! What the process was given to reach model providers: keys and addresses.

use std::env;
use std::fmt;

use super::remote::{Connections, RetryPolicy};

/// Keys and addresses of every provider, read once and passed down, so that tests can inject
/// their own.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// `OPENAI_API_KEY`, `OPENAI_BASE_URL`.
    pub openai: Provider,
    /// `ANTHROPIC_API_KEY`, `ANTHROPIC_BASE_URL`.
    pub anthropic: Provider,
    /// `OLLAMA_HOST`; no key.
    pub ollama: Provider,
    /// `GEMINI_API_KEY` or else `GOOGLE_API_KEY`, `GOOGLE_GEMINI_BASE_URL`.
    pub gemini: Provider,
    /// How failed requests are repeated.
    pub retry: RetryPolicy,
    /// What all models opened from this environment share.
    pub(super) connections: Connections,
}

/// How one provider is reached.
#[derive(Clone, Default)]
pub struct Provider {
    /// What opens it.
    pub key: Option<Secret>,
    /// Where it is, when not at its own public address.
    pub base_url: Option<String>,
}

impl Environment {
    /// Reads the process's environment variables.
    #[must_use]
    pub fn from_process() -> Self {
        Self::from_variables(|name| env::var(name).ok())
    }

    /// Reads variables through `lookup`. An empty variable counts as unset.
    pub fn from_variables(lookup: impl Fn(&str) -> Option<String>) -> Self {
        let value = |name: &str| {
            lookup(name)
                .map(|value| value.trim().to_owned())
                .filter(|value| !value.is_empty())
        };
        let key = |name: &str| value(name).map(Secret::new);
        Self {
            openai: Provider {
                key: key("OPENAI_API_KEY"),
                base_url: value("OPENAI_BASE_URL"),
            },
            anthropic: Provider {
                key: key("ANTHROPIC_API_KEY"),
                base_url: value("ANTHROPIC_BASE_URL"),
            },
            ollama: Provider {
                key: None,
                base_url: value("OLLAMA_HOST"),
            },
            gemini: Provider {
                key: key("GEMINI_API_KEY").or_else(|| key("GOOGLE_API_KEY")),
                base_url: value("GOOGLE_GEMINI_BASE_URL"),
            },
            ..Self::default()
        }
    }
}

impl fmt::Debug for Provider {
    /// Leaves the address out: it may hold a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Provider")
            .field("key", &self.key)
            .field("custom_address", &self.base_url.is_some())
            .finish()
    }
}

/// A text that is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps `text`.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself, to be put into a request and nowhere else.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(variables: &[(&str, &str)]) -> Environment {
        let variables: Vec<(String, String)> = variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        Environment::from_variables(move |name| {
            variables
                .iter()
                .find(|(known, _)| known == name)
                .map(|(_, value)| value.clone())
        })
    }

    #[test]
    fn debug_shows_neither_keys_nor_addresses() {
        let environment = environment(&[
            ("OPENAI_API_KEY", "sk-very-secret"),
            ("ANTHROPIC_BASE_URL", "https://me:pass-word@proxy.example"),
        ]);
        let shown = format!("{environment:?}");
        assert!(
            !shown.contains("very-secret") && !shown.contains("pass-word"),
            "{shown}"
        );
    }

    #[test]
    fn an_empty_variable_counts_as_unset_and_the_google_key_stands_in() {
        let environment = environment(&[
            ("OPENAI_API_KEY", "  "),
            ("GEMINI_API_KEY", ""),
            ("GOOGLE_API_KEY", "g"),
        ]);
        assert_eq!(environment.openai.key, None);
        assert_eq!(environment.gemini.key, Some(Secret::new("g")));
    }
}
