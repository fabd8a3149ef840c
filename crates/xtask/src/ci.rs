//! `cargo xtask ci`: what must hold before a change lands, with one closing line.

use crate::setup::{self, Prepared};
use crate::test::{self, Mode, Totals};
use crate::{brokertest, checkout, demo, floor, tidy};
use anyhow::{Context, Result, bail};
use std::path::Path;

/// Runs every check and prints the closing line. True if all passed.
///
/// # Errors
/// When the set-up fails or the arguments are wrong.
pub fn run(args: &[String]) -> Result<bool> {
    let without_conformance = match args {
        [] => false,
        [flag] if flag == "--without-conformance" => true,
        _ => bail!("the only argument is --without-conformance"),
    };
    let prepared = setup::prepare()?;
    setup::prepare_for_tests();
    let mut totals = Totals::default();
    match test::all(&prepared) {
        Ok(tests) => totals.add(tests),
        Err(error) => failed(&mut totals, "tests", &format!("{error:#}")),
    }
    match demo::check(&prepared) {
        Ok(()) => passed(&mut totals, "demo"),
        Err(error) => failed(&mut totals, "demo", &format!("{error:#}")),
    }
    match prepared.flumen().and_then(|flumen| brokertest::run(&prepared.root, &flumen)) {
        Ok(checks) => totals.add(checks),
        Err(error) => failed(&mut totals, "broker checks", &format!("{error:#}")),
    }
    command(&prepared, &mut totals, "formatting", &["fmt", "--all", "--check"])?;
    command(&prepared, &mut totals, "clippy", &["clippy", "--locked", "--workspace", "--all-targets", "-q", "--", "-D", "warnings"])?;
    match tidy::run() {
        Ok(true) => passed(&mut totals, "tidy"),
        Ok(false) => failed(&mut totals, "tidy", "see the lines above"),
        Err(error) => failed(&mut totals, "tidy", &format!("{error:#}")),
    }
    match (checkout::conformance(&prepared.root), without_conformance) {
        (_, true) => totals.skipped.push("the conformance floor: --without-conformance".to_owned()),
        (None, false) => {
            failed(&mut totals, "conformance", "the folder is not there; name it by FLUMEN_CONFORMANCE or say --without-conformance");
        }
        (Some(folder), false) => conformance(&prepared, &folder, &mut totals)?,
    }
    Ok(totals.close())
}

fn command(prepared: &Prepared, totals: &mut Totals, name: &str, args: &[&str]) -> Result<()> {
    let status = prepared.cargo(args).status().context("cargo cannot be run")?;
    if status.success() {
        passed(totals, name)
    } else {
        failed(totals, name, "see the lines above")
    }
    Ok(())
}

fn conformance(prepared: &Prepared, folder: &Path, totals: &mut Totals) -> Result<()> {
    let flumen = prepared.flumen()?;
    for mode in [Mode::Straight, Mode::Chunk] {
        let name = format!("conformance floor, {mode}");
        match floor::check(&prepared.root, &flumen, folder, mode) {
            Ok(verdict) => {
                println!("{name}: {} of {} cases pass", verdict.passed, verdict.total);
                if verdict.new > 0 {
                    println!("{name}: {} pass that are not in the floor yet; `cargo xtask floor` adds them", verdict.new);
                }
                if verdict.lost.is_empty() {
                    passed(totals, &name);
                } else {
                    let lost = verdict.lost.join("\n  ");
                    failed(totals, &name, &format!("{} cases of the floor pass no longer:\n  {lost}", verdict.lost.len()));
                }
            }
            Err(error) => failed(totals, &name, &format!("{error:#}")),
        }
    }
    Ok(())
}

fn passed(totals: &mut Totals, name: &str) {
    println!("{name}: passed");
    totals.passed += 1;
}

fn failed(totals: &mut Totals, name: &str, why: &str) {
    println!("{name}: FAILED: {why}");
    totals.failed += 1;
}
