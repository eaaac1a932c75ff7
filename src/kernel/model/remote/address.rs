//! Where a provider is and what opens it.

use reqwest::Url;

use super::super::{Environment, ModelError, ModelErrorKind, ModelName, Provider, Secret};
use super::Wire;

/// Where a provider is.
pub(super) struct Address {
    /// The whole base address, ending in `/`. May hold a password: shown to nobody.
    pub(super) base: String,
    /// The part of it a person may see.
    pub(super) host: String,
    /// The variable that sets it.
    pub(super) variable: &'static str,
    /// Not the provider's own public address.
    pub(super) custom: bool,
    /// On this machine, without TLS.
    pub(super) local: bool,
}

impl Address {
    pub(super) fn of(wire: Wire, environment: &Environment) -> Result<Self, ModelError> {
        let place = Place::of(wire);
        let given = place.provider(environment).base_url.as_deref();
        let text = match (wire, given) {
            (Wire::Ollama, Some(host)) => ollama_address(host),
            (_, given) => given.unwrap_or(place.public).to_owned(),
        };
        let url = Url::parse(&text)
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https"))
            .filter(Url::has_host)
            .ok_or_else(|| bad_address(place.variable))?;
        let path = url.path().trim_end_matches('/');
        let path = match place.version {
            Some((version, known)) if !known.iter().any(|known| path.ends_with(known)) => {
                format!("{path}{version}/")
            }
            _ => format!("{path}/"),
        };
        let mut base = url.clone();
        base.set_path(&path);
        Ok(Self {
            base: base.into(),
            host: host(&url),
            variable: place.variable,
            custom: given.is_some(),
            local: url.scheme() == "http" && is_this_machine(&url),
        })
    }
}

/// The key of a model, and the variable it comes from. A model behind a custom address may do
/// without one.
pub(super) fn key(
    name: &ModelName,
    wire: Wire,
    address: &Address,
    environment: &Environment,
) -> Result<(Secret, &'static str), ModelError> {
    let place = Place::of(wire);
    match &place.provider(environment).key {
        Some(key) if !key.reveal().bytes().all(|byte| byte.is_ascii_graphic()) => {
            Err(ModelError::new(
                ModelErrorKind::Unconfigured,
                format!(
                    "{} holds a space or a sign no key has; set it again",
                    place.key_variable
                ),
            ))
        }
        Some(key) => Ok((key.clone(), place.key_variable)),
        None if wire == Wire::Ollama || address.custom => {
            Ok((Secret::new("none"), place.key_variable))
        }
        None => Err(ModelError::new(
            ModelErrorKind::Unconfigured,
            format!(
                "{name} needs a key: set {} (rehearsal/default needs none)",
                place.key_variable
            ),
        )),
    }
}

/// What is known of a provider's place.
struct Place {
    public: &'static str,
    variable: &'static str,
    key_variable: &'static str,
    /// Put after an address that does not end in one of the known versions: these providers'
    /// own variables leave it out.
    version: Option<(&'static str, &'static [&'static str])>,
    provider: fn(&Environment) -> &Provider,
}

impl Place {
    fn of(wire: Wire) -> Self {
        match wire {
            Wire::Responses | Wire::Chat => Self {
                public: "https://api.openai.com/v1",
                variable: "OPENAI_BASE_URL",
                key_variable: "OPENAI_API_KEY",
                version: None,
                provider: |environment| &environment.openai,
            },
            Wire::Anthropic => Self {
                public: "https://api.anthropic.com",
                variable: "ANTHROPIC_BASE_URL",
                key_variable: "ANTHROPIC_API_KEY",
                version: Some(("/v1", &["/v1"])),
                provider: |environment| &environment.anthropic,
            },
            Wire::Ollama => Self {
                public: "http://127.0.0.1:11434",
                variable: "OLLAMA_HOST",
                key_variable: "OLLAMA_HOST",
                version: None,
                provider: |environment| &environment.ollama,
            },
            Wire::Gemini => Self {
                public: "https://generativelanguage.googleapis.com",
                variable: "GOOGLE_GEMINI_BASE_URL",
                key_variable: "GEMINI_API_KEY",
                version: Some(("/v1beta", &["/v1beta", "/v1"])),
                provider: |environment| &environment.gemini,
            },
        }
    }

    fn provider<'a>(&self, environment: &'a Environment) -> &'a Provider {
        (self.provider)(environment)
    }
}

