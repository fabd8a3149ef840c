//! Choosing the overload of a call: exact types first, then with implicit conversions, then variadic ones.

use flumen_types::{SqlType, Value};

use super::signature::{Bindings, ParamType, Returns, Signature, substitute};
use crate::build::implicit_cast;
use crate::coerce::{decimal_type, implicit_distance, widen};
use crate::{Expr, ExprError};

/// The chosen overload, the arguments converted to its parameters, and what it returns.
pub(crate) struct Resolved {
    pub index: usize,
    pub args: Vec<Expr>,
    pub ty: SqlType,
}

/// How one signature takes the arguments.
struct Match {
    /// What each argument is converted to.
    targets: Vec<SqlType>,
    bound: Bindings,
    /// Sum of the distances of the conversions.
    cost: u32,
    /// Number of generic parameters: of two equally near signatures the more concrete one is taken.
    generics: usize,
}

impl Match {
    /// True when numbers of several types would become DECIMALs. Where they could as well become DOUBLEs, neither is nearer:
    /// one keeps all digits, the other the size.
    fn widens_to_decimal(&self, args: &[Expr]) -> bool {
        let converted = |(target, arg): (&SqlType, &Expr)| matches!(target, SqlType::Decimal { .. }) && arg.ty() != target;
        args.len() > 1 && self.targets.iter().zip(args).any(converted)
    }

    fn all_double(&self) -> bool {
        self.targets.iter().all(|t| *t == SqlType::Double)
    }
}

/// Chooses among signatures for typed arguments.
pub(crate) fn resolve(name: &str, signatures: &[&Signature], args: Vec<Expr>) -> Result<Resolved, ExprError> {
    let matches: Vec<(usize, Match)> = signatures.iter().enumerate().filter_map(|(i, s)| Some((i, fit(s, &args)?))).collect();
    let fixed = |i: usize| signatures[i].variadic.is_none();
    let exact: Vec<_> = matches.iter().filter(|(i, m)| fixed(*i) && m.cost == 0).collect();
    let converted: Vec<_> = matches.iter().filter(|(i, _)| fixed(*i)).collect();
    let variadic: Vec<_> = matches.iter().filter(|(i, _)| !fixed(*i)).collect();
    let candidates = [exact, converted, variadic].into_iter().find(|c| !c.is_empty()).unwrap_or_default();
    let best = candidates.iter().map(|(_, m)| (m.cost, m.generics)).min();
    let nearest: Vec<_> = candidates.iter().filter(|(_, m)| Some((m.cost, m.generics)) == best).collect();
    let rivals: Vec<_> = match nearest.as_slice() {
        [(_, one)] if one.widens_to_decimal(&args) => candidates.iter().filter(|(_, m)| m.all_double()).collect(),
        _ => Vec::new(),
    };
    let nearest: Vec<_> = nearest.into_iter().chain(rivals).collect();
    let (index, matched) = match nearest.as_slice() {
        [one] => (one.0, &one.1),
        [] => return Err(no_match(name, signatures, &args)),
        many => {
            let texts: Vec<String> = many.iter().map(|(i, _)| shown(name, signatures[*i])).collect();
            return Err(ExprError::user(format!(
                "Function '{name}' cannot be resolved due to ambiguous method parameters {}: {} all fit. Cast an argument to say which is meant.",
                given(&args),
                texts.join(", ")
            )));
        }
    };
    let constants: Vec<Option<Value>> = args.iter().map(constant).collect();
    let args = args.into_iter().zip(&matched.targets).map(|(a, ty)| convert(a, ty)).collect::<Result<Vec<_>, _>>()?;
    let ty = match &signatures[index].returns {
        Returns::Pattern(pattern) => substitute(pattern, &matched.bound)
            .ok_or_else(|| ExprError::user(format!("The return type of {name} cannot be told from the arguments {}.", given(&args))))?,
        Returns::With(_, f) => f(&matched.targets, &constants)?,
    };
    Ok(Resolved { index, args, ty })
}

/// The value of a literal argument; a unit as its name.
pub(crate) fn constant(arg: &Expr) -> Option<Value> {
    match arg {
        Expr::Literal { value, .. } => Some(value.clone()),
        Expr::Null => Some(Value::Null),
        Expr::Unit { unit } => Some(Value::from(unit.name())),
        _ => None,
    }
}

/// The NULL literal takes any type; one that a coercion typed already counts as its type.
fn untyped_null(arg: &Expr) -> bool {
    matches!(arg, Expr::Null)
}

fn convert(arg: Expr, ty: &SqlType) -> Result<Expr, ExprError> {
    match arg {
        Expr::Unit { .. } => Ok(arg),
        Expr::Lambda { params, body } => Ok(Expr::Lambda { params, body: Box::new(implicit_cast(*body, ty)?) }),
        other => implicit_cast(other, ty),
    }
}

