//! Rows of a query, one after the other: the widths of the columns are fixed before the first row is there.

use super::table::width;
use crate::Output;
use comfy_table::presets::NOTHING;
use comfy_table::{ColumnConstraint, ContentArrangement, Table, TableComponent, Width};
use flumen_api::StreamedRow;

/// The narrowest and the widest column, in characters.
const COLUMN: (u16, u16) = (5, 60);

/// Shows the rows of one query.
pub struct Rows {
    output: Output,
    columns: Vec<String>,
    query_id: Option<String>,
    count: u64,
}

impl Rows {
    /// Nothing shown yet.
    pub fn new(output: Output) -> Self {
        Self { output, columns: Vec::new(), query_id: None, count: 0 }
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
        if element.header.is_some() {
            let rule = self.rule();
            return format!("{rule}{}{rule}", self.line(&self.columns));
        }
        if let Some(row) = &element.row {
            let deleted = row.tombstone == Some(true);
            let cells: Vec<String> = row.columns.iter().map(|cell| value(cell.get(), deleted)).collect();
            return self.line(&cells);
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

    /// The width of a column: all are alike, since nobody knows what comes.
    fn column_width(&self, columns: usize) -> u16 {
        let columns = u16::try_from(columns.max(1)).unwrap_or(u16::MAX);
        (width().saturating_sub(1) / columns).saturating_sub(1).clamp(COLUMN.0, COLUMN.1)
    }

    fn rule(&self) -> String {
        let dashes = "-".repeat(usize::from(self.column_width(self.columns.len())));
        let cells: String = self.columns.iter().map(|_| format!("{dashes}+")).collect();
        format!("+{cells}\n")
    }

    fn line(&self, cells: &[String]) -> String {
        let mut table = Table::new();
        table.load_preset(NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
        for border in [TableComponent::LeftBorder, TableComponent::RightBorder, TableComponent::VerticalLines] {
            table.set_style(border, '|');
        }
        table.add_row(cells);
        let width = self.column_width(cells.len());
        for column in table.column_iter_mut() {
            column.set_padding((0, 0)).set_constraint(ColumnConstraint::Absolute(Width::Fixed(width)));
        }
        format!("{table}\n")
    }
}

/// The names of columns in a header's schema, such as `` `ID` INTEGER KEY, `V` STRING ``.
fn names(schema: &str) -> Vec<String> {
    match flumen_parser::parse_schema(schema) {
        Ok(columns) => columns.into_iter().map(|column| column.name.value).collect(),
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
        return serde_json::from_str(json).unwrap_or_else(|_| json.to_owned());
    }
    json.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use flumen_api::{Header, cell};

    #[test]
    fn rows_stand_under_their_heading() {
        let mut rows = Rows::new(Output::Tabular);
        let header = Header { query_id: Some("q".to_owned()), schema: "`ID` INTEGER KEY, `V` ARRAY<STRING>".to_owned() };
        let mut text = rows.add(&StreamedRow::head(header), "");
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
        let mut rows = Rows::new(Output::Tabular);
        rows.add(&StreamedRow::head(Header { query_id: None, schema: "`A` STRING, `B` STRING".to_owned() }), "");
        let text = rows.add(&StreamedRow::row(vec![cell(&"long words ".repeat(40)), cell("x")]), "");
        assert!(text.lines().count() > 2, "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= usize::from(width())), "{text}");
    }

    #[test]
    fn json_is_passed_on() {
        let mut rows = Rows::new(Output::Json);
        assert_eq!(rows.add(&StreamedRow::row(vec![cell(&1)]), "{\"row\":1}"), "{\"row\":1}\n");
    }
}
