//! Statements as written.

use super::expr::{Expr, Literal};
use super::name::Ident;
use super::query::{Interval, Query};
use super::types::DataType;
use crate::span::Span;

/// One statement of the language.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Statement {
    /// `CREATE STREAM`, `CREATE TABLE` on a topic
    CreateSource(CreateSource),
    /// `CREATE STREAM … AS SELECT`, `CREATE TABLE … AS SELECT`
    CreateAs(CreateAs),
    /// `INSERT INTO … SELECT`
    InsertSelect(InsertSelect),
    /// `INSERT INTO … VALUES`
    InsertValues(InsertValues),
    /// `DROP STREAM`, `DROP TABLE`
    DropSource(DropSource),
    /// `ALTER STREAM`, `ALTER TABLE`
    AlterSource(AlterSource),
    /// `CREATE TYPE`
    CreateType(CreateType),
    /// `DROP TYPE`
    DropType(DropType),
    /// `TERMINATE id`, `TERMINATE ALL`
    Terminate(QueryTarget),
    /// `PAUSE id`, `PAUSE ALL`
    Pause(QueryTarget),
    /// `RESUME id`, `RESUME ALL`
    Resume(QueryTarget),
    /// `ALTER SYSTEM 'name'='value'`
    AlterSystem {
        /// The property's name.
        name: String,
        /// Its new value.
        value: String,
    },
    /// `SELECT …`: a push query with EMIT, a pull query without
    Select(Box<Query>),
    /// `PRINT topic`
    Print(Print),
    /// `EXPLAIN`
    Explain(Explain),
    /// `DESCRIBE`
    Describe(Describe),
    /// `LIST`, `SHOW`
    List(List),
    /// `SET 'name'='value'`
    Set {
        /// The property's name.
        name: String,
        /// Its value.
        value: String,
    },
    /// `UNSET 'name'`
    Unset {
        /// The property's name.
        name: String,
    },
    /// `DEFINE name = 'value'`
    Define {
        /// The variable's name.
        name: Ident,
        /// Its value.
        value: String,
    },
    /// `UNDEFINE name`
    Undefine {
        /// The variable's name.
        name: Ident,
    },
    /// `CREATE SOURCE CONNECTOR`, `CREATE SINK CONNECTOR`
    CreateConnector(CreateConnector),
    /// `DROP CONNECTOR`
    DropConnector(DropConnector),
    /// `ASSERT [NOT EXISTS] TOPIC`
    AssertTopic(AssertTopic),
    /// `ASSERT [NOT EXISTS] SCHEMA`
    AssertSchema(AssertSchema),
    /// `ASSERT VALUES s (…) VALUES (…)`: the next row of a source
    AssertValues(AssertValues),
    /// `ASSERT NULL VALUES s (…) KEY (…)`: the next row of a source is a tombstone
    AssertNullValues(AssertValues),
    /// `ASSERT STREAM`, `ASSERT TABLE`: a source has this schema and these properties
    AssertSource(AssertSource),
    /// `RUN SCRIPT 'file'`
    RunScript {
        /// The file's path.
        path: String,
    },
}

/// Stream or table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SourceKind {
    /// `STREAM`
    Stream,
    /// `TABLE`
    Table,
}

/// `CREATE [OR REPLACE] [SOURCE] STREAM|TABLE [IF NOT EXISTS] name [(columns)] [WITH (properties)]`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CreateSource {
    /// Stream or table.
    pub kind: SourceKind,
    /// With OR REPLACE.
    pub or_replace: bool,
    /// With SOURCE: read-only.
    pub read_only: bool,
    /// With IF NOT EXISTS.
    pub if_not_exists: bool,
    /// The new source's name.
    pub name: Ident,
    /// The column list; empty if there is none.
    pub columns: Vec<ColumnDef>,
    /// The WITH clause; empty if there is none.
    pub properties: Vec<Property>,
}

/// One column of a column list.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ColumnDef {
    /// The column's name.
    pub name: Ident,
    /// Its type.
    pub data_type: DataType,
    /// What stands behind the type; `None` for a value column.
    pub constraint: Option<ColumnConstraint>,
    /// Where it was written.
    pub span: Span,
}

