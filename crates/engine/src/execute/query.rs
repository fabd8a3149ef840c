//! SELECT and PRINT: queries whose rows go to one client.

mod pull;
mod push;

use flumen_parser::ast::Statement;
use flumen_parser::split;
use flumen_plan::QueryId;

use super::print::Printer;
use crate::{Engine, EngineError, ErrorKind, Session};

pub use pull::Rows;
pub use push::{PushAnswer, PushNext};

/// The answer to a query.
pub enum QueryAnswer {
    /// Rows that go on coming.
    Push(PushAnswer),
    /// All rows there are.
    Pull(Rows),
    /// Records of a topic as text.
    Print(Printer),
}

impl Engine {
    /// Starts the one query of a text.
    pub fn query(&self, text: &str, session: &Session) -> Result<QueryAnswer, EngineError> {
        let mut pieces = split(text)?;
        let piece = match (pieces.pop(), pieces.is_empty()) {
            (Some(piece), true) => piece,
            (None, _) => return Err(EngineError::new(ErrorKind::BadStatement, "The request holds no statement")),
            (Some(_), false) => {
                let text = "Expected exactly one KSQL statement; send the others to /ksql";
                return Err(EngineError::new(ErrorKind::BadStatement, text));
            }
        };
        self.query_one(&piece.text, session).map_err(|e| e.about(&piece.text, 0))
    }

    fn query_one(&self, text: &str, session: &Session) -> Result<QueryAnswer, EngineError> {
        let text = self.0.substituted(text, session)?;
        match flumen_parser::parse_statement(&text)?.statement {
            Statement::Select(query) if flumen_planner::is_pull(&query) => self.pull(&query, &text, session),
            Statement::Select(query) => self.push(*query, &text, session).map(QueryAnswer::Push),
            Statement::Print(print) => self.0.print(&print).map(QueryAnswer::Print),
            _ => Err(EngineError::new(ErrorKind::BadStatement, "Only SELECT and PRINT can be sent here; send other statements to /ksql")),
        }
    }

    /// Ends a push query by its id. False when there is none.
    pub fn close_query(&self, id: &str) -> bool {
        let id = QueryId(id.to_string());
        let known = self.0.pushes.lock().remove(&id).is_some();
        self.0.env.tasks.stop_push(&id);
        known
    }
}
