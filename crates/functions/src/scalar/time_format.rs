//! FORMAT_DATE, FORMAT_TIME and FORMAT_TIMESTAMP.

use flumen_expr::function::{
    Column, DATE, Date, Implementation, ParamType, STRING, ScalarFunction, Signature, TIME, TIMESTAMP, Time, Timestamp, whole,
};
use flumen_types::{TimePattern, TypeError, Zone};

use super::adapters::{Made, build, column};
use super::time_zone::zone;

pub(super) fn all() -> Vec<ScalarFunction> {
    vec![
        named("FORMAT_DATE", "A date as text by a pattern such as yyyy-MM-dd.")
            .overload(two(DATE), format::<Date>(|p, d, _| p.format_date(d.0))),
        named("FORMAT_TIME", "A time of day as text by a pattern such as HH:mm:ss.")
            .overload(two(TIME), format::<Time>(|p, t, _| p.format_time(t.0))),
        named("FORMAT_TIMESTAMP", "A timestamp as text by a pattern, as local time of GMT or of the zone given.")
            .overload(two(TIMESTAMP), format::<Timestamp>(|p, t, z| p.format_timestamp(t.0, z)))
            .overload(Signature::new([TIMESTAMP, STRING, STRING], STRING), format::<Timestamp>(|p, t, z| p.format_timestamp(t.0, z))),
    ]
}

fn named(name: &'static str, description: &'static str) -> ScalarFunction {
    ScalarFunction::new(name, "DATE / TIME", description)
}

fn two(ty: ParamType) -> Signature {
    Signature::new([ty, STRING], STRING)
}

/// Compiles a time pattern.
pub(super) fn pattern(text: &str) -> Result<TimePattern, String> {
    TimePattern::new(text).map_err(|e| e.to_string())
}

/// A function of (time, pattern) or (time, pattern, zone).
pub(super) fn format<C: Column>(f: for<'a> fn(&TimePattern, C::Value<'a>, &Zone) -> Result<String, TypeError>) -> Implementation {
    whole(move |call, failures| {
        let (times, patterns) = (column::<C>(call, 0)?, column::<str>(call, 1)?);
        let zones = if call.args.len() > 2 { Some(column::<str>(call, 2)?) } else { None };
        let (mut made, mut made_zone, gmt) = (Made::new(pattern), Made::new(zone), Zone::gmt());
        Ok(build(call, failures, |row| {
            let zone = match zones {
                Some(zones) => made_zone.of(zones.value(row))?,
                None => &gmt,
            };
            f(made.of(patterns.value(row))?, C::get(times, row), zone).map(Some).map_err(|e| e.to_string())
        }))
    })
}
