//! Reading text by the elements of a pattern.

use super::compile::{Element, Minutes, Sign, Unit};
use super::names::{DAYS, ERAS, HALVES, MONTHS, QUARTERS, Style, ZONES, cut};
use super::resolve::Fields;
use crate::Zone;

/// A position in the text, and what was read before it.
pub(super) struct Reader<'a> {
    text: &'a str,
    at: usize,
    fields: Fields,
    /// The year around which years of two digits lie; set for lenient reading.
    lenient: Option<i32>,
}

impl<'a> Reader<'a> {
    /// Reads as `DateTimeFormatter` does, but for case.
    pub fn strict(text: &'a str) -> Self {
        Reader { text, at: 0, fields: Fields::default(), lenient: None }
    }

    /// Reads as `SimpleDateFormat` does.
    pub fn lenient(text: &'a str, this_year: i32) -> Self {
        Reader { text, at: 0, fields: Fields::default(), lenient: Some(this_year) }
    }

    pub fn read(mut self, elements: &[Element]) -> Result<Fields, String> {
        self.elements(elements)?;
        if self.at < self.text.len() && self.lenient.is_none() {
            return Err(format!("there is more text than the pattern at position {}", self.at + 1));
        }
        Ok(self.fields)
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn wrong(&self, wanted: &str) -> String {
        format!("{wanted} was expected at position {}", self.at + 1)
    }

    fn elements(&mut self, elements: &[Element]) -> Result<(), String> {
        for (i, element) in elements.iter().enumerate() {
            let abuts = matches!(elements.get(i + 1), Some(Element::Number { .. } | Element::ShortYear { .. } | Element::Fraction { .. }));
            self.element(element, abuts)?;
        }
        Ok(())
    }

    fn element(&mut self, element: &Element, abuts: bool) -> Result<(), String> {
        match element {
            Element::Literal(text) => match self.starts_with(text) {
                Some(len) => self.at += len,
                None => return Err(self.wrong(&format!("'{text}'"))),
            },
            Element::Number { unit, min, max, sign, reserved, fixed } => {
                let value = match self.lenient {
                    Some(_) => self.loose_number(abuts.then_some(*min))?,
                    None => self.number(*min, *max, *sign, *reserved, *fixed)?,
                };
                self.fields.set(*unit, value.ok_or_else(|| self.wrong(unit.name()))?)?;
            }
            Element::ShortYear { unit } => self.short_year(*unit, abuts)?,
            Element::Name { unit, style } => self.name(*unit, *style)?,
            Element::Fraction { digits } => {
                let taken = self.digits(*digits);
                let short = taken.len() < *digits && self.lenient.is_none();
                let value = (!short).then(|| format!("{taken:0<9}").parse().ok()).flatten();
                self.at += taken.len();
                self.fields.set(Unit::Nano, value.ok_or_else(|| self.wrong("a fraction of a second"))?)?;
            }
            Element::Offset { minutes, colon, zero } => {
                let seconds = if self.lenient.is_some() { self.any_offset() } else { self.offset(*minutes, *colon, zero) };
                self.fields.offset = Some(seconds.ok_or_else(|| self.wrong("an offset such as +01:00"))?);
            }
            Element::GmtOffset { .. } => {
                let len = self.starts_with("GMT").ok_or_else(|| self.wrong("an offset such as GMT+1"))?;
                self.at += len;
                self.fields.offset = Some(self.loose_offset().unwrap_or(0));
            }
            Element::ZoneId | Element::ZoneName { .. } => self.zone(matches!(element, Element::ZoneName { .. }))?,
            Element::Optional(inner) => {
                let (at, before) = (self.at, self.fields.clone());
                if self.elements(inner).is_err() {
                    self.at = at;
                    self.fields = before;
                }
            }
            Element::Padded { element, .. } => {
                self.at += self.rest().len() - self.rest().trim_start_matches(' ').len();
                self.element(element, abuts)?;
            }
        }
        Ok(())
    }

    /// The length of what the rest starts with, if that is `text` but for case.
    fn starts_with(&self, text: &str) -> Option<usize> {
        let rest = self.rest();
        if rest.starts_with(text) {
            return Some(text.len());
        }
        let head = rest.get(..text.len())?;
        head.eq_ignore_ascii_case(text).then_some(text.len())
    }

    /// The digits at the position, at most so many.
    fn digits(&self, most: usize) -> &'a str {
        let rest = self.rest();
        let len = rest.bytes().take(most).take_while(u8::is_ascii_digit).count();
        rest.get(..len).unwrap_or_default()
    }

