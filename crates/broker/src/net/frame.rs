//! The frame around a request: size, API, version, correlation id, client id.

use bytes::{Buf, Bytes};
use kafka_protocol::{
    messages::{ApiKey, RequestHeader},
    protocol::Decodable,
};

/// Bytes of a frame that say which API it is for.
pub const API_LEN: usize = 4;

/// A request whose header has been read.
#[derive(Clone, Debug)]
pub struct Request {
    /// Which API.
    pub key: ApiKey,
    /// Version of the message.
    pub version: i16,
    /// To be repeated in the response.
    pub correlation_id: i32,
    /// What the client calls itself.
    pub client_id: String,
    /// The message.
    pub body: Bytes,
}

/// Why a frame is not a request. The connection is closed.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum FrameError {
    /// The size is negative, too small or too large.
    #[error("a frame of {size} bytes, at most {limit} are allowed")]
    Size {
        /// As announced.
        size: i64,
        /// As allowed.
        limit: usize,
    },
    /// No such API.
    #[error("there is no API {0}")]
    Api(i16),
    /// The header cannot be read.
    #[error("the header of an API {key} request, version {version}, cannot be read")]
    Header {
        /// The API.
        key: i16,
        /// The version.
        version: i16,
    },
}

/// Checks the announced size of a frame.
pub fn check_size(size: i32, limit: usize) -> Result<usize, FrameError> {
    let wrong = FrameError::Size { size: i64::from(size), limit };
    usize::try_from(size).ok().filter(|s| (API_LEN..=limit).contains(s)).ok_or(wrong)
}

/// The API a frame is for, and its version.
pub fn api(start: [u8; API_LEN]) -> Result<(ApiKey, i16), FrameError> {
    let [a, b, c, d] = start;
    let (key, version) = (i16::from_be_bytes([a, b]), i16::from_be_bytes([c, d]));
    Ok((ApiKey::try_from(key).map_err(|()| FrameError::Api(key))?, version))
}

/// Reads the header of a whole frame.
pub fn parse(mut frame: Bytes, supported: impl Fn(ApiKey, i16) -> bool) -> Result<Request, FrameError> {
    let start = frame.first_chunk::<API_LEN>().copied().ok_or(FrameError::Size { size: frame.len() as i64, limit: 0 })?;
    let (key, version) = api(start)?;
    if key == ApiKey::ApiVersions && !supported(key, version) {
        // The client does not know yet what is spoken here: only the id is read, and the answer says which versions there are.
        let id = frame.get(API_LEN..).and_then(|b| b.first_chunk::<4>()).map_or(0, |b| i32::from_be_bytes(*b));
        return Ok(Request { key, version, correlation_id: id, client_id: String::new(), body: Bytes::new() });
    }
    let unreadable = FrameError::Header { key: key as i16, version };
    let header = RequestHeader::decode(&mut frame, key.request_header_version(version)).map_err(|_| unreadable)?;
    let client_id = header.client_id.map(|id| id.to_string()).unwrap_or_default();
    let body = frame.copy_to_bytes(frame.remaining());
    Ok(Request { key, version, correlation_id: header.correlation_id, client_id, body })
}
