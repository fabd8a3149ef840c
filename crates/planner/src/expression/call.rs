//! Function calls, and the lambdas among their arguments.

use flumen_expr::function::PartialArg;
use flumen_expr::{Expr, FunctionKind, LambdaParam, build};
use flumen_parser::ast::{self, ExprKind, FunctionCall};
use flumen_types::SqlType;

use super::Translator;
use crate::PlanError;

impl Translator<'_> {
    /// A call of a scalar function.
    pub(super) fn call(&mut self, call: &FunctionCall) -> Result<Expr, PlanError> {
        let name = &call.name.value;
        match self.registry.kind(name) {
            Some(FunctionKind::Aggregate) => {
                return Err(PlanError::user_at(
                    call.name.span,
                    format!(
                        "Aggregate function {name} can only be used in the SELECT and HAVING clauses of a query with GROUP BY, and cannot be nested."
                    ),
                ));
            }
            Some(FunctionKind::Table) => {
                return Err(PlanError::user_at(
                    call.name.span,
                    format!("Table function {name} can only be used in the SELECT clause, and not inside CASE or another table function."),
                ));
            }
            Some(FunctionKind::Scalar) | None => {}
        }
        if call.star {
            return Err(PlanError::user_at(call.name.span, format!("{name}(*) is not possible: only COUNT takes *")));
        }
        let args = self.arguments(name, &call.args)?;
        Ok(self.registry.call(name, args)?)
    }

    /// The typed arguments of a call.
    pub(crate) fn arguments(&mut self, name: &str, args: &[ast::Expr]) -> Result<Vec<Expr>, PlanError> {
        let mut typed: Vec<Option<Expr>> = Vec::with_capacity(args.len());
        for arg in args {
            let lambda = matches!(arg.kind, ExprKind::Lambda { .. });
            typed.push(if lambda { None } else { Some(self.expr(arg)?) });
        }
        if typed.iter().all(Option::is_some) {
            return Ok(typed.into_iter().flatten().collect());
        }
        let partial = args.iter().zip(&typed).map(|(arg, typed)| match (&arg.kind, typed) {
            (_, Some(expr)) => PartialArg::Typed(expr),
            (ExprKind::Lambda { params, .. }, None) => PartialArg::Lambda(params.len()),
            (_, None) => PartialArg::Lambda(0),
        });
        let mut types = self.registry.lambda_params(name, &partial.collect::<Vec<_>>())?.into_iter();
        let mut all = Vec::with_capacity(args.len());
        for (arg, typed) in args.iter().zip(typed) {
            all.push(match typed {
                Some(expr) => expr,
                None => self.lambda(arg, types.next().unwrap_or_default())?,
            });
        }
        Ok(all)
    }

    fn lambda(&mut self, written: &ast::Expr, types: Vec<SqlType>) -> Result<Expr, PlanError> {
        let ExprKind::Lambda { params, body } = &written.kind else {
            return Err(PlanError::user_at(written.span, "a lambda is expected here"));
        };
        let outside = self.variables.len();
        for (param, ty) in params.iter().zip(types) {
            if self.variables.iter().any(|v| v.name == param.value) {
                self.variables.truncate(outside);
                return Err(PlanError::user_at(param.span, format!("Reusing lambda arguments: {} is already defined", param.value)));
            }
            self.variables.push(LambdaParam { id: self.variables.len() as u32, name: param.value.clone(), ty });
        }
        let body = self.expr(body);
        let params = self.variables.split_off(outside);
        Ok(build::lambda(params, body?))
    }
}
