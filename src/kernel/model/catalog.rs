//! From a model's name to a model that can be asked.

use std::sync::Arc;

use super::{Environment, Model, ModelError, ModelErrorKind, ModelName, rehearsal, remote};

/// Opens the model `name` stands for. Cheap: no connection and no HTTP client is made before the
/// first request.
///
/// # Errors
/// [`ModelErrorKind::Unconfigured`] when no provider is known by that name, when its key is
/// missing, or when a rehearsal script cannot be read.
pub fn open(name: &ModelName, environment: &Environment) -> Result<Arc<dyn Model>, ModelError> {
    if name.provider() == "rehearsal" {
        return rehearsal::open(name);
    }
    remote::open(name, environment).unwrap_or_else(|| {
        Err(ModelError::new(
            ModelErrorKind::Unconfigured,
            format!(
                "no model provider is called {:?}; use openai, openai-chat, anthropic, gemini, \
                 ollama or rehearsal",
                name.provider()
            ),
        ))
    })
}
