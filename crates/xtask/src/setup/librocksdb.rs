//! RocksDB as one static library, compiled once for all checkouts.
//!
//! The `librocksdb-sys` crate compiles its 340 source files one by one. Put together in a dozen files that include them (a
//! unity build) they take a sixth of that time. The library lies in a folder whose name says all that it depends on, so a
//! new version, compiler or flag makes a new one and never spoils an old one.

use super::{cargo, output};
use crate::checkout;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use std::{env, thread};

/// How many files the sources are put together in: more need less memory each, fewer less time.
const CHUNKS: usize = 12;

/// What every file is compiled with, apart from include folders and the processor's flags: the crate's own choice on Linux.
const FLAGS: &[&str] = &[
    "-O2",
    "-std=c++20",
    "-include",
    "cstdint",
    "-fPIC",
    "-ffunction-sections",
    "-fdata-sections",
    "-w",
    "-DNDEBUG",
    "-DLZ4=1",
    "-DZSTD=1",
    "-DHAVE_ALIGNED_NEW",
    "-DHAVE_UINT128_EXTENSION",
    "-DOS_LINUX",
    "-DROCKSDB_PLATFORM_POSIX",
    "-DROCKSDB_LIB_IO_POSIX",
    "-DROCKSDB_SCHED_GETCPU_PRESENT",
    "-DROCKSDB_AUXV_GETAUXVAL_PRESENT",
    "-DROCKSDB_FALLOCATE_PRESENT",
    "-DROCKSDB_RANGESYNC_PRESENT",
];

/// The folder of `librocksdb.a`, which is made if it is not there.
///
/// # Errors
/// When the sources cannot be fetched or do not compile.
pub fn ensure(root: &Path) -> Result<PathBuf> {
    let home = match env::var_os("FLUMEN_ROCKSDB_HOME").filter(|d| !d.is_empty()) {
        Some(dir) => PathBuf::from(dir),
        None => checkout::cache()?.join("rocksdb"),
    };
    let out = home.join(key(root)?);
    if done(&out) {
        return Ok(out);
    }
    fs::create_dir_all(&out).with_context(|| format!("{} cannot be made", out.display()))?;
    let lock = File::create(out.join(".lock")).context("the lock of the RocksDB build cannot be made")?;
    lock.lock().context("the lock of the RocksDB build cannot be taken")?;
    if !done(&out) {
        build(root, &out)?;
    }
    Ok(out)
}

fn done(out: &Path) -> bool {
    out.join(".done").is_file() && out.join("librocksdb.a").is_file()
}

/// Version, machine, compiler and a hash of the recipe.
fn key(root: &Path) -> Result<String> {
    let version = locked_version(root, "librocksdb-sys")?;
    let gcc = output("g++", &["-dumpfullversion"]).context("g++ cannot be run")?;
    let recipe = format!("{CHUNKS} {} {}", processor_flags().join(" "), FLAGS.join(" "));
    Ok(format!("{version}-{}-gcc{gcc}-{:016x}", env::consts::ARCH, fnv1a(recipe.as_bytes())))
}

/// FNV-1a: a hash that stays the same from one Rust to the next.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

fn locked_version(root: &Path, package: &str) -> Result<String> {
    let lock = fs::read_to_string(root.join("Cargo.lock")).context("Cargo.lock cannot be read")?;
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|l| *l != name);
    lines
        .next()
        .and_then(|_| lines.next())
        .and_then(|l| l.strip_prefix("version = \"")?.strip_suffix('"'))
        .map(str::to_owned)
        .with_context(|| format!("Cargo.lock has no {package}"))
}

fn processor_flags() -> &'static [&'static str] {
    match env::consts::ARCH {
        "x86_64" => &["-msse4.2", "-mpclmul"],
        "aarch64" => &["-march=armv8-a+crc+crypto"],
        _ => &[],
    }
}

