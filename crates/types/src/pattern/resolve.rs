//! From the fields that were read to dates, times and instants.

use chrono::{Datelike, Days, NaiveDate};

use super::compile::Unit;
use crate::Zone;

const EPOCH_DAY_FROM_CE: i64 = 719_163;
const DAY_MILLIS: i64 = 86_400_000;

/// What was read.
#[derive(Debug, Clone, Default)]
pub(super) struct Fields {
    values: [Option<i64>; Unit::COUNT],
    /// Seconds east of UTC.
    pub offset: Option<i32>,
    pub zone: Option<Zone>,
}

impl Fields {
    /// Keeps a field; an error when it was read before with another value.
    pub fn set(&mut self, unit: Unit, value: i64) -> Result<(), String> {
        match self.values.get_mut(unit as usize) {
            Some(Some(before)) if *before != value => Err(format!("{} is given twice with different values", unit.name())),
            Some(slot) => {
                *slot = Some(value);
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn get(&self, unit: Unit) -> Option<i64> {
        self.values.get(unit as usize).copied().flatten()
    }

    /// A field within its range.
    fn checked(&self, unit: Unit, low: i64, high: i64) -> Result<Option<i64>, String> {
        match self.get(unit) {
            Some(v) if v < low || v > high => Err(format!("{} of {v} is not between {low} and {high}", unit.name())),
            other => Ok(other),
        }
    }

    /// Milliseconds of the day; `None` when no part of a time was read.
    fn time(&self) -> Result<Option<i64>, String> {
        if let Some(nanos) = self.checked(Unit::NanoOfDay, 0, DAY_MILLIS * 1_000_000 - 1)? {
            return Ok(Some(nanos / 1_000_000));
        }
        if let Some(millis) = self.checked(Unit::MilliOfDay, 0, DAY_MILLIS - 1)? {
            return Ok(Some(millis));
        }
        let half = self.get(Unit::Half);
        let clock = self.checked(Unit::ClockHour, 1, 24)?.map(|h| h % 24);
        let in_half = self.checked(Unit::HalfHour, 0, 11)?;
        let clock_in_half = self.checked(Unit::ClockHalfHour, 1, 12)?.map(|h| h % 12);
        let half_hour = in_half.or(clock_in_half).map(|h| h + half.unwrap_or(0) * 12);
        let hour = self.checked(Unit::Hour, 0, 23)?.or(clock).or(half_hour).or(half.map(|h| h * 12));
        let minute = self.checked(Unit::Minute, 0, 59)?;
        let second = self.checked(Unit::Second, 0, 59)?;
        let nano = self.checked(Unit::Nano, 0, 999_999_999)?;
        if hour.or(minute).or(second).or(nano).is_none() {
            return Ok(None);
        }
        let seconds = (hour.unwrap_or(0) * 60 + minute.unwrap_or(0)) * 60 + second.unwrap_or(0);
        Ok(Some(seconds * 1_000 + nano.unwrap_or(0) / 1_000_000))
    }

    fn year(&self) -> Result<Option<i64>, String> {
        let of_era = self.get(Unit::YearOfEra).map(|y| if self.get(Unit::Era) == Some(0) { 1i64.saturating_sub(y) } else { y });
        let year = self.get(Unit::Year).or(of_era).or(self.get(Unit::WeekYear));
        match year {
            Some(y) if i32::try_from(y).is_err() => Err(format!("a year of {y} is out of range")),
            other => Ok(other),
        }
    }

    /// The date and whether it was given whole.
    fn date(&self) -> Result<(NaiveDate, bool), String> {
        let year = self.year()?;
        let month = self.checked(Unit::Month, 1, 12)?;
        let quarter = self.checked(Unit::Quarter, 1, 4)?;
        let day = self.checked(Unit::Day, 1, 31)?;
        let y = year.unwrap_or(1970) as i32;
        let out_of_range = || format!("a year of {y} is out of range");
        if let Some(ordinal) = self.checked(Unit::DayOfYear, 1, 366)? {
            let date = NaiveDate::from_yo_opt(y, ordinal as u32).ok_or_else(|| format!("the year {y} has no day {ordinal}"))?;
            return self.on_weekday(date, year.is_some());
        }
        let m = month.or(quarter.map(|q| q * 3 - 2)).unwrap_or(1) as u32;
        let first = NaiveDate::from_ymd_opt(y, m, 1).ok_or_else(out_of_range)?;
        // A day beyond the end of its month is the last of it.
        let d = (day.unwrap_or(1) as u32).min(first.num_days_in_month() as u32);
        let date = first.with_day(d).ok_or_else(out_of_range)?;
        self.on_weekday(date, year.is_some() && month.is_some() && day.is_some())
    }

    /// Checks the day of the week of a whole date; moves any other date to it within its week.
    fn on_weekday(&self, date: NaiveDate, whole: bool) -> Result<(NaiveDate, bool), String> {
        let local = self.checked(Unit::LocalDayOfWeek, 1, 7)?.map(|d| (d + 5) % 7 + 1);
        let Some(wanted) = self.get(Unit::DayOfWeek).or(local) else { return Ok((date, whole)) };
        let found = date.weekday().number_from_monday() as i64;
        if found == wanted {
            return Ok((date, whole));
        }
        if whole {
            return Err(format!("{date} is not on that day of the week"));
        }
        let monday = date.checked_sub_days(Days::new((found - 1).unsigned_abs()));
        let moved = monday.and_then(|d| d.checked_add_days(Days::new((wanted - 1).unsigned_abs())));
        moved.map(|d| (d, whole)).ok_or_else(|| format!("{date} is out of range"))
    }

    pub fn timestamp(&self, zone: &Zone) -> Result<i64, String> {
        let (date, _) = self.date()?;
        let local = epoch_days(date) * DAY_MILLIS + self.time()?.unwrap_or(0);
        Ok(match (self.offset, &self.zone) {
            (Some(seconds), _) => local - seconds as i64 * 1_000,
            (None, Some(read)) => read.to_instant(local),
            (None, None) => zone.to_instant(local),
        })
    }

    pub fn whole_date(&self) -> Result<i32, String> {
        match self.date()? {
            (date, true) => i32::try_from(epoch_days(date)).map_err(|_| "the date is out of range".to_string()),
            _ => Err("it does not give a whole date: year, month and day".to_string()),
        }
    }

    pub fn time_only(&self) -> Result<i32, String> {
        let date_part = self.values.iter().take(Unit::Half as usize).any(Option::is_some);
        if date_part {
            return Err("the pattern of a time contains parts of a date".to_string());
        }
        let hour = [Unit::Hour, Unit::ClockHour, Unit::HalfHour, Unit::ClockHalfHour, Unit::MilliOfDay, Unit::NanoOfDay];
        if !hour.iter().any(|u| self.get(*u).is_some()) {
            return Err("it does not give the hour".to_string());
        }
        let halved = self.get(Unit::HalfHour).or(self.get(Unit::ClockHalfHour)).is_some();
        if halved && self.get(Unit::Half).is_none() && self.get(Unit::Hour).is_none() {
            return Err("it does not say whether the hour is AM or PM".to_string());
        }
        Ok(self.time()?.unwrap_or(0) as i32)
    }

    /// The date with everything out of range carried over; a time of day other than midnight UTC is an error.
    pub fn lenient_date(&self) -> Result<i32, String> {
        let out_of_range = || "the date is out of range".to_string();
        let year = self.year()?.unwrap_or(1970);
        let months = self.get(Unit::Month).unwrap_or(1) - 1;
        let (year, month) = match self.get(Unit::DayOfYear) {
            Some(_) => (year, 0),
            None => (year + months.div_euclid(12), months.rem_euclid(12)),
        };
        let first = i32::try_from(year).ok().and_then(|y| NaiveDate::from_ymd_opt(y, month as u32 + 1, 1)).ok_or_else(out_of_range)?;
        let day = self.get(Unit::DayOfYear).or(self.get(Unit::Day)).unwrap_or(1) - 1;
        let half = self.get(Unit::Half).unwrap_or(0) * 12;
        let in_half = self.get(Unit::HalfHour).or(self.get(Unit::ClockHalfHour).map(|h| if h == 12 { 0 } else { h }));
        let clock = self.get(Unit::ClockHour).map(|h| if h == 24 { 0 } else { h });
        let hour = self.get(Unit::Hour).or(clock).or(in_half.map(|h| h + half)).unwrap_or(0);
        let minutes = hour * 60 + self.get(Unit::Minute).unwrap_or(0);
        let millis = (minutes * 60 + self.get(Unit::Second).unwrap_or(0)) * 1_000 + self.get(Unit::Nano).unwrap_or(0) / 1_000_000;
        let local = (epoch_days(first) + day) * DAY_MILLIS + millis;
        let instant = match (self.offset, &self.zone) {
            (Some(seconds), _) => local - seconds as i64 * 1_000,
            (None, Some(zone)) => zone.to_instant(local),
            (None, None) => local,
        };
        if instant.rem_euclid(DAY_MILLIS) != 0 {
            return Err("the text gives a time of day, which a date does not have".to_string());
        }
        i32::try_from(instant.div_euclid(DAY_MILLIS)).map_err(|_| out_of_range())
    }
}

fn epoch_days(date: NaiveDate) -> i64 {
    date.num_days_from_ce() as i64 - EPOCH_DAY_FROM_CE
}
