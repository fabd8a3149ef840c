//! Writing a moment by the elements of a pattern.

use chrono::{DateTime, Datelike, NaiveDate};

use super::compile::{Element, Minutes, Sign, Unit};
use super::names::{DAYS, ERAS, HALVES, MONTHS, QUARTERS, Style, ZONES, cut};
use crate::Zone;

const DAY_NANOS: i64 = 86_400_000_000_000;

/// What there is to write: a date, a time of day, a zone, or all of them.
pub(super) struct Moment<'a> {
    date: Option<NaiveDate>,
    nanos: Option<i64>,
    /// The zone, its offset in seconds, and the instant.
    zone: Option<(&'a Zone, i32, i64)>,
}

impl<'a> Moment<'a> {
    pub fn instant(epoch_millis: i64, zone: &'a Zone) -> Option<Self> {
        let seconds = zone.offset_at(epoch_millis);
        let local = DateTime::from_timestamp_millis(epoch_millis.checked_add(seconds as i64 * 1_000)?)?.naive_utc();
        let nanos = epoch_millis.checked_add(seconds as i64 * 1_000)?.rem_euclid(86_400_000) * 1_000_000;
        Some(Moment { date: Some(local.date()), nanos: Some(nanos), zone: Some((zone, seconds, epoch_millis)) })
    }

    pub fn date(epoch_days: i32) -> Option<Self> {
        let date = DateTime::from_timestamp_millis(epoch_days as i64 * 86_400_000)?.date_naive();
        Some(Moment { date: Some(date), nanos: None, zone: None })
    }

    pub fn time(millis_of_day: i32) -> Self {
        let nanos = (millis_of_day as i64 * 1_000_000).rem_euclid(DAY_NANOS);
        Moment { date: None, nanos: Some(nanos), zone: None }
    }

    pub fn print(&self, elements: &[Element], out: &mut String) -> Result<(), String> {
        elements.iter().try_for_each(|e| self.element(e, out))
    }

    fn element(&self, element: &Element, out: &mut String) -> Result<(), String> {
        match element {
            Element::Literal(text) => out.push_str(text),
            Element::Number { unit, min, max, sign, .. } => number(self.value(*unit)?, *min, *max, *sign, out)?,
            Element::ShortYear { unit } => out.push_str(&format!("{:02}", self.value(*unit)?.abs() % 100)),
            Element::Name { unit, style } => out.push_str(name_of(*unit, self.value(*unit)?, *style)),
            Element::Fraction { digits } => {
                let all = format!("{:09}", self.value(Unit::Nano)?);
                out.push_str(all.get(..*digits).unwrap_or(&all));
            }
            Element::Offset { minutes, colon, zero } => offset(self.offset()?, *minutes, *colon, zero, out),
            Element::GmtOffset { full } => gmt_offset(self.offset()?, *full, out),
            Element::ZoneId => out.push_str(&self.zone()?.0.to_string()),
            Element::ZoneName { full } => {
                let (zone, _, instant) = self.zone()?;
                let short = zone.abbreviation(instant);
                let long = ZONES.iter().find(|(s, ..)| *s == short).map(|(_, long, _)| *long);
                out.push_str(long.filter(|_| *full).unwrap_or(&short));
            }
            Element::Optional(inner) => {
                let before = out.len();
                if self.print(inner, out).is_err() {
                    out.truncate(before);
                }
            }
            Element::Padded { width, element } => {
                let mut text = String::new();
                self.element(element, &mut text)?;
                let len = text.chars().count();
                if len > *width {
                    return Err(format!("'{text}' is wider than its padding of {width}"));
                }
                out.extend(std::iter::repeat_n(' ', width - len));
                out.push_str(&text);
            }
        }
        Ok(())
    }

    fn zone(&self) -> Result<(&Zone, i32, i64), String> {
        self.zone.ok_or_else(|| "it has no time zone".to_string())
    }

    fn offset(&self) -> Result<i32, String> {
        self.zone().map(|(_, seconds, _)| seconds)
    }

    fn value(&self, unit: Unit) -> Result<i64, String> {
        let missing = || format!("it does not have {}", unit.name());
        if unit.is_date() {
            return Ok(date_value(unit, self.date.ok_or_else(missing)?));
        }
        let nanos = self.nanos.ok_or_else(missing)?;
        let hour = nanos / 3_600_000_000_000;
        Ok(match unit {
            Unit::Half => hour / 12,
            Unit::Hour => hour,
            Unit::ClockHour => {
                if hour == 0 {
                    24
                } else {
                    hour
                }
            }
            Unit::HalfHour => hour % 12,
            Unit::ClockHalfHour => {
                if hour % 12 == 0 {
                    12
                } else {
                    hour % 12
                }
            }
            Unit::Minute => nanos / 60_000_000_000 % 60,
            Unit::Second => nanos / 1_000_000_000 % 60,
            Unit::Nano => nanos % 1_000_000_000,
            Unit::MilliOfDay => nanos / 1_000_000,
            _ => nanos,
        })
    }
}

