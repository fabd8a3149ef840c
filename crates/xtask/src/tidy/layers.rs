//! Which crate may depend on which: the table of the layers, and the crates that alone may name a library.

use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};

/// One crate of the workspace.
struct Row {
    name: &'static str,
    /// Crates of the workspace it may depend on besides `types`.
    may_use: &'static [&'static str],
    /// True if it does I/O, and so may also use `config` and `telemetry`.
    io: bool,
}

const fn pure(name: &'static str, may_use: &'static [&'static str]) -> Row {
    Row { name, may_use, io: false }
}

const fn io(name: &'static str, may_use: &'static [&'static str]) -> Row {
    Row { name, may_use, io: true }
}

/// Everything below the engine.
const BELOW_ENGINE: &[&str] = &[
    "parser",
    "api",
    "wire",
    "expr",
    "state",
    "kafka",
    "broker",
    "functions",
    "formats",
    "plan",
    "catalog",
    "planner",
    "runtime",
    "pull",
    "worker",
    "cluster",
];

/// The layers, lowest first. A crate may depend on what its row names and on nothing else of the workspace.
const LAYERS: &[Row] = &[
    pure("types", &[]),
    pure("parser", &[]),
    pure("api", &[]),
    pure("config", &[]),
    pure("telemetry", &[]),
    pure("wire", &[]),
    pure("expr", &[]),
    pure("state", &[]),
    io("kafka", &["wire"]),
    io("broker", &["wire"]),
    pure("functions", &["expr"]),
    pure("formats", &[]),
    pure("plan", &["expr"]),
    pure("catalog", &["plan"]),
    pure("planner", &["parser", "expr", "plan", "catalog"]),
    pure("runtime", &["expr", "formats", "plan", "state", "wire"]),
    io("pull", &["expr", "plan", "state"]),
    // The face of `runtime` is made of plans, stores and failed expressions, that of `kafka` of batches.
    io("worker", &["runtime", "kafka", "wire", "plan", "state", "expr"]),
    io("cluster", &["plan", "catalog", "kafka", "wire"]),
    io("engine", BELOW_ENGINE),
    io("server", &["engine", "api"]),
    io("cli", &["api", "parser"]),
    io("sqltest", &["engine", "api", "runtime", "formats", "plan", "catalog", "state", "wire"]),
    io("flumen", ALL),
    pure("xtask", &[]),
    pure("testing", &[]),
];

const ALL: &[&str] = &[
    "parser",
    "api",
    "wire",
    "expr",
    "state",
    "kafka",
    "broker",
    "functions",
    "formats",
    "plan",
    "catalog",
    "planner",
    "runtime",
    "pull",
    "worker",
    "cluster",
    "engine",
    "server",
    "cli",
    "sqltest",
];

/// Libraries that one crate alone may depend on, so that no other sees their types.
const ALONE: &[(&str, &str)] =
    &[("sqlparser", "parser"), ("rdkafka", "kafka"), ("rdkafka-sys", "kafka"), ("rocksdb", "state"), ("datafusion", "pull")];

/// Checks the dependencies of every crate of the workspace.
pub fn check(root: &Path) -> Result<Vec<String>> {
    let metadata = metadata(root)?;
    let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
    let mut breaches = Vec::new();
    for package in packages {
        let name = package["name"].as_str().unwrap_or_default();
        let name = name.strip_prefix("flumen-").unwrap_or(name);
        let manifest = format!("crates/{name}/Cargo.toml");
        let Some(row) = LAYERS.iter().find(|r| r.name == name) else {
            breaches.push(format!("{manifest}: `{name}` has no row in the table of layers"));
            continue;
        };
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            breaches.extend(breach(row, dependency).map(|why| format!("{manifest}: {why}")));
        }
    }
    Ok(breaches)
}

fn breach(row: &Row, dependency: &Value) -> Option<String> {
    let name = dependency["name"].as_str().unwrap_or_default();
    if let Some((library, owner)) = ALONE.iter().find(|(library, owner)| *library == name && *owner != row.name) {
        return Some(format!("only `{owner}` may depend on {library}"));
    }
    // A test may stand on higher layers than the crate it tests.
    if dependency["kind"] == "dev" {
        return None;
    }
    let own = name.strip_prefix("flumen-").filter(|_| dependency["path"].is_string())?;
    let allowed = own == "types" || row.may_use.contains(&own) || (row.io && matches!(own, "config" | "telemetry"));
    (!allowed).then(|| format!("`{}` may not depend on `{own}`", row.name))
}

fn metadata(root: &Path) -> Result<Value> {
    let out = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .current_dir(root)
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .stderr(Stdio::inherit())
        .output()
        .context("cargo cannot be run")?;
    if !out.status.success() {
        bail!("cargo metadata failed");
    }
    serde_json::from_slice(&out.stdout).context("cargo metadata printed something else than JSON")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn row(name: &str) -> &'static Row {
        LAYERS.iter().find(|r| r.name == name).expect("a row")
    }

    #[test]
    fn a_row_names_only_lower_rows() {
        for (number, row) in LAYERS.iter().enumerate() {
            for used in row.may_use {
                assert!(LAYERS.iter().take(number).any(|r| r.name == *used), "{} names {used}, which is not below it", row.name);
            }
        }
    }

    #[test]
    fn a_dependency_upwards_is_a_breach() {
        let upwards = json!({"name": "flumen-runtime", "path": "x", "kind": null});
        assert!(breach(row("plan"), &upwards).is_some());
        assert!(breach(row("worker"), &upwards).is_none());
    }

    #[test]
    fn only_io_crates_use_config() {
        let config = json!({"name": "flumen-config", "path": "x", "kind": null});
        assert!(breach(row("planner"), &config).is_some());
        assert!(breach(row("kafka"), &config).is_none());
    }

    #[test]
    fn a_library_with_an_owner_is_refused_elsewhere_in_tests_too() {
        let rocksdb = json!({"name": "rocksdb", "kind": "dev"});
        assert!(breach(row("runtime"), &rocksdb).is_some());
        assert!(breach(row("state"), &rocksdb).is_none());
    }
}
