//! The functions of URLs.

use flumen_expr::function::{INTEGER, STRING, ScalarFunction, Signature, map1, map2};

use super::uri::{Uri, decode, encode};

pub(super) fn all() -> Vec<ScalarFunction> {
    vec![
        named("URL_ENCODE_PARAM", "The text encoded to be part of a URL.")
            .overload(Signature::new([STRING], STRING), map1::<str, String>(|s| Ok(Some(encode(s))))),
        named("URL_DECODE_PARAM", "The text of an encoded part of a URL.")
            .overload(Signature::new([STRING], STRING), map1::<str, String>(|s| decode(s, true).map(Some))),
        part("URL_EXTRACT_PROTOCOL", "The protocol of a URL.", |u| u.scheme),
        part("URL_EXTRACT_HOST", "The host of a URL.", |u| u.host),
        part("URL_EXTRACT_PATH", "The path of a URL.", |u| u.path),
        part("URL_EXTRACT_QUERY", "The query of a URL.", |u| u.query),
        part("URL_EXTRACT_FRAGMENT", "The fragment of a URL.", |u| u.fragment),
        named("URL_EXTRACT_PORT", "The port of a URL, NULL when it does not say one.")
            .overload(Signature::new([STRING], INTEGER), map1::<str, i32>(|url| Ok(Uri::parse(url)?.port))),
        named("URL_EXTRACT_PARAMETER", "The value of a parameter in the query of a URL.").overload(
            Signature::new([STRING, STRING], STRING),
            map2::<str, str, String>(|url, name| {
                let Some(query) = Uri::parse(url)?.query else { return Ok(None) };
                let query = decode(query, false)?;
                let pairs = query.split('&').map(|p| p.split_once('=').unwrap_or((p, "")));
                Ok(pairs.into_iter().find(|(k, _)| *k == name).map(|(_, v)| v.to_string()))
            }),
        ),
    ]
}

fn named(name: &'static str, description: &'static str) -> ScalarFunction {
    ScalarFunction::new(name, "URL", description)
}

fn part(name: &'static str, description: &'static str, part: for<'a> fn(&Uri<'a>) -> Option<&'a str>) -> ScalarFunction {
    named(name, description).overload(
        Signature::new([STRING], STRING),
        map1::<str, String>(move |url| part(&Uri::parse(url)?).map(|text| decode(text, false)).transpose()),
    )
}
