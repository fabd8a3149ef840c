//! Java's regular expressions as those of the engine used here: their short classes are ASCII, and `\Q…\E` quotes.

use fancy_regex::{Captures, Regex};

/// Compiles a pattern in Java's syntax.
pub(super) fn compile(pattern: &str) -> Result<Regex, String> {
    Regex::new(&translate(pattern)).map_err(|e| format!("'{pattern}' is not a regular expression: {e}"))
}

fn translate(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len() + 8);
    let mut class_depth = 0usize;
    let mut rest = pattern;
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..).unwrap_or_default();
        if c != '\\' {
            match c {
                '[' => class_depth += 1,
                ']' => class_depth = class_depth.saturating_sub(1),
                _ => {}
            }
            out.push(c);
            rest = after;
            continue;
        }
        let Some(escaped) = after.chars().next() else {
            out.push('\\');
            break;
        };
        rest = after.get(escaped.len_utf8()..).unwrap_or_default();
        if escaped == 'Q' {
            let (quoted, left) = rest.split_once("\\E").unwrap_or((rest, ""));
            out.push_str(&fancy_regex::escape(quoted));
            rest = left;
            continue;
        }
        match (ascii_class(escaped), class_depth > 0) {
            (Some((members, false)), true) => out.push_str(members),
            (Some((members, false)), false) => out.push_str(&format!("[{members}]")),
            (Some((members, true)), _) => out.push_str(&format!("[^{members}]")),
            (None, _) => {
                out.push('\\');
                out.push(escaped);
            }
        }
    }
    out
}

/// Members of a short class, and whether it is their complement.
fn ascii_class(letter: char) -> Option<(&'static str, bool)> {
    let members = match letter.to_ascii_lowercase() {
        'd' => "0-9",
        'w' => "a-zA-Z_0-9",
        's' => r" \t\n\x0B\f\r",
        'h' => r" \t\xA0",
        _ => return None,
    };
    Some((members, letter.is_ascii_uppercase()))
}

/// Appends a replacement in Java's syntax: `$1` and `${name}` are groups, a backslash takes the next character as it is.
pub(super) fn expand(replacement: &str, captures: &Captures<'_>, out: &mut String) -> Result<(), String> {
    let mut chars = replacement.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.push(chars.next().ok_or("the replacement ends with a backslash")?),
            '$' if chars.next_if_eq(&'{').is_some() => {
                let name: String = std::iter::from_fn(|| chars.next_if(|c| *c != '}')).collect();
                chars.next();
                let group = captures.name(&name).ok_or_else(|| format!("the pattern has no group '{name}'"))?;
                out.push_str(group.as_str());
            }
            '$' => {
                let first = chars.next().and_then(|c| c.to_digit(10)).ok_or("'$' must be followed by the number of a group")?;
                let mut group = first as usize;
                if group >= captures.len() {
                    return Err(format!("the pattern has no group {group}"));
                }
                // Further digits belong to the number as long as there is such a group.
                while let Some(next) = chars.peek().and_then(|c| c.to_digit(10)) {
                    let longer = group * 10 + next as usize;
                    if longer >= captures.len() {
                        break;
                    }
                    group = longer;
                    chars.next();
                }
                out.push_str(captures.get(group).map_or("", |m| m.as_str()));
            }
            other => out.push(other),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_classes_are_ascii_and_quotes_are_literal() {
        assert_eq!(translate(r"\d+[\d\s-]\D\\d"), r"[0-9]+[0-9 \t\n\x0B\f\r-][^0-9]\\d");
        assert_eq!(translate(r"\Qa.b\E."), r"a\.b.");
        assert_eq!(translate(r"\p{L}\b\"), r"\p{L}\b\");
        assert!(!compile(r"^\d$").unwrap().is_match("٣").unwrap());
        assert!(compile("(").is_err());
    }
}
