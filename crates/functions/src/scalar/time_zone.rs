//! CONVERT_TZ.

use flumen_expr::function::{STRING, ScalarFunction, Signature, TIMESTAMP, Timestamp, whole};
use flumen_types::Zone;

use super::adapters::{Made, build, column};

pub(super) fn all() -> Vec<ScalarFunction> {
    vec![ScalarFunction::new("CONVERT_TZ", "TIMESTAMP", "A local timestamp of one time zone as that of another.").overload(
        Signature::new([TIMESTAMP, STRING, STRING], TIMESTAMP),
        whole(|call, failures| {
            let (times, from, to) = (column::<Timestamp>(call, 0)?, column::<str>(call, 1)?, column::<str>(call, 2)?);
            let (mut from_zone, mut to_zone) = (Made::new(zone), Made::new(zone));
            Ok(build(call, failures, |row| {
                let millis = times.value(row);
                let from = from_zone.of(from.value(row))?.offset_at(millis) as i64;
                let to = to_zone.of(to.value(row))?.offset_at(millis) as i64;
                let moved = millis.checked_add((to - from) * 1_000).ok_or("the result is out of range")?;
                Ok(Some(Timestamp(moved)))
            }))
        }),
    )]
}

/// Reads a time zone.
pub(super) fn zone(text: &str) -> Result<Zone, String> {
    Zone::parse(text).map_err(|e| e.to_string())
}
