//! Batches written here are read back, and damaged ones are refused.

use super::*;

fn sample(compression: Compression) -> Vec<u8> {
    let mut writer = BatchWriter::default();
    writer.push(1000, Some(b"k"), Some(b"v"), &[]).unwrap();
    writer.push(900, None, Some(b""), &[2, 2, b'h', 1]).unwrap();
    writer.push(2000, Some(b""), None, &[]).unwrap();
    writer.finish(compression, Producer { id: 7, epoch: 3, sequence: 40, transactional: true }).unwrap()
}

fn records(bytes: &[u8]) -> Vec<(i64, i64, Option<Vec<u8>>, Option<Vec<u8>>, Vec<u8>)> {
    let (batch, rest) = Batch::split(bytes).unwrap();
    assert!(rest.is_empty());
    batch.check_crc().unwrap();
    let mut scratch = Vec::new();
    let owned = |b: Option<&[u8]>| b.map(<[u8]>::to_vec);
    batch
        .records(&mut scratch, 1 << 20)
        .unwrap()
        .map(|r| r.map(|r| (r.offset, r.timestamp, owned(r.key), owned(r.value), r.headers.to_vec())).unwrap())
        .collect()
}

#[test]
fn a_batch_is_read_as_it_was_written_with_every_codec() {
    for codec in [Compression::None, Compression::Gzip, Compression::Snappy, Compression::Lz4, Compression::Zstd] {
        let bytes = sample(codec);
        let header = BatchHeader::parse(&bytes).unwrap();
        assert_eq!((header.count, header.last_offset_delta, header.base_timestamp, header.max_timestamp), (3, 2, 1000, 2000));
        assert_eq!((header.producer_id, header.producer_epoch, header.base_sequence), (7, 3, 40));
        assert!(header.attributes.is_transactional() && !header.attributes.is_control());
        assert_eq!(
            records(&bytes),
            [
                (0, 1000, Some(b"k".to_vec()), Some(b"v".to_vec()), vec![0]),
                (1, 900, None, Some(vec![]), vec![2, 2, b'h', 1]),
                (2, 2000, Some(vec![]), None, vec![0]),
            ]
        );
    }
}

#[test]
fn another_decoder_of_the_format_agrees() {
    use kafka_protocol::records::RecordBatchDecoder;
    for codec in [Compression::None, Compression::Gzip, Compression::Snappy, Compression::Lz4, Compression::Zstd] {
        let mut bytes = bytes::Bytes::from(sample(codec));
        let set = RecordBatchDecoder::decode(&mut bytes).unwrap();
        let seen: Vec<_> = set.records.iter().map(|r| (r.offset, r.timestamp, r.key.clone(), r.value.clone(), r.headers.len())).collect();
        let some = |b: &'static [u8]| Some(bytes::Bytes::from_static(b));
        assert_eq!(seen, [(0, 1000, some(b"k"), some(b"v"), 0), (1, 900, None, some(b""), 1), (2, 2000, some(b""), None, 0)]);
        assert_eq!(set.records[0].sequence, 40);
    }
}

#[test]
fn base_offset_and_append_time_can_be_set_in_place() {
    let mut bytes = sample(Compression::Lz4);
    set_base_offset(&mut bytes, 500);
    set_leader_epoch(&mut bytes, 0);
    assert_eq!(records(&bytes)[2].0, 502);
    set_append_time(&mut bytes, 77_000);
    assert!(records(&bytes).iter().all(|r| r.1 == 77_000));
    let header = BatchHeader::parse(&bytes).unwrap();
    assert_eq!((header.last_offset(), header.next_offset(), header.leader_epoch), (502, 503, 0));
}

#[test]
fn markers_are_control_batches() {
    for marker in [Marker::Abort, Marker::Commit] {
        let bytes = control_batch(marker, 9, 2, 5000).unwrap();
        let (batch, _) = Batch::split(&bytes).unwrap();
        batch.check_crc().unwrap();
        assert!(batch.header.attributes.is_control() && batch.header.attributes.is_transactional());
        assert_eq!(batch.marker().unwrap(), Some(marker));
    }
}

#[test]
fn any_flipped_bit_of_the_content_is_noticed() {
    let whole = sample(Compression::None);
    for at in 17..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        if let Ok((batch, _)) = Batch::split(&bytes) {
            assert!(batch.check_crc().is_err(), "byte {at}");
        }
    }
}

#[test]
fn a_cut_off_batch_ends_the_walk_and_rubbish_is_an_error() {
    let mut two = sample(Compression::None);
    let one = two.len();
    two.extend(sample(Compression::None));
    assert_eq!(Batches(&two).count(), 2);
    for cut in one..two.len() {
        assert_eq!(Batches(&two[..cut]).filter(Result::is_ok).count(), 1, "cut at {cut}");
        assert!(Batches(&two[..cut]).all(|b| b.is_ok()));
    }
    assert!(matches!(Batches(&[0; 100]).next(), Some(Err(BatchError::Magic(0)))));
    let mut negative = sample(Compression::None);
    negative[8] = 0xff;
    assert!(matches!(Batch::split(&negative), Err(BatchError::Malformed(_))));
}

#[test]
fn mutated_bytes_never_panic() {
    let whole = sample(Compression::None);
    let mut state = 12345u64;
    for _ in 0..20_000 {
        let mut bytes = whole.clone();
        for _ in 0..3 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let at = (state >> 33) as usize % bytes.len();
            bytes[at] = (state >> 20) as u8;
        }
        for batch in Batches(&bytes).flatten() {
            let mut scratch = Vec::new();
            if let Ok(records) = batch.records(&mut scratch, 1 << 16) {
                assert!(records.count() <= bytes.len() + 1);
            }
        }
    }
}

#[test]
fn an_empty_batch_cannot_be_written() {
    assert!(BatchWriter::default().finish(Compression::None, Producer::PLAIN).is_err());
}
