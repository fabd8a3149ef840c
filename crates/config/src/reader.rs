//! Typed access to values by name: the set one, else the table's default.

use crate::{ConfigError, table};
use std::collections::BTreeMap;
use std::time::Duration;

/// Looks values up in maps, the first that has the name winning, and falls back to the table.
pub(crate) struct Reader<'a> {
    maps: Vec<&'a BTreeMap<String, String>>,
    #[cfg(test)]
    pub(crate) read: std::cell::RefCell<std::collections::BTreeSet<&'static str>>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(maps: Vec<&'a BTreeMap<String, String>>) -> Self {
        Self {
            maps,
            #[cfg(test)]
            read: Default::default(),
        }
    }

    /// The value in force, if there is one. An empty text counts as none.
    pub(crate) fn text(&self, name: &'static str) -> Option<&'a str> {
        #[cfg(test)]
        self.read.borrow_mut().insert(name);
        let set = self.maps.iter().find_map(|map| map.get(name)).map(String::as_str);
        set.or_else(|| table::find(name)?.default).filter(|value| !value.is_empty())
    }

    pub(crate) fn string(&self, name: &'static str) -> String {
        self.text(name).unwrap_or_default().to_owned()
    }

    pub(crate) fn list(&self, name: &'static str) -> Vec<String> {
        self.text(name).unwrap_or_default().split(',').map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect()
    }

    pub(crate) fn flag(&self, name: &'static str) -> bool {
        self.text(name) == Some("true")
    }

    /// A whole number that fits `T`.
    pub(crate) fn number<T: TryFrom<i64>>(&self, name: &'static str) -> Result<T, ConfigError> {
        let value = self.text(name).unwrap_or_default();
        let number = value.parse::<i64>().ok().and_then(|n| T::try_from(n).ok());
        number.ok_or_else(|| ConfigError::Value {
            name: name.to_owned(),
            value: value.to_owned(),
            expected: "expected a whole number in range".to_owned(),
        })
    }

    pub(crate) fn millis(&self, name: &'static str) -> Result<Duration, ConfigError> {
        self.number(name).map(Duration::from_millis)
    }
}
