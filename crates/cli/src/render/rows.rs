//! Rows of a query, one after the other: the widths of the columns are fixed before the first row is there.

use super::table::width;
use super::{Layout, plain};
use crate::Output;
use comfy_table::presets::NOTHING;
use comfy_table::{ColumnConstraint, ContentArrangement, Table, TableComponent, Width};
use flumen_api::StreamedRow;

/// The narrowest column that can be read, and the widest, in characters. Where the narrowest do not fit beside each other,
/// the columns of a row stand below each other.
const COLUMN: (u16, u16) = (8, 60);

/// Shows the rows of one query.
pub struct Rows {
    output: Output,
    layout: Layout,
    columns: Vec<String>,
    query_id: Option<String>,
    count: u64,
}

impl Rows {
    /// Nothing shown yet.
    pub fn new(output: Output, layout: Layout) -> Self {
        Self { output, layout, columns: Vec::new(), query_id: None, count: 0 }
    }

    /// The text of the next element; `json` is what it was read from.
    pub fn add(&mut self, element: &StreamedRow, json: &str) -> String {
        if let Some(header) = &element.header {
            self.query_id.clone_from(&header.query_id);
            self.columns = names(&header.schema);
        }
        self.count += u64::from(element.row.is_some());
        match self.output {
            Output::Json => format!("{json}\n"),
            Output::Tabular => self.tabular(element),
        }
    }

    fn tabular(&self, element: &StreamedRow) -> String {
        let column = self.column_width(self.columns.len());
        if element.header.is_some() {
            return match column {
                Some(column) => {
                    let rule = self.rule(column);
                    format!("{rule}{}{rule}", self.line(&self.columns, column))
                }
                None => String::new(),
            };
        }
        if let Some(row) = &element.row {
            let deleted = row.tombstone == Some(true);
            let cells: Vec<String> = row.columns.iter().map(|cell| value(cell.get(), deleted)).collect();
            return match column {
                Some(column) => self.line(&cells, column),
                None => self.block(&cells),
            };
        }
        element.final_message.as_ref().map(|message| format!("{message}\n")).unwrap_or_default()
    }

    /// What stands below the last row.
    pub fn end(&self) -> String {
        match self.output {
            Output::Tabular if self.columns.is_empty() => String::new(),
            Output::Tabular => match self.count {
                1 => "1 row\n".to_owned(),
                n => format!("{n} rows\n"),
            },
            Output::Json => String::new(),
        }
    }

    /// Rows shown.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The query, if the server named it.
    pub fn query_id(&self) -> Option<&str> {
        self.query_id.as_deref()
    }

    /// The width of a column: all are alike, since nobody knows what comes. `None` when the columns do not fit beside each
    /// other.
    fn column_width(&self, columns: usize) -> Option<u16> {
        if self.layout.column_width > 0 {
            return Some(self.layout.column_width);
        }
        let columns = u16::try_from(columns.max(1)).unwrap_or(u16::MAX);
        let each = (width().saturating_sub(1) / columns).saturating_sub(1);
        (each >= COLUMN.0 || columns == 1).then(|| each.clamp(1, COLUMN.1))
    }

    fn rule(&self, column: u16) -> String {
        let dashes = "-".repeat(usize::from(column));
        let cells: String = self.columns.iter().map(|_| format!("{dashes}+")).collect();
        format!("+{cells}\n")
    }

