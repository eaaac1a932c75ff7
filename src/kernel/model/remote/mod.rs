//! Models of real providers.
//!
//! May use: the model boundary, and `genai`, which knows how each provider wants to be asked,
//! keeps the connection and cuts its stream into frames. What the frames say is read here, one
//! file a provider (`reader/`): `docs/decisions/read-the-frames.md` says why. Promises: a
//! provider's quirks end here.

mod address;
mod answer;
mod attempt;
mod call;
mod connection;
mod failure;
mod frames;
mod provider_state;
mod question;
mod reader;
mod retry;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::{StreamExt, stream};
use genai::adapter::AdapterKind;

use self::address::Address;
use self::answer::Answer;
pub(super) use self::connection::Connections;
pub use self::retry::{RetryPolicy, Waits};
use super::{Environment, Model, ModelError, ModelName, ModelRequest, ModelStream, Secret};

/// The ways providers are spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wire {
    /// `OpenAI` Responses.
    Responses,
    /// `OpenAI` Chat Completions, which many others speak too.
    Chat,
    /// Anthropic Messages.
    Anthropic,
    /// Ollama's own API.
    Ollama,
    /// Gemini `streamGenerateContent`.
    Gemini,
}

impl Wire {
    fn adapter(self) -> AdapterKind {
        match self {
            Self::Responses => AdapterKind::OpenAIResp,
            Self::Chat => AdapterKind::OpenAI,
            Self::Anthropic => AdapterKind::Anthropic,
            Self::Ollama => AdapterKind::Ollama,
            Self::Gemini => AdapterKind::Gemini,
        }
    }
}

/// A model of a provider.
struct Remote(Arc<Target>);

/// Where and how a model is asked.
struct Target {
    name: ModelName,
    wire: Wire,
    address: Address,
    key: Secret,
    /// The variable the key comes from, for error messages.
    key_variable: &'static str,
    retry: RetryPolicy,
    connections: Connections,
    /// The endpoint turned out to have no Responses API: it is asked by Chat Completions.
    without_responses: AtomicBool,
    /// The model turned out not to take what is asked for besides (a view of its reasoning).
    without_extras: AtomicBool,
}

/// Opens the model of a provider; `None` when no provider has that name.
pub(super) fn open(
    name: &ModelName,
    environment: &Environment,
) -> Option<Result<Arc<dyn Model>, ModelError>> {
    let wire = match name.provider() {
        "openai" => Wire::Responses,
        "openai-chat" => Wire::Chat,
        "anthropic" => Wire::Anthropic,
        "ollama" => Wire::Ollama,
        "gemini" => Wire::Gemini,
        _ => return None,
    };
    let target = Target::new(name, wire, environment);
    Some(target.map(|target| Arc::new(Remote(Arc::new(target))) as Arc<dyn Model>))
}

impl Target {
    fn new(name: &ModelName, wire: Wire, environment: &Environment) -> Result<Self, ModelError> {
        let address = Address::of(wire, environment)?;
        let (key, key_variable) = address::key(name, wire, &address, environment)?;
        Ok(Self {
            name: name.clone(),
            wire,
            address,
            key,
            key_variable,
            retry: environment.retry,
            connections: environment.connections.clone(),
            without_responses: AtomicBool::new(false),
            without_extras: AtomicBool::new(false),
        })
    }

    /// How it is spoken to, as far as is known by now.
    fn wire(&self) -> Wire {
        match self.wire {
            Wire::Responses if self.without_responses.load(Ordering::Relaxed) => Wire::Chat,
            wire => wire,
        }
    }

    fn with_extras(&self) -> bool {
        !self.without_extras.load(Ordering::Relaxed)
    }
}

impl Model for Remote {
    fn name(&self) -> &ModelName {
        &self.0.name
    }

    fn stream(&self, request: ModelRequest) -> ModelStream {
        let answer = Answer::new(Arc::clone(&self.0), request);
        stream::unfold(answer, |mut answer| async move {
            let event = answer.next().await?;
            Some((event, answer))
        })
        .boxed()
    }
}
