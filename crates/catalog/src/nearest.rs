//! The name a user probably meant.

/// The candidate closest to `name`, if one is close enough to be a slip: equal but for case, or at most a third of its
/// letters apart.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted: Vec<char> = name.to_uppercase().chars().collect();
    let limit = (wanted.len() / 3).max(1);
    candidates
        .into_iter()
        .map(|c| (distance(&wanted, &c.to_uppercase().chars().collect::<Vec<_>>()), c))
        .filter(|(d, _)| *d <= limit)
        .min_by_key(|(d, _)| *d)
        .map(|(_, c)| c)
}

/// Levenshtein's distance: how many letters must be put in, taken out or replaced.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut before = i;
        let mut left = i + 1;
        for (y, cell) in b.iter().zip(row.iter_mut().skip(1)) {
            let replaced = before + usize::from(x != y);
            before = *cell;
            left = replaced.min(*cell + 1).min(left + 1);
            *cell = left;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_recognised_and_strangers_are_not() {
        let names = ["ORDERS", "USERS", "page_views"];
        assert_eq!(nearest("ORDRES", names), Some("ORDERS"));
        assert_eq!(nearest("PAGE_VIEWS", names), Some("page_views"));
        assert_eq!(nearest("USER", names), Some("USERS"));
        assert_eq!(nearest("SHIPMENTS", names), None);
    }

    #[test]
    fn distance_counts_edits() {
        let d = |a: &str, b: &str| distance(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>());
        assert_eq!(d("kitten", "sitting"), 3);
        assert_eq!(d("", "abc"), 3);
        assert_eq!(d("abc", ""), 3);
        assert_eq!(d("same", "same"), 0);
    }
}
