//! A version byte in front of a JSON body: the form of plans, positions and commands on disk and in topics.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::PlanError;

/// The version written by this program.
const VERSION: u8 = 1;

/// Writes `value`; `what` names it in errors.
pub fn encode<T: Serialize>(what: &'static str, value: &T) -> Result<Vec<u8>, PlanError> {
    let mut out = vec![VERSION];
    serde_json::to_writer(&mut out, value).map_err(|e| PlanError::Damaged { what, why: e.to_string() })?;
    Ok(out)
}

/// Reads what [`encode`] wrote.
pub fn decode<T: DeserializeOwned>(what: &'static str, bytes: &[u8]) -> Result<T, PlanError> {
    let (version, body) = bytes.split_first().ok_or(PlanError::Damaged { what, why: "it is empty".to_string() })?;
    if *version != VERSION {
        return Err(PlanError::Version { what, found: *version, known: VERSION });
    }
    serde_json::from_slice(body).map_err(|e| PlanError::Damaged { what, why: e.to_string() })
}
