//! How to reach the cluster: the settings every client shares.

use std::collections::BTreeMap;

/// Where the brokers are, and the properties given to every client.
#[derive(Clone, Debug)]
pub struct ClientSettings {
    bootstrap: String,
    client_id: String,
    properties: BTreeMap<String, String>,
}

impl ClientSettings {
    /// Settings for the brokers at `bootstrap` (`host:port`, several separated by commas).
    pub fn new(bootstrap: impl Into<String>) -> Self {
        Self { bootstrap: bootstrap.into(), client_id: "flumen".into(), properties: BTreeMap::new() }
    }

    /// The name under which the brokers log and count these clients.
    #[must_use]
    pub fn with_client_id(mut self, client_id: impl Into<String>) -> Self {
        self.client_id = client_id.into();
        self
    }

    /// A property passed through to the client; it wins over Flumen's own choice. An unknown one fails when a client is made.
    #[must_use]
    pub fn with_property(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.properties.insert(name.into(), value.into());
        self
    }

    /// The brokers, as given.
    pub fn bootstrap(&self) -> &str {
        &self.bootstrap
    }

    /// The full configuration of one client: what all share, then what its kind needs, then what the user set, then what must not be changed.
    pub(crate) fn configuration(&self, kind: &[(&str, &str)], fixed: &[(&str, &str)]) -> Vec<(String, String)> {
        let shared = [
            ("bootstrap.servers", self.bootstrap.as_str()),
            ("client.id", self.client_id.as_str()),
            ("socket.nagle.disable", "true"),
            // A restarted broker is found again within a second.
            ("reconnect.backoff.max.ms", "1000"),
        ];
        let mut all = BTreeMap::new();
        for (name, value) in shared.iter().chain(kind) {
            all.insert((*name).to_string(), (*value).to_string());
        }
        all.extend(self.properties.clone());
        for (name, value) in fixed {
            all.insert((*name).to_string(), (*value).to_string());
        }
        all.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_user_wins_but_not_over_what_is_fixed() {
        let settings = ClientSettings::new("h:1").with_client_id("me").with_property("linger.ms", "3").with_property("acks", "1");
        let all = settings.configuration(&[("linger.ms", "20")], &[("acks", "all")]);
        let get = |name: &str| all.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str());
        assert_eq!(
            (get("linger.ms"), get("acks"), get("bootstrap.servers"), get("client.id")),
            (Some("3"), Some("all"), Some("h:1"), Some("me"))
        );
    }
}
