//! Applying a command: the next catalog and what changed.

use std::sync::Arc;

use flumen_plan::{QueryId, QueryKind, QueryPlan};

use crate::{Catalog, CatalogError, Command, Ddl, QueryDef, QueryTarget, SourceDef, upgrade};

/// What a command changed, in the order in which it is to be acted on.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// A source is new.
    SourceAdded(Arc<SourceDef>),
    /// A source was replaced or altered.
    SourceChanged(Arc<SourceDef>),
    /// A source is gone.
    SourceDropped {
        /// What it was.
        source: Arc<SourceDef>,
        /// True when its topic and the subjects of its schemas are to be deleted.
        delete_topic: bool,
    },
    /// A custom type is new.
    TypeAdded(String),
    /// A custom type is gone.
    TypeDropped(String),
    /// A query is new.
    QueryStarted(Arc<QueryDef>),
    /// A query goes on under the same id with another plan, its state kept.
    QueryReplaced(Arc<QueryDef>),
    /// A query has ended; its internal topics and state are to be deleted.
    QueryStopped(Arc<QueryDef>),
    /// A query stands still.
    QueryPaused(QueryId),
    /// A paused query goes on.
    QueryResumed(QueryId),
}

impl Catalog {
    /// The catalog after this command, which has this offset in the command log. Pure: every node gets the same.
    ///
    /// # Errors
    /// The command does not fit; the catalog is then as it was.
    pub fn apply(&self, offset: i64, command: &Command) -> Result<(Catalog, Vec<Change>), CatalogError> {
        let mut next = Applying { catalog: self.clone(), changes: Vec::new() };
        let id = command.query.as_ref().map(|plan| next.query_id(offset, plan, command)).transpose()?;
        if let Some(ddl) = &command.ddl {
            next.ddl(ddl, id.as_ref())?;
        }
        if let (Some(plan), Some(id)) = (&command.query, id) {
            next.start(id, plan, command)?;
        }
        Ok((next.catalog, next.changes))
    }
}

struct Applying {
    catalog: Catalog,
    changes: Vec<Change>,
}

impl Applying {
    /// The id of the query a command starts: that of the query it replaces, the one asked for, or a new one.
    fn query_id(&self, offset: i64, plan: &QueryPlan, command: &Command) -> Result<QueryId, CatalogError> {
        if let Some(wanted) = &command.query_id {
            return match self.catalog.query(wanted) {
                Some(_) => Err(CatalogError::refused(format!("Query ID '{wanted}' already exists."))),
                None => Ok(QueryId(wanted.clone())),
            };
        }
        let sink = plan.sink.as_deref().or(plan.sources.first().map(String::as_str)).unwrap_or_default();
        let replaces = matches!(&command.ddl, Some(Ddl::CreateSource { or_replace: true, .. }));
        if let Some(old) = self.catalog.queries().find(|q| replaces && q.belongs_to(sink)) {
            return Ok(old.id.clone());
        }
        Ok(QueryId(match plan.kind {
            QueryKind::CreateStreamAs => format!("CSAS_{sink}_{offset}"),
            QueryKind::CreateTableAs => format!("CTAS_{sink}_{offset}"),
            QueryKind::Insert => format!("INSERTQUERY_{offset}"),
            QueryKind::SourceTable => format!("CST_{sink}_{offset}"),
            QueryKind::Push => return Err(CatalogError::refused("a push query cannot be kept in the command log")),
        }))
    }

