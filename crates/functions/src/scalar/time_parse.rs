//! PARSE_DATE, PARSE_TIME and PARSE_TIMESTAMP.

use flumen_expr::function::{
    DATE, Date, Implementation, Output, ParamType, STRING, ScalarFunction, Signature, TIME, TIMESTAMP, Time, Timestamp, whole,
};
use flumen_types::{TimePattern, TypeError, Zone};

use super::adapters::{Made, build, column};
use super::time_format::pattern;
use super::time_zone::zone;

pub(super) fn all() -> Vec<ScalarFunction> {
    vec![
        named("PARSE_DATE", "A date from text by a pattern such as yyyy-MM-dd.")
            .overload(two(DATE), parse(|p, text, at| p.parse_date_lenient(text, at.year).map(Date))),
        named("PARSE_TIME", "A time of day from text by a pattern such as HH:mm:ss.")
            .overload(two(TIME), parse(|p, text, _| p.parse_time(text).map(Time))),
        named("PARSE_TIMESTAMP", "A timestamp from text by a pattern; the zone is GMT unless given, or in the text.")
            .overload(two(TIMESTAMP), parse(|p, text, at| p.parse_timestamp(text, at.zone).map(Timestamp)))
            .overload(
                Signature::new([STRING, STRING, STRING], TIMESTAMP),
                parse(|p, text, at| p.parse_timestamp(text, at.zone).map(Timestamp)),
            ),
    ]
}

fn named(name: &'static str, description: &'static str) -> ScalarFunction {
    ScalarFunction::new(name, "DATE / TIME", description)
}

fn two(ty: ParamType) -> Signature {
    Signature::new([STRING, STRING], ty)
}

/// What reading a time depends on besides the text.
pub(super) struct Circumstances<'a> {
    pub zone: &'a Zone,
    /// The present year.
    pub year: i32,
}

/// A function of (text, pattern) or (text, pattern, zone).
pub(super) fn parse<R: Output>(f: fn(&TimePattern, &str, &Circumstances<'_>) -> Result<R, TypeError>) -> Implementation {
    whole(move |call, failures| {
        let (texts, patterns) = (column::<str>(call, 0)?, column::<str>(call, 1)?);
        let zones = if call.args.len() > 2 { Some(column::<str>(call, 2)?) } else { None };
        let (mut made, mut made_zone, gmt) = (Made::new(pattern), Made::new(zone), Zone::gmt());
        // Years of 365.2425 days: right but for the first and last day of a year.
        let year = 1970 + call.now_ms.div_euclid(31_556_952_000) as i32;
        Ok(build(call, failures, |row| {
            let zone = match zones {
                Some(zones) => made_zone.of(zones.value(row))?,
                None => &gmt,
            };
            let pattern = made.of(patterns.value(row))?;
            f(pattern, texts.value(row), &Circumstances { zone, year }).map(Some).map_err(|e| e.to_string())
        }))
    })
}
