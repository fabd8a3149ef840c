//! Which rows of a chunk failed, and why for the first few.

use arrow::array::BooleanArray;
use arrow::buffer::BooleanBuffer;

/// How many messages are kept for one evaluation; further rows are only marked.
pub const KEPT_MESSAGES: usize = 16;

/// The failed rows of one evaluation over a chunk.
#[derive(Debug, Default, Clone)]
pub struct Failures {
    rows: Vec<bool>,
    len: usize,
    count: usize,
    messages: Vec<(u32, String)>,
    notes: Vec<(u32, String)>,
}

impl Failures {
    /// No failure among `rows` rows; nothing is allocated before the first one.
    pub fn new(rows: usize) -> Self {
        Failures { len: rows, ..Failures::default() }
    }

    /// Marks a row as failed; the text is only made while few are kept. The first failure of a row stays.
    pub fn fail(&mut self, row: usize, message: impl FnOnce() -> String) {
        if self.rows.is_empty() {
            self.rows = vec![false; self.len];
        }
        let Some(failed) = self.rows.get_mut(row) else { return };
        if !std::mem::replace(failed, true) {
            self.count += 1;
            if self.messages.len() < KEPT_MESSAGES {
                self.messages.push((row as u32, message()));
            }
        }
    }

    /// Keeps a message about a row that did not fail: an element of a constructor was nulled.
    pub fn note(&mut self, row: usize, message: impl FnOnce() -> String) {
        if self.notes.len() < KEPT_MESSAGES {
            self.notes.push((row as u32, message()));
        }
    }

    /// True when no row failed.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Number of failed rows.
    pub fn count(&self) -> usize {
        self.count
    }

    /// True when this row failed.
    pub fn failed(&self, row: usize) -> bool {
        self.rows.get(row).copied().unwrap_or(false)
    }

    /// The failed rows, ascending.
    pub fn rows(&self) -> impl Iterator<Item = usize> {
        self.rows.iter().enumerate().filter(|(_, failed)| **failed).map(|(row, _)| row)
    }

    /// Row and text of the first failures, at most [`KEPT_MESSAGES`].
    pub fn messages(&self) -> &[(u32, String)] {
        &self.messages
    }

    /// Row and text of the first errors that nulled an element only; they belong in the processing log too.
    pub fn notes(&self) -> &[(u32, String)] {
        &self.notes
    }

    /// One bit a row, set where it failed; `None` without failures.
    pub fn bitmap(&self) -> Option<BooleanArray> {
        (self.count > 0).then(|| BooleanArray::new(BooleanBuffer::from(self.rows.as_slice()), None))
    }

    /// Takes over the failures of an evaluation over elements, `origin` giving each element's row here.
    pub(crate) fn absorb(&mut self, inner: Failures, origin: impl Fn(usize) -> usize) {
        for element in inner.rows() {
            let known = inner.messages.iter().find(|(row, _)| *row as usize == element).or(inner.messages.first());
            self.fail(origin(element), || known.map(|(_, text)| text.clone()).unwrap_or_default());
        }
        for (element, text) in inner.notes {
            self.note(origin(element as usize), || text);
        }
    }
}
