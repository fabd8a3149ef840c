//! One row of the table: a property's name, type, default, scope and meaning.

use crate::ConfigError;

/// What values a property takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// `true` or `false`.
    Bool,
    /// A whole number between the two, both included.
    Int(i64, i64),
    /// A number.
    Number,
    /// Any text.
    Text,
    /// Texts separated by commas.
    List,
    /// Any text; never shown.
    Secret,
    /// One of these words, in any case.
    OneOf(&'static [&'static str]),
}

/// Where a property can be set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scope {
    /// For the whole server, at its start.
    Server,
    /// For the server, and for one session or query by `SET` or `streamsProperties`.
    Query,
}

/// Whether Flumen does something with a property.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Effect {
    /// Its value changes what Flumen does.
    Used,
    /// It is taken without complaint so that a ksqlDB configuration works, and changes nothing.
    Accepted,
}

/// A property.
#[derive(Clone, Copy, Debug)]
pub struct Property {
    /// The full name.
    pub name: &'static str,
    /// The type.
    pub kind: Kind,
    /// The value when none is set; `None` means that there is none.
    pub default: Option<&'static str>,
    /// Where it can be set.
    pub scope: Scope,
    /// Whether it does something.
    pub effect: Effect,
    /// What it means, with the unit.
    pub text: &'static str,
}

impl Property {
    /// A server property that has an effect.
    pub(crate) const fn server(name: &'static str, kind: Kind, default: Option<&'static str>, text: &'static str) -> Self {
        Self { name, kind, default, scope: Scope::Server, effect: Effect::Used, text }
    }

    /// A query property that has an effect.
    pub(crate) const fn query(name: &'static str, kind: Kind, default: Option<&'static str>, text: &'static str) -> Self {
        Self { name, kind, default, scope: Scope::Query, effect: Effect::Used, text }
    }

    /// The same property, taken without an effect.
    pub(crate) const fn accepted(mut self) -> Self {
        self.effect = Effect::Accepted;
        self
    }

    /// Checks a value and gives it in its usual spelling (`TRUE` becomes `true`, blanks around it go).
    ///
    /// # Errors
    /// When it is not of the property's type.
    pub fn check(&self, value: &str) -> Result<String, ConfigError> {
        let value = value.trim();
        let wrong = |expected: String| ConfigError::Value { name: self.name.to_owned(), value: shown(self.kind, value), expected };
        match self.kind {
            Kind::Text | Kind::List | Kind::Secret => Ok(value.to_owned()),
            Kind::Bool => match value.to_ascii_lowercase().as_str() {
                word @ ("true" | "false") => Ok(word.to_owned()),
                _ => Err(wrong("expected true or false".to_owned())),
            },
            Kind::Int(min, max) => match value.parse::<i64>() {
                Ok(number) if (min..=max).contains(&number) => Ok(number.to_string()),
                Ok(_) => Err(wrong(format!("expected a whole number from {min} to {max}"))),
                Err(_) => Err(wrong("expected a whole number".to_owned())),
            },
            Kind::Number => match value.parse::<f64>() {
                Ok(number) if number.is_finite() => Ok(value.to_owned()),
                _ => Err(wrong("expected a number".to_owned())),
            },
            Kind::OneOf(words) => match words.iter().find(|w| w.eq_ignore_ascii_case(value)) {
                Some(word) => Ok((*word).to_owned()),
                None => Err(wrong(format!("expected one of {}", words.join(", ")))),
            },
        }
    }
}

fn shown(kind: Kind, value: &str) -> String {
    if kind == Kind::Secret { "[hidden]".to_owned() } else { value.to_owned() }
}
