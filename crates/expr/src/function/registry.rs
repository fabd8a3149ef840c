//! All functions by name.

use std::collections::BTreeMap;

use flumen_types::{SqlType, Value};

use super::aggregate::{Accumulators, AggregateCall, AggregateFunction, AggregateOverload, Instance, Settings};
use super::resolve::{constant, lambda_params, resolve};
use super::signature::Signature;
use super::{Overload, ScalarFunction};
use crate::{Expr, ExprError};

pub use super::resolve::PartialArg;

/// Which kind of function a name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FunctionKind {
    /// One result a row.
    Scalar,
    /// Any number of rows a row.
    Table,
    /// One result a group.
    Aggregate,
}

/// What DESCRIBE FUNCTION shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionInfo {
    /// Upper-case name.
    pub name: String,
    /// Kind of function.
    pub kind: FunctionKind,
    /// Category.
    pub category: String,
    /// One sentence.
    pub description: String,
    /// The overloads.
    pub signatures: Vec<SignatureInfo>,
}

/// One overload as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureInfo {
    /// Parameter types; the variadic one ends with `...`.
    pub params: Vec<String>,
    /// Position of the variadic parameter.
    pub variadic: Option<usize>,
    /// Return type; of a table function that of its rows.
    pub returns: String,
}

/// The functions a server knows.
#[derive(Clone, Default)]
pub struct Registry {
    scalars: BTreeMap<&'static str, ScalarFunction>,
    tables: BTreeMap<&'static str, ScalarFunction>,
    aggregates: BTreeMap<&'static str, AggregateFunction>,
}

impl Registry {
    /// A registry without functions.
    pub fn new() -> Self {
        Registry::default()
    }

    /// Adds a scalar function; one of the same name is replaced.
    pub fn add_scalar(&mut self, function: ScalarFunction) {
        self.scalars.insert(function.name, function);
    }

    /// Adds a table function: its overloads return the ARRAY of the rows, NULL for none.
    pub fn add_table(&mut self, function: ScalarFunction) {
        self.tables.insert(function.name, function);
    }

    /// Adds an aggregate function.
    pub fn add_aggregate(&mut self, function: AggregateFunction) {
        self.aggregates.insert(function.name, function);
    }

    /// The kind of the function of this name, any case.
    pub fn kind(&self, name: &str) -> Option<FunctionKind> {
        let upper = name.to_ascii_uppercase();
        let name = upper.as_str();
        if self.scalars.contains_key(name) {
            Some(FunctionKind::Scalar)
        } else if self.tables.contains_key(name) {
            Some(FunctionKind::Table)
        } else {
            self.aggregates.contains_key(name).then_some(FunctionKind::Aggregate)
        }
    }

    /// A call of a scalar function, its arguments converted to the overload that fits.
    ///
    /// # Errors
    /// Unknown name (with the nearest), no overload that fits (with all there are), more than one.
    pub fn call(&self, name: &str, args: Vec<Expr>) -> Result<Expr, ExprError> {
        let upper = name.to_ascii_uppercase();
        let function = self.scalars.get(upper.as_str()).ok_or_else(|| self.unknown(&upper, FunctionKind::Scalar))?;
        call_of(function, args)
    }

    /// A call of a table function: an expression of the ARRAY of its rows.
    ///
    /// # Errors
    /// As [`Registry::call`].
    pub fn table_call(&self, name: &str, args: Vec<Expr>) -> Result<Expr, ExprError> {
        let upper = name.to_ascii_uppercase();
        let function = self.tables.get(upper.as_str()).ok_or_else(|| self.unknown(&upper, FunctionKind::Table))?;
        call_of(function, args)
    }

