//! The byte form of what the broker stores beside the logs: big-endian numbers, length-prefixed strings.

/// A stored value that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damaged(pub &'static str);

/// A value with a stored form. The forms of values (not of keys) begin with a version byte.
pub trait Stored: Sized {
    /// Appends the stored form.
    fn write(&self, out: &mut Vec<u8>);
    /// Takes the stored form off the front of `input`.
    fn read(input: &mut Input<'_>) -> Result<Self, Damaged>;
}

/// Bytes being read from the front.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a>(pub &'a [u8]);

impl<'a> Input<'a> {
    pub fn take(&mut self, length: usize) -> Result<&'a [u8], Damaged> {
        let (head, rest) = self.0.split_at_checked(length).ok_or(Damaged("it ends early"))?;
        self.0 = rest;
        Ok(head)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Damaged> {
        let (head, rest) = self.0.split_first_chunk::<N>().ok_or(Damaged("it ends early"))?;
        self.0 = rest;
        Ok(*head)
    }

    pub fn version(&mut self, newest: u8) -> Result<u8, Damaged> {
        let version = u8::read(self)?;
        if version == 0 || version > newest { Err(Damaged("it was written by a newer version")) } else { Ok(version) }
    }
}

macro_rules! numbers {
    ($($t:ty),*) => {$(
        impl Stored for $t {
            fn write(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_be_bytes());
            }
            fn read(input: &mut Input<'_>) -> Result<Self, Damaged> {
                Ok(Self::from_be_bytes(input.array()?))
            }
        }
    )*};
}
numbers!(u8, i16, i32, u32, i64, u64);

impl Stored for String {
    fn write(&self, out: &mut Vec<u8>) {
        write_len(self.len(), out);
        out.extend_from_slice(self.as_bytes());
    }
    fn read(input: &mut Input<'_>) -> Result<Self, Damaged> {
        let length = read_len(input)?;
        Self::from_utf8(input.take(length)?.to_vec()).map_err(|_| Damaged("a string is not UTF-8"))
    }
}

impl Stored for uuid::Uuid {
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.as_bytes());
    }
    fn read(input: &mut Input<'_>) -> Result<Self, Damaged> {
        Ok(Self::from_bytes(input.array()?))
    }
}

impl<T: Stored> Stored for Option<T> {
    fn write(&self, out: &mut Vec<u8>) {
        match self {
            None => out.push(0),
            Some(value) => {
                out.push(1);
                value.write(out);
            }
        }
    }
    fn read(input: &mut Input<'_>) -> Result<Self, Damaged> {
        match u8::read(input)? {
            0 => Ok(None),
            1 => T::read(input).map(Some),
            _ => Err(Damaged("neither present nor absent")),
        }
    }
}

impl<T: Stored> Stored for Vec<T> {
    fn write(&self, out: &mut Vec<u8>) {
        write_len(self.len(), out);
        for item in self {
            item.write(out);
        }
    }
    fn read(input: &mut Input<'_>) -> Result<Self, Damaged> {
        let count = read_len(input)?;
        // No room is made for a count that was not checked: it may be damaged.
        (0..count).map(|_| T::read(input)).collect()
    }
}

impl<A: Stored, B: Stored> Stored for (A, B) {
    fn write(&self, out: &mut Vec<u8>) {
        self.0.write(out);
        self.1.write(out);
    }
    fn read(input: &mut Input<'_>) -> Result<Self, Damaged> {
        Ok((A::read(input)?, B::read(input)?))
    }
}

fn write_len(length: usize, out: &mut Vec<u8>) {
    // Nothing stored comes near 4 GiB: requests are limited to far less.
    u32::try_from(length).unwrap_or(u32::MAX).write(out);
}

fn read_len(input: &mut Input<'_>) -> Result<usize, Damaged> {
    usize::try_from(u32::read(input)?).map_err(|_| Damaged("a length is too large"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back() {
        let value = vec![(String::from("a"), Some(5i64)), (String::new(), None)];
        let mut out = Vec::new();
        value.write(&mut out);
        let mut input = Input(&out);
        assert_eq!(Vec::<(String, Option<i64>)>::read(&mut input), Ok(value));
        assert!(input.0.is_empty());
    }

    #[test]
    fn every_prefix_is_refused() {
        let mut out = Vec::new();
        vec![(String::from("abc"), Some(5i64))].write(&mut out);
        for cut in 0..out.len() {
            assert!(Vec::<(String, Option<i64>)>::read(&mut Input(&out[..cut])).is_err(), "cut at {cut}");
        }
    }
}