fn fit(signature: &Signature, args: &[Expr]) -> Option<Match> {
    let positions = signature.params_for(args.len())?;
    let params: Vec<&ParamType> = positions.iter().map(|p| &signature.params[*p]).collect();
    let mut bound = Bindings::new();
    // What stands inside a collection binds its letter firmly; only then may plain arguments widen.
    for (param, arg) in params.iter().zip(args) {
        if !matches!(param, ParamType::Generic(_) | ParamType::Lambda(..)) && !untyped_null(arg) {
            bind_inside(param, arg, &mut bound)?;
        }
    }
    let firm: Vec<char> = bound.keys().copied().collect();
    for (param, arg) in params.iter().zip(args) {
        if let (ParamType::Generic(letter), false) = (param, untyped_null(arg)) {
            if matches!(arg, Expr::Lambda { .. } | Expr::Unit { .. }) {
                return None;
            }
            if !firm.contains(letter) {
                let ty = match bound.get(letter) {
                    Some(before) => wider(before, arg.ty())?,
                    None => arg.ty().clone(),
                };
                bound.insert(*letter, ty);
            }
        }
    }
    for (param, arg) in params.iter().zip(args) {
        if let ParamType::Lambda(inputs, result) = param {
            bind_lambda(inputs, result, arg, &mut bound)?;
        }
    }
    let mut found = Match { targets: Vec::with_capacity(args.len()), bound, cost: 0, generics: 0 };
    for (param, arg) in params.iter().zip(args) {
        let (target, cost) = target(param, arg, &found.bound)?;
        found.targets.push(target);
        found.cost += cost;
        found.generics += usize::from(matches!(param, ParamType::Generic(_)));
    }
    Some(found)
}

fn wider(a: &SqlType, b: &SqlType) -> Option<SqlType> {
    match (implicit_distance(a, b), implicit_distance(b, a)) {
        (Some(_), _) => Some(b.clone()),
        (_, Some(_)) => Some(a.clone()),
        _ => widen(a, b).ok(),
    }
}

fn bind_inside(param: &ParamType, arg: &Expr, bound: &mut Bindings) -> Option<()> {
    match (param, arg) {
        (ParamType::Unit, Expr::Unit { .. }) => Some(()),
        (ParamType::Unit, _) | (_, Expr::Unit { .. } | Expr::Lambda { .. }) => None,
        (ParamType::Exact(_) | ParamType::Decimal | ParamType::Any, _) => Some(()),
        _ => bind_exact(param, arg.ty(), bound),
    }
}

fn bind_exact(param: &ParamType, ty: &SqlType, bound: &mut Bindings) -> Option<()> {
    match (param, ty) {
        (ParamType::Generic(letter), ty) => match bound.get(letter) {
            Some(before) => (before == ty).then_some(()),
            None => {
                bound.insert(*letter, ty.clone());
                Some(())
            }
        },
        (ParamType::Array(e), SqlType::Array(ty)) => bind_exact(e, ty, bound),
        (ParamType::Map(k, v), SqlType::Map(key, value)) => {
            bind_exact(k, key, bound)?;
            bind_exact(v, value, bound)
        }
        (ParamType::Exact(wanted), ty) => (wanted == ty).then_some(()),
        (ParamType::Decimal, SqlType::Decimal { .. }) | (ParamType::Struct, SqlType::Struct(_)) => Some(()),
        _ => None,
    }
}

fn bind_lambda(inputs: &[ParamType], result: &ParamType, arg: &Expr, bound: &mut Bindings) -> Option<()> {
    let Expr::Lambda { params, body } = arg else { return None };
    if params.len() != inputs.len() {
        return None;
    }
    for (input, param) in inputs.iter().zip(params) {
        if substitute(input, bound)? != param.ty {
            return None;
        }
    }
    match (result, substitute(result, bound)) {
        (_, Some(wanted)) => (untyped_null(body) || implicit_distance(body.ty(), &wanted).is_some()).then_some(()),
        (result, None) => bind_exact(result, body.ty(), bound),
    }
}

/// What an argument is converted to and how far that is.
fn target(param: &ParamType, arg: &Expr, bound: &Bindings) -> Option<(SqlType, u32)> {
    let null = untyped_null(arg);
    match param {
        ParamType::Unit => matches!(arg, Expr::Unit { .. }).then_some((SqlType::String, 0)),
        ParamType::Lambda(_, result) => Some((substitute(result, bound)?, 0)),
        ParamType::Decimal if null => Some((SqlType::Decimal { precision: 1, scale: 0 }, 0)),
        ParamType::Decimal => {
            let ty = decimal_type(arg.ty())?;
            let cost = implicit_distance(arg.ty(), &ty)?;
            Some((ty, cost))
        }
        ParamType::Struct if null => Some((SqlType::Struct(Vec::new()), 0)),
        ParamType::Struct => Some((arg.ty().clone(), 0)),
        ParamType::Any if matches!(arg, Expr::Lambda { .. } | Expr::Unit { .. }) => None,
        ParamType::Any => Some((arg.ty().clone(), 0)),
        _ if null => Some((substitute(param, bound).unwrap_or_else(|| unbound(param, bound)), 0)),
        _ => {
            let wanted = substitute(param, bound)?;
            let cost = implicit_distance(arg.ty(), &wanted)?;
            Some((wanted, cost))
        }
    }
}

