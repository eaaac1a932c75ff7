//! Models without a network: a small program that really uses its tools, and scripts that play
//! back what a file says. `docs/REHEARSAL.md` describes both for their users.
//!
//! May use: the model boundary and the file system (scripts). Promises: the same request always
//! gets the same answer, whatever process asks, because nothing is remembered between requests.

mod expect;
mod local;
mod player;
mod record;
mod script;
mod selection;

use std::path::Path;
use std::sync::Arc;

use self::local::Local;
use self::player::Scripted;
use self::script::Script;
use super::{Model, ModelError, ModelErrorKind, ModelName};

/// Opens `rehearsal/default` or the script file a name points to.
pub(super) fn open(name: &ModelName) -> Result<Arc<dyn Model>, ModelError> {
    if name.name() == "default" {
        return Ok(Arc::new(Local::new(name.clone())));
    }
    let path = Path::new(name.name());
    let script = Script::read(path).map_err(|error| {
        ModelError::new(
            ModelErrorKind::Unconfigured,
            format!(
                "the rehearsal script {} cannot be used: {error}",
                path.display()
            ),
        )
    })?;
    Ok(Arc::new(Scripted::new(name.clone(), script)))
}
