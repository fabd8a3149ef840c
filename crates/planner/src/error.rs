//! Why a statement cannot be planned.

use flumen_catalog::CatalogError;
use flumen_expr::ExprError;
use flumen_parser::{Span, render};
use flumen_types::{FormatError, TypeError};
use thiserror::Error;

/// A statement that is refused. A user's mistake is always found before a missing feature is reported.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PlanError {
    /// The user's statement is wrong; the text says what and what to do.
    #[error("{message}")]
    User {
        /// What is wrong.
        message: String,
        /// Where, in bytes of the text the statement was parsed from.
        span: Option<Span>,
    },
    /// A right statement that Flumen cannot run yet.
    #[error("{feature} is not supported yet")]
    Unsupported {
        /// What is missing.
        feature: String,
        /// Where it is used.
        span: Option<Span>,
    },
}

impl PlanError {
    /// A user's mistake without a place.
    pub fn user(message: impl Into<String>) -> Self {
        PlanError::User { message: message.into(), span: None }
    }

    /// A user's mistake at a place.
    pub fn user_at(span: Span, message: impl Into<String>) -> Self {
        PlanError::User { message: message.into(), span: Some(span) }
    }

    /// A missing feature.
    pub fn unsupported(feature: impl Into<String>) -> Self {
        PlanError::Unsupported { feature: feature.into(), span: None }
    }

    /// The same error with a place, unless it has one.
    pub fn or_at(mut self, place: Span) -> Self {
        let (PlanError::User { span, .. } | PlanError::Unsupported { span, .. }) = &mut self;
        span.get_or_insert(place);
        self
    }

    /// The same error with something said in front of a user's message.
    pub(crate) fn within(self, clause: &str) -> Self {
        match self {
            PlanError::User { message, span } => PlanError::User { message: format!("{clause}: {message}"), span },
            unsupported => unsupported,
        }
    }

    /// Where the mistake is.
    pub fn span(&self) -> Option<Span> {
        match self {
            PlanError::User { span, .. } | PlanError::Unsupported { span, .. } => *span,
        }
    }

    /// The message with the place underlined in `text`, the whole text that was given to the parser.
    pub fn rendered(&self, text: &str) -> String {
        match self.span() {
            Some(span) => render(text, span, &self.to_string()),
            None => self.to_string(),
        }
    }
}

impl From<ExprError> for PlanError {
    fn from(error: ExprError) -> Self {
        match error {
            ExprError::User(message) => PlanError::user(message),
            ExprError::Unsupported(feature) => PlanError::unsupported(feature),
        }
    }
}

impl From<CatalogError> for PlanError {
    fn from(error: CatalogError) -> Self {
        PlanError::user(error.to_string())
    }
}

impl From<TypeError> for PlanError {
    fn from(error: TypeError) -> Self {
        PlanError::user(error.to_string())
    }
}

impl From<FormatError> for PlanError {
    fn from(error: FormatError) -> Self {
        match error {
            FormatError::Unsupported(format) => PlanError::unsupported(format!("format {format}")),
            FormatError::Invalid(message) => PlanError::user(message),
        }
    }
}
