//! The five compression codecs of record batches, with a limit on what they may unpack to.

use crate::error::BatchError;
use std::io::{Read, Write};

/// How the records of a batch are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    None,
    /// gzip.
    Gzip,
    /// Snappy, in the framing of the Java library or bare.
    Snappy,
    /// LZ4 frames.
    Lz4,
    /// Zstandard.
    Zstd,
}

/// First bytes of the Java Snappy library's framing; two version words follow.
const XERIAL_MAGIC: &[u8] = &[0x82, b'S', b'N', b'A', b'P', b'P', b'Y', 0];
const XERIAL_HEADER: usize = 16;
const XERIAL_BLOCK: usize = 32 * 1024;
/// More than the bytes that one byte of a Snappy block can stand for: its longest copy gives 64 bytes and takes 3.
const SNAPPY_GAIN: usize = 32;

impl Compression {
    /// The codec with this number in a batch's attributes.
    ///
    /// # Errors
    /// [`BatchError::Codec`] for numbers the format does not define.
    pub fn from_code(code: i16) -> Result<Self, BatchError> {
        Ok(match code {
            0 => Self::None,
            1 => Self::Gzip,
            2 => Self::Snappy,
            3 => Self::Lz4,
            4 => Self::Zstd,
            other => return Err(BatchError::Codec(other)),
        })
    }

    /// The number in a batch's attributes.
    pub fn code(self) -> i16 {
        match self {
            Self::None => 0,
            Self::Gzip => 1,
            Self::Snappy => 2,
            Self::Lz4 => 3,
            Self::Zstd => 4,
        }
    }

