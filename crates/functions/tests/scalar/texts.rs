//! Functions of texts and bytes.

use flumen_types::{SqlType, Value};

use crate::support::{null, text_array};
use crate::{f, fails, gives, gives_null};

#[test]
fn case_length_and_white_space() {
    gives!("äb", "LCASE", "ÄB");
    gives!("ÄB", "UCASE", "äb");
    gives!("The  Quick Fox", "INITCAP", "  the  qUICK fox");
    gives!("a b", "TRIM", " \t a b\n");
    gives!(3, "LEN", "a😀");
    gives!(2, "LEN", &[1u8, 2][..]);
    gives_null!("LEN", null(SqlType::String));
    gives!("a-b-c", "REPLACE", "a.b.c", ".", "-");
}

#[test]
fn joining_leaves_nulls_out() {
    gives!("ab", "CONCAT", "a", null(SqlType::String), "b");
    gives!("", "CONCAT", null(SqlType::String), null(SqlType::String));
    gives!(Value::Bytes(vec![1, 2]), "CONCAT", &[1u8][..], &[2u8][..]);
    gives!("a-b", "CONCAT_WS", "-", "a", null(SqlType::String), "b");
    gives_null!("CONCAT_WS", null(SqlType::String), "a");
    gives!(Value::Bytes(vec![1, 0, 2]), "CONCAT_WS", &[0u8][..], &[1u8][..], &[2u8][..]);
    fails!("at least one more", "CONCAT_WS", "-");
}

#[test]
fn choosing_among_texts() {
    gives!("b", "ELT", 2, "a", "b");
    gives_null!("ELT", 3, "a", "b");
    gives_null!("ELT", 0, "a");
    fails!("NULL", "ELT", null(SqlType::Integer), "a");
    gives!(2, "FIELD", "b", "a", "b");
    gives!(0, "FIELD", "c", "a", "b");
    gives!(0, "FIELD", null(SqlType::String), null(SqlType::String));
}

#[test]
fn characters_by_code() {
    gives!("A", "CHR", 65);
    gives!("😀", "CHR", 0x1F600);
    gives_null!("CHR", -1);
    gives_null!("CHR", 0x110000);
    gives!("A", "CHR", "\\u0041");
    gives!("😀", "CHR", "\\ud83d\\ude00");
    for bad in ["A", "\\u00", "\\u00zz", "u0041x"] {
        gives_null!("CHR", bad);
    }
}

#[test]
fn positions_count_from_one_or_from_the_end() {
    gives!(2, "INSTR", "corporate floor", "or");
    gives!(5, "INSTR", "corporate floor", "or", 3);
    gives!(14, "INSTR", "corporate floor", "or", 1, 3);
    gives!(5, "INSTR", "corporate floor", "or", -3, 1);
    gives!(2, "INSTR", "corporate floor", "or", -3, 2);
    gives!(0, "INSTR", "corporate floor", "or", -20);
    gives!(0, "INSTR", null(SqlType::String), "or");
    gives!(3, "INSTR", "😀x", "x");
    gives!(0, "INSTR", "abc", "b", 1, 0);
}

#[test]
fn padding_cuts_off_what_is_too_long() {
    gives!("xyxab", "LPAD", "ab", 5, "xy");
    gives!("abxyx", "RPAD", "ab", 5, "xy");
    gives!("a", "LPAD", "ab", 1, "x");
    gives!("ää1", "LPAD", "1", 3, "ä");
    gives_null!("LPAD", "ab", -1, "x");
    gives_null!("RPAD", "ab", 5, "");
    gives!(Value::Bytes(vec![9, 1]), "LPAD", &[1u8][..], 2, &[9u8][..]);
    fails!("more than", "LPAD", "a", i32::MAX, "x");
}

#[test]
fn substrings_never_fail() {
    gives!("bc", "SUBSTRING", "abc", 2);
    gives!("abc", "SUBSTRING", "abc", 0);
    gives!("c", "SUBSTRING", "abc", -1);
    gives!("abc", "SUBSTRING", "abc", -9);
    gives!("b", "SUBSTRING", "abc", 2, 1);
    gives!("", "SUBSTRING", "abc", 2, -1);
    gives!("", "SUBSTRING", "abc", 9, i32::MAX);
    gives!("x", "SUBSTRING", "😀x", 3);
    gives!(Value::Bytes(vec![2]), "SUBSTRING", &[1u8, 2, 3][..], 2, 1);
}

#[test]
fn masks_hide_by_class() {
    gives!("Xxx-nn-", "MASK", "Abc 12!");
    let keep = || null(SqlType::String);
    gives!("A**?12?", "MASK", "Abc 12!", keep(), "*", keep(), "?");
}

