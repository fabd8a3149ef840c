//! Every statement of the conformance folder parses, or belongs to a case that expects an error.

use std::path::{Path, PathBuf};

use flumen_parser::{parse, parse_statement};
use serde_json::Value;

fn folder() -> PathBuf {
    match std::env::var_os("FLUMEN_CONFORMANCE") {
        Some(path) => path.into(),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance"),
    }
}

fn strings(value: &Value, key: &str) -> Vec<String> {
    value[key].as_array().into_iter().flatten().filter_map(|v| v.as_str().map(str::to_string)).collect()
}

/// The statements of a case as one text for each variant of format and config.
fn variants(case: &Value) -> Vec<String> {
    let text = strings(case, "statements").join("\n");
    let replace = |texts: Vec<String>, key: &str, mark: &str| match strings(case, key) {
        values if values.is_empty() => texts,
        values => texts.iter().flat_map(|t| values.iter().map(|v| t.replace(mark, v)).collect::<Vec<_>>()).collect(),
    };
    replace(replace(vec![text], "format", "{FORMAT}"), "config", "{CONFIG}")
}

fn expects_error(case: &Value) -> bool {
    ["expectedException", "expectedError"].iter().any(|k| case.get(k).is_some())
}

#[test]
fn every_statement_parses_or_is_expected_to_fail() {
    let root = folder();
    if !root.is_dir() {
        println!("skipped: conformance folder absent");
        return;
    }
    let (mut texts, mut statements, mut refused) = (0, 0, 0);
    let mut wrong = Vec::new();
    for part in ["qtt", "rqtt"] {
        let mut files: Vec<PathBuf> = std::fs::read_dir(root.join(part)).unwrap().map(|e| e.unwrap().path()).collect();
        files.sort();
        for file in files.iter().filter(|f| f.extension().is_some_and(|e| e == "json")) {
            let cases: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
            for case in cases["tests"].as_array().unwrap() {
                for text in variants(case) {
                    texts += 1;
                    match parse(&text) {
                        Ok(parsed) => {
                            statements += parsed.len();
                            for one in parsed {
                                let printed = one.statement.to_string();
                                let again = parse_statement(&printed).map(|p| p.statement);
                                if again.as_ref() != Ok(&one.statement) {
                                    wrong.push(format!("printed otherwise: {}\n  as {printed}", one.text));
                                }
                            }
                        }
                        Err(_) if expects_error(case) => refused += 1,
                        Err(error) => wrong.push(format!("{}: {}\n{error}", file.display(), case["name"])),
                    }
                }
            }
        }
    }
    println!("{texts} texts: {statements} statements parsed and printed back, {refused} texts refused as expected, {} wrong", wrong.len());
    assert!(texts > 0, "no case found in {}", root.display());
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
