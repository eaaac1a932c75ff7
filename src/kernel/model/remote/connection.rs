//! The HTTP clients, made when they are first needed.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use genai::Client;

use super::address::Address;

/// How long reaching a provider may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a connection that is not used is kept.
const IDLE_CONNECTION: Duration = Duration::from_mins(1);

/// One client for addresses on this machine and one for all others, shared by every model that
/// was opened from the same environment. Neither is made before a request needs it: the second
/// reads the machine's certificates.
#[derive(Clone, Default)]
pub(crate) struct Connections {
    local: Arc<OnceLock<Client>>,
    public: Arc<OnceLock<Client>>,
}

impl fmt::Debug for Connections {
    /// Shows nothing: a client may know the password of a proxy.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Connections(…)")
    }
}

impl Connections {
    /// The client for `address`, or why there can be none.
    pub(super) fn client(&self, address: &Address) -> Result<Client, String> {
        let kept = if address.local {
            &self.local
        } else {
            &self.public
        };
        if let Some(client) = kept.get() {
            return Ok(client.clone());
        }
        let client = build(address)?;
        // Another request may have been faster; then its client is used by both.
        Ok(kept.get_or_init(|| client).clone())
    }
}

fn build(address: &Address) -> Result<Client, String> {
    let mut builder = reqwest::Client::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .pool_idle_timeout(IDLE_CONNECTION)
        .tcp_nodelay(true)
        // A redirect would carry the key to another host.
        .redirect(reqwest::redirect::Policy::none())
        .user_agent(concat!("threadkeep/", env!("CARGO_PKG_VERSION")));
    if address.local {
        // No TLS, so no certificates to read; and no proxy between a machine and itself.
        builder = builder.tls_certs_only([]).no_proxy();
    }
    let client = builder.build().map_err(|error| error.to_string())?;
    Client::builder()
        .with_reqwest(client)
        .build()
        .map_err(|error| error.to_string())
}
