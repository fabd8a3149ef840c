//! The instance id of a data directory: a UUID made once and kept.

use std::path::Path;

use super::SystemRandom;
use crate::{EngineError, Entropy};

/// The id in the file `instance-id` of this folder, made when there is none.
pub(super) fn id(data_dir: &Path) -> Result<String, EngineError> {
    let path = data_dir.join("instance-id");
    let failed = |e: std::io::Error| EngineError::internal(format!("cannot use {}: {e}", path.display()));
    std::fs::create_dir_all(data_dir).map_err(failed)?;
    match std::fs::read_to_string(&path) {
        Ok(text) if !text.trim().is_empty() => return Ok(text.trim().to_string()),
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    let (high, low) = (SystemRandom.next(), SystemRandom.next());
    // Version 4, variant 1, as RFC 9562 lays a random UUID out.
    let id = format!(
        "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
        high >> 32,
        (high >> 16) & 0xFFFF,
        high & 0xFFF,
        0x8000 | (low >> 48 & 0x3FFF),
        low & 0xFFFF_FFFF_FFFF
    );
    // Renamed into place, so that a crash leaves no half of an id.
    let draft = data_dir.join("instance-id.new");
    std::fs::write(&draft, &id).map_err(failed)?;
    std::fs::rename(&draft, &path).map_err(failed)?;
    Ok(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_keeps_its_id() {
        let dir = tempfile::tempdir().unwrap();
        let first = id(dir.path()).unwrap();
        assert_eq!(first.len(), 36);
        assert_eq!(id(dir.path()).unwrap(), first);
        assert_ne!(id(tempfile::tempdir().unwrap().path()).unwrap(), first);
    }
}
