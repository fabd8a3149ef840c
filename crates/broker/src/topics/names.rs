//! What a topic may be called.

/// Checks a topic's name.
///
/// # Errors
/// What is wrong with it.
pub fn check_name(name: &str) -> Result<(), String> {
    if name.is_empty() || name == "." || name == ".." {
        return Err(format!("the topic name '{name}' is not allowed"));
    }
    if name.len() > 249 {
        return Err(format!("the topic name is {} characters long, at most 249 are allowed", name.len()));
    }
    match name.chars().find(|c| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'))) {
        Some(c) => Err(format!("the topic name '{name}' holds {c:?}; letters, digits, '.', '_' and '-' are allowed")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::check_name;

    #[test]
    fn names_are_checked() {
        for good in ["a", "A-b_c.9", &"x".repeat(249)] {
            assert!(check_name(good).is_ok(), "{good}");
        }
        for bad in ["", ".", "..", "a b", "a/b", "ü", &"x".repeat(250)] {
            assert!(check_name(bad).is_err(), "{bad}");
        }
    }
}
