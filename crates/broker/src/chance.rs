//! For tests on mutated bytes: numbers that look random, how many cases there are, and a process whose memory is bounded.

use std::process::{Command, Stdio};

/// The number of cases, if not the one a test runs by itself.
const CASES: &str = "FLUMEN_FUZZ_CASES";
/// Where the dice begin, if not where they always do.
const SEED: &str = "FLUMEN_FUZZ_SEED";
/// Says that the process is the one with bounded memory.
const BOUNDED: &str = "FLUMEN_TEST_BOUNDED";
const DEFAULT_SEED: u64 = 88_172_645_463_325_252;
/// Memory of the bounded process, in KiB of address space: less than what a length of 31 bits could ask for.
const MEMORY: usize = 1 << 20;

/// Numbers that look random, the same ones every time.
pub struct Dice(u64);

impl Dice {
    /// Dice that begin at the seed.
    pub fn new() -> Self {
        Self(number(SEED).unwrap_or(DEFAULT_SEED).max(1))
    }

    /// Any number.
    pub fn any(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `sides`, which is not 0.
    pub fn roll(&mut self, sides: usize) -> usize {
        (self.any() >> 11) as usize % sides
    }

    /// One of several.
    pub fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.roll(of.len())].clone()
    }

    /// True once in so many times.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.roll(times) == 0
    }

    /// Changes some of the bytes, in place.
    pub fn spoil(&mut self, bytes: &mut [u8]) {
        const WORDS: [[u8; 4]; 6] = [[0x7f, 0xff, 0xff, 0xff], [0xff; 4], [0x80, 0, 0, 0], [0; 4], [0, 0, 0, 1], [0x80, 0x80, 0x80, 0x80]];
        for _ in 0..=self.roll(4) {
            if bytes.is_empty() {
                return;
            }
            let at = self.roll(bytes.len());
            match self.roll(8) {
                0 if at + 4 <= bytes.len() => bytes[at..at + 4].copy_from_slice(&self.pick(&WORDS)),
                1 => bytes[at] ^= 1 << self.roll(8),
                2 => bytes[at] = self.roll(256) as u8,
                _ => bytes[at] = self.pick(&[0, 1, 2, 0x7f, 0x80, 0xfe, 0xff]),
            }
        }
    }

    /// Changes, removes, repeats or cuts off some of the bytes.
    pub fn mutate(&mut self, bytes: &mut Vec<u8>) {
        self.spoil(bytes);
        if bytes.is_empty() {
            return;
        }
        let at = self.roll(bytes.len());
        let until = at + self.roll((bytes.len() - at).min(16)) + 1;
        match self.roll(12) {
            0 | 1 => bytes.truncate(at),
            2 => drop(bytes.drain(at..until)),
            3 => {
                let piece = bytes[at..until].to_vec();
                bytes.splice(at..at, piece);
            }
            _ => {}
        }
    }
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|text| text.replace('_', "").parse().unwrap_or_else(|_| panic!("{variable}={text} is no number")))
}

/// How many cases to run: as many as told by `FLUMEN_FUZZ_CASES`, else the default.
pub fn cases(default: u64) -> u64 {
    number(CASES).unwrap_or(default)
}

/// Runs a test, given its full name, in a process of its own in which no large piece of memory is to be had.
pub fn in_bounded_memory(name: &str, test: impl FnOnce()) {
    if std::env::var_os(BOUNDED).is_some() {
        assert!(Vec::<u8>::new().try_reserve_exact(1 << 31).is_err(), "the bound on memory has no effect");
        return test();
    }
    let script = format!("ulimit -v {MEMORY} && exec \"$0\" {name} --exact --nocapture --test-threads 1");
    let program = std::env::current_exe().unwrap();
    let ended = Command::new("bash").args(["-c", &script]).arg(program).env(BOUNDED, "1").stdin(Stdio::null()).output().unwrap();
    let told = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.status.success(), "{}\n{told}\n{}", ended.status, String::from_utf8_lossy(&ended.stderr));
    assert!(told.contains("1 passed"), "there is no test {name}\n{told}");
    println!("{told}");
}

/// A folder in memory where there is one: many small files are quicker there, and nothing has to reach a disk.
pub fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}
