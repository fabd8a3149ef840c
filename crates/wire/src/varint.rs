//! Variable-length integers of the record format: seven bits a byte, low bits first, signed ones zig-zag coded.

use crate::error::BatchError;

/// Takes an unsigned number off the front of `bytes`.
///
/// # Errors
/// [`BatchError::Malformed`] if the bytes end first or more than ten are used.
#[inline]
pub fn take_unsigned(bytes: &mut &[u8]) -> Result<u64, BatchError> {
    if let Some((&first, rest)) = bytes.split_first()
        && first < 0x80
    {
        *bytes = rest;
        return Ok(u64::from(first));
    }
    take_long(bytes)
}

fn take_long(bytes: &mut &[u8]) -> Result<u64, BatchError> {
    let mut value = 0u64;
    for (at, &byte) in bytes.iter().take(10).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * at);
        if byte < 0x80 {
            *bytes = bytes.get(at + 1..).unwrap_or_default();
            return Ok(value);
        }
    }
    Err(BatchError::Malformed("a variable-length number does not end"))
}

/// Takes a zig-zag coded number off the front of `bytes`.
///
/// # Errors
/// As [`take_unsigned`].
#[inline]
pub fn take_signed(bytes: &mut &[u8]) -> Result<i64, BatchError> {
    let coded = take_unsigned(bytes)?;
    Ok((coded >> 1).cast_signed() ^ -(coded & 1).cast_signed())
}

/// Takes a length and that many bytes; `None` for a negative length, which stands for null.
///
/// # Errors
/// [`BatchError::Malformed`] if the bytes end first.
#[inline]
pub fn take_nullable<'a>(bytes: &mut &'a [u8]) -> Result<Option<&'a [u8]>, BatchError> {
    let length = take_signed(bytes)?;
    if length < 0 {
        return Ok(None);
    }
    let length = usize::try_from(length).map_err(|_| BatchError::Malformed("a field is longer than memory"))?;
    let (field, rest) = bytes.split_at_checked(length).ok_or(BatchError::Malformed("a field is longer than its record"))?;
    *bytes = rest;
    Ok(Some(field))
}

/// Appends an unsigned number.
#[inline]
pub fn put_unsigned(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a zig-zag coded number.
#[inline]
pub fn put_signed(out: &mut Vec<u8>, value: i64) {
    put_unsigned(out, zigzag(value));
}

/// Bytes that [`put_signed`] writes for `value`.
#[inline]
pub fn signed_len(value: i64) -> usize {
    let bits = 64 - (zigzag(value) | 1).leading_zeros() as usize;
    bits.div_ceil(7)
}

fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)).cast_unsigned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_and_have_the_announced_length() {
        for value in [0, 1, -1, 63, 64, -64, -65, 8191, 8192, i64::from(i32::MAX), i64::MAX, i64::MIN] {
            let mut out = Vec::new();
            put_signed(&mut out, value);
            assert_eq!(out.len(), signed_len(value), "{value}");
            let mut rest = out.as_slice();
            assert_eq!(take_signed(&mut rest).unwrap(), value);
            assert!(rest.is_empty());
        }
    }

    #[test]
    fn an_endless_number_is_refused() {
        assert!(take_unsigned(&mut &[0x80; 20][..]).is_err());
        assert!(take_unsigned(&mut &[0x80, 0x80][..]).is_err());
        assert!(take_unsigned(&mut &[][..]).is_err());
    }

    #[test]
    fn a_field_may_not_pass_the_end() {
        let mut bytes: &[u8] = &[6, 1, 2];
        assert!(take_nullable(&mut bytes).is_err());
        let mut null: &[u8] = &[1, 9];
        assert_eq!(take_nullable(&mut null).unwrap(), None);
        assert_eq!(null, &[9]);
    }
}