/// What a column is, if not a value column. Which of them a stream or a table may have is the planner's to check.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ColumnConstraint {
    /// `KEY`
    Key,
    /// `PRIMARY KEY`
    PrimaryKey,
    /// `HEADERS`: all headers of the record
    Headers,
    /// `HEADER('name')`: the header of this name
    Header(String),
}

/// `name = literal` in a WITH clause.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Property {
    /// The name, in upper case unless it was quoted.
    pub name: Ident,
    /// The value.
    pub value: Literal,
    /// Where the value was written.
    pub value_span: Span,
}

/// `CREATE [OR REPLACE] STREAM|TABLE [IF NOT EXISTS] name [WITH (properties)] AS query`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CreateAs {
    /// Stream or table.
    pub kind: SourceKind,
    /// With OR REPLACE.
    pub or_replace: bool,
    /// With IF NOT EXISTS.
    pub if_not_exists: bool,
    /// The new source's name.
    pub name: Ident,
    /// The WITH clause; empty if there is none.
    pub properties: Vec<Property>,
    /// What fills it.
    pub query: Box<Query>,
}

/// `INSERT INTO target [WITH (properties)] query`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InsertSelect {
    /// The stream that is written.
    pub target: Ident,
    /// The WITH clause; empty if there is none.
    pub properties: Vec<Property>,
    /// What is written.
    pub query: Box<Query>,
}

/// `INSERT INTO target [(columns)] VALUES (values)`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InsertValues {
    /// The source that is written.
    pub target: Ident,
    /// The columns named; empty if none are, which means all.
    pub columns: Vec<Ident>,
    /// One value for each.
    pub values: Vec<Expr>,
    /// Where the list of values was written.
    pub values_span: Span,
}

/// `DROP STREAM|TABLE [IF EXISTS] name [DELETE TOPIC]`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DropSource {
    /// Stream or table.
    pub kind: SourceKind,
    /// With IF EXISTS.
    pub if_exists: bool,
    /// The source's name.
    pub name: Ident,
    /// With DELETE TOPIC.
    pub delete_topic: bool,
}

/// `ALTER STREAM|TABLE name ADD [COLUMN] column type, …`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AlterSource {
    /// Stream or table.
    pub kind: SourceKind,
    /// The source's name.
    pub name: Ident,
    /// The new columns; at least one.
    pub columns: Vec<AddColumn>,
}

/// `ADD [COLUMN] name type`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AddColumn {
    /// The column's name.
    pub name: Ident,
    /// Its type.
    pub data_type: DataType,
}

/// `CREATE TYPE [IF NOT EXISTS] name AS type`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CreateType {
    /// With IF NOT EXISTS.
    pub if_not_exists: bool,
    /// The new type's name.
    pub name: Ident,
    /// What it stands for.
    pub data_type: DataType,
}

/// `DROP TYPE [IF EXISTS] name`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DropType {
    /// With IF EXISTS.
    pub if_exists: bool,
    /// The type's name.
    pub name: Ident,
}

/// Which queries TERMINATE, PAUSE or RESUME is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum QueryTarget {
    /// `ALL`
    All,
    /// One query. Ids may have lower-case letters and be written without quotes: compare ignoring case.
    Id(Ident),
}

/// `PRINT topic [FROM BEGINNING] [INTERVAL|SAMPLE n] [LIMIT n]`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Print {
    /// The topic's name, its case kept.
    pub topic: Ident,
    /// With FROM BEGINNING.
    pub from_beginning: bool,
    /// Print every n-th record only.
    pub interval: Option<u64>,
    /// Stop after so many.
    pub limit: Option<u64>,
}

/// `EXPLAIN id`, `EXPLAIN statement`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Explain {
    /// A running query. Compare the id ignoring case.
    Query(Ident),
    /// A statement that contains a query: SELECT, CREATE … AS SELECT or INSERT INTO … SELECT.
    Statement(Box<Statement>),
}

