//! Tables of plain text.

use comfy_table::presets::ASCII_MARKDOWN;
use comfy_table::{ColumnConstraint, ContentArrangement, Table};

/// The width when the output is no terminal.
const WIDTH: u16 = 120;

/// The width to fit, in columns.
pub fn width() -> u16 {
    Table::new().width().filter(|w| *w >= 20).unwrap_or(WIDTH)
}

/// A table under a heading, wrapped to the terminal.
pub fn table(heading: &[&str], rows: Vec<Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_preset(ASCII_MARKDOWN).set_content_arrangement(ContentArrangement::Dynamic).set_width(width());
    table.set_header(heading).add_rows(rows);
    // What stands first is a name, to be copied from here: it is kept in one piece where it leaves room for the rest.
    let longest = table.column_max_content_widths().first().copied().unwrap_or(0);
    if let Some(name) = table.column_mut(0).filter(|_| longest <= width() / 2) {
        name.set_constraint(ColumnConstraint::ContentWidth);
    }
    format!("{table}\n")
}

/// Names and values below each other; those without a value are left out.
pub fn list(pairs: &[(&str, &str)]) -> String {
    let longest = pairs.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    pairs.iter().filter(|(_, value)| !value.is_empty()).map(|(name, value)| format!("{name:longest$} : {value}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_column_is_kept_in_one_piece() {
        let name = "A_RATHER_LONG_NAME_OF_A_QUERY_12";
        let shown = table(&["ID", "Text"], vec![vec![name.to_owned(), "many words ".repeat(30)]]);
        assert!(shown.contains(name) && shown.lines().count() > 3, "{shown}");
        assert!(shown.lines().all(|line| line.len() <= usize::from(width())), "{shown}");
    }
}
