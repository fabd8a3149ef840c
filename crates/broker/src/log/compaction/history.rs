//! How far a log was compacted, and when: what a start must know to tell a gap from damage, and since when a tombstone has been visible.

use crate::datadir::replace_file;
use std::{io, path::Path};

const FILE: &str = "compacted";
/// Passes remembered; of more, neighbours count as the later one.
const PASSES: usize = 64;

/// One finished compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pass {
    /// The offset it reached.
    until: i64,
    /// When it was done, in milliseconds since 1970.
    at: i64,
}

/// The compactions of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// Before this offset records may be missing.
    gaps: i64,
    passes: Vec<Pass>,
}

impl History {
    /// Reads the history of the log in `folder`. If it cannot be read, gaps are possible everywhere.
    pub fn load(folder: &Path) -> Self {
        match std::fs::read_to_string(folder.join(FILE)) {
            Ok(text) => Self::parse(&text).unwrap_or(Self { gaps: i64::MAX, passes: Vec::new() }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::default(),
            Err(_) => Self { gaps: i64::MAX, passes: Vec::new() },
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let gaps = lines.next()?.parse().ok()?;
        let pass = |line: &str| {
            let (until, at) = line.split_once(' ')?;
            Some(Pass { until: until.parse().ok()?, at: at.parse().ok()? })
        };
        Some(Self { gaps, passes: lines.map(pass).collect::<Option<_>>()? })
    }

    fn save(&self, folder: &Path) -> io::Result<()> {
        let mut text = format!("{}\n", self.gaps);
        for pass in &self.passes {
            text.push_str(&format!("{} {}\n", pass.until, pass.at));
        }
        replace_file(&folder.join(FILE), text.as_bytes())
    }

    /// The offset before which records may be missing.
    pub fn gaps(&self) -> i64 {
        self.gaps
    }

    /// The offset the last finished compaction reached.
    pub fn until(&self) -> i64 {
        self.passes.last().map_or(0, |p| p.until)
    }

    /// The offset before which everything was compacted at `time` already.
    pub fn horizon(&self, time: i64) -> i64 {
        self.passes.iter().take_while(|p| p.at <= time).last().map_or(0, |p| p.until)
    }

    /// A compaction up to `until` begins.
    pub fn begin(&mut self, folder: &Path, until: i64) -> io::Result<()> {
        if until <= self.gaps {
            return Ok(());
        }
        let next = Self { gaps: until, ..self.clone() };
        next.save(folder)?;
        *self = next;
        Ok(())
    }

    /// A compaction up to `until` is done.
    pub fn finish(&mut self, folder: &Path, until: i64, now: i64) -> io::Result<()> {
        self.passes.push(Pass { until, at: now });
        if self.passes.len() > PASSES {
            // Of the two closest in time the later one speaks for both.
            let gap = |i: &usize| match (self.passes.get(*i), self.passes.get(i + 1)) {
                (Some(a), Some(b)) => b.at - a.at,
                _ => i64::MAX,
            };
            let closest = (0..self.passes.len() - 1).min_by_key(gap).unwrap_or(0);
            self.passes.remove(closest);
        }
        self.save(folder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_tell_since_when_an_offset_was_reached() {
        let dir = tempfile::tempdir().unwrap();
        let mut history = History::load(dir.path());
        assert_eq!((history.gaps(), history.until(), history.horizon(i64::MAX)), (0, 0, 0));
        history.begin(dir.path(), 10).unwrap();
        assert_eq!((History::load(dir.path()).gaps(), history.until()), (10, 0));
        history.finish(dir.path(), 10, 1000).unwrap();
        history.begin(dir.path(), 30).unwrap();
        history.finish(dir.path(), 30, 2000).unwrap();
        assert_eq!(History::load(dir.path()), history);
        assert_eq!([999, 1000, 1999, 2000].map(|t| history.horizon(t)), [0, 10, 10, 30]);
    }

    #[test]
    fn the_history_does_not_grow_and_forgets_on_the_safe_side() {
        let dir = tempfile::tempdir().unwrap();
        let mut history = History::default();
        for i in 1..=500 {
            history.begin(dir.path(), i * 10).unwrap();
            history.finish(dir.path(), i * 10, i * 100).unwrap();
        }
        assert!(history.passes.len() <= PASSES);
        for time in 0..60_000 {
            assert!(history.horizon(time) <= time / 10, "{time}");
        }
        assert_eq!(history.until(), 5000);
    }

    #[test]
    fn a_damaged_file_allows_every_gap() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(FILE), "10\nnonsense\n").unwrap();
        assert_eq!(History::load(dir.path()).gaps(), i64::MAX);
    }
}
