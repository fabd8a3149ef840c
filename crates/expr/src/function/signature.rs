//! Parameter patterns and return types of functions.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use flumen_types::{SqlType, Value};

use crate::ExprError;

/// What an argument must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParamType {
    /// Exactly this type, or what converts to it.
    Exact(SqlType),
    /// A DECIMAL of any precision and scale.
    Decimal,
    /// Any type, the same wherever the letter stands.
    Generic(char),
    /// An ARRAY of the pattern.
    Array(Box<ParamType>),
    /// A MAP of the patterns.
    Map(Box<ParamType>, Box<ParamType>),
    /// Any STRUCT.
    Struct,
    /// Any type, different ones wherever it stands.
    Any,
    /// A lambda of these parameters and result.
    Lambda(Vec<ParamType>, Box<ParamType>),
    /// A bare interval unit; the implementation gets its upper-case plural name as a constant STRING.
    Unit,
}

/// BOOLEAN
pub const BOOLEAN: ParamType = ParamType::Exact(SqlType::Boolean);
/// INTEGER
pub const INTEGER: ParamType = ParamType::Exact(SqlType::Integer);
/// BIGINT
pub const BIGINT: ParamType = ParamType::Exact(SqlType::Bigint);
/// DOUBLE
pub const DOUBLE: ParamType = ParamType::Exact(SqlType::Double);
/// DECIMAL(p, s), any
pub const DECIMAL: ParamType = ParamType::Decimal;
/// STRING
pub const STRING: ParamType = ParamType::Exact(SqlType::String);
/// BYTES
pub const BYTES: ParamType = ParamType::Exact(SqlType::Bytes);
/// DATE
pub const DATE: ParamType = ParamType::Exact(SqlType::Date);
/// TIME
pub const TIME: ParamType = ParamType::Exact(SqlType::Time);
/// TIMESTAMP
pub const TIMESTAMP: ParamType = ParamType::Exact(SqlType::Timestamp);
/// Any STRUCT
pub const ANY_STRUCT: ParamType = ParamType::Struct;
/// Any type
pub const ANY: ParamType = ParamType::Any;
/// INTERVALUNIT
pub const UNIT: ParamType = ParamType::Unit;
/// Generic type
pub const T: ParamType = ParamType::Generic('T');
/// Generic type
pub const U: ParamType = ParamType::Generic('U');
/// Generic type
pub const S: ParamType = ParamType::Generic('S');
/// Generic key type
pub const K: ParamType = ParamType::Generic('K');
/// Generic value type
pub const V: ParamType = ParamType::Generic('V');

/// `ARRAY<element>`
pub fn array(element: ParamType) -> ParamType {
    ParamType::Array(Box::new(element))
}

/// `MAP<key, value>`
pub fn map(key: ParamType, value: ParamType) -> ParamType {
    ParamType::Map(Box::new(key), Box::new(value))
}

/// `(params) => result`
pub fn lambda(params: impl Into<Vec<ParamType>>, result: ParamType) -> ParamType {
    ParamType::Lambda(params.into(), Box::new(result))
}

impl fmt::Display for ParamType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParamType::Exact(ty) => write!(f, "{ty}"),
            ParamType::Decimal => f.write_str("DECIMAL"),
            ParamType::Generic(letter) => write!(f, "{letter}"),
            ParamType::Array(e) => write!(f, "ARRAY<{e}>"),
            ParamType::Map(k, v) => write!(f, "MAP<{k}, {v}>"),
            ParamType::Struct => f.write_str("STRUCT"),
            ParamType::Any => f.write_str("ANY"),
            ParamType::Lambda(params, result) => {
                let names: Vec<String> = params.iter().map(|p| p.to_string()).collect();
                match names.as_slice() {
                    [one] => write!(f, "{one} => {result}"),
                    many => write!(f, "({}) => {result}", many.join(", ")),
                }
            }
            ParamType::Unit => f.write_str("INTERVALUNIT"),
        }
    }
}