fn date_value(unit: Unit, date: NaiveDate) -> i64 {
    let year = date.year() as i64;
    // Weeks as in the United States: from Sunday, the first one holds January 1st.
    let sunday = |d: NaiveDate| d.weekday().num_days_from_sunday() as i64;
    let week = |first: NaiveDate, day: i64| (day - 1 + sunday(first)) / 7 + 1;
    let first_of = |y: i32, m: u32| NaiveDate::from_ymd_opt(y, m, 1).unwrap_or(date);
    let year_length = if date.leap_year() { 366 } else { 365 };
    // The last days of a year belong to the first week of the next when that week begins among them.
    let next_first = first_of(date.year().saturating_add(1), 1);
    let in_next = date.ordinal() as i64 > year_length - sunday(next_first);
    match unit {
        Unit::Era => (year > 0) as i64,
        Unit::Year => year,
        Unit::YearOfEra => {
            if year > 0 {
                year
            } else {
                1 - year
            }
        }
        Unit::WeekYear => year + in_next as i64,
        Unit::Quarter => (date.month0() / 3 + 1) as i64,
        Unit::Month => date.month() as i64,
        Unit::WeekOfYear if in_next => 1,
        Unit::WeekOfYear => week(first_of(date.year(), 1), date.ordinal() as i64),
        Unit::WeekOfMonth => week(first_of(date.year(), date.month()), date.day() as i64),
        Unit::Day => date.day() as i64,
        Unit::DayOfYear => date.ordinal() as i64,
        Unit::Occurrence => ((date.day() - 1) / 7 + 1) as i64,
        Unit::DayOfWeek => date.weekday().number_from_monday() as i64,
        _ => sunday(date) + 1,
    }
}

fn number(value: i64, min: usize, max: usize, sign: Sign, out: &mut String) -> Result<(), String> {
    let digits = value.unsigned_abs().to_string();
    if digits.len() > max {
        return Err(format!("{value} has more than {max} digits"));
    }
    match (value < 0, sign) {
        (true, Sign::Never) => return Err(format!("{value} is negative")),
        (true, _) => out.push('-'),
        (false, Sign::ExceedsPad) if digits.len() > min => out.push('+'),
        _ => {}
    }
    out.push_str(&format!("{digits:0>min$}"));
    Ok(())
}

fn name_of(unit: Unit, value: i64, style: Style) -> &'static str {
    let at = |first: i64| usize::try_from(value - first).unwrap_or(0);
    match unit {
        Unit::Era => {
            let (short, full, narrow) = ERAS.get(at(0)).copied().unwrap_or_default();
            match style {
                Style::Short => short,
                Style::Full => full,
                Style::Narrow => narrow,
            }
        }
        Unit::Month => cut(MONTHS.get(at(1)).copied().unwrap_or_default(), style),
        Unit::DayOfWeek => cut(DAYS.get(at(1)).copied().unwrap_or_default(), style),
        Unit::Quarter => match style {
            Style::Full => QUARTERS.get(at(1)).copied().unwrap_or_default(),
            Style::Short => ["Q1", "Q2", "Q3", "Q4"].get(at(1)).copied().unwrap_or_default(),
            Style::Narrow => ["1", "2", "3", "4"].get(at(1)).copied().unwrap_or_default(),
        },
        _ => HALVES.get(at(0)).copied().unwrap_or_default(),
    }
}

fn offset(seconds: i32, minutes: Minutes, colon: bool, zero: &str, out: &mut String) {
    let size = seconds.abs();
    let (h, m, s) = (size / 3600, size / 60 % 60, size % 60);
    let shows_seconds = minutes == Minutes::AndSecondsIfAny && s != 0;
    if h == 0 && m == 0 && !shows_seconds {
        out.push_str(zero);
        return;
    }
    let separator = if colon { ":" } else { "" };
    out.push_str(&format!("{}{h:02}", if seconds < 0 { '-' } else { '+' }));
    if minutes != Minutes::IfAny || m != 0 {
        out.push_str(&format!("{separator}{m:02}"));
    }
    if shows_seconds {
        out.push_str(&format!("{separator}{s:02}"));
    }
}

fn gmt_offset(seconds: i32, full: bool, out: &mut String) {
    out.push_str("GMT");
    let size = seconds.abs();
    let (h, m, s) = (size / 3600, size / 60 % 60, size % 60);
    if size == 0 {
        return;
    }
    out.push(if seconds < 0 { '-' } else { '+' });
    if full {
        out.push_str(&format!("{h:02}:{m:02}"));
    } else {
        out.push_str(&h.to_string());
        if m != 0 || s != 0 {
            out.push_str(&format!(":{m:02}"));
        }
    }
    if s != 0 {
        out.push_str(&format!(":{s:02}"));
    }
}
