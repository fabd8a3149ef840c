//! Which columns a format can hold.

use crate::{Field, Format, FormatError, FormatSpec, SqlType, back_tick};

/// Checks that a format with its settings can hold these columns as a key or as a value.
pub fn supports(spec: &FormatSpec, columns: &[Field], is_key: bool) -> Result<(), FormatError> {
    let format = spec.format;
    if spec.delimiter.is_some() && format != Format::Delimited {
        return Err(FormatError::Invalid(format!("a delimiter cannot be given for format {format}, only for DELIMITED")));
    }
    if is_key && let Some(column) = columns.iter().find(|c| c.ty.contains_map()) {
        return Err(FormatError::Invalid(format!(
            "key column {} is of type {}: MAPs are not supported in keys",
            back_tick(&column.name),
            column.ty
        )));
    }
    if format == Format::None {
        return match (is_key, columns.first()) {
            (false, _) => Err(FormatError::Invalid("format NONE can only be used for keys".to_string())),
            (true, Some(column)) => Err(FormatError::Invalid(format!(
                "format NONE cannot hold the key column {}; choose another KEY_FORMAT",
                back_tick(&column.name)
            ))),
            (true, None) => Ok(()),
        };
    }
    if format == Format::Kafka && columns.len() > 1 {
        let side = if is_key { "key" } else { "value" };
        return Err(FormatError::Invalid(format!(
            "format KAFKA only supports a single column; the {side} has {}. Choose another format, for example JSON or DELIMITED",
            columns.len()
        )));
    }
    for column in columns {
        if let Some(inner) = refused(format, &column.ty) {
            let part = if *inner == column.ty { String::new() } else { format!(", which contains {inner}") };
            return Err(FormatError::Invalid(format!(
                "format {format} does not support column {} of type {}{part}{}",
                back_tick(&column.name),
                column.ty,
                hint(format)
            )));
        }
    }
    if !format.is_implemented() {
        return Err(FormatError::Unsupported(format.name().to_string()));
    }
    if columns.len() == 1 && !(if spec.wrap { format.can_wrap() } else { format.can_unwrap() }) {
        let way = if spec.wrap { "wrapped in a record" } else { "unwrapped" };
        return Err(FormatError::Invalid(format!("format {format} does not support a single column {way}")));
    }
    Ok(())
}

/// The part of a type that a format cannot hold.
fn refused(format: Format, ty: &SqlType) -> Option<&SqlType> {
    match format {
        Format::Kafka => {
            let held = matches!(ty, SqlType::Integer | SqlType::Bigint | SqlType::Double | SqlType::String | SqlType::Bytes);
            (!held).then_some(ty)
        }
        Format::Delimited => (!ty.is_primitive()).then_some(ty),
        Format::Json | Format::JsonSr | Format::Protobuf | Format::ProtobufNoSr => odd_map(ty),
        Format::Avro | Format::None => None,
    }
}

/// The first MAP inside a type whose keys are not STRING.
fn odd_map(ty: &SqlType) -> Option<&SqlType> {
    match ty {
        SqlType::Map(key, _) if **key != SqlType::String => Some(ty),
        SqlType::Map(_, value) => odd_map(value),
        SqlType::Array(element) => odd_map(element),
        SqlType::Struct(fields) => fields.iter().find_map(|f| odd_map(&f.ty)),
        _ => None,
    }
}

fn hint(format: Format) -> &'static str {
    match format {
        Format::Kafka => "; it holds INTEGER, BIGINT, DOUBLE, STRING and BYTES",
        Format::Delimited => "; it holds primitive types only",
        _ => "; map keys must be STRING",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(format: Format, types: &[SqlType], is_key: bool) -> Result<(), FormatError> {
        let columns: Vec<Field> = types.iter().enumerate().map(|(i, t)| Field::new(format!("C{i}"), t.clone())).collect();
        let spec = if is_key { FormatSpec::key(format, None) } else { FormatSpec::plain(format) };
        supports(&spec, &columns, is_key)
    }

    #[test]
    fn the_matrix_holds() {
        let decimal = SqlType::decimal(4, 2).unwrap();
        let list = SqlType::array(SqlType::Integer);
        let text_map = SqlType::map(SqlType::String, SqlType::Integer);
        let int_map = SqlType::map(SqlType::Integer, SqlType::Integer);
        assert!(check(Format::None, &[], true).is_ok());
        assert!(check(Format::None, &[SqlType::Integer], true).is_err());
        assert!(check(Format::None, &[], false).is_err());
        for ty in [SqlType::Integer, SqlType::Bigint, SqlType::Double, SqlType::String, SqlType::Bytes] {
            assert!(check(Format::Kafka, &[ty], true).is_ok());
        }
        for ty in [SqlType::Boolean, SqlType::Date, decimal.clone(), list.clone()] {
            assert!(check(Format::Kafka, &[ty], true).is_err());
        }
        assert!(check(Format::Kafka, &[SqlType::Integer, SqlType::Integer], true).is_err());
        assert!(check(Format::Delimited, &[SqlType::Integer, SqlType::Time, SqlType::Bytes], true).is_ok());
        assert!(check(Format::Delimited, &[decimal], true).is_ok());
        assert!(check(Format::Delimited, std::slice::from_ref(&list), false).is_err());
        assert!(check(Format::Json, &[list.clone(), text_map.clone()], false).is_ok());
        assert!(check(Format::Json, &[text_map], true).is_err());
        assert!(check(Format::Json, &[list], true).is_ok());
        assert!(check(Format::Json, &[SqlType::array(int_map)], false).is_err());
    }

    #[test]
    fn formats_to_come_are_named() {
        for format in [Format::Avro, Format::JsonSr, Format::Protobuf, Format::ProtobufNoSr] {
            let error = check(format, &[SqlType::Integer], false).unwrap_err();
            assert_eq!(error, FormatError::Unsupported(format.name().to_string()));
        }
    }

    #[test]
    fn settings_must_fit_the_format() {
        let one = [Field::new("A", SqlType::Integer)];
        let spec = FormatSpec { format: Format::Json, delimiter: Some(','), wrap: true };
        assert!(supports(&spec, &one, false).unwrap_err().to_string().contains("delimiter"));
        let spec = FormatSpec { format: Format::Kafka, delimiter: None, wrap: true };
        assert!(supports(&spec, &one, false).unwrap_err().to_string().contains("wrapped"));
    }
}
