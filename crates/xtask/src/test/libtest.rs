//! The output of Rust's test harness, read line by line: counted, and shown where something failed.

use super::Totals;

/// Which part of a test binary's output the next line belongs to.
#[derive(Default, PartialEq)]
enum Part {
    /// One line a test, or what the compiler and the binary itself print.
    #[default]
    Tests,
    /// What passing tests printed.
    Successes,
    /// What failing tests printed.
    Failures,
}

/// Reads the lines of all test binaries one after the other.
#[derive(Default)]
pub struct Reader {
    part: Part,
    /// What was counted so far.
    pub totals: Totals,
}

impl Reader {
    /// Takes a line, and gives it back if it is to be shown.
    pub fn line<'a>(&mut self, line: &'a str) -> Option<&'a str> {
        if let Some(reason) = line.trim_start().strip_prefix("skipped: ") {
            self.totals.skipped.push(reason.trim().to_owned());
            return None;
        }
        if let Some(counts) = line.strip_prefix("test result: ") {
            self.part = Part::Tests;
            let (passed, failed) = (count(counts, "passed"), count(counts, "failed"));
            self.totals.passed += passed;
            self.totals.failed += failed;
            return (failed > 0).then_some(line);
        }
        match line {
            "successes:" => self.part = Part::Successes,
            "failures:" => self.part = Part::Failures,
            _ => {}
        }
        match self.part {
            Part::Successes => None,
            Part::Failures => Some(line),
            Part::Tests => self.test_line(line),
        }
    }

    fn test_line<'a>(&mut self, line: &'a str) -> Option<&'a str> {
        if line.starts_with("test ") {
            if let Some((name, reason)) = line.split_once(" ... ignored") {
                let reason = reason.trim_start_matches(',').trim();
                self.totals.skipped.push(format!("{}: {}", &name[5..], if reason.is_empty() { "ignored" } else { reason }));
            }
            return line.ends_with("FAILED").then_some(line);
        }
        (!line.is_empty() && !line.starts_with("running ")).then_some(line)
    }
}

/// The number before `word` in `ok. 3 passed; 0 failed; …`.
fn count(counts: &str, word: &str) -> usize {
    let mut words = counts.split([' ', ';', '.']).filter(|w| !w.is_empty());
    let mut before = "";
    words
        .find_map(|w| {
            if w == word {
                before.parse().ok()
            } else {
                before = w;
                None
            }
        })
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Vec<&str>, Totals) {
        let mut reader = Reader::default();
        let shown = text.lines().filter_map(|l| reader.line(l)).collect();
        (shown, reader.totals)
    }

    #[test]
    fn passing_tests_are_counted_and_not_shown() {
        let text = "running 2 tests\ntest a ... ok\ntest b ... ok\n\nsuccesses:\n\n---- a stdout ----\nhello\n\nsuccesses:\n    a\n\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n";
        let (shown, totals) = read(text);
        assert!(shown.is_empty(), "{shown:?}");
        assert_eq!((totals.passed, totals.failed), (2, 0));
    }

    #[test]
    fn a_failing_test_is_shown_with_what_it_printed() {
        let text = "test a ... FAILED\n\nfailures:\n\n---- a stdout ----\nleft: 1\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored\n";
        let (shown, totals) = read(text);
        assert!(shown.contains(&"test a ... FAILED") && shown.contains(&"left: 1"));
        assert_eq!((totals.passed, totals.failed), (0, 1));
    }

    #[test]
    fn skipped_tests_say_why() {
        let text = "test a ... ignored, needs a moon\n\nsuccesses:\n\n---- b stdout ----\nskipped: no Java here\n\ntest result: ok. 1 passed; 0 failed\n";
        let (_, totals) = read(text);
        assert_eq!(totals.skipped, ["a: needs a moon", "no Java here"]);
    }
}
