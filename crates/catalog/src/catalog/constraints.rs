//! What must hold before a source is created, altered or dropped.

use flumen_plan::SourceKind;
use flumen_types::{Column, Namespace, back_tick};

use crate::{Catalog, CatalogError, QueryDef, SourceDef, kind_name};

type Checked = Result<(), CatalogError>;

impl Catalog {
    /// Checks that a source may be created, or may replace the one of its name.
    pub(crate) fn check_create(&self, new: &SourceDef, or_replace: bool) -> Checked {
        let kind = new.kind_name();
        let refuse = |why: String| CatalogError::refused(format!("Cannot add {kind} '{}': {why}", new.name));
        let Some(old) = self.source(&new.name) else {
            return if or_replace && new.read_only { Err(refuse(no_replace(new))) } else { Ok(()) };
        };
        if !or_replace || old.kind != new.kind {
            return Err(refuse(format!("A {} with the same name already exists", old.kind_name())));
        }
        if old.read_only || new.read_only {
            return Err(refuse(no_replace(new)));
        }
        if self.writers(&new.name).nth(1).is_some() {
            return Err(refuse("it is written by more than one query; terminate the others first".to_string()));
        }
        same("topic", &old.topic, &new.topic, new)?;
        same("key format", &old.key_format, &new.key_format, new)?;
        same("value format", &old.value_format, &new.value_format, new)?;
        same("timestamp column", &old.timestamp, &new.timestamp, new)?;
        same("window", &old.window, &new.window, new)?;
        check_appended(old, new)
    }

    /// Checks that columns may be added to a source.
    pub(crate) fn check_alter(&self, kind: SourceKind, name: &str, columns: &[Column]) -> Result<SourceDef, CatalogError> {
        let old = self
            .source(name)
            .ok_or_else(|| CatalogError::refused(format!("Source {} does not exist.{}", back_tick(name), self.hint(name))))?;
        if old.kind != kind {
            let (is, said) = (old.kind_name().to_uppercase(), kind_name(kind).to_uppercase());
            return Err(CatalogError::refused(format!("Incompatible data source type is {is}, but statement was ALTER {said}")));
        }
        let refuse = |why: &str| Err(CatalogError::refused(format!("Cannot alter {} '{name}': {why}", old.kind_name())));
        if old.read_only {
            return refuse(&format!("ALTER operations are not supported on source {}s.", old.kind_name()));
        }
        if old.created_by.is_some() {
            return refuse("ALTER command is not supported for CREATE ... AS statements.");
        }
        let mut altered = SourceDef::clone(old);
        for column in columns {
            if altered.schema.find(&column.name).is_some() {
                return refuse(&format!("column {} already exists in schema.", back_tick(&column.name)));
            }
            altered.schema.columns.push(column.clone());
        }
        Ok(altered)
    }

    /// Checks that a source may be dropped and gives it, `None` when there is none and IF EXISTS was said.
    pub(crate) fn check_drop(
        &self,
        kind: SourceKind,
        name: &str,
        if_exists: bool,
        delete_topic: bool,
    ) -> Result<Option<&SourceDef>, CatalogError> {
        let Some(source) = self.source(name) else {
            let error = || CatalogError::refused(format!("Source {name} does not exist.{}", self.hint(name)));
            return if if_exists { Ok(None) } else { Err(error()) };
        };
        if source.kind != kind {
            let (is, said) = (source.kind_name().to_uppercase(), kind_name(kind).to_uppercase());
            return Err(CatalogError::refused(format!("Incompatible data source type is {is}, but statement was DROP {said}")));
        }
        self.check_unused(name)?;
        if delete_topic {
            self.check_topic_deletable(source)?;
        }
        Ok(Some(source))
    }

    fn check_unused(&self, name: &str) -> Checked {
        let built = self.built_from(name);
        if !built.is_empty() {
            return Err(CatalogError::refused(format!(
                "Cannot drop {name}.\nThe following streams and/or tables read from this source: [{}].\nYou need to drop them before dropping {name}.",
                built.join(", ")
            )));
        }
        let own = |q: &QueryDef| q.belongs_to(name);
        let readers = ids(self.readers(name).filter(|q| !own(q)).map(|q| &q.id.0));
        let writers = ids(self.writers(name).filter(|q| !own(q)).map(|q| &q.id.0));
        if readers.is_empty() && writers.is_empty() {
            return Ok(());
        }
        Err(CatalogError::refused(format!(
            "Cannot drop {name}.\nThe following queries read from this source: [{readers}].\nThe following queries write into this source: [{writers}].\nYou need to terminate them before dropping {name}."
        )))
    }

    fn check_topic_deletable(&self, source: &SourceDef) -> Checked {
        if source.read_only {
            return Err(CatalogError::refused(format!("Cannot delete topic for read-only source: {}", source.name)));
        }
        let others = ids(self.sources().filter(|s| s.topic == source.topic && s.name != source.name).map(|s| &s.name));
        if others.is_empty() {
            return Ok(());
        }
        Err(CatalogError::refused(format!("Refusing to delete topic. Found other data sources ({others}) using topic {}", source.topic)))
    }
}

fn ids<'a>(names: impl Iterator<Item = &'a String>) -> String {
    names.map(String::as_str).collect::<Vec<_>>().join(", ")
}

fn no_replace(source: &SourceDef) -> String {
    format!("CREATE OR REPLACE is not supported on source {}s.", source.kind_name())
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, old: &T, new: &T, source: &SourceDef) -> Checked {
    if old == new {
        return Ok(());
    }
    Err(CatalogError::refused(format!(
        "Cannot upgrade data source {}: its {what} is {old:?}, which cannot be replaced by {new:?}",
        back_tick(&source.name)
    )))
}

/// Key columns must be the same; value columns may only be appended.
fn check_appended(old: &SourceDef, new: &SourceDef) -> Checked {
    let of = |s: &SourceDef, key: bool| -> Vec<Column> {
        s.schema.columns.iter().filter(|c| (c.namespace == Namespace::Key) == key).cloned().collect()
    };
    let (old_values, new_values) = (of(old, false), of(new, false));
    if of(old, true) == of(new, true) && new_values.starts_with(&old_values) {
        return Ok(());
    }
    Err(CatalogError::refused(format!(
        "Cannot upgrade data source {}: the key columns must stay as they are and value columns can only be added at the end.\nIts schema is {}\nThe new schema is {}",
        back_tick(&new.name),
        old.schema,
        new.schema
    )))
}
