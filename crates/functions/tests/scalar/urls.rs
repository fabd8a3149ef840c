//! Functions of URLs.

use flumen_types::SqlType;

use crate::support::null;
use crate::{fails, gives, gives_null};

#[test]
fn parameters_are_encoded_for_forms() {
    gives!("%3Fa+%24b-_.*%C3%A4", "URL_ENCODE_PARAM", "?a $b-_.*ä");
    gives!("?a $bä", "URL_DECODE_PARAM", "%3Fa+%24b%C3%A4");
    fails!("bad escape", "URL_DECODE_PARAM", "100%");
    gives_null!("URL_ENCODE_PARAM", null(SqlType::String));
}

#[test]
fn urls_come_apart() {
    let url = "https://me@example.com:8080/a%20b/c?q=1%26&flag&q=2#frag";
    gives!("https", "URL_EXTRACT_PROTOCOL", url);
    gives!("example.com", "URL_EXTRACT_HOST", url);
    gives!(8080, "URL_EXTRACT_PORT", url);
    gives!("/a b/c", "URL_EXTRACT_PATH", url);
    gives!("q=1&&flag&q=2", "URL_EXTRACT_QUERY", url);
    gives!("frag", "URL_EXTRACT_FRAGMENT", url);
    gives!("1", "URL_EXTRACT_PARAMETER", url, "q");
    gives!("", "URL_EXTRACT_PARAMETER", url, "flag");
    gives_null!("URL_EXTRACT_PARAMETER", url, "none");
}

#[test]
fn absent_parts_are_null() {
    gives_null!("URL_EXTRACT_PROTOCOL", "www.example.com");
    gives_null!("URL_EXTRACT_HOST", "mailto:a@example.com");
    gives_null!("URL_EXTRACT_PATH", "mailto:a@example.com");
    gives_null!("URL_EXTRACT_HOST", "http://under_score.example/");
    gives_null!("URL_EXTRACT_PORT", "http://example.com/");
    gives_null!("URL_EXTRACT_FRAGMENT", "http://example.com");
    gives!("", "URL_EXTRACT_PATH", "http://example.com");
    gives!("[::1]", "URL_EXTRACT_HOST", "http://[::1]:80/");
    for bad in ["http://a b/", "http://a/%zz", "http:", "1:x", "a#b#c", "http://"] {
        fails!("not a valid URI", "URL_EXTRACT_HOST", bad);
    }
}
