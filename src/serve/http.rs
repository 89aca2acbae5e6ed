//! Connections: TLS, HTTP/1.1 and HTTP/2, and the bounds that hold whatever a client sends.

use std::convert::Infallible;
use std::future::poll_fn;
use std::io::Write as _;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use hyper::header::{HeaderName, HeaderValue};
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use thiserror::Error;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::time::{Instant, timeout};
use tokio_rustls::TlsAcceptor;

use crate::serve::answer::{Accepted, Answer};
use crate::serve::app::{App, Reply, now, stopped, text};
use crate::serve::certificate::HTTP2;
use crate::serve::impatient_stream::ImpatientStream;
use crate::serve::read::Watch;
use crate::serve::shelf::Shelf;
use kube_api::Status;

/// The bytes of a body that are too many.
const MAX_BYTES: usize = 3 << 20;

/// The bytes of the longest body that is not compressed.
///
/// Source: `defaultGzipThresholdBytes`
const LONGEST_PLAIN: usize = 128 << 10;

/// The number of connections at a time.
const MAX_CONNECTIONS: usize = 4096;

/// The number of requests at a time over one connection of HTTP/2.
///
/// Source: `HTTP2MaxStreamsPerConnection` of kube-apiserver
const MAX_STREAMS: u32 = 1000;

/// The time that a client has to shake hands, to send the body of a request, to read more of an answer, or to answer a
/// ping.
const PATIENCE: Duration = Duration::from_secs(30);

/// The time after which a connection without a request is closed.
///
/// Source: `IdleTimeout` of kube-apiserver
const LONGEST_IDLE: Duration = Duration::from_secs(90);

/// The time between bookmarks of a watch.
const BETWEEN_BOOKMARKS: Duration = Duration::from_secs(60);

/// The time after which a watch notices that its client left.
const BETWEEN_LOOKS: Duration = Duration::from_secs(5);

/// The pieces of a watch that wait for a slow client: while they do, the next one collects what happens.
const MAX_WAITING: usize = 1;

/// The bytes of a head of a request, and those of an answer that wait for a slow client.
const MAX_BUFFERED: usize = 64 << 10;

/// The bytes of an answer that wait for a slow client once they are encrypted.
const MAX_ENCRYPTED: usize = 16 << 10;

/// The body of an answer.
pub(super) enum Content {
    Whole(Option<Bytes>),
    Events(mpsc::Receiver<Bytes>),
}

impl Body for Content {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match self.get_mut() {
            Self::Whole(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Self::Events(events) => {
                events.poll_recv(context).map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Whole(None))
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64)),
            Self::Events(_) => SizeHint::default(),
        }
    }
}

/// Accepts connections until `stop` ends.
pub(super) async fn accept(
    listener: TcpListener,
    acceptor: TlsAcceptor,
    app: Arc<App>,
    mut stop: oneshot::Receiver<()>,
) {
    let connections = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Some(accepted) = until(&mut stop, listener.accept()).await else { return };
        // A connection that failed before it was accepted concerns its client alone.
        let Ok((stream, _)) = accepted else { continue };
        let Ok(permit) = connections.clone().try_acquire_owned() else { continue };
        let (acceptor, app) = (acceptor.clone(), app.clone());
        tokio::spawn(async move {
            serve(stream, acceptor, app).await;
            drop(permit);
        });
    }
}

/// Waits for `work`; nothing if `stop` ends first.
async fn until<T>(stop: &mut oneshot::Receiver<()>, work: impl Future<Output = T>) -> Option<T> {
    let mut work = std::pin::pin!(work);
    poll_fn(|context| {
        if Pin::new(&mut *stop).poll(context).is_ready() {
            return Poll::Ready(None);
        }
        work.as_mut().poll(context).map(Some)
    })
    .await
}

async fn serve(stream: TcpStream, acceptor: TlsAcceptor, app: Arc<App>) {
    // Small answers are not worth waiting for.
    let _ = stream.set_nodelay(true);
    let accepted =
        acceptor.accept_with(stream, |connection| connection.set_buffer_limit(Some(MAX_ENCRYPTED)));
    let Ok(Ok(stream)) = timeout(PATIENCE, accepted).await else { return };
    let is_http2 = stream.get_ref().1.alpn_protocol() == Some(HTTP2);
    let service = service_fn(move |request| answer(app.clone(), request));
    let stream = TokioIo::new(ImpatientStream::new(stream, PATIENCE));
    // A connection that breaks concerns its client alone.
    let _ = if is_http2 {
        http2::Builder::new(TokioExecutor::new())
            .timer(TokioTimer::new())
            .max_concurrent_streams(MAX_STREAMS)
            .max_send_buf_size(MAX_BUFFERED)
            .keep_alive_interval(PATIENCE)
            .keep_alive_timeout(PATIENCE)
            .serve_connection(stream, service)
            .await
    } else {
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(LONGEST_IDLE)
            .max_buf_size(MAX_BUFFERED)
            .serve_connection(stream, service)
            .await
    };
}