    /// A call of an aggregate function; without arguments it is given to those that count rows.
    ///
    /// # Errors
    /// As [`Registry::call`]; also when an argument that must be a literal is none.
    pub fn aggregate_call(&self, name: &str, args: Vec<Expr>) -> Result<AggregateCall, ExprError> {
        let upper = name.to_ascii_uppercase();
        let function = self.aggregates.get(upper.as_str()).ok_or_else(|| self.unknown(&upper, FunctionKind::Aggregate))?;
        let signatures: Vec<&Signature> = function.overloads.iter().map(|o| &o.signature).collect();
        let resolved = resolve(&upper, &signatures, args)?;
        let overload = function.overloads.get(resolved.index);
        let (literals, undo) = overload.map(|o| (o.init, o.undo)).unwrap_or_default();
        let mut args = resolved.args;
        let tail = args.split_off(args.len().saturating_sub(literals));
        let literal = |e: &Expr| {
            constant(e).ok_or_else(|| {
                ExprError::user(format!("Parameter {e} of function {upper} must be a literal: it sets the function up for all rows."))
            })
        };
        let init = tail.iter().map(literal).collect::<Result<Vec<Value>, _>>()?;
        Ok(AggregateCall { function: upper, args, init, ty: resolved.ty, undo })
    }

    /// True for an aggregate whose state of a group is a collection or several values.
    pub fn has_composite_state(&self, name: &str) -> bool {
        self.aggregates.get(name.to_ascii_uppercase().as_str()).is_some_and(|f| f.composite_state)
    }

