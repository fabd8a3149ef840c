//! From stored rows to result rows: the steps between store and table, the WHERE clause, the projection.

use arrow::array::{ArrayRef, UInt32Array};
use arrow::compute::take;
use flumen_expr::{Compiled, Input, Random, Selection};
use flumen_plan::{NamedExpr, Operator, PullPlan};
use flumen_types::SqlType;

use crate::rows::Rows;
use crate::{PullError, PullRows, Tables};

enum Step {
    Filter(Compiled),
    Select(Vec<Compiled>),
}

/// All steps of a pull query, compiled.
pub(crate) struct Steps {
    steps: Vec<Step>,
    projection: Vec<Compiled>,
    types: Vec<SqlType>,
    now_ms: i64,
    random: Random,
}

impl Steps {
    pub(crate) fn new(pull: &PullPlan, tables: &Tables<'_>) -> Result<Self, PullError> {
        let compile = |exprs: &[NamedExpr]| exprs.iter().map(|e| Compiled::new(&e.expr, tables.registry)).collect::<Result<Vec<_>, _>>();
        let mut steps = Vec::new();
        for step in &pull.steps {
            steps.push(match step {
                Operator::Filter { predicate } => Step::Filter(Compiled::new(predicate, tables.registry)?),
                Operator::Select { values, .. } => Step::Select(compile(values)?),
                other => return Err(PullError::Plan(format!("a pull query cannot read through {other:?}"))),
            });
        }
        if let Some(filter) = &pull.filter {
            steps.push(Step::Filter(Compiled::new(filter, tables.registry)?));
        }
        let projection = compile(&pull.projection)?;
        let types = pull.projection.iter().map(|e| e.expr.ty().clone()).collect();
        Ok(Steps { steps, projection, types, now_ms: tables.now_ms, random: Random::seeded(tables.seed) })
    }

    /// Takes rows through all steps.
    pub(crate) fn run(&self, mut rows: Rows) -> Result<PullRows, PullError> {
        for step in &self.steps {
            match step {
                Step::Filter(predicate) => {
                    let columns = flat(&rows);
                    let kept = predicate.eval_filter(&self.input(&columns, rows.len), &Selection::All)?.rows;
                    rows = pick(&rows, kept)?;
                }
                Step::Select(values) => rows.values = self.eval(values, &rows)?,
            }
        }
        let columns = self.eval(&self.projection, &rows)?;
        Ok(PullRows { columns: columns.into_iter().zip(self.types.iter().cloned()).collect(), rows: rows.len })
    }

    fn input<'a>(&'a self, columns: &'a [ArrayRef], rows: usize) -> Input<'a> {
        Input { columns, rows, now_ms: self.now_ms, random: &self.random }
    }

    fn eval(&self, exprs: &[Compiled], rows: &Rows) -> Result<Vec<ArrayRef>, PullError> {
        let columns = flat(rows);
        let one = |e: &Compiled| Ok(e.eval(&self.input(&columns, rows.len), &Selection::All)?.array);
        exprs.iter().map(one).collect()
    }
}

fn flat(rows: &Rows) -> Vec<ArrayRef> {
    rows.keys.iter().chain(&rows.values).chain(&rows.pseudo).cloned().collect()
}

fn pick(rows: &Rows, kept: Vec<u32>) -> Result<Rows, PullError> {
    let len = kept.len();
    let indices = UInt32Array::from(kept);
    let side = |arrays: &[ArrayRef]| {
        let picked = arrays.iter().map(|a| take(a.as_ref(), &indices, None)).collect::<Result<Vec<_>, _>>();
        picked.map_err(|e| PullError::Plan(e.to_string()))
    };
    Ok(Rows { keys: side(&rows.keys)?, values: side(&rows.values)?, pseudo: side(&rows.pseudo)?, len })
}