#[test]
fn masks_count_from_either_end() {
    gives!("XxCd", "MASK_LEFT", "AbCd", 2);
    gives!("AbXx", "MASK_RIGHT", "AbCd", 2);
    gives!("AbXx", "MASK_KEEP_LEFT", "AbCd", 2);
    gives!("XxCd", "MASK_KEEP_RIGHT", "AbCd", 2);
    gives!("Xx", "MASK_LEFT", "Ab", 9);
    gives!("*bCd", "MASK_LEFT", "AbCd", 1, "*", "*", "*", "*");
    fails!("negative", "MASK_LEFT", "Ab", -1);
    fails!("one character", "MASK", "Ab", "XX", "x", "n", "-");
    fails!("NULL", "MASK_LEFT", "Ab", null(SqlType::Integer));
    gives_null!("MASK", null(SqlType::String));
}

#[test]
fn regular_expressions_follow_java() {
    gives!("12", "REGEXP_EXTRACT", "\\d+", "ab12c3");
    gives!("b", "REGEXP_EXTRACT", "a(b)?", "xab", 1);
    gives_null!("REGEXP_EXTRACT", "a(b)?", "xa", 1);
    gives_null!("REGEXP_EXTRACT", "a", "xa", 1);
    gives_null!("REGEXP_EXTRACT", "z", "xa");
    gives!(text_array(&["1", "2"]), "REGEXP_EXTRACT_ALL", "[a-z](\\d)", "a1b2", 1);
    gives!(text_array(&[]), "REGEXP_EXTRACT_ALL", "z", "a");
    gives!("b-a", "REGEXP_REPLACE", "a-b", "(\\w)-(\\w)", "$2-$1");
    gives!("$x", "REGEXP_REPLACE", "ax", "a", "\\$");
    gives!("x-x", "REGEXP_REPLACE", "xaax", "(?<!a)a+", "-");
    gives!(text_array(&["a", "", "b"]), "REGEXP_SPLIT_TO_ARRAY", "a12b", "\\d");
    gives!(text_array(&["a", "b"]), "REGEXP_SPLIT_TO_ARRAY", "ab", "");
    fails!("regular expression", "REGEXP_EXTRACT", "(", "a");
    fails!("no group", "REGEXP_REPLACE", "a", "a", "$1");
}

#[test]
fn splitting_keeps_empty_parts() {
    gives!(text_array(&["", "a", ""]), "SPLIT", ".a.", ".");
    gives!(text_array(&["a", "b"]), "SPLIT", "ab", "");
    gives!(text_array(&[""]), "SPLIT", "", ",");
    gives!(Value::Array(vec![Value::Bytes(vec![1]), Value::Bytes(vec![])]), "SPLIT", &[1u8, 0][..], &[0u8][..]);
    let expected = Value::Map(vec![("a".into(), "3".into()), ("b".into(), "2".into())]);
    gives!(expected, "SPLIT_TO_MAP", "a=1;b=2=9;c;a=3", ";", "=");
    gives_null!("SPLIT_TO_MAP", "a=1", "=", "=");
    gives_null!("SPLIT_TO_MAP", "a=1", "", "=");
}

#[test]
fn encodings_turn_text_into_bytes() {
    gives!("4869", "ENCODE", "Hi", "utf8", "hex");
    gives!("Hi", "ENCODE", "0x4869", "HEX", "ascii");
    gives!("\u{5}", "ENCODE", "0x5", "hex", "utf8");
    gives!("SGk=", "ENCODE", "X'4869'", "hex", "base64");
    gives!("3f", "ENCODE", "é", "ascii", "hex");
    gives!("\u{FFFD}\u{FFFD}", "ENCODE", "w6k=", "base64", "ascii");
    fails!("both", "ENCODE", "a", "utf8", "UTF8");
    fails!("unknown encoding", "ENCODE", "a", "utf8", "rot13");
    fails!("hexadecimal", "ENCODE", "abc", "hex", "utf8");
    gives!(Value::Bytes(vec![0x1A, 0xB2]), "TO_BYTES", "1aB2", "hex");
    gives!("1AB2", "FROM_BYTES", &[0x1Au8, 0xB2][..], "hex");
    fails!("base64", "TO_BYTES", "*", "base64");
    gives!("900150983cd24fb0d6963f7d28e17f72", "MD5", "abc");
}

#[test]
fn identifiers_are_random_or_from_bytes() {
    let Ok(Value::String(id)) = f!("UUID") else { panic!("no id") };
    assert_eq!((id.len(), id.as_bytes()[14]), (36, b'4'));
    gives!("00010203-0405-0607-0809-0a0b0c0d0e0f", "UUID", &(0u8..16).collect::<Vec<u8>>()[..]);
    gives_null!("UUID", &[1u8][..]);
}

#[test]
fn the_first_present_value_is_chosen() {
    gives!(2, "COALESCE", null(SqlType::Integer), 2, 3);
    gives!(1, "IFNULL", 1, 2);
    gives_null!("COALESCE", null(SqlType::Integer), null(SqlType::Integer));
    gives_null!("NULLIF", "a", "a");
    gives!("a", "NULLIF", "a", "b");
    gives!("a", "NULLIF", "a", null(SqlType::String));
    gives_null!("AS_VALUE", null(SqlType::String));
}