    /// The parameter types of each lambda argument of a call, in order, from its other arguments.
    ///
    /// # Errors
    /// As [`Registry::call`].
    pub fn lambda_params(&self, name: &str, args: &[PartialArg<'_>]) -> Result<Vec<Vec<SqlType>>, ExprError> {
        let upper = name.to_ascii_uppercase();
        let function = self.scalars.get(upper.as_str()).ok_or_else(|| self.unknown(&upper, FunctionKind::Scalar))?;
        lambda_params(&upper, &signatures_of(function), args)
    }

    /// The state of an aggregate call.
    ///
    /// # Errors
    /// A call this registry does not know, or literal arguments the function refuses.
    pub fn accumulators(&self, call: &AggregateCall, settings: &Settings) -> Result<Box<dyn Accumulators>, ExprError> {
        let overload = self.aggregate_overload(call)?;
        let types = call.args.iter().map(|a| a.ty().clone()).collect();
        (overload.factory)(&Instance { types, init: &call.init, return_type: &call.ty, settings })
    }

    fn aggregate_overload(&self, call: &AggregateCall) -> Result<&AggregateOverload, ExprError> {
        let name = &call.function;
        let function = self.aggregates.get(name.as_str()).ok_or_else(|| self.unknown(name, FunctionKind::Aggregate))?;
        let literals = call.init.iter().map(|v| Expr::literal(v.clone(), literal_type(v)));
        let args = call.args.iter().cloned().chain(literals).collect();
        let signatures: Vec<&Signature> = function.overloads.iter().map(|o| &o.signature).collect();
        let index = resolve(name, &signatures, args)?.index;
        function.overloads.get(index).ok_or_else(|| self.unknown(name, FunctionKind::Aggregate))
    }

    /// The overload a call was resolved to.
    pub(crate) fn overload(&self, name: &str, args: &[Expr]) -> Result<&Overload, ExprError> {
        let function = self.scalars.get(name).or_else(|| self.tables.get(name));
        let function = function.ok_or_else(|| self.unknown(name, FunctionKind::Scalar))?;
        let index = resolve(name, &signatures_of(function), args.to_vec())?.index;
        function.overloads.get(index).ok_or_else(|| self.unknown(name, FunctionKind::Scalar))
    }

    /// All functions, by name.
    pub fn list(&self) -> Vec<FunctionInfo> {
        let mut all: Vec<FunctionInfo> = Vec::new();
        all.extend(self.scalars.values().map(|f| scalar_info(f, FunctionKind::Scalar)));
        all.extend(self.tables.values().map(|f| scalar_info(f, FunctionKind::Table)));
        all.extend(self.aggregates.values().map(aggregate_info));
        all.sort_by(|a, b| a.name.cmp(&b.name));
        all
    }

    /// One function by name, any case.
    ///
    /// # Errors
    /// Unknown name, with the nearest.
    pub fn describe(&self, name: &str) -> Result<FunctionInfo, ExprError> {
        let upper = name.to_ascii_uppercase();
        let scalar = self.scalars.get(upper.as_str()).map(|f| scalar_info(f, FunctionKind::Scalar));
        let table = || self.tables.get(upper.as_str()).map(|f| scalar_info(f, FunctionKind::Table));
        let aggregate = || self.aggregates.get(upper.as_str()).map(aggregate_info);
        scalar.or_else(table).or_else(aggregate).ok_or_else(|| self.unknown(&upper, FunctionKind::Scalar))
    }

    fn unknown(&self, name: &str, wanted: FunctionKind) -> ExprError {
        match (self.kind(name), wanted) {
            (Some(FunctionKind::Aggregate), FunctionKind::Scalar | FunctionKind::Table) => {
                return ExprError::user(format!("The aggregate function {name} cannot be used here."));
            }
            (Some(FunctionKind::Table), FunctionKind::Scalar | FunctionKind::Aggregate) => {
                return ExprError::user(format!("The table function {name} cannot be used here."));
            }
            _ => {}
        }
        let names = self.scalars.keys().chain(self.tables.keys()).chain(self.aggregates.keys());
        let near = names.map(|n| (distance(name, n), *n)).min().filter(|(d, _)| *d <= 1 + name.chars().count() / 4);
        let hint = near.map(|(_, n)| format!(" Did you mean {n}?")).unwrap_or_default();
        ExprError::user(format!("Can't find any functions with the name '{name}'.{hint}"))
    }
}

fn signatures_of(function: &ScalarFunction) -> Vec<&Signature> {
    function.overloads.iter().map(|o| &o.signature).collect()
}

fn call_of(function: &ScalarFunction, args: Vec<Expr>) -> Result<Expr, ExprError> {
    let resolved = resolve(function.name, &signatures_of(function), args)?;
    Ok(Expr::Call { function: function.name.to_string(), args: resolved.args, ty: resolved.ty })
}

/// The type of a literal's value, as far as a literal argument can have one.
fn literal_type(value: &Value) -> SqlType {
    match value {
        Value::Boolean(_) => SqlType::Boolean,
        Value::Integer(_) => SqlType::Integer,
        Value::Bigint(_) => SqlType::Bigint,
        Value::Double(_) => SqlType::Double,
        Value::Decimal(d) => {
            let precision = d.precision().max(d.scale).max(1);
            SqlType::Decimal { precision, scale: d.scale }
        }
        _ => SqlType::String,
    }
}

fn signature_info(signature: &Signature, kind: FunctionKind) -> SignatureInfo {
    let pattern = signature.returns.pattern();
    let returns = match (kind, pattern) {
        (FunctionKind::Table, super::ParamType::Array(row)) => row.to_string(),
        _ => pattern.to_string(),
    };
    SignatureInfo { params: signature.params_text(), variadic: signature.variadic, returns }
}

fn scalar_info(f: &ScalarFunction, kind: FunctionKind) -> FunctionInfo {
    FunctionInfo {
        name: f.name.to_string(),
        kind,
        category: f.category.to_string(),
        description: f.description.to_string(),
        signatures: f.overloads.iter().map(|o| signature_info(&o.signature, kind)).collect(),
    }
}

fn aggregate_info(f: &AggregateFunction) -> FunctionInfo {
    FunctionInfo {
        name: f.name.to_string(),
        kind: FunctionKind::Aggregate,
        category: "AGGREGATE".to_string(),
        description: f.description.to_string(),
        signatures: f.overloads.iter().map(|o| signature_info(&o.signature, FunctionKind::Aggregate)).collect(),
    }
}

/// Levenshtein distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut corner = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let replaced = corner + usize::from(x != *y);
            corner = row[j + 1];
            row[j + 1] = replaced.min(corner + 1).min(row[j] + 1);
        }
    }
    row.last().copied().unwrap_or(0)
}
