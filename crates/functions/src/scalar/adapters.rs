//! Adapters for shapes of functions that crate `expr` has none for: any number of arguments of one type, and typed
//! arguments together with a value that is costly to make and mostly the same from row to row.

use arrow::array::{Array, ArrayRef};
use flumen_expr::function::{CallArgs, Column, Implementation, Output, whole};
use flumen_expr::{ExprError, Failures};
use flumen_types::{ColumnBuilder, Value};

/// A typed argument column.
pub(super) fn column<'a, C: Column + ?Sized>(call: &'a CallArgs<'_>, position: usize) -> Result<&'a C::Array, ExprError> {
    let found = call.args.get(position).and_then(|a| C::array(a));
    found.ok_or_else(|| ExprError::user(format!("argument {} has not the type the function is made for", position + 1)))
}

/// The value at a row; `None` for NULL.
pub(super) fn cell<C: Column + ?Sized>(array: &C::Array, row: usize) -> Option<C::Value<'_>> {
    array.is_valid(row).then(|| C::get(array, row))
}

/// Builds a typed result for the rows to compute; the others are NULL.
pub(super) fn build<R: Output>(
    call: &CallArgs<'_>,
    failures: &mut Failures,
    mut f: impl FnMut(usize) -> Result<Option<R>, String>,
) -> ArrayRef {
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

/// Any number of arguments of one type, NULLs among them.
pub(super) fn variadic<C: Column + ?Sized, R: Output>(
    f: impl for<'a> Fn(&[Option<C::Value<'a>>]) -> Result<Option<R>, String> + Send + Sync + 'static,
) -> Implementation {
    whole(move |call, failures| {
        let columns = (0..call.args.len()).map(|i| column::<C>(call, i)).collect::<Result<Vec<_>, _>>()?;
        let mut cells = Vec::with_capacity(columns.len());
        Ok(build(call, failures, |row| {
            cells.clear();
            cells.extend(columns.iter().map(|c| cell::<C>(c, row)));
            f(&cells)
        }))
    })
}

/// A value made from text, kept while the text stays the same: a compiled pattern, a time zone.
pub(super) struct Made<T> {
    kept: Option<(String, Result<T, String>)>,
    make: fn(&str) -> Result<T, String>,
}

impl<T> Made<T> {
    /// Nothing made yet.
    pub fn new(make: fn(&str) -> Result<T, String>) -> Self {
        Made { kept: None, make }
    }

    /// The value for this text.
    pub fn of(&mut self, text: &str) -> Result<&T, String> {
        if self.kept.as_ref().is_none_or(|(known, _)| known != text) {
            self.kept = Some((text.to_string(), (self.make)(text)));
        }
        match &self.kept {
            Some((_, Ok(value))) => Ok(value),
            Some((_, Err(why))) => Err(why.clone()),
            None => Err("nothing was made".to_string()),
        }
    }
}

/// As [`build`] for results of any type, as single values.
pub(super) fn build_values(call: &CallArgs<'_>, failures: &mut Failures, mut f: impl FnMut(usize) -> Result<Value, String>) -> ArrayRef {
    let mut builder = ColumnBuilder::new(call.return_type);
    let mut next = 0;
    call.each_row(|row| {
        (next..row).for_each(|_| builder.append_null());
        next = row + 1;
        if let Err(text) = f(row).and_then(|v| builder.append(&v).map_err(|e| e.to_string())) {
            failures.fail(row, || text);
            builder.append_null();
        }
    });
    (next..call.rows).for_each(|_| builder.append_null());
    builder.finish()
}
