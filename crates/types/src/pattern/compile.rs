//! Pattern letters to elements, by the rules of Java's `DateTimeFormatterBuilder.appendPattern`.

use super::names::Style;

/// What a letter stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Era,
    Year,
    YearOfEra,
    WeekYear,
    Quarter,
    Month,
    WeekOfYear,
    WeekOfMonth,
    Day,
    DayOfYear,
    /// Which of its weekday in the month.
    Occurrence,
    /// Monday is 1.
    DayOfWeek,
    /// Sunday is 1.
    LocalDayOfWeek,
    /// 0 before noon, 1 after.
    Half,
    Hour,
    /// 1 to 24.
    ClockHour,
    /// 0 to 11.
    HalfHour,
    /// 1 to 12.
    ClockHalfHour,
    Minute,
    Second,
    Nano,
    MilliOfDay,
    NanoOfDay,
}

impl Unit {
    /// Number of units, for tables indexed by `unit as usize`.
    pub const COUNT: usize = Unit::NanoOfDay as usize + 1;

    /// Part of a date rather than of a time of day.
    pub fn is_date(self) -> bool {
        (self as usize) < Unit::Half as usize
    }

    pub fn name(self) -> &'static str {
        match self {
            Unit::Era => "an era",
            Unit::Year | Unit::YearOfEra => "a year",
            Unit::WeekYear => "a week-based year",
            Unit::Quarter => "a quarter",
            Unit::Month => "a month",
            Unit::WeekOfYear | Unit::WeekOfMonth => "a week",
            Unit::Day => "a day of the month",
            Unit::DayOfYear => "a day of the year",
            Unit::Occurrence => "a week of the month",
            Unit::DayOfWeek | Unit::LocalDayOfWeek => "a day of the week",
            Unit::Half => "AM or PM",
            Unit::Hour | Unit::ClockHour | Unit::HalfHour | Unit::ClockHalfHour => "an hour",
            Unit::Minute => "a minute",
            Unit::Second => "a second",
            Unit::Nano => "a fraction of a second",
            Unit::MilliOfDay => "a millisecond of the day",
            Unit::NanoOfDay => "a nanosecond of the day",
        }
    }
}

/// Whether a number carries a sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    /// A minus where it is negative.
    Normal,
    /// None is allowed.
    Never,
    /// Also a plus where the number is wider than the pattern.
    ExceedsPad,
}

/// How an offset is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Minutes {
    /// `+hh`, then `mm` when it is not 0.
    IfAny,
    /// `+hhmm` or `+hh:mm`.
    Always,
    /// The same, then the seconds when they are not 0.
    AndSecondsIfAny,
}

#[derive(Debug, Clone)]
pub(super) enum Element {
    Literal(String),
    Number {
        unit: Unit,
        min: usize,
        max: usize,
        sign: Sign,
        /* digits taken by the fixed numbers right behind */ reserved: usize,
        fixed: bool,
    },
    /// The last two digits of a year.
    ShortYear {
        unit: Unit,
    },
    Name {
        unit: Unit,
        style: Style,
    },
    /// The first digits of the fraction of a second.
    Fraction {
        digits: usize,
    },
    Offset {
        minutes: Minutes,
        colon: bool,
        zero: &'static str,
    },
    /// `GMT+1` or, in full, `GMT+01:00`.
    GmtOffset {
        full: bool,
    },
    ZoneId,
    ZoneName {
        full: bool,
    },
    Optional(Vec<Element>),
    /// Padded with spaces on the left.
    Padded {
        width: usize,
        element: Box<Element>,
    },
}

/// Elements being collected, with the number that fixed numbers right behind it take their digits from.
#[derive(Default)]
struct Builder {
    elements: Vec<Element>,
    active: Option<usize>,
}

impl Builder {
    fn push(&mut self, element: Element) {
        self.elements.push(element);
        self.active = None;
    }

    fn push_number(&mut self, unit: Unit, min: usize, max: usize, sign: Sign) {
        let steady = min == max && sign == Sign::Never;
        let here = self.elements.len();
        let mut element = Element::Number { unit, min, max, sign, reserved: 0, fixed: false };
        if let Some(at) = self.active {
            if steady {
                self.reserve(at, max);
                if let Element::Number { fixed, .. } = &mut element {
                    *fixed = true;
                }
            } else {
                if let Some(Element::Number { fixed, .. }) = self.elements.get_mut(at) {
                    *fixed = true;
                }
                self.active = Some(here);
            }
        } else {
            self.active = Some(here);
        }
        self.elements.push(element);
    }

