//! Mutated texts never panic: they parse, and then print back to themselves, or they are refused with a place.
//!
//! `FLUMEN_MUTATIONS` sets how many are tried.

use std::collections::BTreeMap;

use flumen_parser::{parse, parse_expression, parse_schema, parse_statement, parse_type, split, substitute};

/// What is mutated.
const SEEDS: &[&str] = &[
    "CREATE OR REPLACE SOURCE TABLE IF NOT EXISTS `Rooms` (id BIGINT PRIMARY KEY, name VARCHAR, area DECIMAL(9, 2)) WITH (kafka_topic='rooms', value_format='JSON', partitions=4, wrap_single_value=false);",
    "CREATE STREAM visits (h ARRAY<STRUCT<key STRING, value BYTES>> HEADERS, who MAP<STRING, ARRAY<INT>>, `at` TIMESTAMP, c BYTES HEADER('trace')) WITH (format='AVRO');",
    "CREATE TABLE per_room WITH (value_format='PROTOBUF') AS SELECT room, COUNT(*) AS n, SUM(price * 1.5e0) total FROM visits v WINDOW HOPPING (SIZE 30 SECONDS, ADVANCE BY 10 SECONDS, RETENTION 2 DAYS, GRACE PERIOD 1 HOUR) WHERE NOT price BETWEEN -1 AND .5 GROUP BY room, v.kind HAVING COUNT(*) > 10 EMIT FINAL;",
    "INSERT INTO merged WITH (query_id='m_1') SELECT a.*, b->c->*, REDUCE(xs, 0, (s, x) => s + x) r FROM lefts a LEFT OUTER JOIN rights AS b WITHIN (1 MINUTE, 2 MINUTES) GRACE PERIOD 0 SECONDS ON a.id = b.id PARTITION BY a.id EMIT CHANGES;",
    "INSERT INTO visits (who, `at`) VALUES (MAP('a' := ARRAY[1, 2], 'b' := ARRAY[]), '2024-02-29T12:00:00');",
    "SELECT CASE WHEN x IS NOT DISTINCT FROM y THEN 'it''s' ELSE \"q\" || 'z' END, CAST(STRUCT(f := 1)->f AS DECIMAL(4, 1)), DATEADD(DAYS, 1, d), m['k'][-1] AT TIME ZONE 'UTC', 1R FROM s WHERE a NOT LIKE '%!_%' ESCAPE '!' AND b NOT IN (1, 2147483648, NULL, TRUE) LIMIT 5;",
    "-- a comment ; with a semicolon\n--@test: a directive\nSET 'auto.offset.reset'='earliest'; UNSET 'x'; DEFINE v = '${w}'; /* block */ SHOW ALL TOPICS EXTENDED; LIST SOURCE CONNECTORS;",
    "DROP STREAM IF EXISTS s DELETE TOPIC; ALTER TABLE t ADD COLUMN a INT, ADD b STRUCT< >; CREATE TYPE addr AS STRUCT<`s t` STRING, n INT ARRAY>; DROP TYPE addr; TERMINATE ALL; PAUSE q; ALTER SYSTEM 'a'='b';",
    "PRINT 'Some.Topic' FROM BEGINNING SAMPLE 3 LIMIT 2; EXPLAIN SELECT * FROM s; DESCRIBE FUNCTION abs; DESCRIBE s EXTENDED; RUN SCRIPT './x.sql';",
    "CREATE SINK CONNECTOR c WITH ('connector.class'='x', \"tasks.max\"=1); ASSERT NOT EXISTS TOPIC t WITH (replicas=1) TIMEOUT 3 SECONDS; ASSERT SCHEMA SUBJECT 'a-b' ID 5; ASSERT NULL VALUES t (k) KEY (DECIMAL '1.0'); ASSERT STREAM s (a INT) WITH (format='KAFKA');",
];

