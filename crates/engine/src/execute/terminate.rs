//! The end of a service: its queries are ended and all that it knows is dropped, through the command log like any statement.

use std::collections::BTreeMap;

use flumen_types::back_tick;

use crate::{Engine, EngineError, Session};

impl Engine {
    /// Ends all queries, then drops all streams, tables and types. Topics that a query made and that `delete` picks go too.
    ///
    /// # Errors
    /// When a statement fails; the service goes on with what is left.
    pub fn terminate(&self, delete: impl Fn(&str) -> bool) -> Result<(), EngineError> {
        let session = Session::new(self.config(), &BTreeMap::new(), &BTreeMap::new())?;
        let run = |text: String| match self.execute(&text, &session).error {
            Some(error) => Err(error),
            None => Ok(()),
        };
        if self.catalog().queries().next().is_some() {
            run("TERMINATE ALL;".to_owned())?;
        }
        loop {
            let catalog = self.catalog();
            let free: Vec<_> = catalog.sources().filter(|source| catalog.built_from(&source.name).is_empty()).collect();
            if free.is_empty() {
                break;
            }
            for source in free {
                let kind = if source.is_table() { "TABLE" } else { "STREAM" };
                let topic = if source.created_by.is_some() && delete(&source.topic) { " DELETE TOPIC" } else { "" };
                run(format!("DROP {kind} IF EXISTS {}{topic};", back_tick(&source.name)))?;
            }
        }
        for (name, _) in self.catalog().types() {
            run(format!("DROP TYPE IF EXISTS {};", back_tick(name)))?;
        }
        Ok(())
    }
}