/// The type of a NULL whose letters nothing binds: STRING for each.
fn unbound(param: &ParamType, bound: &Bindings) -> SqlType {
    match param {
        ParamType::Generic(letter) => bound.get(letter).cloned().unwrap_or(SqlType::String),
        ParamType::Array(e) => SqlType::array(unbound(e, bound)),
        ParamType::Map(k, v) => SqlType::map(unbound(k, bound), unbound(v, bound)),
        ParamType::Exact(ty) => ty.clone(),
        ParamType::Decimal => SqlType::Decimal { precision: 1, scale: 0 },
        ParamType::Struct | ParamType::Any | ParamType::Lambda(..) | ParamType::Unit => SqlType::String,
    }
}

/// An argument seen before its lambdas can be typed.
#[derive(Debug, Clone, Copy)]
pub enum PartialArg<'a> {
    /// An ordinary, typed argument.
    Typed(&'a Expr),
    /// A lambda of this many parameters.
    Lambda(usize),
}

/// The parameter types of each lambda argument, from the other arguments: those of the first signature that can take them.
pub(crate) fn lambda_params(name: &str, signatures: &[&Signature], args: &[PartialArg<'_>]) -> Result<Vec<Vec<SqlType>>, ExprError> {
    signatures.iter().find_map(|s| lambda_params_of(s, args)).ok_or_else(|| {
        let texts: Vec<String> = args
            .iter()
            .map(|a| match a {
                PartialArg::Typed(e) => type_text(e),
                PartialArg::Lambda(n) => format!("LAMBDA of {n} parameter{}", if *n == 1 { "" } else { "s" }),
            })
            .collect();
        no_match_text(name, signatures, &format!("({})", texts.join(", ")))
    })
}

fn lambda_params_of(signature: &Signature, args: &[PartialArg<'_>]) -> Option<Vec<Vec<SqlType>>> {
    let positions = signature.params_for(args.len())?;
    let mut bound = Bindings::new();
    let params: Vec<&ParamType> = positions.iter().map(|p| &signature.params[*p]).collect();
    for (param, arg) in params.iter().zip(args) {
        match (param, arg) {
            (ParamType::Lambda(inputs, _), PartialArg::Lambda(n)) => (inputs.len() == *n).then_some(())?,
            (ParamType::Lambda(..), _) | (_, PartialArg::Lambda(_)) => return None,
            (_, PartialArg::Typed(e)) if untyped_null(e) => {}
            (ParamType::Generic(letter), PartialArg::Typed(e)) => {
                bound.entry(*letter).or_insert_with(|| e.ty().clone());
            }
            (param, PartialArg::Typed(e)) => bind_inside(param, e, &mut bound)?,
        }
    }
    let lambdas = params.iter().filter_map(|p| match p {
        ParamType::Lambda(inputs, _) => Some(inputs),
        _ => None,
    });
    lambdas.map(|inputs| inputs.iter().map(|i| substitute(i, &bound)).collect()).collect()
}

fn type_text(arg: &Expr) -> String {
    match arg {
        Expr::Null | Expr::Literal { value: Value::Null, .. } => "null".to_string(),
        Expr::Unit { .. } => "INTERVALUNIT".to_string(),
        Expr::Lambda { params, body } => {
            let types: Vec<String> = params.iter().map(|p| p.ty.to_string()).collect();
            format!("LAMBDA ({}) => {}", types.join(", "), body.ty())
        }
        other => other.ty().to_string(),
    }
}

fn given(args: &[Expr]) -> String {
    format!("({})", args.iter().map(type_text).collect::<Vec<_>>().join(", "))
}

fn shown(name: &str, signature: &Signature) -> String {
    format!("{name}({})", signature.params_text().join(", "))
}

fn no_match(name: &str, signatures: &[&Signature], args: &[Expr]) -> ExprError {
    no_match_text(name, signatures, &given(args))
}

fn no_match_text(name: &str, signatures: &[&Signature], given: &str) -> ExprError {
    let valid: Vec<String> = signatures.iter().map(|s| shown(name, s)).collect();
    ExprError::user(format!("Function '{name}' does not accept parameters {given}.\nValid alternatives are:\n{}", valid.join("\n")))
}
