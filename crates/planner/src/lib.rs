//! Statements to plans: pure, synchronous, without I/O and without a clock.
//!
//! [`plan_statement`] turns a statement, the catalog, the functions and facts about topics ([`PlanContext`]) into a
//! [`Planned`]: a change of the catalog, a query's plan, topics to create. A user's mistake is always reported before a
//! missing feature. Pull queries and INSERT … VALUES, which run at once, have calls of their own.

mod column_text;
mod context;
mod ddl;
mod error;
mod expression;
mod insert;
mod magic_time;
mod planned;
mod properties;
mod pull;
mod query;
mod sql_type;

pub use context::{PlanContext, TopicInfo};
pub use error::PlanError;
pub use insert::{InsertPlan, plan_insert};
pub use planned::{Planned, TopicToCreate};
pub use pull::{Pull, plan_pull};

use std::collections::BTreeSet;

use flumen_catalog::{Catalog, Ddl};
use flumen_expr::Registry;
use flumen_parser::ast::{Query, Relation, Statement};

/// Plans a statement that changes the catalog, starts a query, or is a push query. `text` is the statement's own text.
///
/// # Errors
/// A user's mistake with its place, or a feature that is missing.
pub fn plan_statement(
    statement: &Statement,
    text: &str,
    catalog: &Catalog,
    registry: &Registry,
    context: &PlanContext,
) -> Result<Planned, PlanError> {
    match statement {
        Statement::CreateSource(create) => ddl::create_source(create, text, catalog, context),
        Statement::CreateAs(create) => query::create_as(create, text, catalog, registry, context),
        Statement::InsertSelect(insert) => query::insert_select(insert, catalog, registry, context),
        Statement::Select(select) => query::push(select, catalog, registry, context),
        Statement::DropSource(drop) => Ok(ddl::drop(drop, catalog)),
        Statement::AlterSource(alter) => ddl::alter(alter, catalog),
        Statement::CreateType(create) => ddl::create_type(create, catalog),
        Statement::DropType(drop) => Ok(ddl::drop_type(drop, catalog)),
        Statement::Terminate(target) => Ok(Planned::ddl(Ddl::Terminate { target: ddl::query_target(target) })),
        Statement::Pause(target) => Ok(Planned::ddl(Ddl::Pause { target: ddl::query_target(target) })),
        Statement::Resume(target) => Ok(Planned::ddl(Ddl::Resume { target: ddl::query_target(target) })),
        other => Err(PlanError::user(format!("this statement has no plan: {other}"))),
    }
}

/// True for a SELECT that reads what is there and ends.
pub fn is_pull(query: &Query) -> bool {
    query.emit.is_none()
}

/// The topics whose facts planning a statement needs: those of the sources it reads and the one it creates or writes.
pub fn topics_needed(statement: &Statement, catalog: &Catalog, context: &PlanContext) -> Vec<String> {
    let mut topics = BTreeSet::new();
    let mut read = |relation: &Relation| {
        let names = std::iter::once(&relation.source).chain(relation.joins.iter().map(|j| &j.right));
        topics.extend(names.filter_map(|s| catalog.source(&s.name.value)).map(|s| s.topic.clone()));
    };
    match statement {
        Statement::CreateAs(create) => read(&create.query.from),
        Statement::InsertSelect(insert) => read(&insert.query.from),
        Statement::Select(query) => read(&query.from),
        Statement::Explain(flumen_parser::ast::Explain::Statement(inner)) => return topics_needed(inner, catalog, context),
        _ => {}
    }
    match statement {
        Statement::CreateSource(create) => topics.extend(ddl::topic::named(&create.properties)),
        Statement::CreateAs(create) => {
            let prefix = context.setting("ksql.output.topic.name.prefix").unwrap_or_default();
            let own = || format!("{prefix}{}", create.name.value);
            topics.insert(ddl::topic::named(&create.properties).unwrap_or_else(own));
        }
        _ => {}
    }
    topics.into_iter().collect()
}