    fn push_short_year(&mut self, unit: Unit) {
        if let Some(at) = self.active {
            self.reserve(at, 2);
        }
        let active = self.active;
        self.push(Element::ShortYear { unit });
        self.active = active;
    }

    fn push_fraction(&mut self, digits: usize) {
        let active = self.active;
        if let Some(at) = active {
            self.reserve(at, digits);
        }
        self.push(Element::Fraction { digits });
        self.active = active;
    }

    fn reserve(&mut self, at: usize, digits: usize) {
        if let Some(Element::Number { reserved, .. }) = self.elements.get_mut(at) {
            *reserved += digits;
        }
    }

    fn push_literal(&mut self, text: &str) {
        if let Some(Element::Literal(before)) = self.elements.last_mut() {
            before.push_str(text);
            self.active = None;
        } else {
            self.push(Element::Literal(text.to_string()));
        }
    }
}

/// Most widths and nesting a pattern may ask for.
const LIMIT: usize = 64;

/// Compiles a pattern; the error says what is wrong with it.
pub(super) fn compile(pattern: &str) -> Result<Vec<Element>, String> {
    let chars: Vec<char> = pattern.chars().collect();
    let mut open: Vec<Builder> = vec![Builder::default()];
    let mut at = 0;
    let mut pad: Option<usize> = None;
    while let Some(&c) = chars.get(at) {
        let depth = open.len();
        let current = open.last_mut().ok_or("']' without '['")?;
        if c.is_ascii_alphabetic() {
            let count = chars.get(at..).unwrap_or_default().iter().take_while(|x| **x == c).count();
            at += count;
            if c == 'p' {
                if !chars.get(at).is_some_and(|next| next.is_ascii_alphabetic()) || count > LIMIT {
                    return Err("the pad letter 'p' must be followed by the letters to pad".to_string());
                }
                pad = Some(count);
                continue;
            }
            letter(current, c, count)?;
            if let Some(width) = pad.take()
                && let Some(element) = current.elements.pop()
            {
                current.push(Element::Padded { width, element: Box::new(element) });
            }
            continue;
        }
        at += 1;
        match c {
            '\'' => {
                if chars.get(at) == Some(&'\'') {
                    current.push_literal("'");
                    at += 1;
                    continue;
                }
                let mut text = String::new();
                loop {
                    match (chars.get(at), chars.get(at + 1)) {
                        (Some('\''), Some('\'')) => {
                            text.push('\'');
                            at += 2;
                        }
                        (Some('\''), _) => break,
                        (Some(x), _) => {
                            text.push(*x);
                            at += 1;
                        }
                        (None, _) => return Err("a quote is not closed".to_string()),
                    }
                }
                at += 1;
                current.push_literal(&text);
            }
            '[' if depth < LIMIT => open.push(Builder::default()),
            '[' => return Err("too many '[' in each other".to_string()),
            ']' => {
                let inner = open.pop().ok_or("']' without '['")?;
                let outer = open.last_mut().ok_or("']' without '['")?;
                outer.push(Element::Optional(inner.elements));
            }
            '{' | '}' | '#' => return Err(format!("'{c}' is reserved; put it in quotes")),
            other => current.push_literal(other.encode_utf8(&mut [0; 4])),
        }
    }
    match (open.pop(), open.is_empty()) {
        (Some(builder), true) => Ok(builder.elements),
        // Java closes what is left open; so that nothing is overlooked it is refused here.
        _ => Err("a '[' is not closed".to_string()),
    }
}

