//! Finding the column of a field name, fast where records look alike.

use ahash::HashMap;

/// What to do with a field of the input.
#[derive(Clone, Copy)]
pub(super) enum Target {
    Skip,
    /// The name is that of this column.
    Exact(usize),
    /// The upper-cased name is.
    Folded(usize),
}

/// How a column got its value in the present record.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Seen {
    No,
    Folded,
    Exact,
}

/// Most field positions remembered from one record to the next.
const SHAPE_LIMIT: usize = 512;

/// Finds columns by field name: exactly, else by the upper-cased name. Records of a topic mostly look alike, so the
/// name at each position is compared with that of the record before and searched for only when it differs.
pub(crate) struct Lookup {
    by_name: HashMap<String, usize>,
    shape: Vec<(String, Target)>,
    /// How each column got its value in the present record.
    pub(super) seen: Vec<Seen>,
    upper: String,
}

impl Lookup {
    pub fn new(names: &[String]) -> Self {
        Lookup {
            by_name: names.iter().enumerate().map(|(i, n)| (n.clone(), i)).collect(),
            shape: Vec::new(),
            seen: vec![Seen::No; names.len()],
            upper: String::new(),
        }
    }

    pub(super) fn target(&mut self, at: usize, name: &str) -> Target {
        if let Some((known, target)) = self.shape.get(at)
            && known == name
        {
            return *target;
        }
        let target = self.search(name);
        if let Some((known, old)) = self.shape.get_mut(at) {
            known.clear();
            known.push_str(name);
            *old = target;
        } else if at < SHAPE_LIMIT {
            self.shape.push((name.to_string(), target));
        }
        target
    }

    fn search(&mut self, name: &str) -> Target {
        if let Some(i) = self.by_name.get(name) {
            return Target::Exact(*i);
        }
        self.upper.clear();
        self.upper.extend(name.chars().flat_map(char::to_uppercase));
        match self.by_name.get(&self.upper) {
            Some(i) => Target::Folded(*i),
            None => Target::Skip,
        }
    }
}
