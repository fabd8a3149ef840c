//! System packages and toolchain parts: what is missing is installed, or the command that installs it is printed.

use super::{output, works};
use anyhow::{Context, Result, bail};
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Looks for each thing the build needs and installs the missing ones on Debian and Ubuntu, as root or by `sudo -n`.
///
/// # Errors
/// When something is missing that cannot be installed here; the message has the command to run.
pub fn ensure() -> Result<()> {
    let missing = missing();
    if !missing.is_empty() {
        install(&missing)?;
        let still = self::missing();
        if !still.is_empty() {
            bail!("still missing after the installation: {}", still.join(" "));
        }
    }
    for (component, args) in [("rustfmt", ["fmt", "--version"]), ("clippy", ["clippy", "--version"])] {
        if !works("cargo", &args) && !works("rustup", &["component", "add", component]) {
            eprintln!("set-up: {component} is not there; `cargo xtask ci` needs it (rustup component add {component})");
        }
    }
    Ok(())
}

/// Installs the programs that only tests use, where that can be done. Tests that miss one say so and are skipped.
pub fn ensure_for_tests() {
    let mut packages = Vec::new();
    if !works("kcat", &["-V"]) {
        packages.push("kcat".to_owned());
    }
    if !works("python3", &["-m", "ensurepip", "--version"]) {
        packages.push("python3-venv".to_owned());
    }
    if !packages.is_empty()
        && let Err(error) = install(&packages)
    {
        eprintln!("set-up: some tests will be skipped: {error:#}");
    }
}

/// The Debian names of the packages that are not there.
fn missing() -> Vec<String> {
    let mut packages = Vec::new();
    let mut need = |present: bool, names: &[&str]| {
        if !present {
            packages.extend(names.iter().map(|n| (*n).to_owned()));
        }
    };
    need(works("g++", &["--version"]), &["g++"]);
    need(works("make", &["--version"]), &["make"]);
    need(works("git", &["--version"]), &["git"]);
    need(works("pkg-config", &["--version"]), &["pkg-config"]);
    need(Path::new("/usr/include/openssl/ssl.h").exists() || works("pkg-config", &["--exists", "openssl"]), &["libssl-dev"]);
    need(Path::new("/usr/include/zlib.h").exists() || works("pkg-config", &["--exists", "zlib"]), &["zlib1g-dev"]);
    need(libclang(), libclang_packages());
    packages
}

/// True if bindgen will find libclang and the compiler's own headers beside it.
fn libclang() -> bool {
    let mut places: Vec<PathBuf> = env::var_os("LIBCLANG_PATH").map(PathBuf::from).into_iter().collect();
    if let Some(dir) = output("llvm-config", &["--libdir"]) {
        places.push(dir.into());
    }
    for dir in ["/usr/lib", "/usr/lib64", "/usr/local/lib"] {
        places.push(dir.into());
        places.extend(children(Path::new(dir)).filter(|p| file_name(p).starts_with("llvm")).map(|p| p.join("lib")));
    }
    places.push(format!("/usr/lib/{}-linux-gnu", env::consts::ARCH).into());
    let library = places.iter().any(|dir| children(dir).any(|f| is_library(&file_name(&f))));
    // Debian keeps the headers in a package of its own; elsewhere they come with the library.
    let headers = ["/usr/lib/clang", "/usr/lib64/clang"].iter().any(|dir| has_headers(Path::new(dir)))
        || places.iter().any(|dir| has_headers(&dir.join("clang")));
    library && headers
}

fn is_library(name: &str) -> bool {
    (name.starts_with("libclang.so") || name.starts_with("libclang-")) && name.contains(".so") && !name.contains("cpp")
}

fn has_headers(clang: &Path) -> bool {
    children(clang).any(|version| version.join("include/stddef.h").exists())
}

fn children(dir: &Path) -> impl Iterator<Item = PathBuf> {
    std::fs::read_dir(dir).into_iter().flatten().flatten().map(|e| e.path())
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Debian 12 has the library and its headers in two small packages; elsewhere the usual, larger one.
fn libclang_packages() -> &'static [&'static str] {
    let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let is = |line: &str| release.lines().any(|l| l.replace('"', "") == line);
    if is("ID=debian") && is("VERSION_ID=12") { &["libclang1-14", "libclang-common-14-dev"] } else { &["libclang-dev"] }
}

fn install(packages: &[String]) -> Result<()> {
    let names = packages.join(" ");
    let by_hand = format!("apt-get update && apt-get install -y --no-install-recommends {names}");
    if !works("apt-get", &["--version"]) {
        bail!("these are missing and there is no apt-get here; install what your system calls them: {names}");
    }
    let root = output("id", &["-u"]).is_some_and(|id| id == "0");
    if !root && !works("sudo", &["-n", "true"]) {
        bail!("system packages are missing; run this once, then start again:\n\n    sudo sh -c '{by_hand}'\n");
    }
    eprintln!("set-up: installing {names}");
    let mut command = if root { Command::new("sh") } else { Command::new("sudo") };
    if !root {
        command.args(["-n", "sh"]);
    }
    let script = format!("export DEBIAN_FRONTEND=noninteractive; {by_hand}");
    let out = command.arg("-c").arg(script).output().context("apt-get cannot be run")?;
    if !out.status.success() {
        let text = String::from_utf8_lossy(&out.stderr);
        bail!("apt-get failed:\n{}\nrun by hand:\n\n    {by_hand}\n", text.trim());
    }
    Ok(())
}
