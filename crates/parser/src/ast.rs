//! The syntax tree: what a statement says, as written, before any name is looked up.

pub mod expr;
pub mod name;
pub mod query;
pub mod statement;
pub mod types;

pub use expr::{ArithmeticOp, ComparisonOp, Double, Expr, ExprKind, FunctionCall, Literal, LogicalOp, Sign, TimeUnit, WhenClause};
pub use name::Ident;
pub use query::{Emit, Interval, Join, JoinKind, Query, Relation, SelectItem, SelectItemKind, SourceRef, Window, WindowKind, Within};
pub use statement::{
    AddColumn, AlterSource, AssertSchema, AssertSource, AssertTopic, AssertValues, ColumnConstraint, ColumnDef, ConnectorKind, CreateAs,
    CreateConnector, CreateSource, CreateType, Describe, DropConnector, DropSource, DropType, Explain, InsertSelect, InsertValues, List,
    Print, Property, QueryTarget, SourceKind, Statement,
};
pub use types::{DataType, DataTypeKind, StructField};
