//! URIs taken apart by the rules of `java.net.URI` (RFC 2396).

/// The parts of a URI as written; what is absent is `None`.
pub(super) struct Uri<'a> {
    pub scheme: Option<&'a str>,
    pub host: Option<&'a str>,
    pub port: Option<i32>,
    /// `None` for opaque ones such as `mailto:a@b`.
    pub path: Option<&'a str>,
    pub query: Option<&'a str>,
    pub fragment: Option<&'a str>,
}

impl<'a> Uri<'a> {
    /// Takes a URI apart; an error when a character or an escape in it is not allowed.
    pub fn parse(text: &'a str) -> Result<Uri<'a>, String> {
        let invalid = |why: &str| format!("'{text}' is not a valid URI: {why}");
        check_characters(text).map_err(|why| invalid(&why))?;
        let (rest, fragment) = cut(text, '#');
        if fragment.is_some_and(|f| f.contains('#')) {
            return Err(invalid("it has two fragments"));
        }
        let (scheme, rest) = match rest.find([':', '/', '?']) {
            Some(at) if rest[at..].starts_with(':') => {
                let (scheme, after) = rest.split_at(at);
                if !is_scheme(scheme) {
                    return Err(invalid("its scheme is not a name"));
                }
                (Some(scheme), after.get(1..).unwrap_or_default())
            }
            _ => (None, rest),
        };
        let mut uri = Uri { scheme, host: None, port: None, path: None, query: None, fragment };
        if scheme.is_some() && !rest.starts_with('/') {
            return if rest.is_empty() { Err(invalid("nothing follows its scheme")) } else { Ok(uri) };
        }
        let (rest, query) = cut(rest, '?');
        uri.query = query;
        uri.path = Some(rest);
        if let Some(after) = rest.strip_prefix("//") {
            let (authority, path) = after.split_at(after.find('/').unwrap_or(after.len()));
            if authority.is_empty() && path.is_empty() {
                return Err(invalid("the host is missing"));
            }
            uri.path = Some(path);
            (uri.host, uri.port) = host_and_port(authority);
        }
        Ok(uri)
    }
}

fn cut(text: &str, at: char) -> (&str, Option<&str>) {
    match text.split_once(at) {
        Some((before, after)) => (before, Some(after)),
        None => (text, None),
    }
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
}

fn check_characters(text: &str) -> Result<(), String> {
    let bytes = text.as_bytes();
    for (i, b) in bytes.iter().enumerate() {
        match b {
            b'%' => {
                let digits = bytes.get(i + 1..i + 3).unwrap_or_default();
                if digits.len() < 2 || !digits.iter().all(u8::is_ascii_hexdigit) {
                    return Err(format!("a bad escape at position {}", i + 1));
                }
            }
            b'<' | b'>' | b'"' | b'{' | b'}' | b'|' | b'\\' | b'^' | b'`' | 0..=b' ' | 0x7F => {
                return Err(format!("a character that is not allowed at position {}", i + 1));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Host and port of `user@host:port`; neither when the host is not a name or address.
fn host_and_port(authority: &str) -> (Option<&str>, Option<i32>) {
    let server = authority.rsplit_once('@').map_or(authority, |(_, s)| s);
    let (host, port) = match server.rfind(':') {
        Some(at) if !server[at..].contains(']') => (&server[..at], server.get(at + 1..).unwrap_or_default()),
        _ => (server, ""),
    };
    let number = port.parse::<i32>().ok().filter(|p| *p >= 0);
    let address = host.starts_with('[') && host.ends_with(']');
    let name = !host.is_empty()
        && host.trim_end_matches('.').split('.').all(|label| {
            let plain = label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
            plain && !label.is_empty() && !label.starts_with('-') && !label.ends_with('-')
        });
    if (!address && !name) || (!port.is_empty() && number.is_none()) {
        return (None, None);
    }
    (Some(host), number)
}

/// Resolves `%XX` escapes as UTF-8, and `+` as a space where asked for.
pub(super) fn decode(text: &str, plus_is_space: bool) -> Result<String, String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(b) = rest.next() {
        match b {
            b'+' if plus_is_space => bytes.push(b' '),
            b'%' => {
                let mut digit = || rest.next().and_then(|b| (b as char).to_digit(16));
                let (Some(high), Some(low)) = (digit(), digit()) else {
                    return Err(format!("'{text}' has a bad escape: '%' must be followed by two hexadecimal digits"));
                };
                bytes.push((high * 16 + low) as u8);
            }
            other => bytes.push(other),
        }
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Form encoding: letters, digits and `-_.*` stay, a space is `+`, other bytes `%XX`.
pub(super) fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for b in text.bytes() {
        match b {
            b'-' | b'_' | b'.' | b'*' => out.push(b as char),
            b if b.is_ascii_alphanumeric() => out.push(b as char),
            b' ' => out.push('+'),
            b => out.push_str(&format!("%{b:02X}")),
        }
    }
    out
}