async fn answer(app: Arc<App>, request: Request<Incoming>) -> Result<Response<Content>, NoStatus> {
    let (head, body) = request.into_parts();
    let is_gzip_accepted = accepts_gzip(text(&head.headers, "accept-encoding"));
    let response = |answer: Answer| {
        let is_compressed = is_gzip_accepted && answer.body.len() > LONGEST_PLAIN;
        if is_compressed { compressed(answer) } else { response(answer) }
    };
    let received = match app.receive(head) {
        Ok(received) => received,
        Err(answer) => return response(answer),
    };
    let body = match timeout(PATIENCE, read(body)).await {
        Ok(Ok(body)) => body,
        Ok(Err(status)) => return response(Answer::from(&status)),
        Err(_) => {
            let reason = "Timeout".to_owned();
            let message = "the body of the request did not arrive in time".to_owned();
            return response(Answer::from(&Status { code: 504, reason, message, ..Status::default() }));
        }
    };
    match app.reply(received, body) {
        Reply::Answer(answer) => response(answer),
        Reply::Later(answer) => {
            response(answer.await.unwrap_or_else(|_| Accepted::default().status(&stopped())))
        }
        Reply::Watch(watch) => {
            let (sender, events) = mpsc::channel(MAX_WAITING);
            tokio::spawn(follow(app.shelf.clone(), *watch, BETWEEN_BOOKMARKS, sender));
            let mut response = Response::new(Content::Events(events));
            response.headers_mut().insert("content-type", HeaderValue::from_static("application/json"));
            finish(&mut response);
            Ok(response)
        }
    }
}

/// Reads a body.
async fn read(mut body: Incoming) -> Result<Vec<u8>, Status> {
    let mut bytes = Vec::new();
    loop {
        let frame = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await;
        let Some(frame) = frame else { return Ok(bytes) };
        let frame =
            frame.map_err(|error| Status::new_bad_request(format!("cannot read the body: {error}")))?;
        let Some(data) = frame.data_ref() else { continue };
        if bytes.len() + data.len() > MAX_BYTES {
            let message = format!("Request entity too large: limit is {MAX_BYTES}");
            return Err(Status {
                code: 413,
                reason: "RequestEntityTooLarge".to_owned(),
                message,
                ..Status::default()
            });
        }
        bytes.extend_from_slice(data);
    }
}

/// Sends the events of a watch until its time is over or its client leaves, and a bookmark each time that
/// `between_bookmarks` has passed, if it asks for them.
async fn follow(
    shelf: Arc<Shelf>,
    mut watch: Watch,
    between_bookmarks: Duration,
    sender: mpsc::Sender<Bytes>,
) {
    let end = Instant::now() + watch.time;
    let mut next_bookmark = Instant::now() + between_bookmarks;
    let mut latest = shelf.subscribe(&watch.resource());
    let initial = std::mem::take(&mut watch.initial);
    if !initial.is_empty() && sender.send(initial.into()).await.is_err() {
        return;
    }
    while Instant::now() < end && !sender.is_closed() {
        latest.mark_unchanged();
        let events = watch.next(&shelf, now());
        let is_last = events.is_err();
        let (mut bytes, is_complete) = events.unwrap_or_else(|last| (last, true));
        if watch.has_bookmarks && Instant::now() >= next_bookmark {
            next_bookmark += between_bookmarks;
            bytes.extend(watch.bookmark());
        }
        if !bytes.is_empty() && sender.send(bytes.into()).await.is_err() || is_last {
            return;
        }
        if !is_complete {
            continue;
        }
        let wake = if watch.has_bookmarks { end.min(next_bookmark) } else { end };
        let wait = BETWEEN_LOOKS.min(wake.saturating_duration_since(Instant::now()));
        // Without a change it is time to look whether the client is there.
        let _ = timeout(wait, latest.changed()).await;
    }
}

/// Whether a client reads what is compressed; a weight is not read.
///
/// Source: `negotiateContentEncoding`
fn accepts_gzip(header: &str) -> bool {
    header.split(',').any(|encoding| encoding.trim() == "gzip")
}

