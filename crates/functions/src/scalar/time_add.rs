//! Adding intervals to times: DATEADD, DATESUB, TIMEADD, TIMESUB, TIMESTAMPADD, TIMESTAMPSUB.

use flumen_expr::function::{
    CallArgs, Column, DATE, Date, INTEGER, Implementation, Output, ParamType, ScalarFunction, Signature, TIME, TIMESTAMP, Time, Timestamp,
    UNIT, whole,
};
use flumen_types::Value;

use super::adapters::{build, cell, column};

const DAY_MILLIS: i64 = 86_400_000;

pub(super) fn all() -> Vec<ScalarFunction> {
    vec![
        shift("DATEADD", "DATE", "A date moved on by an interval, in whole days.", DATE, 1, date),
        shift("DATESUB", "DATE", "A date moved back by an interval, in whole days.", DATE, -1, date),
        shift("TIMEADD", "TIME", "A time of day moved on by an interval, around midnight if need be.", TIME, 1, time),
        shift("TIMESUB", "TIME", "A time of day moved back by an interval, around midnight if need be.", TIME, -1, time),
        shift("TIMESTAMPADD", "TIMESTAMP", "A timestamp moved on by an interval.", TIMESTAMP, 1, timestamp),
        shift("TIMESTAMPSUB", "TIMESTAMP", "A timestamp moved back by an interval.", TIMESTAMP, -1, timestamp),
    ]
}

fn shift<C: Column + Output + Copy + for<'a> Column<Value<'a> = C>>(
    name: &'static str,
    category: &'static str,
    description: &'static str,
    ty: ParamType,
    sign: i64,
    add: fn(C, i64) -> Option<C>,
) -> ScalarFunction {
    ScalarFunction::new(name, category, description).overload(Signature::new([UNIT, INTEGER, ty.clone()], ty), added::<C>(sign, add))
}

fn added<C: Column + Output + for<'a> Column<Value<'a> = C>>(sign: i64, add: fn(C, i64) -> Option<C>) -> Implementation {
    whole(move |call: &CallArgs<'_>, failures| {
        let unit = unit_millis(call.constants.first());
        let (counts, times) = (column::<i32>(call, 1)?, column::<C>(call, 2)?);
        Ok(build(call, failures, |row| {
            let (Some(count), Some(time)) = (cell::<i32>(counts, row), cell::<C>(times, row)) else { return Ok(None) };
            let unit = unit.ok_or("the unit must be MILLISECONDS, SECONDS, MINUTES, HOURS or DAYS")?;
            let moved = unit.checked_mul(count as i64 * sign).and_then(|by| add(time, by));
            moved.map(Some).ok_or_else(|| "the result is out of range".to_string())
        }))
    })
}

fn unit_millis(unit: Option<&Option<Value>>) -> Option<i64> {
    let Some(Some(Value::String(name))) = unit else { return None };
    match name.as_str() {
        "MILLISECONDS" => Some(1),
        "SECONDS" => Some(1_000),
        "MINUTES" => Some(60_000),
        "HOURS" => Some(3_600_000),
        "DAYS" => Some(DAY_MILLIS),
        _ => None,
    }
}

fn date(date: Date, by: i64) -> Option<Date> {
    let millis = (date.0 as i64 * DAY_MILLIS).checked_add(by)?;
    i32::try_from(millis.div_euclid(DAY_MILLIS)).ok().map(Date)
}

fn time(time: Time, by: i64) -> Option<Time> {
    Some(Time((time.0 as i64).checked_add(by)?.rem_euclid(DAY_MILLIS) as i32))
}

fn timestamp(timestamp: Timestamp, by: i64) -> Option<Timestamp> {
    timestamp.0.checked_add(by).map(Timestamp)
}
