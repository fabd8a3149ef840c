//! Frozen samples of what is persisted: they must be read for ever.

use flumen_plan::{InputPosition, NodeId, Positions};

#[test]
fn positions_are_frozen() {
    let input = InputPosition { topic: "s".to_owned(), partition: 3, next: 42, time: -1 };
    let positions = Positions { commit: 7, inputs: vec![input], stream_times: vec![(NodeId(2), 1_000)] };
    let text = "\u{1}{\"commit\":7,\"inputs\":[{\"topic\":\"s\",\"partition\":3,\"next\":42,\"time\":-1}],\"stream_times\":[[2,1000]]}";
    assert_eq!(String::from_utf8(positions.encode().unwrap()).unwrap(), text);
    assert_eq!(Positions::decode(text.as_bytes()).unwrap(), positions);
    let later = Positions::decode(b"\x02{}").unwrap_err().to_string();
    assert!(later.contains("version 2") && later.contains("upgrade the server"), "{later}");
    assert!(Positions::decode(b"").is_err() && Positions::decode(b"\x01{").is_err());
}