fn build(root: &Path, out: &Path) -> Result<()> {
    eprintln!("set-up: fetching the sources of RocksDB");
    let packages = metadata(root)?;
    let source = package_dir(&packages, "librocksdb-sys")?;
    let lz4 = package_dir(&packages, "lz4-sys")?.join("liblz4/lib");
    let zstd = package_dir(&packages, "zstd-sys")?.join("zstd/lib");

    let work = out.join("work");
    if work.exists() {
        fs::remove_dir_all(&work).context("an unfinished RocksDB build cannot be removed")?;
    }
    fs::create_dir_all(&work).context("the folder of the RocksDB build cannot be made")?;
    let files = write_chunks(&source, &work)?;
    let mut flags: Vec<String> = processor_flags().iter().chain(FLAGS).map(|f| (*f).to_owned()).collect();
    flags.extend(["-Irocksdb/include", "-Irocksdb", "-I."].map(str::to_owned));
    flags.extend([lz4, zstd].map(|dir| format!("-I{}", dir.display())));
    compile(&source, &files, &flags)?;

    let library = work.join("librocksdb.a");
    let objects = files.iter().map(|f| f.with_extension("o"));
    if !Command::new("ar").arg("crs").arg(&library).args(objects).status().context("ar cannot be run")?.success() {
        bail!("ar could not put librocksdb.a together");
    }
    fs::rename(&library, out.join("librocksdb.a")).context("librocksdb.a cannot be put in place")?;
    fs::remove_dir_all(&work).context("the folder of the RocksDB build cannot be removed")?;
    fs::write(out.join(".done"), "").context("the RocksDB build cannot be marked as done")?;
    Ok(())
}

/// All packages of the locked dependency graph, with their sources fetched.
fn metadata(root: &Path) -> Result<Value> {
    let out = cargo(root)
        .args(["metadata", "--locked", "--format-version", "1"])
        .stderr(std::process::Stdio::inherit())
        .output()
        .context("cargo cannot be run")?;
    if !out.status.success() {
        bail!("cargo metadata failed");
    }
    serde_json::from_slice(&out.stdout).context("cargo metadata printed something else than JSON")
}

fn package_dir(metadata: &Value, name: &str) -> Result<PathBuf> {
    let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
    let manifest = packages.iter().find(|p| p["name"] == name).and_then(|p| p["manifest_path"].as_str());
    let manifest = manifest.with_context(|| format!("{name} is not among the dependencies"))?;
    Ok(Path::new(manifest).parent().unwrap_or(Path::new("/")).to_path_buf())
}

/// Writes the files that include the sources, and gives their paths.
fn write_chunks(source: &Path, work: &Path) -> Result<Vec<PathBuf>> {
    let list = fs::read_to_string(source.join("rocksdb_lib_sources.txt")).context("the list of RocksDB's sources cannot be read")?;
    // The crate brings its own version of this one file.
    let all: Vec<&str> = list.lines().map(str::trim).filter(|l| !l.is_empty() && *l != "util/build_version.cc").collect();
    let mut files = Vec::new();
    for (number, chunk) in all.chunks(all.len().div_ceil(CHUNKS).max(1)).enumerate() {
        let text: String = chunk.iter().map(|path| format!("#include \"{path}\"\n")).collect();
        let file = work.join(format!("unity_{number:02}.cc"));
        fs::write(&file, text).context("a file of the RocksDB build cannot be written")?;
        files.push(file);
    }
    let version = work.join("version.cc");
    fs::copy(source.join("build_version.cc"), &version).context("RocksDB's build_version.cc cannot be copied")?;
    files.push(version);
    Ok(files)
}

fn compile(source: &Path, files: &[PathBuf], flags: &[String]) -> Result<()> {
    let started = Instant::now();
    let jobs = thread::available_parallelism().map_or(2, |n| n.get()).min(files.len());
    let (next, finished) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let failure = Mutex::new(None);
    eprintln!("set-up: compiling RocksDB, once for this machine (a few minutes, {jobs} jobs)");
    thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let out = Command::new("g++")
                        .current_dir(source)
                        .args(flags)
                        .arg("-c")
                        .arg(file)
                        .arg("-o")
                        .arg(file.with_extension("o"))
                        .output();
                    let error = match out {
                        Ok(out) if out.status.success() => None,
                        Ok(out) => Some(String::from_utf8_lossy(&out.stderr).into_owned()),
                        Err(error) => Some(error.to_string()),
                    };
                    if let Some(error) = error {
                        next.store(files.len(), Ordering::Relaxed);
                        if let Ok(mut slot) = failure.lock() {
                            *slot = Some(error);
                        }
                        return;
                    }
                    let n = finished.fetch_add(1, Ordering::Relaxed) + 1;
                    eprintln!("set-up: RocksDB {n}/{} ({} s)", files.len(), started.elapsed().as_secs());
                }
            });
        }
    });
    match failure.into_inner() {
        Ok(None) => Ok(()),
        Ok(Some(error)) => bail!("RocksDB does not compile (is there enough memory? each job needs 2 GB):\n{error}"),
        Err(_) => bail!("the RocksDB build ended early"),
    }
}
