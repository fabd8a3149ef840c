//! The English names that time patterns print and read.

pub(super) const MONTHS: [&str; 12] =
    ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];

/// Monday first.
pub(super) const DAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

pub(super) const HALVES: [&str; 2] = ["AM", "PM"];

/// Before and in the common era.
pub(super) const ERAS: [(&str, &str, &str); 2] = [("BC", "Before Christ", "B"), ("AD", "Anno Domini", "A")];

pub(super) const QUARTERS: [&str; 4] = ["1st quarter", "2nd quarter", "3rd quarter", "4th quarter"];

/// Abbreviations of zones, their full name, and a region that uses them.
pub(super) const ZONES: [(&str, &str, &str); 18] = [
    ("UTC", "Coordinated Universal Time", "UTC"),
    ("GMT", "Greenwich Mean Time", "GMT"),
    ("PST", "Pacific Standard Time", "America/Los_Angeles"),
    ("PDT", "Pacific Daylight Time", "America/Los_Angeles"),
    ("MST", "Mountain Standard Time", "America/Denver"),
    ("MDT", "Mountain Daylight Time", "America/Denver"),
    ("CST", "Central Standard Time", "America/Chicago"),
    ("CDT", "Central Daylight Time", "America/Chicago"),
    ("EST", "Eastern Standard Time", "America/New_York"),
    ("EDT", "Eastern Daylight Time", "America/New_York"),
    ("BST", "British Summer Time", "Europe/London"),
    ("CET", "Central European Standard Time", "Europe/Paris"),
    ("CEST", "Central European Summer Time", "Europe/Paris"),
    ("EET", "Eastern European Standard Time", "Europe/Helsinki"),
    ("EEST", "Eastern European Summer Time", "Europe/Helsinki"),
    ("IST", "India Standard Time", "Asia/Kolkata"),
    ("JST", "Japan Standard Time", "Asia/Tokyo"),
    ("AEST", "Australian Eastern Standard Time", "Australia/Sydney"),
];

/// How long a name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Short,
    Full,
    Narrow,
}

/// A name cut to its style: three letters or one.
pub(super) fn cut(name: &'static str, style: Style) -> &'static str {
    let len = match style {
        Style::Full => name.len(),
        Style::Short => 3,
        Style::Narrow => 1,
    };
    name.get(..len.min(name.len())).unwrap_or(name)
}
