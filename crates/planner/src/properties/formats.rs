//! The formats of the two sides of a record, from the WITH clause, the columns and the settings.

use flumen_types::{Column, Field, Format, FormatSpec, Namespace, supports};

use super::{SchemaSettings, With};
use crate::{PlanContext, PlanError};

/// The value format: `inherited` from the left-most source of a query, or none for CREATE.
pub(crate) fn value_spec(
    with: &With,
    inherited: Option<&FormatSpec>,
    columns: &[Column],
    context: &PlanContext,
) -> Result<FormatSpec, PlanError> {
    let values = fields(columns, |n| *n == Namespace::Value);
    let format = match (with.value_format, inherited, context.setting("ksql.persistence.default.format.value")) {
        (Some(given), ..) => given,
        (None, Some(source), _) => source.format,
        (None, None, Some(name)) => Format::from_name(name)?,
        (None, None, None) => {
            return Err(PlanError::user(
                "Statement is missing the 'VALUE_FORMAT' property from the WITH clause. Either provide one or set a default via the 'ksql.persistence.default.format.value' config.",
            ));
        }
    };
    let from_source = inherited.filter(|_| with.value_format.is_none()).and_then(|s| s.delimiter);
    let delimiter = with.value_delimiter.or(from_source);
    check_schema_settings("VALUE", format, &with.value_schema)?;
    if values.is_empty() && format.needs_registry() {
        return Err(PlanError::unsupported(format!("format {format} (value columns from the registry)")));
    }
    let usual = context.optional_flag("ksql.persistence.wrap.single.values")?;
    let spec = FormatSpec::value(format, delimiter, with.wrap, usual, &values)?;
    supports(&spec, &values, false)?;
    needs_registry(&with.value_schema, "VALUE")?;
    Ok(spec)
}

/// The key format: NONE when there are no key columns.
pub(crate) fn key_spec(
    with: &With,
    inherited: Option<&FormatSpec>,
    columns: &[Column],
    context: &PlanContext,
) -> Result<FormatSpec, PlanError> {
    let keys = fields(columns, |n| *n == Namespace::Key);
    if keys.is_empty() {
        return keyless_spec(with, inherited.is_some());
    }
    let given = with.key_format;
    let usual = || Format::from_name(context.setting("ksql.persistence.default.format.key").unwrap_or("KAFKA"));
    let format = match (given, inherited) {
        (Some(format), _) => format,
        (None, Some(source)) if source.format != Format::None => source.format,
        (None, _) => usual()?,
    };
    let from_source = inherited.filter(|s| given.is_none() && s.format == format).and_then(|s| s.delimiter);
    check_schema_settings("KEY", format, &with.key_schema)?;
    let spec = FormatSpec::key(format, with.key_delimiter.or(from_source));
    supports(&spec, &keys, true).map_err(|e| PlanError::from(e).within("Key format does not support schema"))?;
    needs_registry(&with.key_schema, "KEY")?;
    Ok(spec)
}

/// The key format of a source without key columns: nothing is written, but queries that give it a key inherit the format.
fn keyless_spec(with: &With, from_query: bool) -> Result<FormatSpec, PlanError> {
    match with.key_format {
        Some(format) if format.needs_registry() => Err(PlanError::unsupported(format!("format {format} (key columns from the registry)"))),
        Some(format) if from_query && with.key_format_alone && format != Format::None => {
            Err(PlanError::user("Key format specified for stream without key columns."))
        }
        Some(format) => Ok(FormatSpec::key(format, with.key_delimiter)),
        None => Ok(FormatSpec::key(Format::None, None)),
    }
}

pub(crate) fn fields(columns: &[Column], of: impl Fn(&Namespace) -> bool) -> Vec<Field> {
    columns.iter().filter(|c| of(&c.namespace)).map(|c| Field::new(c.name.clone(), c.ty.clone())).collect()
}

/// Settings of schemas make sense only for formats that have them.
fn check_schema_settings(side: &str, format: Format, settings: &SchemaSettings) -> Result<(), PlanError> {
    if let Some((_, span)) = &settings.id
        && !format.needs_registry()
    {
        return Err(PlanError::user_at(
            *span,
            format!("{side}_FORMAT should support schema inference when {side}_SCHEMA_ID is provided. Current format is {format}."),
        ));
    }
    if let Some((_, span)) = &settings.full_name
        && !format.needs_registry()
    {
        return Err(PlanError::user_at(*span, format!("{format} does not support the following configs: [fullSchemaName]")));
    }
    if let Some(span) = settings.nullable
        && !matches!(format, Format::Protobuf | Format::ProtobufNoSr)
    {
        return Err(PlanError::user_at(span, format!("{format} does not support the following configs: [nullableRepresentation]")));
    }
    Ok(())
}

fn needs_registry(settings: &SchemaSettings, side: &str) -> Result<(), PlanError> {
    match &settings.id {
        Some(_) => Err(PlanError::unsupported(format!("{side}_SCHEMA_ID"))),
        None => Ok(()),
    }
}