    fn line(&self, cells: &[String], column: u16) -> String {
        let mut table = Table::new();
        table.load_preset(NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
        for border in [TableComponent::LeftBorder, TableComponent::RightBorder, TableComponent::VerticalLines] {
            table.set_style(border, '|');
        }
        let row = table.add_row(cells).row_mut(0);
        if let Some(row) = row.filter(|_| !self.layout.wrap) {
            row.max_height(1);
        }
        for each in table.column_iter_mut() {
            each.set_padding((0, 0)).set_constraint(ColumnConstraint::Absolute(Width::Fixed(column)));
        }
        format!("{table}\n")
    }

    /// A row with a line for each column.
    fn block(&self, cells: &[String]) -> String {
        let longest = self.columns.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        let mut text = format!("-[ row {} ]{}\n", self.count, "-".repeat(longest));
        for (name, cell) in self.columns.iter().zip(cells) {
            // The further lines of a value stand below its first.
            let cell = cell.replace('\n', &format!("\n{:longest$} | ", ""));
            text += &format!("{name:longest$} | {cell}\n");
        }
        text
    }
}

/// The names of columns in a header's schema, such as `` `ID` INTEGER KEY, `V` STRING ``.
fn names(schema: &str) -> Vec<String> {
    match flumen_parser::parse_schema(schema) {
        Ok(columns) => columns.into_iter().map(|column| plain(&column.name.value)).collect(),
        // A type of a newer server: better the schema as it is than no heading.
        Err(_) => vec![schema.to_owned()],
    }
}

/// A cell's JSON as people read it: text without quotes, a struct or list as JSON.
fn value(json: &str, deleted: bool) -> String {
    if json == "null" {
        return if deleted { "<TOMBSTONE>".to_owned() } else { "null".to_owned() };
    }
    if json.starts_with('"') {
        return plain(&serde_json::from_str::<String>(json).unwrap_or_else(|_| json.to_owned()));
    }
    json.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use flumen_api::{Header, cell};

    fn head(schema: &str) -> StreamedRow {
        StreamedRow::head(Header { query_id: Some("q".to_owned()), schema: schema.to_owned() })
    }

    #[test]
    fn rows_stand_under_their_heading() {
        let mut rows = Rows::new(Output::Tabular, Layout::default());
        let mut text = rows.add(&head("`ID` INTEGER KEY, `V` ARRAY<STRING>"), "");
        text += &rows.add(&StreamedRow::row(vec![cell(&7), cell(&["a"])]), "");
        text += &rows.add(&StreamedRow::tombstone(vec![cell(&7), cell(&())]), "");
        text += &rows.add(&StreamedRow::end(StreamedRow::LIMIT_REACHED), "");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 6, "{text}");
        let widths: Vec<usize> = lines.iter().take(5).map(|line| line.chars().count()).collect();
        assert!(widths.iter().all(|w| Some(w) == widths.first()), "{text}");
        assert!(text.contains("|ID ") && text.contains("|[\"a\"] ") && text.contains("|<TOMBSTONE> "), "{text}");
        assert_eq!((rows.count(), rows.query_id()), (2, Some("q")));
    }

    #[test]
    fn a_long_value_takes_several_lines_and_stays_in_its_column() {
        let long = StreamedRow::row(vec![cell(&"long words ".repeat(40)), cell("x")]);
        let shown = |wrap| {
            let mut rows = Rows::new(Output::Tabular, Layout { wrap, column_width: 20 });
            rows.add(&head("`A` STRING, `B` STRING"), "");
            rows.add(&long, "")
        };
        let text = shown(true);
        assert!(text.lines().count() > 2, "{text}");
        assert!(text.lines().all(|line| line.chars().count() == 43), "{text}");
        let text = shown(false);
        assert!(text.lines().count() == 1 && text.contains("..."), "{text}");
    }

    #[test]
    fn columns_that_do_not_fit_beside_each_other_stand_below_each_other() {
        let mut rows = Rows::new(Output::Tabular, Layout::default());
        let schema: Vec<String> = (1..=40).map(|n| format!("`C{n}` STRING")).collect();
        assert_eq!(rows.add(&head(&schema.join(", ")), ""), "");
        let cells = (1..=40).map(|n| cell(&format!("{n}\nand more"))).collect();
        let text = rows.add(&StreamedRow::row(cells), "");
        assert!(text.starts_with("-[ row 1 ]---\nC1  | 1\n    | and more\nC2  | 2\n"), "{text}");
        assert_eq!(text.lines().count(), 81, "{text}");
    }

    #[test]
    fn values_cannot_move_the_cursor() {
        assert_eq!(value(r#""\u001b[31mred\u0007\r\tx""#, false), "\\u{1b}[31mred\\u{7}\\r\tx");
    }

    #[test]
    fn json_is_passed_on() {
        let mut rows = Rows::new(Output::Json, Layout::default());
        assert_eq!(rows.add(&StreamedRow::row(vec![cell(&1)]), "{\"row\":1}"), "{\"row\":1}\n");
    }
}
