//! Tables of plain text.

use comfy_table::presets::ASCII_MARKDOWN;
use comfy_table::{ContentArrangement, Table};

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
    format!("{table}\n")
}

/// Names and values below each other; those without a value are left out.
pub fn list(pairs: &[(&str, &str)]) -> String {
    let longest = pairs.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    pairs.iter().filter(|(_, value)| !value.is_empty()).map(|(name, value)| format!("{name:longest$} : {value}\n")).collect()
}
