//! Properties given with a query that its server settles for all queries.
//!
//! Queries of a server share the transactions of its threads. So the guarantee is the server's, and a query can ask for
//! commits more often than the server makes them, not less often. All other properties that SET takes are the query's own.

use std::collections::BTreeMap;

use flumen_config::{Guarantee, QueryConfig, ServerConfig};

use crate::EngineError;

/// What the user should know of the properties of a persistent query; a guarantee that cannot be kept is refused.
pub(super) fn check(config: &ServerConfig, properties: &BTreeMap<String, String>) -> Result<Vec<String>, EngineError> {
    let wrong = |e: flumen_config::ConfigError| EngineError::statement(e.to_string());
    let server = QueryConfig::resolve(config, &Default::default()).map_err(wrong)?;
    let query = QueryConfig::thaw(config, properties).map_err(wrong)?;
    let mut warnings = Vec::new();
    match (query.guarantee, server.guarantee) {
        (Guarantee::ExactlyOnce, Guarantee::AtLeastOnce) => {
            return Err(EngineError::statement(
                "processing.guarantee: this server runs its queries with at_least_once, and one query alone cannot have exactly_once_v2. Set it in the server's properties, or UNSET it here",
            ));
        }
        (Guarantee::AtLeastOnce, Guarantee::ExactlyOnce) => warnings.push(
            "processing.guarantee: this server runs all its queries with exactly_once_v2, this one too; at_least_once has no effect"
                .to_string(),
        ),
        _ => {}
    }
    if query.commit_interval > server.commit_interval {
        warnings.push(format!(
            "commit.interval.ms: this server commits every {} ms at the latest; {} ms has no effect. Set it in the server's properties",
            server.commit_interval.as_millis(),
            query.commit_interval.as_millis()
        ));
    }
    Ok(warnings)
}

#[cfg(test)]
mod tests {
    use flumen_config::Sources;

    use super::*;

    fn checked(server: &[&str], query: &[(&str, &str)]) -> Result<Vec<String>, EngineError> {
        let sources = Sources { set: server.iter().map(|s| s.to_string()).collect(), ..Sources::default() };
        let config = ServerConfig::load(&sources).unwrap();
        let properties: BTreeMap<_, _> = query.iter().map(|(n, v)| (format!("ksql.streams.{n}"), v.to_string())).collect();
        check(&config, &properties)
    }

    #[test]
    fn what_the_server_settles_is_said() {
        let (once, least) = (("processing.guarantee", "exactly_once_v2"), ("processing.guarantee", "at_least_once"));
        assert_eq!(checked(&[], &[("commit.interval.ms", "100"), ("auto.offset.reset", "earliest")]), Ok(Vec::new()));
        assert!(checked(&["commit.interval.ms=500"], &[("commit.interval.ms", "1000")]).unwrap()[0].contains("every 500 ms"));
        assert!(checked(&["processing.guarantee=at_least_once"], &[once]).unwrap_err().message.contains("UNSET"));
        assert!(checked(&["processing.guarantee=exactly_once_v2"], &[least]).unwrap()[0].contains("no effect"));
        assert_eq!(checked(&["processing.guarantee=exactly_once_v2"], &[once]), Ok(Vec::new()));
    }
}