/// Computes a return type from the argument types and, where they are literals, the arguments.
pub type ReturnsFn = Arc<dyn Fn(&[SqlType], &[Option<Value>]) -> Result<SqlType, ExprError> + Send + Sync>;

/// What an overload returns.
#[derive(Clone)]
pub enum Returns {
    /// The pattern with its letters bound by the arguments.
    Pattern(ParamType),
    /// Computed from the arguments. The pattern is for display.
    With(ParamType, ReturnsFn),
}

impl From<ParamType> for Returns {
    fn from(pattern: ParamType) -> Self {
        Returns::Pattern(pattern)
    }
}

impl Returns {
    /// A return type computed from the argument types; `shown` is its display.
    pub fn with(shown: ParamType, f: impl Fn(&[SqlType], &[Option<Value>]) -> Result<SqlType, ExprError> + Send + Sync + 'static) -> Self {
        Returns::With(shown, Arc::new(f))
    }

    pub(crate) fn pattern(&self) -> &ParamType {
        match self {
            Returns::Pattern(p) | Returns::With(p, _) => p,
        }
    }
}

/// Parameters and return type of an overload.
#[derive(Clone)]
pub struct Signature {
    /// The parameters.
    pub params: Vec<ParamType>,
    /// Position of the parameter that may be given any number of times, zero included.
    pub variadic: Option<usize>,
    /// Positions of parameters that must not be NULL: a NULL fails the row.
    pub required: Vec<usize>,
    /// The return type.
    pub returns: Returns,
}

impl Signature {
    /// A signature of a fixed number of parameters.
    pub fn new(params: impl Into<Vec<ParamType>>, returns: impl Into<Returns>) -> Self {
        Signature { params: params.into(), variadic: None, required: Vec::new(), returns: returns.into() }
    }

    /// Lets the parameter at this position be given any number of times, zero included.
    pub fn variadic_at(mut self, position: usize) -> Self {
        self.variadic = Some(position);
        self
    }

    /// Lets the last parameter be given any number of times, zero included.
    pub fn variadic(self) -> Self {
        let last = self.params.len().saturating_sub(1);
        self.variadic_at(last)
    }

    /// A NULL in one of these parameters fails the row.
    pub fn required(mut self, positions: &[usize]) -> Self {
        self.required = positions.to_vec();
        self
    }

    /// The parameter of each argument when `count` are given; `None` when the number does not fit.
    pub(crate) fn params_for(&self, count: usize) -> Option<Vec<usize>> {
        let Some(at) = self.variadic else {
            return (count == self.params.len()).then(|| (0..count).collect());
        };
        let repeats = (count + 1).checked_sub(self.params.len())?;
        Some((0..at).chain(std::iter::repeat_n(at, repeats)).chain(at + 1..self.params.len()).collect())
    }

    /// The parameters as text, the variadic one followed by `...`.
    pub fn params_text(&self) -> Vec<String> {
        let text = |(i, p): (usize, &ParamType)| if self.variadic == Some(i) { format!("{p}...") } else { p.to_string() };
        self.params.iter().enumerate().map(text).collect()
    }
}

/// The letters bound so far.
pub(crate) type Bindings = BTreeMap<char, SqlType>;

/// The type of a pattern with its letters bound; `None` for patterns without one type.
pub(crate) fn substitute(pattern: &ParamType, bound: &Bindings) -> Option<SqlType> {
    match pattern {
        ParamType::Exact(ty) => Some(ty.clone()),
        ParamType::Generic(letter) => bound.get(letter).cloned(),
        ParamType::Array(e) => Some(SqlType::array(substitute(e, bound)?)),
        ParamType::Map(k, v) => Some(SqlType::map(substitute(k, bound)?, substitute(v, bound)?)),
        ParamType::Unit => Some(SqlType::String),
        ParamType::Decimal | ParamType::Struct | ParamType::Any | ParamType::Lambda(..) => None,
    }
}
