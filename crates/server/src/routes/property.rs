//! Whether a session may set a property: `/is_valid_property`.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use flumen_config::{ConfigError, ServerConfig};

use crate::app::{App, Ready};
use crate::failure::Failure;
use crate::request::InPath;

/// `GET /is_valid_property/{name}`: `true`, or why not.
pub async fn is_valid(State(app): State<Arc<App>>, _: Ready, InPath(name): InPath<String>) -> Result<Json<bool>, Failure> {
    check(&app.config, &name).map(|()| Json(true))
}

fn check(config: &ServerConfig, name: &str) -> Result<(), Failure> {
    match config.check_override(name, "") {
        // The name is good; the value that was tried need not be.
        Ok(_) | Err(ConfigError::Value { .. }) => Ok(()),
        Err(error) => Err(Failure::bad_request(error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_known_or_refused_with_a_reason() {
        let config = ServerConfig::from_pairs([]).unwrap();
        let refusal = |name: &str| check(&config, name).unwrap_err().0.message().to_owned();
        assert_eq!(check(&config, "auto.offset.reset"), Ok(()));
        assert_eq!(check(&config, "ksql.streams.commit.interval.ms"), Ok(()));
        assert!(refusal("auto.ofset.reset").contains("auto.offset.reset"), "{}", refusal("auto.ofset.reset"));
        assert!(refusal("ksql.service.id").contains("Cannot override"), "{}", refusal("ksql.service.id"));
    }
}