    /// A number within its widths. A number with fixed ones right behind leaves them their digits.
    fn number(&mut self, min: usize, max: usize, sign: Sign, reserved: usize, fixed: bool) -> Result<Option<i64>, String> {
        let (negative, positive) = (self.rest().starts_with('-'), self.rest().starts_with('+'));
        let signed = (negative && sign != Sign::Never) || (positive && sign == Sign::ExceedsPad);
        if (negative || positive) && !signed {
            return Ok(None);
        }
        let start = self.at + signed as usize;
        self.at = start;
        let steady = min == max && sign == Sign::Never;
        let most = if fixed && !steady { min } else { max.saturating_add(reserved) };
        let mut taken = self.digits(most);
        if reserved > 0 && !steady {
            taken = taken.get(..taken.len().saturating_sub(reserved).max(min).min(taken.len())).unwrap_or_default();
        } else if steady {
            taken = taken.get(..max.min(taken.len())).unwrap_or_default();
        }
        if taken.len() < min {
            return Ok(None);
        }
        if sign == Sign::ExceedsPad && ((positive && taken.len() <= min) || (!signed && taken.len() > min)) {
            return Ok(None);
        }
        self.at += taken.len();
        let value: i64 = taken.parse().map_err(|_| format!("the number at position {} is too large", start + 1))?;
        if negative && value == 0 {
            return Ok(None);
        }
        Ok(Some(if negative { -value } else { value }))
    }

    /// As many digits as there are, or exactly `width` when another number follows.
    fn loose_number(&mut self, width: Option<usize>) -> Result<Option<i64>, String> {
        self.at += self.rest().len() - self.rest().trim_start_matches([' ', '\t']).len();
        let negative = width.is_none() && self.rest().starts_with('-');
        self.at += negative as usize;
        let taken = self.digits(width.unwrap_or(9));
        if taken.is_empty() {
            return Ok(None);
        }
        self.at += taken.len();
        let value: i64 = taken.parse().map_err(|_| "a number is too large".to_string())?;
        Ok(Some(if negative { -value } else { value }))
    }

    fn short_year(&mut self, unit: Unit, abuts: bool) -> Result<(), String> {
        let year = match self.lenient {
            None => {
                let taken = self.digits(2);
                self.at += taken.len();
                (taken.len() == 2).then(|| taken.parse::<i64>().ok()).flatten().map(|y| 2000 + y)
            }
            Some(this_year) => {
                let before = self.at;
                let value = self.loose_number(abuts.then_some(2))?;
                let two_digits = self.at - before == 2;
                value.map(|y| if two_digits { near(y, this_year as i64) } else { y })
            }
        };
        self.fields.set(unit, year.ok_or_else(|| self.wrong("a year of two digits"))?)
    }

    fn name(&mut self, unit: Unit, style: Style) -> Result<(), String> {
        let candidates: Vec<(&str, i64)> = match unit {
            Unit::Month => (1..).zip(MONTHS).map(|(i, n)| (n, i)).collect(),
            Unit::DayOfWeek => (1..).zip(DAYS).map(|(i, n)| (n, i)).collect(),
            Unit::Half => (0..).zip(HALVES).map(|(i, n)| (n, i)).collect(),
            Unit::Quarter => match style {
                Style::Full => (1..).zip(QUARTERS).map(|(i, n)| (n, i)).collect(),
                Style::Short => (1..).zip(["Q1", "Q2", "Q3", "Q4"]).map(|(i, n)| (n, i)).collect(),
                Style::Narrow => (1..).zip(["1", "2", "3", "4"]).map(|(i, n)| (n, i)).collect(),
            },
            _ => (0..).zip(ERAS).map(|(i, (short, full, _))| (if style == Style::Full { full } else { short }, i)).collect(),
        };
        let cuttable = matches!(unit, Unit::Month | Unit::DayOfWeek);
        let styles: &[Style] = match (cuttable, self.lenient) {
            (true, Some(_)) => &[Style::Full, Style::Short],
            (true, None) => std::slice::from_ref(&style),
            (false, _) => &[Style::Full],
        };
        for style in styles {
            for (name, value) in &candidates {
                let shown = if cuttable { cut(full_name(unit, *value), *style) } else { name };
                if let Some(len) = self.starts_with(shown) {
                    self.at += len;
                    return self.fields.set(unit, *value);
                }
            }
        }
        Err(self.wrong(unit.name()))
    }

