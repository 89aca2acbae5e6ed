//! The sources of webhooks' answers.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::webhook::Credentials;
use gotext::quote;
use kube_api::Value;

/// The handling of a request that matches a webhook.
#[derive(Clone, Default)]
pub enum Webhooks {
    /// The webhook is not called, which a note reports.
    #[default]
    Skip,
    /// The client answers.
    Ask(Arc<dyn Client>),
}

impl PartialEq for Webhooks {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Skip, Self::Skip) => true,
            (Self::Ask(one), Self::Ask(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }
}

impl Eq for Webhooks {}

impl fmt::Debug for Webhooks {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Skip => "Skip",
            Self::Ask(_) => "Ask",
        })
    }
}

/// A source of answers in the place of a webhook.
pub trait Client: Send + Sync {
    /// Sends a body to an address.
    ///
    /// # Errors
    ///
    /// Fails with the text of Go's client if there is no answer.
    fn post(&self, exchange: &Exchange<'_>) -> Result<Reply, String>;

    /// Whether answers take time, so that waiting for several at once pays off.
    fn is_remote(&self) -> bool {
        false
    }
}

/// A request to a webhook.
#[derive(Clone, Copy, Debug)]
pub struct Exchange<'a> {
    /// The name of the webhook.
    pub webhook: &'a str,
    /// The URL.
    pub url: &'a str,
    /// The namespace, name and port of the Service behind the address, if it is one.
    pub service: Option<(&'a str, &'a str, u16)>,
    /// Whether that Service is among the objects of the cluster, where a server would find it.
    pub has_service: bool,
    /// The certificates that the webhook's may be signed by, in PEM; empty for those of the system.
    pub ca_bundle: &'a [u8],
    /// The credentials that it is sent with, if any.
    pub credentials: Option<&'a Credentials>,
    /// The time that an answer may take, unless it is any.
    pub timeout: Option<Duration>,
    /// The body of the request.
    pub body: &'a Value,
}

/// The HTTP response of a webhook.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// Status code.
    pub status: u16,
    /// The type of the body; empty if the response does not name one.
    pub content_type: String,
    /// The body.
    pub body: Vec<u8>,
}

impl Reply {
    /// Returns a response with a body in JSON.
    pub fn json(status: u16, body: String) -> Self {
        Self { status, content_type: "application/json".to_owned(), body: body.into() }
    }

    /// Returns a response with a body of text.
    pub fn text(status: u16, body: String) -> Self {
        Self { status, content_type: "text/plain; charset=utf-8".to_owned(), body: body.into() }
    }

    /// Returns the body as text.
    pub fn text_of_body(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.body)
    }

    /// Whether the body is text by its type, as it is without one.
    ///
    /// Source: `isTextResponse` of `k8s.io/client-go/rest`.
    pub fn is_text(&self) -> bool {
        let media = self.content_type.trim_start();
        media.is_empty() || media.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("text/"))
    }
}

/// A client for which every webhook is unreachable.
#[derive(Clone, Copy, Debug)]
pub struct Unreachable;

impl Client for Unreachable {
    fn post(&self, exchange: &Exchange<'_>) -> Result<Reply, String> {
        Err(format!("Post {}: dial tcp: connect: connection refused", quote(exchange.url)))
    }
}
