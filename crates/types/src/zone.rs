//! Time zones by name or offset, and how local time relates to instants in them.

use std::fmt;

use chrono::{DateTime, LocalResult, Offset, TimeDelta, TimeZone};
use chrono_tz::{OffsetName, Tz};

use crate::TypeError;

/// A time zone: a fixed offset or a region of the tz database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zone(Rules);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Rules {
    Fixed { id: String, seconds: i32 },
    Region(Tz),
}

/// Farthest offset from UTC, in hours.
const MAX_OFFSET_HOURS: i32 = 18;

impl Zone {
    /// Coordinated universal time.
    pub fn utc() -> Zone {
        Zone(Rules::Fixed { id: "UTC".to_string(), seconds: 0 })
    }

    /// Greenwich mean time: UTC under the name that time patterns print by default.
    pub fn gmt() -> Zone {
        Zone(Rules::Fixed { id: "GMT".to_string(), seconds: 0 })
    }

    /// A fixed offset in seconds east of UTC.
    pub fn fixed(seconds: i32) -> Zone {
        Zone(Rules::Fixed { id: offset_id(seconds), seconds })
    }

    /// Reads a zone as Java's `ZoneId.of` does: `Z`, `+01:00`, `UTC`, `GMT+1`, `Europe/Paris`.
    pub fn parse(text: &str) -> Result<Zone, TypeError> {
        Zone::find(text.trim()).ok_or_else(|| TypeError::Unreadable {
            text: text.to_string(),
            wanted: "a time zone".to_string(),
            why: "give a region such as Europe/Paris, or an offset such as +01:00".to_string(),
        })
    }

    pub(crate) fn find(text: &str) -> Option<Zone> {
        if text.eq_ignore_ascii_case("Z") {
            return Some(Zone(Rules::Fixed { id: "Z".to_string(), seconds: 0 }));
        }
        if text.starts_with(['+', '-']) {
            return read_offset(text).map(Zone::fixed);
        }
        for name in ["UTC", "GMT", "UT"] {
            let Some((head, tail)) = text.split_at_checked(name.len()) else { continue };
            if !head.eq_ignore_ascii_case(name) {
                continue;
            }
            if tail.is_empty() {
                return Some(Zone(Rules::Fixed { id: name.to_string(), seconds: 0 }));
            }
            if tail.starts_with(['+', '-']) {
                let seconds = read_offset(tail)?;
                let id = if seconds == 0 { name.to_string() } else { format!("{name}{}", offset_id(seconds)) };
                return Some(Zone(Rules::Fixed { id, seconds }));
            }
        }
        text.parse::<Tz>().ok().map(|tz| Zone(Rules::Region(tz)))
    }

    /// Seconds east of UTC at an instant, given in epoch milliseconds.
    pub fn offset_at(&self, epoch_millis: i64) -> i32 {
        match &self.0 {
            Rules::Fixed { seconds, .. } => *seconds,
            Rules::Region(tz) => match DateTime::from_timestamp_millis(epoch_millis) {
                Some(t) => tz.offset_from_utc_datetime(&t.naive_utc()).fix().local_minus_utc(),
                None => 0,
            },
        }
    }

    /// The instant of a local time, both in milliseconds. A time that the clocks skip is moved forward by the gap; of
    /// two instants with the same local time the earlier is taken.
    pub fn to_instant(&self, local_millis: i64) -> i64 {
        let seconds = match &self.0 {
            Rules::Fixed { seconds, .. } => *seconds,
            Rules::Region(tz) => {
                let offset = |millis: i64| {
                    let local = DateTime::from_timestamp_millis(millis)?.naive_utc();
                    match tz.offset_from_local_datetime(&local) {
                        LocalResult::Single(o) | LocalResult::Ambiguous(o, _) => Some(o.fix().local_minus_utc()),
                        LocalResult::None => None,
                    }
                };
                // In a gap the offset before it counts; no gap is as long as a day.
                let day = TimeDelta::days(1).num_milliseconds();
                offset(local_millis).or_else(|| offset(local_millis.saturating_sub(day))).unwrap_or(0)
            }
        };
        local_millis.saturating_sub(seconds as i64 * 1_000)
    }

    /// The short name at an instant: `UTC`, `PST`, `CEST`.
    pub(crate) fn abbreviation(&self, epoch_millis: i64) -> String {
        match &self.0 {
            Rules::Fixed { id, .. } => id.clone(),
            Rules::Region(tz) => DateTime::from_timestamp_millis(epoch_millis)
                .and_then(|t| tz.offset_from_utc_datetime(&t.naive_utc()).abbreviation().map(str::to_string))
                .unwrap_or_else(|| tz.name().to_string()),
        }
    }
}

/// The zone's id.
impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Rules::Fixed { id, .. } => f.write_str(id),
            Rules::Region(tz) => f.write_str(tz.name()),
        }
    }
}

/// `Z`, `+01:00`, `-03:30:15`.
fn offset_id(seconds: i32) -> String {
    if seconds == 0 {
        return "Z".to_string();
    }
    let (sign, size) = (if seconds < 0 { '-' } else { '+' }, seconds.abs());
    let (h, m, s) = (size / 3600, size / 60 % 60, size % 60);
    if s == 0 { format!("{sign}{h:02}:{m:02}") } else { format!("{sign}{h:02}:{m:02}:{s:02}") }
}

/// Reads `+h`, `+hh`, `+hh:mm`, `+hhmm`, `+hh:mm:ss`, `+hhmmss` as seconds.
fn read_offset(text: &str) -> Option<i32> {
    let (sign, digits) = match text.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let parts: Vec<&str> = match digits.contains(':') {
        true => digits.split(':').collect(),
        false if digits.len() <= 2 => vec![digits],
        false => digits.as_bytes().chunks(2).map(|c| std::str::from_utf8(c).unwrap_or("x")).collect(),
    };
    if parts.len() > 3 {
        return None;
    }
    let number = |i: usize| -> Option<i32> {
        let Some(part) = parts.get(i) else { return Some(0) };
        let width_ok = part.len() == 2 || (i == 0 && part.len() == 1 && parts.len() == 1);
        (width_ok && part.bytes().all(|b| b.is_ascii_digit())).then(|| part.parse().ok())?
    };
    let (h, m, s) = (number(0)?, number(1)?, number(2)?);
    let total = h * 3600 + m * 60 + s;
    (m < 60 && s < 60 && total <= MAX_OFFSET_HOURS * 3600).then_some(sign * total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_are_named_or_offsets() {
        for (text, id) in [("Z", "Z"), ("+1", "+01:00"), ("-0330", "-03:30"), ("UTC", "UTC"), ("GMT+2", "GMT+02:00")] {
            assert_eq!(Zone::parse(text).unwrap().to_string(), id);
        }
        assert_eq!(Zone::parse("Europe/Paris").unwrap().offset_at(0), 3600);
        for bad in ["", "Nowhere/City", "+19:00", "+1:2", "+é", "UTC+x"] {
            assert!(Zone::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn gaps_move_forward_and_overlaps_take_the_earlier() {
        let zone = Zone::parse("America/Los_Angeles").unwrap();
        let at = |text: &str| crate::parse_timestamp(text).unwrap();
        assert_eq!(zone.to_instant(at("2021-03-14T02:30")), at("2021-03-14T10:30"));
        assert_eq!(zone.to_instant(at("2021-11-07T01:30")), at("2021-11-07T08:30"));
        assert_eq!(zone.to_instant(at("2021-07-01T00:00")), at("2021-07-01T07:00"));
        assert_eq!(zone.abbreviation(at("2021-07-01T00:00")), "PDT");
    }
}