fn letter(to: &mut Builder, c: char, count: usize) -> Result<(), String> {
    let too_many = || Err(format!("too many letters '{c}'"));
    if count > LIMIT {
        return too_many();
    }
    match c {
        'u' => year(to, Unit::Year, count),
        'y' => year(to, Unit::YearOfEra, count),
        'Y' => year(to, Unit::WeekYear, count),
        'G' => name(to, Unit::Era, count, c)?,
        'M' | 'L' => number_or_name(to, Unit::Month, count, c)?,
        'Q' | 'q' => number_or_name(to, Unit::Quarter, count, c)?,
        'E' => name(to, Unit::DayOfWeek, count, c)?,
        'e' | 'c' => match count {
            1 | 2 => to.push_number(Unit::LocalDayOfWeek, count, if count == 1 { 19 } else { 2 }, plain(count)),
            _ => name(to, Unit::DayOfWeek, count, c)?,
        },
        'a' if count == 1 => to.push(Element::Name { unit: Unit::Half, style: Style::Short }),
        'd' => one_or_two(to, Unit::Day, count, c)?,
        'h' => one_or_two(to, Unit::ClockHalfHour, count, c)?,
        'H' => one_or_two(to, Unit::Hour, count, c)?,
        'k' => one_or_two(to, Unit::ClockHour, count, c)?,
        'K' => one_or_two(to, Unit::HalfHour, count, c)?,
        'm' => one_or_two(to, Unit::Minute, count, c)?,
        's' => one_or_two(to, Unit::Second, count, c)?,
        'w' => one_or_two(to, Unit::WeekOfYear, count, c)?,
        'W' if count == 1 => to.push_number(Unit::WeekOfMonth, 1, 19, Sign::Normal),
        'F' if count == 1 => to.push_number(Unit::Occurrence, 1, 19, Sign::Normal),
        'D' => match count {
            1 => to.push_number(Unit::DayOfYear, 1, 19, Sign::Normal),
            2 | 3 => to.push_number(Unit::DayOfYear, count, 3, Sign::Never),
            _ => return too_many(),
        },
        'S' if count <= 9 => to.push_fraction(count),
        'n' => to.push_number(Unit::Nano, count.min(19), 19, Sign::Never),
        'A' => to.push_number(Unit::MilliOfDay, count.min(19), 19, Sign::Never),
        'N' => to.push_number(Unit::NanoOfDay, count.min(19), 19, Sign::Never),
        'V' if count == 2 => to.push(Element::ZoneId),
        'V' => return Err("a zone id is written 'VV'".to_string()),
        'z' | 'v' if count <= 4 => to.push(Element::ZoneName { full: count == 4 }),
        'Z' => match count {
            1..=3 => to.push(Element::Offset { minutes: Minutes::Always, colon: false, zero: "+0000" }),
            4 => to.push(Element::GmtOffset { full: true }),
            5 => to.push(Element::Offset { minutes: Minutes::AndSecondsIfAny, colon: true, zero: "Z" }),
            _ => return too_many(),
        },
        'O' if count == 1 || count == 4 => to.push(Element::GmtOffset { full: count == 4 }),
        'X' => to.push(offset(count, ["Z"; 3]).ok_or_else(|| format!("too many letters '{c}'"))?),
        'x' => to.push(offset(count, ["+00", "+0000", "+00:00"]).ok_or_else(|| format!("too many letters '{c}'"))?),
        'a' | 'W' | 'F' | 'S' | 'z' | 'v' | 'O' => return too_many(),
        _ => return Err(format!("the letter '{c}' has no meaning; put text in quotes")),
    }
    Ok(())
}

fn offset(count: usize, zeros: [&'static str; 3]) -> Option<Element> {
    let (minutes, colon) = match count {
        1 => (Minutes::IfAny, false),
        2 => (Minutes::Always, false),
        3 => (Minutes::Always, true),
        4 => (Minutes::AndSecondsIfAny, false),
        5 => (Minutes::AndSecondsIfAny, true),
        _ => return None,
    };
    let [short, plain, with_colon] = zeros;
    let zero = if count == 1 {
        short
    } else if colon {
        with_colon
    } else {
        plain
    };
    Some(Element::Offset { minutes, colon, zero })
}

fn plain(count: usize) -> Sign {
    if count == 1 { Sign::Normal } else { Sign::Never }
}

fn year(to: &mut Builder, unit: Unit, count: usize) {
    match count {
        2 => to.push_short_year(unit),
        1 | 3 => to.push_number(unit, count, 19, Sign::Normal),
        _ => to.push_number(unit, count.min(19), 19, Sign::ExceedsPad),
    }
}

fn one_or_two(to: &mut Builder, unit: Unit, count: usize, c: char) -> Result<(), String> {
    match count {
        1 => to.push_number(unit, 1, 19, Sign::Normal),
        2 => to.push_number(unit, 2, 2, Sign::Never),
        _ => return Err(format!("too many letters '{c}'")),
    }
    Ok(())
}

fn number_or_name(to: &mut Builder, unit: Unit, count: usize, c: char) -> Result<(), String> {
    match count {
        1 | 2 => one_or_two(to, unit, count, c),
        _ => name(to, unit, count, c),
    }
}

fn name(to: &mut Builder, unit: Unit, count: usize, c: char) -> Result<(), String> {
    let style = match count {
        1..=3 => Style::Short,
        4 => Style::Full,
        5 => Style::Narrow,
        _ => return Err(format!("too many letters '{c}'")),
    };
    to.push(Element::Name { unit, style });
    Ok(())
}
