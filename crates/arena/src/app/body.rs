//! Reading the body of a request.

use bytes::{Bytes, BytesMut};
use futures_util::StreamExt as _;
use hyper::body::Body as _;

use tiltyard_wire::ProblemCode;

use super::{Problem, Shared};

/// Reads a whole body, unless it is too large or arrives too slowly.
pub(crate) async fn read_body(body: axum::body::Body, app: &Shared) -> Result<Bytes, Problem> {
    let most = app.config.max_body_bytes;
    let too_large =
        || Problem::new(ProblemCode::BodyTooLarge, format!("the body is larger than {most} bytes"));
    if body.size_hint().lower() > most as u64 {
        return Err(too_large());
    }
    let all = async {
        let mut chunks = body.into_data_stream();
        let mut bytes = BytesMut::new();
        while let Some(chunk) = chunks.next().await {
            let chunk = chunk.map_err(|_| Problem::new(ProblemCode::BadRequest, "the body ended early"))?;
            if bytes.len() + chunk.len() > most {
                return Err(too_large());
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes.freeze())
    };
    let in_time = tokio::time::timeout(app.config.read_timeout, all).await;
    in_time.unwrap_or_else(|_| Err(ProblemCode::BodyTooSlow.into()))
}
