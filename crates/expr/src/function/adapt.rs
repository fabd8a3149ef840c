//! Adapters that turn plain Rust functions into overload implementations.
//!
//! `map1::<str, String>(|s| Ok(Some(s.trim().to_string())))` reads typed columns, calls the closure for every row to
//! compute and builds the typed result: `Ok(None)` is NULL, `Err(text)` fails the row. `nullable…` pass NULL arguments on
//! as `None` (for overloads added with `nullable_overload`). `rowwise` works on single [`Value`]s of any type and is for
//! nested types. `whole` takes the whole chunk.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef};
use flumen_types::{ColumnBuilder, Value, value_at};

use super::column::{Column, Output};
use super::{CallArgs, Implementation};
use crate::{ExprError, Failures};

fn typed<'a, C: Column + ?Sized>(call: &'a CallArgs<'_>, position: usize) -> Result<&'a C::Array, ExprError> {
    let found = call.args.get(position).and_then(|a| C::array(a));
    found.ok_or_else(|| ExprError::user(format!("argument {} has not the type the function is made for", position + 1)))
}

fn option<C: Column + ?Sized>(array: &C::Array, row: usize) -> Option<C::Value<'_>> {
    array.is_valid(row).then(|| C::get(array, row))
}

/// Builds a column of `rows` rows from the results of the rows to compute.
fn collect<R: Output>(call: &CallArgs<'_>, failures: &mut Failures, mut f: impl FnMut(usize) -> Result<Option<R>, String>) -> ArrayRef {
    let mut builder = R::Builder::default();
    let mut next = 0;
    call.each_row(|row| {
        (next..row).for_each(|_| R::append(&mut builder, None));
        next = row + 1;
        let value = f(row).unwrap_or_else(|text| {
            failures.fail(row, || text);
            None
        });
        R::append(&mut builder, value);
    });
    (next..call.rows).for_each(|_| R::append(&mut builder, None));
    R::finish(builder)
}

/// One argument.
pub fn map1<A: Column + ?Sized, R: Output>(
    f: impl for<'a> Fn(A::Value<'a>) -> Result<Option<R>, String> + Send + Sync + 'static,
) -> Implementation {
    Arc::new(move |call, failures| {
        let a = typed::<A>(call, 0)?;
        Ok(collect(call, failures, |row| f(A::get(a, row))))
    })
}

/// Two arguments.
pub fn map2<A: Column + ?Sized, B: Column + ?Sized, R: Output>(
    f: impl for<'a> Fn(A::Value<'a>, B::Value<'a>) -> Result<Option<R>, String> + Send + Sync + 'static,
) -> Implementation {
    Arc::new(move |call, failures| {
        let (a, b) = (typed::<A>(call, 0)?, typed::<B>(call, 1)?);
        Ok(collect(call, failures, |row| f(A::get(a, row), B::get(b, row))))
    })
}

/// Three arguments.
pub fn map3<A: Column + ?Sized, B: Column + ?Sized, C: Column + ?Sized, R: Output>(
    f: impl for<'a> Fn(A::Value<'a>, B::Value<'a>, C::Value<'a>) -> Result<Option<R>, String> + Send + Sync + 'static,
) -> Implementation {
    Arc::new(move |call, failures| {
        let (a, b, c) = (typed::<A>(call, 0)?, typed::<B>(call, 1)?, typed::<C>(call, 2)?);
        Ok(collect(call, failures, |row| f(A::get(a, row), B::get(b, row), C::get(c, row))))
    })
}

/// One argument that may be NULL.
pub fn nullable1<A: Column + ?Sized, R: Output>(
    f: impl for<'a> Fn(Option<A::Value<'a>>) -> Result<Option<R>, String> + Send + Sync + 'static,
) -> Implementation {
    Arc::new(move |call, failures| {
        let a = typed::<A>(call, 0)?;
        Ok(collect(call, failures, |row| f(option::<A>(a, row))))
    })
}

/// Two arguments that may be NULL.
pub fn nullable2<A: Column + ?Sized, B: Column + ?Sized, R: Output>(
    f: impl for<'a> Fn(Option<A::Value<'a>>, Option<B::Value<'a>>) -> Result<Option<R>, String> + Send + Sync + 'static,
) -> Implementation {
    Arc::new(move |call, failures| {
        let (a, b) = (typed::<A>(call, 0)?, typed::<B>(call, 1)?);
        Ok(collect(call, failures, |row| f(option::<A>(a, row), option::<B>(b, row))))
    })
}

/// Any number of arguments of any type, as single values; the result must be of the call's return type.
pub fn rowwise(f: impl Fn(&[Value], &CallArgs<'_>) -> Result<Value, String> + Send + Sync + 'static) -> Implementation {
    Arc::new(move |call, failures| {
        let mut builder = ColumnBuilder::new(call.return_type);
        let mut values = Vec::with_capacity(call.args.len());
        let mut next = 0;
        call.each_row(|row| {
            (next..row).for_each(|_| builder.append_null());
            next = row + 1;
            values.clear();
            values.extend(call.args.iter().zip(call.types).map(|(a, ty)| value_at(a.as_ref(), ty, row)));
            let result = f(&values, call).and_then(|v| builder.append(&v).map_err(|e| e.to_string()));
            if let Err(text) = result {
                failures.fail(row, || text);
                builder.append_null();
            }
        });
        (next..call.rows).for_each(|_| builder.append_null());
        Ok(builder.finish())
    })
}

/// The whole chunk at once: lambdas, `now`, randomness, hand-made loops.
pub fn whole(f: impl Fn(&CallArgs<'_>, &mut Failures) -> Result<ArrayRef, ExprError> + Send + Sync + 'static) -> Implementation {
    Arc::new(f)
}
