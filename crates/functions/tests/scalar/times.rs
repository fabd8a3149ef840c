//! Functions of dates and times.

use flumen_expr::IntervalUnit::{Days, Hours, Milliseconds, Minutes};
use flumen_types::{SqlType, Value};

use crate::support::{NOW, date, null, stamp, time, timestamp};
use crate::{fails, gives, gives_null};

#[test]
fn intervals_move_times() {
    gives!(Value::Date(12), "DATEADD", Days, 2, date(10));
    gives!(Value::Date(9), "DATESUB", Hours, 1, date(10));
    gives!(Value::Date(10), "DATEADD", Hours, 23, date(10));
    gives!(Value::Time(1_800_000), "TIMEADD", Minutes, 60, time(84_600_000));
    gives!(Value::Time(84_600_000), "TIMESUB", Minutes, 60, time(1_800_000));
    gives!(stamp("2020-01-01T00:00:00.005"), "TIMESTAMPADD", Milliseconds, 5, timestamp("2020-01-01"));
    gives!(stamp("2019-12-31T23:00"), "TIMESTAMPSUB", Hours, 1, timestamp("2020-01-01"));
    gives_null!("DATEADD", Days, null(SqlType::Integer), date(1));
    fails!("out of range", "DATEADD", Days, i32::MAX, date(i32::MAX));
}

#[test]
fn zones_shift_timestamps() {
    gives!(stamp("2020-07-01T09:00"), "CONVERT_TZ", timestamp("2020-07-01"), "America/Los_Angeles", "Europe/Paris");
    gives!(stamp("2020-07-01T05:30"), "CONVERT_TZ", timestamp("2020-07-01"), "UTC", "+05:30");
    fails!("time zone", "CONVERT_TZ", timestamp("2020-07-01"), "UTC", "Mars");
}

#[test]
fn times_are_formatted_by_pattern() {
    gives!("11/05/2019", "FORMAT_DATE", date(18_027), "dd/MM/yyyy");
    gives!("00_01_05_000", "FORMAT_TIME", time(65_000), "HH_mm_ss_SSS");
    gives!("2020-01-02 03:04 GMT", "FORMAT_TIMESTAMP", timestamp("2020-01-02T03:04"), "yyyy-MM-dd HH:mm z");
    gives!("2020-01-01 19:04 PST", "FORMAT_TIMESTAMP", timestamp("2020-01-02T03:04"), "yyyy-MM-dd HH:mm zzz", "America/Los_Angeles");
    fails!("an hour", "FORMAT_DATE", date(0), "HH");
    fails!("'b'", "FORMAT_TIME", time(0), "b");
    gives_null!("FORMAT_DATE", null(SqlType::Date), "yyyy");
}

#[test]
fn times_are_read_by_pattern() {
    gives!(Value::Date(17_662), "PARSE_DATE", "2018-05-11Lit", "yyyy-MM-dd'Lit'");
    gives!(Value::Date(18_993), "PARSE_DATE", "01-JAN-2022", "dd-MMM-yyyy");
    gives!(Value::Time(46_800_000), "PARSE_TIME", "01:00:00 Pm", "hh:mm:ss a");
    gives!(stamp("2018-05-11T21:58:33"), "PARSE_TIMESTAMP", "2018-05-11T21:58:33Z", "yyyy-MM-dd'T'HH:mm:ssX");
    gives!(stamp("2018-05-11T19:58:33"), "PARSE_TIMESTAMP", "2018-05-11 21:58:33", "yyyy-MM-dd HH:mm:ss", "Europe/Paris");
    fails!("time of day", "PARSE_DATE", "2018-05-11 10", "yyyy-MM-dd HH");
    fails!("parts of a date", "PARSE_TIME", "2018 10", "yyyy HH");
    fails!("TIMESTAMP", "PARSE_TIMESTAMP", "soon", "yyyy");
}

#[test]
fn days_and_milliseconds_are_numbers() {
    gives!(Value::Date(50), "FROM_DAYS", 50);
    gives!(Value::Timestamp(5), "FROM_UNIXTIME", 5i64);
    gives!(50, "UNIX_DATE", date(50));
    gives!((NOW / 86_400_000) as i32, "UNIX_DATE");
    gives!(NOW, "UNIX_TIMESTAMP");
    gives!(1_000i64, "UNIX_TIMESTAMP", timestamp("1970-01-01T00:00:01"));
    fails!("NULL", "FROM_DAYS", null(SqlType::Integer));
}

#[test]
fn older_names_work_on_numbers() {
    gives!("2018-05-11", "DATETOSTRING", 17_662, "yyyy-MM-dd");
    gives!(17_662, "STRINGTODATE", "2018-05-11", "yyyy-MM-dd");
    gives!("1970-01-01 00:00:00", "TIMESTAMPTOSTRING", 0i64, "yyyy-MM-dd HH:mm:ss");
    gives!("1970-01-01 01:00 CET", "TIMESTAMPTOSTRING", 0i64, "yyyy-MM-dd HH:mm z", "Europe/Paris");
    gives!(0i64, "STRINGTOTIMESTAMP", "1970-01-01 01:00", "yyyy-MM-dd HH:mm", "+01:00");
    fails!("NULL", "STRINGTOTIMESTAMP", null(SqlType::String), "yyyy");
    fails!("whole date", "STRINGTODATE", "2018", "yyyy");
}
