//! Answers AdmissionReviews over HTTP with axum: a webhook that runs the whole chain of a server.
//!
//! `cargo run --manifest-path examples/webhook-server/Cargo.toml -- CLUSTER` listens on port 8080 of this machine; CLUSTER
//! is a file or directory with the objects that exist. A real webhook needs HTTPS, as from a proxy in front of it.

use std::env;
use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use kadmit::{AdmissionReview, ApiServer, OfflineCluster, SourceFile, read_files};

/// Requests are evaluated one after the other: each changes what exists.
type Shared = Arc<Mutex<OfflineCluster>>;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let objects = env::args().nth(1).map(read_files).transpose()?.unwrap_or_default();
    let cluster = ApiServer::from_flags::<&str>([])?.cluster(&objects)?;
    let app = Router::new().route("/", post(review)).with_state(Arc::new(Mutex::new(cluster)));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:8080").await?;
    Ok(axum::serve(listener, app).await?)
}

/// An evaluation computes, so it runs on a thread for such work.
async fn review(State(cluster): State<Shared>, review: String) -> Response {
    match tokio::task::spawn_blocking(move || answer(&cluster, review)).await {
        Ok(Ok(answer)) => ([(CONTENT_TYPE, "application/json")], answer).into_response(),
        Ok(Err(error)) => (StatusCode::BAD_REQUEST, error).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

fn answer(cluster: &Shared, review: String) -> Result<Vec<u8>, String> {
    let mut cluster = cluster.lock().unwrap_or_else(PoisonError::into_inner);
    let evaluation = cluster.evaluate(&[SourceFile::new("review", review)]);
    if evaluation.errors().next().is_some() {
        return Err(evaluation.to_string());
    }
    let mut answer = Vec::new();
    // The API server that asks gets the values of Secrets back that it sent.
    let written = evaluation.showing_secrets(true).write_to(&mut AdmissionReview::new(&mut answer, true));
    written.map_err(|error| error.to_string())?;
    Ok(answer)
}
