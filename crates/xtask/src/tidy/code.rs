//! Rust text with comments and literals blanked out, so that rules look at code alone.

/// The same text, line for line, with every character of a comment and of a string or character literal made a space.
pub fn bare(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let at = |i: usize| chars.get(i).copied().unwrap_or('\0');
    let mut out = String::with_capacity(text.len());
    let mut i = 0;
    while i < chars.len() {
        let end = match at(i) {
            '/' if at(i + 1) == '/' => line_end(&chars, i),
            '/' if at(i + 1) == '*' => block_end(&chars, i),
            '"' => string_end(&chars, i),
            'r' if !is_word(if i == 0 { ' ' } else { at(i - 1) }) || at(i.wrapping_sub(1)) == 'b' => raw_end(&chars, i).unwrap_or(i),
            '\'' => character_end(&chars, i).unwrap_or(i),
            _ => i,
        };
        if end == i {
            out.push(at(i));
            i += 1;
        } else {
            let stop = end.min(chars.len());
            out.extend(chars.get(i..stop).unwrap_or_default().iter().map(|c| if *c == '\n' { '\n' } else { ' ' }));
            i = stop;
        }
    }
    out
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn line_end(chars: &[char], start: usize) -> usize {
    chars.iter().skip(start).position(|c| *c == '\n').map_or(chars.len(), |n| start + n)
}

fn block_end(chars: &[char], start: usize) -> usize {
    let (mut depth, mut i) = (0, start);
    while i < chars.len() {
        match chars.get(i..i + 2) {
            Some(['/', '*']) => (depth, i) = (depth + 1, i + 2),
            Some(['*', '/']) => (depth, i) = (depth - 1, i + 2),
            _ => i += 1,
        }
        if depth == 0 {
            return i;
        }
    }
    chars.len()
}

fn string_end(chars: &[char], start: usize) -> usize {
    let mut i = start + 1;
    while let Some(c) = chars.get(i) {
        match c {
            '\\' => i += 2,
            '"' => return i + 1,
            _ => i += 1,
        }
    }
    chars.len()
}

/// The end of a raw string that starts at `start`, if one does.
fn raw_end(chars: &[char], start: usize) -> Option<usize> {
    let hashes = chars.iter().skip(start + 1).take_while(|c| **c == '#').count();
    let open = start + 1 + hashes;
    if chars.get(open) != Some(&'"') {
        return None;
    }
    let closing: Vec<char> = std::iter::once('"').chain(std::iter::repeat_n('#', hashes)).collect();
    let rest = chars.get(open + 1..)?;
    let found = rest.windows(closing.len()).position(|w| w == closing.as_slice());
    Some(found.map_or(chars.len(), |n| open + 1 + n + closing.len()))
}

/// The end of a character literal; `None` where the quote starts a lifetime.
fn character_end(chars: &[char], start: usize) -> Option<usize> {
    if chars.get(start + 1) == Some(&'\\') {
        let close = chars.iter().skip(start + 3).position(|c| *c == '\'')?;
        return Some(start + 3 + close + 1);
    }
    (chars.get(start + 2) == Some(&'\'')).then_some(start + 3)
}

#[cfg(test)]
mod tests {
    use super::bare;

    #[test]
    fn comments_and_literals_go_and_lines_stay() {
        let text = "let a = \"x // y\"; // z\nlet b = r#\"q \" q\"#; /* c /* d */ e */ f('\\'', 'g', \"\\\"h\")";
        let got = bare(text);
        assert_eq!(got.lines().count(), 2);
        for gone in ["x", "z", "q", "c", "d", "'g'", "h"] {
            assert!(!got.contains(gone), "{gone} is still in {got}");
        }
        assert!(got.contains("let b =") && got.contains("f("));
    }

    #[test]
    fn a_lifetime_is_code() {
        assert_eq!(bare("fn f<'a>(x: &'a str) -> char { 'b' }"), "fn f<'a>(x: &'a str) -> char {     }");
    }

    #[test]
    fn an_identifier_that_ends_in_r_before_a_string_is_code() {
        assert_eq!(bare("expr\"s\" br\"t\" for"), "expr    b     for");
    }
}