    /// The name used by the property `compression.type`.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Gzip => "gzip",
            Self::Snappy => "snappy",
            Self::Lz4 => "lz4",
            Self::Zstd => "zstd",
        }
    }

    /// Appends the unpacked form of `packed` to `out`, at most `limit` bytes.
    ///
    /// # Errors
    /// [`BatchError::TooLarge`] beyond the limit, [`BatchError::Decompress`] if the codec refuses the bytes.
    pub fn decompress(self, packed: &[u8], out: &mut Vec<u8>, limit: usize) -> Result<(), BatchError> {
        match self {
            Self::None => {
                if packed.len() > limit {
                    return Err(BatchError::TooLarge { limit });
                }
                out.extend_from_slice(packed);
                Ok(())
            }
            Self::Gzip => self.read_limited(flate2::read::MultiGzDecoder::new(packed), out, limit),
            Self::Lz4 => self.read_limited(lz4::Decoder::new(packed).map_err(|e| self.refused(&e))?, out, limit),
            Self::Zstd => self.read_limited(zstd::stream::read::Decoder::with_buffer(packed).map_err(|e| self.refused(&e))?, out, limit),
            Self::Snappy => self.unsnappy(packed, out, limit),
        }
    }

    /// Appends the packed form of `plain` to `out`.
    ///
    /// # Errors
    /// [`BatchError::Decompress`] if the codec fails, which no content is known to cause.
    pub fn compress(self, plain: &[u8], out: &mut Vec<u8>) -> Result<(), BatchError> {
        let done: std::io::Result<()> = match self {
            Self::None => {
                out.extend_from_slice(plain);
                Ok(())
            }
            Self::Gzip => {
                let mut encoder = flate2::write::GzEncoder::new(&mut *out, flate2::Compression::default());
                encoder.write_all(plain).and_then(|()| encoder.finish().map(drop))
            }
            Self::Lz4 => lz4::EncoderBuilder::new().build(&mut *out).and_then(|mut encoder| {
                let written = encoder.write_all(plain);
                let (_, finished) = encoder.finish();
                written.and(finished)
            }),
            Self::Zstd => zstd::stream::copy_encode(plain, &mut *out, 0),
            Self::Snappy => return self.snappy(plain, out),
        };
        done.map_err(|error| self.refused(&error))
    }

    fn read_limited(self, reader: impl Read, out: &mut Vec<u8>, limit: usize) -> Result<(), BatchError> {
        let room = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
        let read = reader.take(room).read_to_end(out).map_err(|e| self.refused(&e))?;
        if read > limit { Err(BatchError::TooLarge { limit }) } else { Ok(()) }
    }

    fn unsnappy(self, packed: &[u8], out: &mut Vec<u8>, limit: usize) -> Result<(), BatchError> {
        if !packed.starts_with(XERIAL_MAGIC) {
            return self.unsnappy_block(packed, out, limit);
        }
        let mut rest = packed.get(XERIAL_HEADER..).ok_or(BatchError::Malformed("the Snappy framing is cut off"))?;
        let mut room = limit;
        while !rest.is_empty() {
            let (length, after) = rest.split_first_chunk::<4>().ok_or(BatchError::Malformed("a Snappy block is cut off"))?;
            let length = usize::try_from(u32::from_be_bytes(*length)).unwrap_or(usize::MAX);
            let (block, after) = after.split_at_checked(length).ok_or(BatchError::Malformed("a Snappy block is cut off"))?;
            let before = out.len();
            self.unsnappy_block(block, out, room).map_err(|e| match e {
                BatchError::TooLarge { .. } => BatchError::TooLarge { limit },
                other => other,
            })?;
            room -= out.len() - before;
            rest = after;
        }
        Ok(())
    }

    fn unsnappy_block(self, block: &[u8], out: &mut Vec<u8>, limit: usize) -> Result<(), BatchError> {
        let length = snap::raw::decompress_len(block).map_err(|e| self.refused(&e))?;
        if length > limit {
            return Err(BatchError::TooLarge { limit });
        }
        // Room is made for what the block announces, so that has to be possible.
        if length > block.len().saturating_mul(SNAPPY_GAIN) {
            return Err(BatchError::Malformed("a Snappy block announces more than it can hold"));
        }
        let plain = snap::raw::Decoder::new().decompress_vec(block).map_err(|e| self.refused(&e))?;
        out.extend_from_slice(&plain);
        Ok(())
    }

    fn snappy(self, plain: &[u8], out: &mut Vec<u8>) -> Result<(), BatchError> {
        out.extend_from_slice(XERIAL_MAGIC);
        out.extend_from_slice(&[0, 0, 0, 1, 0, 0, 0, 1]);
        let mut encoder = snap::raw::Encoder::new();
        for block in plain.chunks(XERIAL_BLOCK) {
            let packed = encoder.compress_vec(block).map_err(|e| self.refused(&e))?;
            let length = u32::try_from(packed.len()).map_err(|_| BatchError::Full)?;
            out.extend_from_slice(&length.to_be_bytes());
            out.extend_from_slice(&packed);
        }
        Ok(())
    }

    fn refused(self, error: &dyn std::fmt::Display) -> BatchError {
        BatchError::Decompress { codec: self.name(), reason: error.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Compression; 5] = [Compression::None, Compression::Gzip, Compression::Snappy, Compression::Lz4, Compression::Zstd];

    #[test]
    fn every_codec_gives_back_what_it_was_given() {
        let plain: Vec<u8> = (0..100_000u32).flat_map(|i| (i % 251).to_be_bytes()).collect();
        for codec in ALL {
            assert_eq!(Compression::from_code(codec.code()).unwrap(), codec);
            for content in [&plain[..], &plain[..1], &[]] {
                let (mut packed, mut back) = (Vec::new(), Vec::new());
                codec.compress(content, &mut packed).unwrap();
                codec.decompress(&packed, &mut back, plain.len()).unwrap();
                assert_eq!(back, content, "{codec:?}");
            }
        }
    }

    #[test]
    fn a_bomb_is_stopped_at_the_limit() {
        let plain = vec![0u8; 1 << 20];
        for codec in ALL {
            let (mut packed, mut back) = (Vec::new(), Vec::new());
            codec.compress(&plain, &mut packed).unwrap();
            let refused = codec.decompress(&packed, &mut back, 1000);
            assert!(matches!(refused, Err(BatchError::TooLarge { limit: 1000 })), "{codec:?}: {refused:?}");
            assert!(back.len() <= 1001, "{codec:?}");
        }
    }

    #[test]
    fn bare_snappy_is_read_too() {
        let bare = snap::raw::Encoder::new().compress_vec(b"hello hello hello").unwrap();
        let mut back = Vec::new();
        Compression::Snappy.decompress(&bare, &mut back, 100).unwrap();
        assert_eq!(back, b"hello hello hello");
    }

    #[test]
    fn snappy_that_announces_more_than_it_can_hold_is_refused_before_room_is_made() {
        // The length in front says 2 GiB, of a block of 7 bytes.
        let mut back = Vec::new();
        let refused = Compression::Snappy.decompress(&[0x80, 0x80, 0x80, 0x80, 0x08, 0, b'x'], &mut back, usize::MAX);
        assert!(matches!(refused, Err(BatchError::Malformed(_))), "{refused:?}");
        // The densest block there is passes.
        let (mut packed, plain) = (Vec::new(), vec![7; 1 << 20]);
        packed.extend(snap::raw::Encoder::new().compress_vec(&plain).unwrap());
        Compression::Snappy.decompress(&packed, &mut back, 1 << 20).unwrap();
        assert_eq!(back, plain);
    }

    #[test]
    fn rubbish_is_refused() {
        for codec in [Compression::Gzip, Compression::Snappy, Compression::Lz4, Compression::Zstd] {
            assert!(codec.decompress(&[0xff; 40], &mut Vec::new(), 1 << 20).is_err(), "{codec:?}");
        }
        assert!(Compression::from_code(5).is_err());
    }
}
