//! The older names for formatting and reading times, on INTEGER days and BIGINT milliseconds.

use flumen_expr::function::{BIGINT, INTEGER, STRING, ScalarFunction, Signature};

use super::time_format::format;
use super::time_parse::parse;

pub(super) fn all() -> Vec<ScalarFunction> {
    vec![
        named("DATETOSTRING", "Deprecated, use FORMAT_DATE: days since 1970-01-01 as text by a pattern.")
            .overload(Signature::new([INTEGER, STRING], STRING).required(&[0, 1]), format::<i32>(|p, days, _| p.format_date(days))),
        named("STRINGTODATE", "Deprecated, use PARSE_DATE: days since 1970-01-01 from text by a pattern.")
            .overload(Signature::new([STRING, STRING], INTEGER).required(&[0, 1]), parse(|p, text, _| p.parse_date(text))),
        named("TIMESTAMPTOSTRING", "Deprecated, use FORMAT_TIMESTAMP: epoch milliseconds as text by a pattern.")
            .overload(
                Signature::new([BIGINT, STRING], STRING).required(&[0, 1]),
                format::<i64>(|p, millis, z| p.format_timestamp(millis, z)),
            )
            .overload(
                Signature::new([BIGINT, STRING, STRING], STRING).required(&[0, 1, 2]),
                format::<i64>(|p, millis, z| p.format_timestamp(millis, z)),
            ),
        named("STRINGTOTIMESTAMP", "Deprecated, use PARSE_TIMESTAMP: epoch milliseconds from text by a pattern.")
            .overload(Signature::new([STRING, STRING], BIGINT).required(&[0, 1]), parse(|p, text, at| p.parse_timestamp(text, at.zone)))
            .overload(
                Signature::new([STRING, STRING, STRING], BIGINT).required(&[0, 1, 2]),
                parse(|p, text, at| p.parse_timestamp(text, at.zone)),
            ),
    ]
}

fn named(name: &'static str, description: &'static str) -> ScalarFunction {
    ScalarFunction::new(name, "DATE / TIME", description)
}
