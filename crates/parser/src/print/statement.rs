//! Statements, without a closing `;`.

use std::fmt::{self, Display, Formatter};

use super::{Joined, Quoted, list, when};
use crate::ast::{
    AddColumn, AlterSource, AssertSchema, AssertSource, AssertTopic, AssertValues, ColumnDef, ConnectorKind, CreateAs, CreateConnector,
    CreateSource, Describe, Explain, Ident, InsertSelect, InsertValues, Interval, List, Print, Property, QueryTarget, SourceKind,
    Statement,
};

const IF_NOT_EXISTS: &str = "IF NOT EXISTS ";
const IF_EXISTS: &str = "IF EXISTS ";
const EXTENDED: &str = " EXTENDED";

impl Display for Statement {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Statement::CreateSource(create) => create.fmt(f),
            Statement::CreateAs(create) => create.fmt(f),
            Statement::InsertSelect(insert) => insert.fmt(f),
            Statement::InsertValues(insert) => insert.fmt(f),
            Statement::DropSource(drop) => {
                write!(f, "DROP {} {}{}", drop.kind, when(drop.if_exists, IF_EXISTS), drop.name)?;
                f.write_str(when(drop.delete_topic, " DELETE TOPIC"))
            }
            Statement::AlterSource(alter) => alter.fmt(f),
            Statement::CreateType(create) => {
                write!(f, "CREATE TYPE {}{} AS {}", when(create.if_not_exists, IF_NOT_EXISTS), create.name, create.data_type)
            }
            Statement::DropType(drop) => write!(f, "DROP TYPE {}{}", when(drop.if_exists, IF_EXISTS), drop.name),
            Statement::Terminate(target) => write!(f, "TERMINATE {target}"),
            Statement::Pause(target) => write!(f, "PAUSE {target}"),
            Statement::Resume(target) => write!(f, "RESUME {target}"),
            Statement::AlterSystem { name, value } => write!(f, "ALTER SYSTEM {}={}", Quoted(name), Quoted(value)),
            Statement::Select(query) => query.fmt(f),
            Statement::Print(print) => print.fmt(f),
            Statement::Explain(Explain::Query(id)) => write!(f, "EXPLAIN {id}"),
            Statement::Explain(Explain::Statement(statement)) => write!(f, "EXPLAIN {statement}"),
            Statement::Describe(describe) => describe.fmt(f),
            Statement::List(list) => list.fmt(f),
            Statement::Set { name, value } => write!(f, "SET {}={}", Quoted(name), Quoted(value)),
            Statement::Unset { name } => write!(f, "UNSET {}", Quoted(name)),
            Statement::Define { name, value } => write!(f, "DEFINE {name}={}", Quoted(value)),
            Statement::Undefine { name } => write!(f, "UNDEFINE {name}"),
            Statement::CreateConnector(create) => create.fmt(f),
            Statement::DropConnector(drop) => write!(f, "DROP CONNECTOR {}{}", when(drop.if_exists, IF_EXISTS), drop.name),
            Statement::AssertTopic(assert) => assert.fmt(f),
            Statement::AssertSchema(assert) => assert.fmt(f),
            Statement::AssertValues(assert) => assert_values(f, "ASSERT VALUES", assert, "VALUES"),
            Statement::AssertNullValues(assert) => assert_values(f, "ASSERT NULL VALUES", assert, "KEY"),
            Statement::AssertSource(assert) => assert.fmt(f),
            Statement::RunScript { path } => write!(f, "RUN SCRIPT {}", Quoted(path)),
        }
    }
}

/// ` WITH (…)`, or nothing.
struct With<'a>(&'a [Property]);

impl Display for With<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, " WITH ({})", list(self.0)) }
    }
}

/// ` (…)`, or nothing.
struct Parens<'a, T>(&'a [T]);

impl<T: Display> Display for Parens<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, " ({})", list(self.0)) }
    }
}

impl Display for CreateSource {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (replace, source) = (when(self.or_replace, "OR REPLACE "), when(self.read_only, "SOURCE "));
        write!(f, "CREATE {replace}{source}{} {}{}", self.kind, when(self.if_not_exists, IF_NOT_EXISTS), self.name)?;
        write!(f, "{}{}", Parens::<ColumnDef>(&self.columns), With(&self.properties))
    }
}

impl Display for CreateAs {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let replace = when(self.or_replace, "OR REPLACE ");
        write!(f, "CREATE {replace}{} {}{}", self.kind, when(self.if_not_exists, IF_NOT_EXISTS), self.name)?;
        write!(f, "{} AS {}", With(&self.properties), self.query)
    }
}