    fn ddl(&mut self, ddl: &Ddl, query: Option<&QueryId>) -> Result<(), CatalogError> {
        match ddl {
            Ddl::CreateSource { source, or_replace } => self.create(source, *or_replace, query),
            Ddl::AlterSource { kind, name, columns } => {
                let altered = Arc::new(self.catalog.check_alter(*kind, name, columns)?);
                self.put_source(altered.clone());
                self.changes.push(Change::SourceChanged(altered));
                Ok(())
            }
            Ddl::DropSource { kind, name, if_exists, delete_topic } => {
                if self.catalog.check_drop(*kind, name, *if_exists, *delete_topic)?.is_some() {
                    self.drop_source(name, *delete_topic);
                }
                Ok(())
            }
            Ddl::CreateType { name, ty, if_not_exists } => {
                if self.catalog.types.contains_key(name) {
                    let error = || {
                        CatalogError::refused(format!(
                            "Cannot register custom type '{name}' since it is already registered with type: {ty}"
                        ))
                    };
                    return if *if_not_exists { Ok(()) } else { Err(error()) };
                }
                Arc::make_mut(&mut self.catalog.types).insert(name.clone(), ty.clone());
                self.changes.push(Change::TypeAdded(name.clone()));
                Ok(())
            }
            Ddl::DropType { name, if_exists } => match Arc::make_mut(&mut self.catalog.types).remove(name) {
                Some(_) => {
                    self.changes.push(Change::TypeDropped(name.clone()));
                    Ok(())
                }
                None if *if_exists => Ok(()),
                None => Err(CatalogError::refused(format!("Type {name} does not exist."))),
            },
            Ddl::Terminate { target } => {
                self.targets(target)?.into_iter().for_each(|id| self.stop(&id));
                Ok(())
            }
            Ddl::Pause { target } => self.pause(target, true),
            Ddl::Resume { target } => self.pause(target, false),
        }
    }

    fn create(&mut self, source: &SourceDef, or_replace: bool, query: Option<&QueryId>) -> Result<(), CatalogError> {
        self.catalog.check_create(source, or_replace)?;
        let replaced = self.catalog.source(&source.name).is_some();
        let own = query.filter(|_| !source.read_only).cloned();
        let source = Arc::new(SourceDef { created_by: own, ..source.clone() });
        self.put_source(source.clone());
        self.changes.push(if replaced { Change::SourceChanged(source) } else { Change::SourceAdded(source) });
        Ok(())
    }

    fn put_source(&mut self, source: Arc<SourceDef>) {
        Arc::make_mut(&mut self.catalog.sources).insert(source.name.clone(), source);
    }

    fn drop_source(&mut self, name: &str, delete_topic: bool) {
        let own: Vec<QueryId> = self.catalog.queries().filter(|q| q.belongs_to(name)).map(|q| q.id.clone()).collect();
        own.iter().for_each(|id| self.stop(id));
        if let Some(source) = Arc::make_mut(&mut self.catalog.sources).remove(name) {
            self.changes.push(Change::SourceDropped { source, delete_topic });
        }
    }

    fn start(&mut self, id: QueryId, plan: &QueryPlan, command: &Command) -> Result<(), CatalogError> {
        let old = self.catalog.queries.get(&id).cloned();
        if let Some(old) = &old {
            upgrade::check(&old.plan, plan)?;
        }
        let paused = old.as_ref().is_some_and(|q| q.paused);
        let query = Arc::new(QueryDef { id: id.clone(), plan: Arc::new(plan.clone()), statement: command.statement.clone(), paused });
        Arc::make_mut(&mut self.catalog.queries).insert(id, query.clone());
        self.changes.push(if old.is_some() { Change::QueryReplaced(query) } else { Change::QueryStarted(query) });
        Ok(())
    }

    fn stop(&mut self, id: &QueryId) {
        if let Some(query) = Arc::make_mut(&mut self.catalog.queries).remove(id) {
            self.changes.push(Change::QueryStopped(query));
        }
    }

    fn targets(&self, target: &QueryTarget) -> Result<Vec<QueryId>, CatalogError> {
        match target {
            QueryTarget::All => Ok(self.catalog.queries().map(|q| q.id.clone()).collect()),
            QueryTarget::Id(id) => match self.catalog.query(id) {
                Some(query) => Ok(vec![query.id.clone()]),
                None => Err(CatalogError::refused(format!("Unknown queryId: {id}"))),
            },
        }
    }

    fn pause(&mut self, target: &QueryTarget, paused: bool) -> Result<(), CatalogError> {
        for id in self.targets(target)? {
            if let Some(query) = Arc::make_mut(&mut self.catalog.queries).get_mut(&id)
                && query.paused != paused
            {
                Arc::make_mut(query).paused = paused;
                self.changes.push(if paused { Change::QueryPaused(id) } else { Change::QueryResumed(id) });
            }
        }
        Ok(())
    }
}