/// `DESCRIBE …`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Describe {
    /// `DESCRIBE name [EXTENDED]`
    Source {
        /// The source's name.
        name: Ident,
        /// With EXTENDED.
        extended: bool,
    },
    /// `DESCRIBE STREAMS [EXTENDED]`
    Streams {
        /// With EXTENDED.
        extended: bool,
    },
    /// `DESCRIBE TABLES [EXTENDED]`
    Tables {
        /// With EXTENDED.
        extended: bool,
    },
    /// `DESCRIBE FUNCTION name`
    Function(Ident),
    /// `DESCRIBE CONNECTOR name`
    Connector(Ident),
}

/// `LIST …`, `SHOW …`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum List {
    /// `[ALL] TOPICS [EXTENDED]`
    Topics {
        /// With ALL: hidden ones too.
        all: bool,
        /// With EXTENDED.
        extended: bool,
    },
    /// `STREAMS [EXTENDED]`
    Streams {
        /// With EXTENDED.
        extended: bool,
    },
    /// `TABLES [EXTENDED]`
    Tables {
        /// With EXTENDED.
        extended: bool,
    },
    /// `QUERIES [EXTENDED]`
    Queries {
        /// With EXTENDED.
        extended: bool,
    },
    /// `FUNCTIONS`
    Functions,
    /// `PROPERTIES`
    Properties,
    /// `TYPES`
    Types,
    /// `VARIABLES`
    Variables,
    /// `[SOURCE|SINK] CONNECTORS`
    Connectors(Option<ConnectorKind>),
    /// `CONNECTOR PLUGINS`
    ConnectorPlugins,
}

/// Which way a connector moves records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConnectorKind {
    /// `SOURCE`: into Kafka
    Source,
    /// `SINK`: out of Kafka
    Sink,
}

/// `CREATE SOURCE|SINK CONNECTOR [IF NOT EXISTS] name WITH (properties)`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CreateConnector {
    /// Source or sink.
    pub kind: ConnectorKind,
    /// With IF NOT EXISTS.
    pub if_not_exists: bool,
    /// The connector's name.
    pub name: Ident,
    /// Its configuration.
    pub properties: Vec<Property>,
}

/// `DROP CONNECTOR [IF EXISTS] name`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DropConnector {
    /// With IF EXISTS.
    pub if_exists: bool,
    /// The connector's name.
    pub name: Ident,
}

/// `ASSERT [NOT EXISTS] TOPIC topic [WITH (properties)] [TIMEOUT n unit]`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AssertTopic {
    /// Without NOT EXISTS.
    pub exists: bool,
    /// The topic's name, its case kept.
    pub topic: Ident,
    /// What the topic must look like; empty if not said.
    pub properties: Vec<Property>,
    /// How long to wait for it.
    pub timeout: Option<Interval>,
}

/// `ASSERT [NOT EXISTS] SCHEMA [SUBJECT s] [ID n] [TIMEOUT n unit]`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AssertSchema {
    /// Without NOT EXISTS.
    pub exists: bool,
    /// The subject's name, its case kept.
    pub subject: Option<Ident>,
    /// The schema's id in the registry.
    pub id: Option<u64>,
    /// How long to wait for it.
    pub timeout: Option<Interval>,
}

/// `ASSERT VALUES source [(columns)] VALUES (values)`, `ASSERT NULL VALUES source [(columns)] KEY (values)`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AssertValues {
    /// The source whose next row is looked at.
    pub source: Ident,
    /// The columns named; empty if none are.
    pub columns: Vec<Ident>,
    /// The values expected in them.
    pub values: Vec<Expr>,
    /// Where the list of values was written.
    pub values_span: Span,
}

/// `ASSERT STREAM|TABLE name [(columns)] [WITH (properties)]`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AssertSource {
    /// Stream or table.
    pub kind: SourceKind,
    /// The source's name.
    pub name: Ident,
    /// The columns it must have; empty if not said.
    pub columns: Vec<ColumnDef>,
    /// The properties it must have; empty if not said.
    pub properties: Vec<Property>,
}
