//! Time patterns in the letters of Java's `DateTimeFormatter`: `yyyy-MM-dd'T'HH:mm:ss.SSSX`.
//!
//! A pattern is compiled once and then formats and reads dates, times and timestamps. Reading ignores case. Names of
//! months, days and so on are English.

mod compile;
mod names;
mod print;
mod read;
mod resolve;

use crate::{TypeError, Zone};
use compile::Element;

/// A compiled time pattern.
#[derive(Debug, Clone)]
pub struct TimePattern {
    text: String,
    elements: Vec<Element>,
}

impl TimePattern {
    /// Compiles a pattern.
    pub fn new(pattern: &str) -> Result<TimePattern, TypeError> {
        let elements = compile::compile(pattern).map_err(|why| TypeError::InvalidPattern { pattern: pattern.to_string(), why })?;
        Ok(TimePattern { text: pattern.to_string(), elements })
    }

    /// The pattern as it was given.
    pub fn pattern(&self) -> &str {
        &self.text
    }

    /// Writes an instant (epoch milliseconds) as its local time in a zone.
    pub fn format_timestamp(&self, epoch_millis: i64, zone: &Zone) -> Result<String, TypeError> {
        self.print(print::Moment::instant(epoch_millis, zone), &epoch_millis)
    }

    /// Writes a DATE (epoch days); letters that need a time of day or a zone are an error.
    pub fn format_date(&self, epoch_days: i32) -> Result<String, TypeError> {
        self.print(print::Moment::date(epoch_days), &epoch_days)
    }

    /// Writes a TIME (milliseconds of the day); letters that need a date or a zone are an error.
    pub fn format_time(&self, millis_of_day: i32) -> Result<String, TypeError> {
        self.print(Some(print::Moment::time(millis_of_day)), &millis_of_day)
    }

    fn print(&self, moment: Option<print::Moment<'_>>, shown: &dyn std::fmt::Display) -> Result<String, TypeError> {
        let mut out = String::new();
        let printed = match moment {
            Some(moment) => moment.print(&self.elements, &mut out),
            None => Err("it is beyond the calendar's range".to_string()),
        };
        printed.map(|()| out).map_err(|why| TypeError::InvalidPattern {
            pattern: self.text.clone(),
            why: format!("{shown} cannot be written with it: {why}"),
        })
    }

    /// Reads text as an instant in epoch milliseconds. What the pattern does not give is that of 1970-01-01T00:00; a
    /// zone or offset in the text beats `zone`.
    pub fn parse_timestamp(&self, text: &str, zone: &Zone) -> Result<i64, TypeError> {
        let fields = self.read(text, "TIMESTAMP")?;
        fields.timestamp(zone).map_err(|why| self.unreadable(text, "TIMESTAMP", &why))
    }

    /// Reads text as a DATE in epoch days; the text has to give a whole date.
    pub fn parse_date(&self, text: &str) -> Result<i32, TypeError> {
        let fields = self.read(text, "DATE")?;
        fields.whole_date().map_err(|why| self.unreadable(text, "DATE", &why))
    }

    /// Reads text as a DATE as Java's lenient `SimpleDateFormat` does: text after the pattern is ignored, numbers may
    /// have fewer or more digits, values out of range carry over, and what is missing is that of 1970-01-01. Years of
    /// two digits lie within 80 years before and 20 after `this_year`. A time of day other than midnight UTC is an error.
    pub fn parse_date_lenient(&self, text: &str, this_year: i32) -> Result<i32, TypeError> {
        let fields = read::Reader::lenient(text, this_year).read(&self.elements);
        let date = fields.and_then(|f| f.lenient_date());
        date.map_err(|why| self.unreadable(text, "DATE", &why))
    }

    /// Reads text as a TIME in milliseconds of the day; a pattern that also gives parts of a date is an error.
    pub fn parse_time(&self, text: &str) -> Result<i32, TypeError> {
        let fields = self.read(text, "TIME")?;
        fields.time_only().map_err(|why| self.unreadable(text, "TIME", &why))
    }

    fn read(&self, text: &str, wanted: &str) -> Result<resolve::Fields, TypeError> {
        read::Reader::strict(text).read(&self.elements).map_err(|why| self.unreadable(text, wanted, &why))
    }