/// What is put in, besides pieces of the seeds themselves.
const PIECES: &[&str] = &[
    "'",
    "`",
    "\"",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    ">>",
    "->",
    "->*",
    "=>",
    ":=",
    "||",
    "--",
    "--@",
    "/*",
    "*/",
    ";",
    ",",
    ".",
    "..",
    "$",
    "${",
    "}",
    "$$",
    "0x",
    "0x1G",
    "1e",
    "1e999",
    "1.e5",
    ".5",
    "9999999999999999999",
    "1L",
    "X'",
    "N'",
    "@",
    "@@",
    "#",
    "~",
    "!",
    "\\",
    "?",
    ":",
    "::",
    "é",
    "\u{1F600}",
    "\u{2003}",
    "\0",
    "\r",
    "\n",
    "\t",
    " NOT ",
    " AND ",
    " IS ",
    " CASE ",
    " WHEN ",
    " SELECT ",
    " FROM ",
    " ARRAY[",
    " MAP(",
    " STRUCT(",
    " CAST(",
    "STRUCT<",
    " EXPLAIN ",
    " DECIMAL '",
    " GROUP BY (",
    " WITHIN (",
    " AS ",
    "((((((((",
    "[[[[[[[[",
    "- - - -",
    " EMIT ",
];

/// A small generator (xorshift), so that a run can be repeated.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % bound.max(1)
    }

    /// A place between two characters.
    fn place(&mut self, text: &str) -> usize {
        let mut at = self.below(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }

    fn range(&mut self, text: &str, longest: usize) -> (usize, usize) {
        let start = self.place(text);
        let mut end = (start + self.below(longest)).min(text.len());
        while !text.is_char_boundary(end) {
            end += 1;
        }
        (start, end)
    }
}

fn mutate(text: &mut String, random: &mut Random) {
    match random.below(7) {
        0 => {
            let (start, end) = random.range(text, 12);
            text.replace_range(start..end, "");
        }
        1 => {
            let (start, end) = random.range(text, 40);
            let piece = text[start..end].to_string();
            let at = random.place(text);
            text.insert_str(at, &piece);
        }
        2 => {
            let other = SEEDS[random.below(SEEDS.len())];
            let (start, end) = random.range(other, 60);
            let at = random.place(text);
            text.insert_str(at, &other[start..end]);
        }
        3 => {
            let at = random.place(text);
            text.truncate(at);
        }
        4 => {
            let at = random.place(text);
            let ch = char::from_u32(u32::try_from(random.below(0x250)).unwrap()).unwrap_or('x');
            text.insert(at, ch);
        }
        _ => {
            let piece = PIECES[random.below(PIECES.len())];
            let (start, end) = random.range(text, 4);
            text.replace_range(start..end, piece);
        }
    }
}

fn check(text: &str) -> bool {
    let _ = split(text);
    let _ = parse_expression(text);
    let _ = parse_type(text);
    let _ = parse_schema(text);
    let _ = substitute(text, &BTreeMap::from([("W".to_string(), "'".to_string())]));
    match parse(text) {
        Ok(statements) => {
            for one in &statements {
                let printed = one.statement.to_string();
                let again = parse_statement(&printed).unwrap_or_else(|e| panic!("{e}\nprinted from\n{text}"));
                assert_eq!(again.statement, one.statement, "{printed}");
                assert_eq!(one.span.slice(text), one.text);
            }
            true
        }
        Err(error) => {
            assert!(error.line >= 1 && error.column >= 1 && error.span.start <= text.len(), "{error}");
            assert!(!error.to_string().is_empty());
            false
        }
    }
}

#[test]
fn mutated_texts_never_panic() {
    let count: usize = std::env::var("FLUMEN_MUTATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(20_000);
    for seed in SEEDS {
        assert!(check(seed), "a seed does not parse: {seed}\n{}", parse(seed).unwrap_err());
    }
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut parsed = 0;
    for _ in 0..count {
        let mut text = SEEDS[random.below(SEEDS.len())].to_string();
        for _ in 0..=random.below(5) {
            mutate(&mut text, &mut random);
        }
        let outcome = std::panic::catch_unwind(|| check(&text));
        parsed += usize::from(outcome.unwrap_or_else(|_| panic!("panicked on: {text:?}")));
    }
    println!("{count} mutated texts, {parsed} of them still parse");
    assert!(parsed > count / 100 && parsed < count);
}