    fn two_digits(&mut self) -> Option<i32> {
        let taken = self.digits(2);
        if taken.len() < 2 {
            return None;
        }
        self.at += 2;
        taken.parse().ok()
    }

    fn sign(&mut self) -> Option<i32> {
        let sign = match self.rest().as_bytes().first()? {
            b'+' => 1,
            b'-' => -1,
            _ => return None,
        };
        self.at += 1;
        Some(sign)
    }

    fn offset(&mut self, minutes: Minutes, colon: bool, zero: &str) -> Option<i32> {
        if !zero.starts_with('+')
            && let Some(len) = self.starts_with(zero)
        {
            self.at += len;
            return Some(0);
        }
        let sign = self.sign()?;
        let hours = self.two_digits()?;
        let mut part = |required: bool| -> Option<i32> {
            let before = self.at;
            if colon {
                if !self.rest().starts_with(':') {
                    return if required { None } else { Some(0) };
                }
                self.at += 1;
            }
            let read = self.two_digits();
            if read.is_none() {
                self.at = before;
            }
            if required { read } else { Some(read.unwrap_or(0)) }
        };
        let m = part(minutes != Minutes::IfAny)?;
        let s = if minutes == Minutes::AndSecondsIfAny { part(false)? } else { 0 };
        (hours <= 18 && m < 60 && s < 60).then_some(sign * (hours * 3600 + m * 60 + s))
    }

    /// `Z`, `+hh`, `+hhmm` or `+hh:mm`.
    fn any_offset(&mut self) -> Option<i32> {
        if let Some(len) = self.starts_with("Z") {
            self.at += len;
            return Some(0);
        }
        self.loose_offset()
    }

    /// A sign, one or two digits of hours, and minutes and seconds with or without colons.
    fn loose_offset(&mut self) -> Option<i32> {
        let before = self.at;
        let read = (|| {
            let sign = self.sign()?;
            let hours = self.digits(2);
            self.at += hours.len();
            let mut seconds = hours.parse::<i32>().ok()? * 3600;
            for unit in [60, 1] {
                let here = self.at;
                self.at += self.rest().starts_with(':') as usize;
                match self.two_digits() {
                    Some(n) => seconds += n * unit,
                    None => {
                        self.at = here;
                        break;
                    }
                }
            }
            Some(sign * seconds)
        })();
        if read.is_none() {
            self.at = before;
        }
        read
    }

    /// The longest zone id, and where names are allowed the abbreviation, at the position.
    fn zone(&mut self, names: bool) -> Result<(), String> {
        let rest = self.rest();
        let zone_char = |c: char| c.is_ascii_alphanumeric() || "/_+-:".contains(c);
        let longest = rest.find(|c| !zone_char(c)).unwrap_or(rest.len());
        if names {
            for (_, full, region) in ZONES {
                if let Some(len) = self.starts_with(full) {
                    self.at += len;
                    self.fields.zone = Zone::find(region);
                    return Ok(());
                }
            }
        }
        for len in (1..=longest).rev() {
            let id = rest.get(..len).unwrap_or_default();
            let named = || ZONES.iter().find(|(short, ..)| names && short.eq_ignore_ascii_case(id)).map(|(.., region)| *region);
            // Abbreviations first: "EST" is a region of its own without daylight saving in the tz database.
            if let Some(zone) = named().and_then(Zone::find).or_else(|| Zone::find(id)) {
                self.at += len;
                self.fields.zone = Some(zone);
                return Ok(());
            }
        }
        Err(self.wrong("a time zone"))
    }
}

fn full_name(unit: Unit, value: i64) -> &'static str {
    let at = usize::try_from(value - 1).unwrap_or(0);
    let names: &[&'static str] = if unit == Unit::Month { &MONTHS } else { &DAYS };
    names.get(at).copied().unwrap_or_default()
}

/// The year with these last two digits within 80 years before and 20 after this year.
fn near(two_digits: i64, this_year: i64) -> i64 {
    let first = this_year - 80;
    first + (two_digits - first).rem_euclid(100)
}