    fn unreadable(&self, text: &str, wanted: &str, why: &str) -> TypeError {
        TypeError::Unreadable { text: text.to_string(), wanted: format!("{wanted} of the pattern '{}'", self.text), why: why.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pattern(text: &str) -> TimePattern {
        TimePattern::new(text).unwrap()
    }

    fn stamp(text: &str) -> i64 {
        crate::parse_timestamp(text).unwrap()
    }

    fn shown(text: &str, at: &str, zone: &str) -> String {
        pattern(text).format_timestamp(stamp(at), &Zone::parse(zone).unwrap()).unwrap()
    }

    fn read(text: &str, given: &str) -> i64 {
        pattern(text).parse_timestamp(given, &Zone::utc()).unwrap()
    }

    #[test]
    fn every_letter_prints() {
        let at = "2021-03-07T15:04:05.678";
        for (text, expected) in [
            ("yyyy-MM-dd'T'HH:mm:ss.SSS", "2021-03-07T15:04:05.678"),
            ("yy y u M L d D", "21 2021 2021 3 3 7 66"),
            ("MMM MMMM MMMMM EEE EEEE EEEEE", "Mar March M Sun Sunday S"),
            ("Q QQ QQQ QQQQ q", "1 01 Q1 1st quarter 1"),
            ("G GGGG a h hh K k H", "AD Anno Domini PM 3 03 3 15 15"),
            ("m s S SS SSSSSS n A N", "4 5 6 67 678000 678000000 54245678 54245678000000"),
            ("X XX XXX x xx xxx Z ZZZZ ZZZZZ", "Z Z Z +00 +0000 +00:00 +0000 GMT Z"),
            ("VV z O OOOO", "UTC UTC GMT GMT"),
            ("w ww Y YYYY W e ee F", "11 11 2021 2021 2 1 01 1"),
            ("'it''s' yyyy [MM]", "it's 2021 03"),
            ("ppppH", "  15"),
        ] {
            assert_eq!(shown(text, at, "UTC"), expected, "{text}");
        }
        assert_eq!(
            shown("yyyy-MM-dd HH:mm:ss zzz XXX VV", at, "America/Los_Angeles"),
            "2021-03-07 07:04:05 PST -08:00 America/Los_Angeles"
        );
        assert_eq!(shown("O OOOO Z X x", at, "+05:30"), "GMT+5:30 GMT+05:30 +0530 +0530 +0530");
    }

    #[test]
    fn what_is_printed_reads_back() {
        let at = stamp("2021-12-31T23:59:58.123");
        for text in [
            "yyyy-MM-dd HH:mm:ss.SSS",
            "yyyyMMddHHmmssSSS",
            "u/M/d k:m:s:SSS",
            "d MMMM yyyy, hh:mm:ss.SSS a",
            "EEE, dd MMM yy HH:mm:ss.SSSSSS Z",
            "yyyy-DDD'T'HH:mm:ss.SSSXXX",
            "yyyy-MM-dd A VV",
        ] {
            let p = pattern(text);
            for zone in ["UTC", "Asia/Kolkata"] {
                let zone = Zone::parse(zone).unwrap();
                let printed = p.format_timestamp(at, &zone).unwrap();
                assert_eq!(p.parse_timestamp(&printed, &zone).unwrap(), at, "{text}: {printed}");
            }
        }
    }

    #[test]
    fn missing_parts_are_those_of_1970() {
        assert_eq!(read("yyyy", "2020"), stamp("2020-01-01"));
        assert_eq!(read("yyyy-MM", "2020-02"), stamp("2020-02-01"));
        assert_eq!(read("HH:mm", "10:30"), stamp("1970-01-01T10:30"));
        assert_eq!(read("hh a", "12 am"), 0);
        assert_eq!(read("YYYY-MM-dd", "2021-05-06"), stamp("2021-05-06"));
    }

    #[test]
    fn a_zone_in_the_text_wins() {
        let p = pattern("yyyy-MM-dd'T'HH:mm:ssX");
        assert_eq!(p.parse_timestamp("2020-05-11T21:58:33z", &Zone::parse("+05:00").unwrap()).unwrap(), stamp("2020-05-11T21:58:33"));
        assert_eq!(read("yyyy-MM-dd HH:mm VV", "2020-07-01 00:00 Europe/Paris"), stamp("2020-06-30T22:00"));
        assert_eq!(read("yyyy-MM-dd HH:mm z", "2020-07-01 00:00 PST"), stamp("2020-07-01T07:00"));
        assert_eq!(read("yyyy-MM-dd HH:mm O", "2020-07-01 00:00 GMT+2"), stamp("2020-06-30T22:00"));
    }

    #[test]
    fn strict_reading_refuses_what_does_not_match() {
        for (text, given) in [
            ("yyyy-MM-dd", "2020-1-01"),
            ("yyyy-MM-dd", "2020-01-01x"),
            ("yyyy-MM-dd", "20200-01-01"),
            ("yyyy-MM-dd", "2020-13-01"),
            ("yyyy-MM-dd", "2020-04-31x"),
            ("HH:mm", "24:00"),
            ("EEE yyyy-MM-dd", "Mon 2021-03-07"),
            ("MMM", "Foo"),
            ("X", "+1"),
            ("yyyy", ""),
        ] {
            assert!(pattern(text).parse_timestamp(given, &Zone::utc()).is_err(), "{text} {given}");
        }
        // The end of a month is taken for a later day, as Java's default resolver does.
        assert_eq!(pattern("yyyy-MM-dd").parse_date("2021-02-31").unwrap(), crate::parse_date("2021-02-28").unwrap());
        assert!(pattern("yyyy-MM").parse_date("2021-02").unwrap_err().to_string().contains("whole date"));
    }

    #[test]
    fn times_and_dates_stand_alone() {
        assert_eq!(pattern("hh:mm:ss a").parse_time("01:00:00 Pm").unwrap(), 46_800_000);
        assert_eq!(pattern("HH_mm_ss_SSS").format_time(65_007).unwrap(), "00_01_05_007");
        assert!(pattern("yyyy HH").parse_time("2020 10").is_err());
        assert!(pattern("HH").format_date(0).is_err());
        assert!(pattern("dd").format_time(0).is_err());
        assert_eq!(pattern("dd-MMM-yyyy").format_date(18_993).unwrap(), "01-Jan-2022");
    }

    #[test]
    fn lenient_dates_carry_over() {
        let lenient = |text: &str, given: &str| pattern(text).parse_date_lenient(given, 2024);
        let day = |text: &str| crate::parse_date(text).unwrap();
        assert_eq!(lenient("yyyy-MM-dd", "2021-14-32 and more").unwrap(), day("2022-03-04"));
        assert_eq!(lenient("dd-MMM-yyyy", "1-january-2022").unwrap(), day("2022-01-01"));
        assert_eq!(lenient("yyyyMMdd", "20220304").unwrap(), day("2022-03-04"));
        assert_eq!(lenient("MMM-yyyy", "JAN-2022").unwrap(), day("2022-01-01"));
        assert_eq!(lenient("yy", "99").unwrap(), day("1999-01-01"));
        assert_eq!(lenient("yy", "30").unwrap(), day("2030-01-01"));
        assert!(lenient("yyyy-MM-dd HH", "2022-01-01 05").is_err());
    }

    #[test]
    fn bad_patterns_say_why() {
        for (text, why) in [("yyyy-bb", "'b'"), ("'open", "quote"), ("[yyyy", "'['"), ("ddd", "too many"), ("V", "'VV'"), ("{", "reserved")]
        {
            let message = TimePattern::new(text).unwrap_err().to_string();
            assert!(message.contains(why), "{message}");
        }
    }

    proptest! {
        #[test]
        fn nothing_panics(text in "\\PC{0,20}", letters in "[a-zA-Z'\\[\\]: -]{0,12}", millis: i64) {
            if let Ok(p) = TimePattern::new(&letters) {
                let _ = p.format_timestamp(millis, &Zone::utc());
                let _ = p.parse_timestamp(&text, &Zone::utc());
                let _ = p.parse_date_lenient(&text, 2024);
            }
        }

        #[test]
        fn timestamps_round_trip(millis in -60_000_000_000_000i64..250_000_000_000_000) {
            let p = pattern("uuuu-MM-dd'T'HH:mm:ss.SSSXXX");
            let zone = Zone::parse("America/New_York").unwrap();
            let text = p.format_timestamp(millis, &zone).unwrap();
            // Offsets of long ago have seconds, which XXX does not show.
            if zone.offset_at(millis) % 60 == 0 {
                prop_assert_eq!(p.parse_timestamp(&text, &Zone::utc()).unwrap(), millis);
            }
        }
    }
}
