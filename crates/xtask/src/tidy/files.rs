//! Rules on single files: what lies at the top, names, length, the opening line, and words that must not occur.

use super::code;
use anyhow::{Context, Result};
use std::path::Path;

/// What may lie in the top folder, besides names that begin with a dot.
const TOP: &[&str] = &[
    "Cargo.toml",
    "Cargo.lock",
    "LICENSE",
    "README.md",
    "clippy.toml",
    "crates",
    "deny.toml",
    "deploy",
    "docs",
    "rustfmt.toml",
    "sql-tests",
];

/// Names that say nothing about what is inside.
const EMPTY_NAMES: &[&str] = &["common", "core", "helpers", "misc", "util", "utils"];

/// The longest file.
const LINES: usize = 800;

/// The crates that are given time and randomness and never take them.
const PURE: &[&str] = &["types", "parser", "expr", "functions", "formats", "plan", "catalog", "planner", "runtime", "state"];

/// Pieces of code that may not occur, the crates in which they may, and why. Some are put together here, so that a search finds
/// no false one.
const FORBIDDEN: &[(&str, &[&str], &str)] = &[
    (concat!("to", "do!("), &[], "what is missing is an `unsupported` error, not a panic"),
    (concat!("unimple", "mented!("), &[], "what is missing is an `unsupported` error, not a panic"),
    (concat!("#[ig", "nore"), &[], "a test runs or is not there"),
    ("allow(dead_code", &[], "what is not used is deleted"),
    ("unsafe ", &["kafka"], "only `kafka` holds unsafe code"),
    ("allow(unsafe_code", &["kafka"], "only `kafka` holds unsafe code"),
    ("sqlparser::", &["parser"], "only `parser` names sqlparser"),
    ("rdkafka::", &["kafka"], "only `kafka` names rdkafka"),
    ("rocksdb::", &["state"], "only `state` names rocksdb"),
    ("datafusion::", &["pull"], "only `pull` names datafusion"),
];

/// Code that a pure crate may not hold.
const IMPURE: &[&str] = &["SystemTime::now", "Instant::now", "rand::", "thread_rng"];

/// Text that may not occur anywhere. Each is put together here, so that this file passes.
const NOWHERE: &[(&str, &str)] = &[
    (concat!("TO", "DO"), "open work belongs in the issue tracker"),
    (concat!("FIX", "ME"), "open work belongs in the issue tracker"),
    (concat!("/ro", "ot/"), "a path of one machine"),
    (concat!("/ho", "me/"), "a path of one machine"),
    (concat!("/wo", "rk/"), "a path of one machine"),
];

/// Checks every listed file.
pub fn check(root: &Path, files: &[String]) -> Result<Vec<String>> {
    let mut breaches = Vec::new();
    for file in files {
        breaches.extend(names(file));
        if is_text(file) {
            let text = std::fs::read_to_string(root.join(file)).with_context(|| format!("{file} cannot be read as UTF-8"))?;
            breaches.extend(contents(file, &text));
        }
    }
    Ok(breaches)
}

fn is_text(file: &str) -> bool {
    [".rs", ".md", ".toml", ".sql", ".yml", ".yaml", ".sh", ".json", ".properties"].iter().any(|end| file.ends_with(end))
        || file == ".ci/run"
}

fn names(file: &str) -> Vec<String> {
    let mut breaches = Vec::new();
    let mut parts = file.split('/');
    let top = parts.next().unwrap_or_default();
    if !top.starts_with('.') && !TOP.contains(&top) {
        breaches.push(format!("{file}: `{top}` does not belong in the top folder"));
    }
    if top != "crates" {
        return breaches;
    }
    for part in parts {
        let name = part.strip_suffix(".rs").unwrap_or(part);
        if EMPTY_NAMES.contains(&name) {
            breaches.push(format!("{file}: `{name}` does not say what is inside"));
        }
    }
    if file.ends_with("/mod.rs") {
        breaches.push(format!("{file}: write `name.rs` beside `name/`, not `mod.rs`"));
    }
    breaches
}

fn contents(file: &str, text: &str) -> Vec<String> {
    let mut breaches = Vec::new();
    for (number, line) in text.lines().enumerate() {
        for (word, why) in NOWHERE {
            if line.contains(word) {
                breaches.push(format!("{file}:{}: `{word}`: {why}", number + 1));
            }
        }
    }
    if file.ends_with(".rs") {
        rust(file, text, &mut breaches);
    }
    breaches
}

fn rust(file: &str, text: &str, breaches: &mut Vec<String>) {
    if !text.starts_with("//! ") {
        breaches.push(format!("{file}:1: a file opens with `//!` and its one idea"));
    }
    let lines = text.lines().count();
    if lines > LINES {
        breaches.push(format!("{file}:{LINES}: {lines} lines, {LINES} are allowed"));
    }
    let owner = file.strip_prefix("crates/").and_then(|rest| rest.split('/').next()).unwrap_or_default();
    for (number, line) in code::bare(text).lines().enumerate() {
        let at = number + 1;
        for (piece, owners, why) in FORBIDDEN {
            if !owners.contains(&owner) && names_it(line, piece) {
                breaches.push(format!("{file}:{at}: `{}`: {why}", piece.trim()));
            }
        }
        for piece in IMPURE {
            if PURE.contains(&owner) && names_it(line, piece) {
                breaches.push(format!("{file}:{at}: `{piece}`: `{owner}` is pure; time and randomness are passed in"));
            }
        }
    }
}

/// True if the piece occurs in the line and does not begin in the middle of a longer name.
fn names_it(line: &str, piece: &str) -> bool {
    line.match_indices(piece).any(|(at, _)| !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "//! One idea.\nfn f() {}\n";

    #[test]
    fn a_plain_file_passes() {
        assert!(contents("crates/plan/src/x.rs", GOOD).is_empty());
        assert!(names("crates/plan/src/x.rs").is_empty());
    }

    #[test]
    fn the_opening_and_the_length_are_checked() {
        assert_eq!(contents("crates/plan/src/x.rs", "fn f() {}\n").len(), 1);
        let long = format!("//! Long.\n{}", "\n".repeat(LINES));
        assert_eq!(contents("crates/plan/src/x.rs", &long).len(), 1);
    }

    #[test]
    fn clocks_are_for_crates_that_do_io() {
        let text = format!("{GOOD}fn g() {{ std::time::Instant::now(); }}\n");
        assert_eq!(contents("crates/runtime/src/x.rs", &text).len(), 1);
        assert!(contents("crates/worker/src/x.rs", &text).is_empty());
    }

    #[test]
    fn an_owner_may_name_its_library_and_a_comment_is_not_code() {
        let text = format!("{GOOD}use rdkafka::config;\n");
        assert!(contents("crates/kafka/src/x.rs", &text).is_empty());
        assert_eq!(contents("crates/worker/src/x.rs", &text).len(), 1);
        assert!(contents("crates/worker/src/x.rs", &format!("{GOOD}// as rdkafka::config does\n")).is_empty());
        assert!(contents("crates/worker/src/x.rs", &format!("{GOOD}use my_rdkafka::config;\n")).is_empty());
    }

    #[test]
    fn names_that_say_nothing_are_refused() {
        assert_eq!(names("crates/plan/src/util.rs").len(), 1);
        assert_eq!(names("crates/plan/src/steps/mod.rs").len(), 1);
        assert_eq!(names("notes.txt").len(), 1);
        assert!(names(".ci/run").is_empty());
    }
}
