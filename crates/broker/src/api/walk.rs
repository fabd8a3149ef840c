//! A walk over a request's bytes before it is decoded, so that announced array lengths are known to be true.
//!
//! The generated decoders make room for as many elements as a request announces; a few bytes could claim billions. The walk allocates nothing.

use super::shapes::{Field, Kind};

/// Why a body is not what its API and version say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misshapen {
    /// It ends within a field.
    #[error("the request ends early")]
    Short,
    /// A length below what stands for null.
    #[error("a length is negative")]
    Negative,
    /// A length that needs more than 32 bits.
    #[error("a length does not end")]
    Endless,
    /// More elements in all arrays together than anyone has reason to send.
    #[error("the request has more than {MOST_ELEMENTS} elements")]
    TooMany,
}

/// Most elements of all arrays of a request. Decoded and answered, one of a few bytes may take hundreds.
pub const MOST_ELEMENTS: usize = 100_000;

struct Walk<'a> {
    rest: &'a [u8],
    version: i16,
    /// Whether lengths are of the compact form and structures end with tagged fields.
    flexible: bool,
    /// Elements that may still come.
    left: usize,
}

/// Walks over a body of the given shape; gives what follows it.
pub fn walk<'a>(body: &'a [u8], shape: &[Field], version: i16, flexible: bool) -> Result<&'a [u8], Misshapen> {
    let mut walk = Walk { rest: body, version, flexible, left: MOST_ELEMENTS };
    walk.structure(shape)?;
    Ok(walk.rest)
}

impl Walk<'_> {
    fn skip(&mut self, bytes: usize) -> Result<(), Misshapen> {
        self.rest = self.rest.get(bytes..).ok_or(Misshapen::Short)?;
        Ok(())
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], Misshapen> {
        let (front, rest) = self.rest.split_first_chunk::<N>().ok_or(Misshapen::Short)?;
        self.rest = rest;
        Ok(*front)
    }

    fn varint(&mut self) -> Result<usize, Misshapen> {
        let mut value = 0u64;
        for at in 0..5 {
            let [byte] = self.take()?;
            value |= u64::from(byte & 0x7f) << (7 * at);
            if byte < 0x80 {
                return usize::try_from(value).map_err(|_| Misshapen::Endless);
            }
        }
        Err(Misshapen::Endless)
    }

    /// A length; 0 for null.
    fn length(&mut self, short: bool) -> Result<usize, Misshapen> {
        if self.flexible {
            return Ok(self.varint()?.saturating_sub(1));
        }
        let length = if short { i32::from(i16::from_be_bytes(self.take()?)) } else { i32::from_be_bytes(self.take()?) };
        match length {
            -1 => Ok(0),
            length => usize::try_from(length).map_err(|_| Misshapen::Negative),
        }
    }

    fn structure(&mut self, fields: &[Field]) -> Result<(), Misshapen> {
        for field in fields {
            if (field.since..=field.until).contains(&self.version) {
                self.value(&field.kind)?;
            }
        }
        if self.flexible {
            for _ in 0..self.varint()? {
                let _tag = self.varint()?;
                let size = self.varint()?;
                self.skip(size)?;
            }
        }
        Ok(())
    }

    fn element(&mut self, walk: impl FnOnce(&mut Self) -> Result<(), Misshapen>) -> Result<(), Misshapen> {
        self.left = self.left.checked_sub(1).ok_or(Misshapen::TooMany)?;
        walk(self)
    }

    fn value(&mut self, kind: &Kind) -> Result<(), Misshapen> {
        match kind {
            Kind::Fixed(bytes) => self.skip(*bytes),
            Kind::Text => {
                let length = self.length(true)?;
                self.skip(length)
            }
            Kind::Bytes => {
                let length = self.length(false)?;
                self.skip(length)
            }
            Kind::Values(kind) => (0..self.length(false)?).try_for_each(|_| self.element(|walk| walk.value(kind))),
            Kind::Structures(fields) => (0..self.length(false)?).try_for_each(|_| self.element(|walk| walk.structure(fields))),
        }
    }
}

#[cfg(test)]
pub mod tests;
