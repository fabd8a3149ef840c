//! FROM_DAYS, FROM_UNIXTIME, UNIX_DATE and UNIX_TIMESTAMP.

use flumen_expr::function::{BIGINT, DATE, Date, INTEGER, ScalarFunction, Signature, TIMESTAMP, Timestamp, map1, whole};

use super::adapters::build;

pub(super) fn all() -> Vec<ScalarFunction> {
    vec![
        named("FROM_DAYS", "The date of a number of days since 1970-01-01.")
            .overload(Signature::new([INTEGER], DATE).required(&[0]), map1::<i32, Date>(|days| Ok(Some(Date(days))))),
        named("FROM_UNIXTIME", "The timestamp of a number of milliseconds since 1970-01-01T00:00Z.")
            .overload(Signature::new([BIGINT], TIMESTAMP), map1::<i64, Timestamp>(|millis| Ok(Some(Timestamp(millis))))),
        named("UNIX_DATE", "The days since 1970-01-01 of today, in UTC, or of a date.")
            .overload(
                Signature::new([], INTEGER),
                whole(|call, failures| Ok(build(call, failures, |_| Ok(Some(call.now_ms.div_euclid(86_400_000) as i32))))),
            )
            .overload(Signature::new([DATE], INTEGER), map1::<Date, i32>(|date| Ok(Some(date.0)))),
        named("UNIX_TIMESTAMP", "The milliseconds since 1970-01-01T00:00Z of now, or of a timestamp.")
            .overload(Signature::new([], BIGINT), whole(|call, failures| Ok(build(call, failures, |_| Ok(Some(call.now_ms))))))
            .overload(Signature::new([TIMESTAMP], BIGINT), map1::<Timestamp, i64>(|time| Ok(Some(time.0)))),
    ]
}

fn named(name: &'static str, description: &'static str) -> ScalarFunction {
    ScalarFunction::new(name, "DATE / TIME", description)
}
