//! The `.properties` file format of Java: `name=value` lines, comments, continued lines and escapes.

use crate::ConfigError;

/// Reads the text of a properties file into pairs, in their order. `place` names the file in errors.
///
/// `#` and `!` start comment lines; `=`, `:` or blanks part name and value; a backslash at the end of a line continues it on
/// the next, and elsewhere escapes (`\n`, `\t`, `\r`, `\f`, `\uXXXX`, or the character itself).
///
/// # Errors
/// When a line has no name.
pub fn parse(text: &str, place: &str) -> Result<Vec<(String, String)>, ConfigError> {
    let mut pairs = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let mut whole = line.trim_start().to_owned();
        if whole.is_empty() || whole.starts_with(['#', '!']) {
            continue;
        }
        while continued(&whole) {
            whole.pop();
            match lines.next() {
                Some((_, next)) => whole.push_str(next.trim_start()),
                None => break,
            }
        }
        let (name, value) = split(&whole);
        if name.is_empty() {
            return Err(ConfigError::Syntax { place: format!("{place}:{}", number + 1), text: line.trim().to_owned() });
        }
        pairs.push((name, value));
    }
    Ok(pairs)
}

/// True if the line ends in an odd number of backslashes.
fn continued(line: &str) -> bool {
    line.chars().rev().take_while(|c| *c == '\\').count() % 2 == 1
}

fn split(line: &str) -> (String, String) {
    let mut escaped = false;
    let end = line.char_indices().find(|(_, c)| {
        let ends = !escaped && (matches!(c, '=' | ':') || c.is_whitespace());
        escaped = !escaped && *c == '\\';
        ends
    });
    let (name, rest) = line.split_at(end.map_or(line.len(), |(at, _)| at));
    let rest = rest.trim_start();
    let value = rest.strip_prefix(['=', ':']).unwrap_or(rest);
    (unescape(name), unescape(value.trim()))
}

fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('f') => out.push('\u{c}'),
            Some('u') => {
                let digits: String = chars.by_ref().take(4).collect();
                out.push(u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            Some(other) => out.push(other),
            None => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(text: &str) -> Vec<(String, String)> {
        parse(text, "t").expect("a valid file")
    }

    fn pair(name: &str, value: &str) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    #[test]
    fn separators_and_comments() {
        let text = "# c\n! c\n\na=1\nb : 2\nc 3\n  d\t=\t4 \ne=\nf=x=y\n";
        let want = [("a", "1"), ("b", "2"), ("c", "3"), ("d", "4"), ("e", ""), ("f", "x=y")];
        assert_eq!(pairs(text), want.map(|(n, v)| pair(n, v)));
    }

    #[test]
    fn continued_lines_and_escapes() {
        assert_eq!(pairs("a=1,\\\n   2\nb=c:\\\\d\ne\\=f=\\u0041\\tz"), [pair("a", "1,2"), pair("b", "c:\\d"), pair("e=f", "A\tz")]);
    }

    #[test]
    fn a_line_without_a_name_is_refused_with_its_number() {
        let error = parse("a=1\n=2\n", "server.properties").expect_err("no name").to_string();
        assert!(error.contains("server.properties:2"), "{error}");
    }
}