impl Display for InsertSelect {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "INSERT INTO {}{} {}", self.target, With(&self.properties), self.query)
    }
}

impl Display for InsertValues {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "INSERT INTO {}{} VALUES ({})", self.target, Parens::<Ident>(&self.columns), list(&self.values))
    }
}

impl Display for AlterSource {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "ALTER {} {} {}", self.kind, self.name, Joined(&self.columns, ", "))
    }
}

impl Display for AddColumn {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "ADD COLUMN {} {}", self.name, self.data_type)
    }
}

impl Display for CreateConnector {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "CREATE {} CONNECTOR {}{}", self.kind, when(self.if_not_exists, IF_NOT_EXISTS), self.name)?;
        With(&self.properties).fmt(f)
    }
}

impl Display for Print {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "PRINT {}{}", self.topic, when(self.from_beginning, " FROM BEGINNING"))?;
        if let Some(interval) = self.interval {
            write!(f, " INTERVAL {interval}")?;
        }
        match self.limit {
            Some(limit) => write!(f, " LIMIT {limit}"),
            None => Ok(()),
        }
    }
}

impl Display for Describe {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Describe::Source { name, extended } => write!(f, "DESCRIBE {name}{}", when(*extended, EXTENDED)),
            Describe::Streams { extended } => write!(f, "DESCRIBE STREAMS{}", when(*extended, EXTENDED)),
            Describe::Tables { extended } => write!(f, "DESCRIBE TABLES{}", when(*extended, EXTENDED)),
            Describe::Function(name) => write!(f, "DESCRIBE FUNCTION {name}"),
            Describe::Connector(name) => write!(f, "DESCRIBE CONNECTOR {name}"),
        }
    }
}

impl Display for List {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("LIST ")?;
        match self {
            List::Topics { all, extended } => write!(f, "{}TOPICS{}", when(*all, "ALL "), when(*extended, EXTENDED)),
            List::Streams { extended } => write!(f, "STREAMS{}", when(*extended, EXTENDED)),
            List::Tables { extended } => write!(f, "TABLES{}", when(*extended, EXTENDED)),
            List::Queries { extended } => write!(f, "QUERIES{}", when(*extended, EXTENDED)),
            List::Functions => f.write_str("FUNCTIONS"),
            List::Properties => f.write_str("PROPERTIES"),
            List::Types => f.write_str("TYPES"),
            List::Variables => f.write_str("VARIABLES"),
            List::Connectors(Some(kind)) => write!(f, "{kind} CONNECTORS"),
            List::Connectors(None) => f.write_str("CONNECTORS"),
            List::ConnectorPlugins => f.write_str("CONNECTOR PLUGINS"),
        }
    }
}

impl Display for AssertTopic {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "ASSERT {}TOPIC {}{}", when(!self.exists, "NOT EXISTS "), self.topic, With(&self.properties))?;
        timeout(f, self.timeout.as_ref())
    }
}

impl Display for AssertSchema {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "ASSERT {}SCHEMA", when(!self.exists, "NOT EXISTS "))?;
        if let Some(subject) = &self.subject {
            write!(f, " SUBJECT {subject}")?;
        }
        if let Some(id) = self.id {
            write!(f, " ID {id}")?;
        }
        timeout(f, self.timeout.as_ref())
    }
}

fn timeout(f: &mut Formatter<'_>, timeout: Option<&Interval>) -> fmt::Result {
    match timeout {
        Some(timeout) => write!(f, " TIMEOUT {timeout}"),
        None => Ok(()),
    }
}

fn assert_values(f: &mut Formatter<'_>, head: &str, assert: &AssertValues, before_values: &str) -> fmt::Result {
    write!(f, "{head} {}{} {before_values} ({})", assert.source, Parens::<Ident>(&assert.columns), list(&assert.values))
}

impl Display for AssertSource {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "ASSERT {} {}{}{}", self.kind, self.name, Parens::<ColumnDef>(&self.columns), With(&self.properties))
    }
}

impl Display for SourceKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SourceKind::Stream => "STREAM",
            SourceKind::Table => "TABLE",
        })
    }
}

impl Display for ConnectorKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ConnectorKind::Source => "SOURCE",
            ConnectorKind::Sink => "SINK",
        })
    }
}

impl Display for QueryTarget {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            QueryTarget::All => f.write_str("ALL"),
            QueryTarget::Id(id) => id.fmt(f),
        }
    }
}