fn compressed(mut answer: Answer) -> Result<Response<Content>, NoStatus> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    // Memory takes everything.
    if let Ok(bytes) = encoder.write_all(&answer.body).and_then(|()| encoder.finish()) {
        answer.body = bytes;
        answer.headers.push(("content-encoding", "gzip".to_owned()));
        answer.headers.push(("vary", "Accept-Encoding".to_owned()));
    }
    response(answer)
}

/// The connection ends without an answer, as when a webhook denies with a code that is not one of HTTP.
#[derive(Debug, Error)]
#[error("{0} is not an HTTP status")]
struct NoStatus(u16);

fn response(answer: Answer) -> Result<Response<Content>, NoStatus> {
    let mut response = Response::new(Content::Whole(Some(answer.body.into())));
    *response.status_mut() = StatusCode::from_u16(answer.code).map_err(|_| NoStatus(answer.code))?;
    let headers = response.headers_mut();
    if !answer.content_type.is_empty() {
        headers.insert("content-type", HeaderValue::from_static(answer.content_type));
    }
    for (name, value) in answer.headers {
        if let Ok(value) = HeaderValue::from_str(&value) {
            headers.insert(HeaderName::from_static(name), value);
        }
    }
    for warning in answer.warnings {
        if let Ok(value) = HeaderValue::from_str(&format!("299 - {}", quoted(&warning))) {
            headers.append("warning", value);
        }
    }
    finish(&mut response);
    Ok(response)
}

fn finish(response: &mut Response<Content>) {
    let control = response.headers_mut().entry("cache-control");
    control.or_insert(HeaderValue::from_static("no-cache, private"));
}

/// Returns a warning as the text of a header: without what ends lines, and ASCII alone.
///
/// Source: `k8s.io/apimachinery/pkg/util/net.NewWarningHeader`
fn quoted(text: &str) -> String {
    let escaped = text.chars().map(|character| match character {
        '"' | '\\' => format!("\\{character}"),
        character if character.is_control() => " ".to_owned(),
        character => character.to_string(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

#[cfg(test)]
mod tests {
    use gotext::encoding_json;
    use gotext::value::json;
    use kube_api::{GroupResource, GroupVersionKind, GroupVersionResource, Object};
    use tokio::runtime;

    use super::*;
    use crate::ApiServer;
    use crate::serve::path::{Query, ResourcePath};
    use crate::serve::read::Reading;
    use crate::serve::shelf::VERSION;

    /// Begins to watch the config maps of `shelf`.
    fn watch(shelf: &Shelf, query: &str) -> Watch {
        let cluster =
            ApiServer::from_flags(Vec::<&str>::new()).expect("flags").cluster(&[]).expect("a cluster");
        let routes = cluster.into_evaluator().routes();
        let resource = GroupVersionResource::new("", "v1", "configmaps");
        let served = routes.find(&resource, "").expect("a resource");
        let (path, accepted) = (ResourcePath { resource, ..ResourcePath::default() }, Accepted::default());
        let query = &Query::of(query);
        let reading = Reading { served: &served, path: &path, query, accepted: &accepted, shelf, now: 0 };
        reading.watch().expect("a watch")
    }

    #[test]
    fn a_watch_without_events_gets_bookmarks() {
        let shelf = Arc::<Shelf>::default();
        let watch = watch(&shelf, "watch=1&allowWatchBookmarks=1&timeoutSeconds=3600");
        let runtime = runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        runtime.block_on(async {
            let (sender, mut events) = mpsc::channel(MAX_WAITING);
            let between = Duration::from_millis(5);
            let following = tokio::spawn(follow(shelf.clone(), watch, between, sender));
            for name in ["a", "b"] {
                // What happens to others is no event, and makes the revision of the next bookmark a later one.
                let kind = GroupVersionKind::new("", "v1", "Secret");
                let secret = Object::new(kind, json!({"metadata": {"namespace": "default", "name": name}}));
                let stored = shelf.put(&GroupResource::new("", "secrets"), secret);
                let version = stored.text(VERSION);
                let bookmark = loop {
                    let line = events.recv().await.expect("an event");
                    let event = encoding_json::from_slice(&line).expect("JSON");
                    assert_eq!((event.text("type"), event["object"].text("kind")), ("BOOKMARK", "ConfigMap"));
                    if event["object"].text(VERSION) == version {
                        break event;
                    }
                };
                assert_eq!(bookmark["object"]["metadata"], json!({"resourceVersion": version}));
            }
            drop(events);
            following.await.expect("it ends when its client leaves");
        });
    }
}