/// `OLLAMA_HOST` is an address, or `HOST:PORT`, `HOST` or `:PORT`; and what a server listens on
/// (`0.0.0.0`) is not where a client goes.
fn ollama_address(host: &str) -> String {
    let (scheme, rest) = host.split_once("://").unwrap_or(("http", host));
    let rest = match rest.strip_prefix(':') {
        Some(port) => format!("127.0.0.1:{port}"),
        None => rest.replacen("0.0.0.0", "127.0.0.1", 1),
    };
    let authority = rest.split('/').next().unwrap_or_default();
    if host.contains("://") || authority.contains(':') {
        format!("{scheme}://{rest}")
    } else {
        format!("{scheme}://{authority}:11434{}", &rest[authority.len()..])
    }
}

/// The address is not quoted: it may hold a password.
fn bad_address(variable: &str) -> ModelError {
    ModelError::new(
        ModelErrorKind::Unconfigured,
        format!("{variable} is not an http or https address; set it to one like http://HOST:PORT"),
    )
}

fn host(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

fn is_this_machine(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    host == "localhost" || host == "[::1]" || host.starts_with("127.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(wire: Wire, base_url: &str) -> Result<Address, ModelError> {
        let provider = Provider {
            key: None,
            base_url: Some(base_url.to_owned()),
        };
        let environment = Environment {
            openai: provider.clone(),
            anthropic: provider.clone(),
            ollama: provider.clone(),
            gemini: provider,
            ..Environment::default()
        };
        Address::of(wire, &environment)
    }

    #[test]
    fn addresses_are_completed_as_each_provider_means_them() {
        let cases = [
            (Wire::Chat, "http://h:1/v1", "http://h:1/v1/"),
            (Wire::Responses, "https://h/x/v1/", "https://h/x/v1/"),
            (Wire::Anthropic, "https://h", "https://h/v1/"),
            (
                Wire::Anthropic,
                "https://h/proxy/v1/",
                "https://h/proxy/v1/",
            ),
            (Wire::Gemini, "http://h:1/", "http://h:1/v1beta/"),
            (Wire::Gemini, "http://h:1/v1", "http://h:1/v1/"),
            (Wire::Ollama, "0.0.0.0", "http://127.0.0.1:11434/"),
            (Wire::Ollama, "h:9", "http://h:9/"),
            (Wire::Ollama, ":9", "http://127.0.0.1:9/"),
            (Wire::Ollama, "https://h/ollama", "https://h/ollama/"),
        ];
        for (wire, given, base) in cases {
            assert_eq!(
                address(wire, given).ok().map(|a| a.base).as_deref(),
                Some(base),
                "{given}"
            );
        }
    }

    #[test]
    fn a_bad_address_is_refused_without_being_shown() {
        for given in ["ftp://me:pass-word@h", "me:pass-word@h/v1", "http://"] {
            let error = address(Wire::Chat, given).err().unwrap();
            assert_eq!(error.kind, ModelErrorKind::Unconfigured);
            assert!(error.message.contains("OPENAI_BASE_URL"), "{error}");
            assert!(!error.message.contains("pass-word"), "{error}");
        }
    }

    #[test]
    fn what_is_shown_of_an_address_holds_no_password() {
        let address = address(Wire::Chat, "http://me:pass-word@127.0.0.1:8/v1").unwrap();
        assert_eq!(address.host, "127.0.0.1:8");
        assert!(address.local);
    }
}
