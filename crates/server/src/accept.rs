//! Which form of an answer a client asks for.

use axum::http::HeaderMap;
use axum::http::header::ACCEPT;
use flumen_api::ErrorCode;

use crate::failure::Failure;

/// The best of the media types on offer for a request; the first one if it does not say.
pub fn choose(headers: &HeaderMap, offers: &[&'static str]) -> Result<&'static str, Failure> {
    let texts: Vec<&str> = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok()).collect();
    best(&texts.join(","), offers).ok_or_else(|| {
        let text = format!("None of the accepted media types is available here. Available are: {}", offers.join(", "));
        Failure::new(ErrorCode::NOT_ACCEPTABLE, text)
    })
}

/// The client's preference decides, then its order, then ours.
fn best(accept: &str, offers: &[&'static str]) -> Option<&'static str> {
    let mut ranges: Vec<(&str, f32)> = accept.split(',').map(range).filter(|(name, _)| !name.is_empty()).collect();
    if ranges.is_empty() {
        return offers.first().copied();
    }
    let refused = |offer: &str| ranges.iter().any(|(name, q)| *q <= 0.0 && name.eq_ignore_ascii_case(offer));
    let offers: Vec<&'static str> = offers.iter().copied().filter(|offer| !refused(offer)).collect();
    ranges.retain(|(_, q)| *q > 0.0);
    // Stable: ranges of one preference stay in the client's order.
    ranges.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    ranges.iter().find_map(|(range, _)| offers.iter().copied().find(|offer| covers(range, offer)))
}

/// The name of a media range and its preference, 0 to 1.
fn range(text: &str) -> (&str, f32) {
    let mut parts = text.split(';').map(str::trim);
    let name = parts.next().unwrap_or_default();
    let q = parts.find_map(|parameter| parameter.strip_prefix("q=").or_else(|| parameter.strip_prefix("Q=")));
    (name, q.map_or(1.0, |q| q.trim().parse().unwrap_or(0.0)))
}

fn covers(range: &str, offer: &str) -> bool {
    match range.strip_suffix("/*") {
        Some("*") => true,
        Some(group) => offer.split_once('/').is_some_and(|(of, _)| of.eq_ignore_ascii_case(group)),
        None => range.eq_ignore_ascii_case(offer),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flumen_api::media::{DELIMITED_V1, JSON, KSQL_V1};

    const OFFERS: [&str; 3] = [DELIMITED_V1, JSON, KSQL_V1];

    #[test]
    fn no_wish_takes_the_first_offer() {
        for accept in ["", "*/*", " , ", "application/*", "*/*;q=0.1"] {
            assert_eq!(best(accept, &OFFERS), Some(DELIMITED_V1), "{accept}");
        }
    }

    #[test]
    fn the_best_wish_wins() {
        let cases = [
            ("application/json", Some(JSON)),
            ("Application/VND.ksql.v1+JSON", Some(KSQL_V1)),
            ("application/json;q=0.5, application/vnd.ksql.v1+json", Some(KSQL_V1)),
            ("application/vnd.ksql.v1+json, application/json", Some(KSQL_V1)),
            ("text/html, application/json; charset=utf-8; q=0.2, */*;q=0.1", Some(JSON)),
            ("application/vnd.ksqlapi.delimited.v1;q=0, */*", Some(JSON)),
            ("text/html", None),
            ("application/json;q=0", None),
            ("application/json;q=much", None),
        ];
        for (accept, expected) in cases {
            assert_eq!(best(accept, &OFFERS), expected, "{accept}");
        }
    }
}
