//! A row given as a JSON object, as the INSERT VALUES statement that writes it.
//!
//! Numbers keep all their digits: they go from the JSON into the statement as text.

use flumen_types::{Field, Schema, SqlType, back_tick};
use serde_json::value::RawValue;

/// A row's columns in the order of the object.
type Object = Vec<(String, Box<RawValue>)>;

/// The statement that inserts a JSON object into a source.
///
/// # Errors
/// With what is wrong: a text that is no JSON object, a column that the source does not have, a value of a wrong shape.
pub fn statement(source: &str, schema: &Schema, line: &str) -> Result<String, String> {
    let object = object(line).map_err(|error| format!("The row is no JSON object: {error}"))?;
    let (mut columns, mut values) = (Vec::new(), Vec::new());
    for (key, value) in &object {
        let name = identifier(key);
        let ty = match schema.columns.iter().find(|column| column.name == name) {
            Some(column) => Some(&column.ty),
            None if ["ROWTIME", "ROWPARTITION", "ROWOFFSET"].contains(&name.as_str()) => None,
            None => return Err(format!("{source} has no column {}", back_tick(&name))),
        };
        columns.push(back_tick(&name));
        values.push(literal(value.get(), ty).map_err(|error| format!("Column {}: {error}", back_tick(&name)))?);
    }
    if columns.is_empty() {
        return Err("The row has no column".to_owned());
    }
    Ok(format!("INSERT INTO {} ({}) VALUES ({});", back_tick(source), columns.join(", "), values.join(", ")))
}

/// A name by the rules of SQL: upper case unless it is in quotes.
pub fn identifier(text: &str) -> String {
    for quote in ['`', '"'] {
        if let Some(inner) = text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)) {
            return inner.replace(&format!("{quote}{quote}"), &quote.to_string());
        }
    }
    text.to_uppercase()
}

/// A JSON value as SQL for a column of a type.
fn literal(json: &str, ty: Option<&SqlType>) -> Result<String, String> {
    let shape = json.bytes().next().unwrap_or_default();
    match (shape, ty) {
        (b'n', _) => Ok("NULL".to_owned()),
        (b't' | b'f', _) => Ok(json.to_uppercase()),
        (b'"', ty) => {
            let text: String = serde_json::from_str(json).map_err(|error| error.to_string())?;
            let quoted = quoted(&text);
            Ok(if ty == Some(&SqlType::Bytes) { format!("TO_BYTES({quoted}, 'base64')") } else { quoted })
        }
        (b'[', Some(SqlType::Array(element))) => {
            let items: Vec<Box<RawValue>> = serde_json::from_str(json).map_err(|error| error.to_string())?;
            let items: Vec<String> = items.iter().map(|item| literal(item.get(), Some(element))).collect::<Result<_, _>>()?;
            Ok(format!("ARRAY[{}]", items.join(", ")))
        }
        (b'{', Some(SqlType::Map(key, value))) => {
            let pair = |(k, v): (String, Box<RawValue>)| Ok(format!("{} := {}", map_key(&k, key), literal(v.get(), Some(value))?));
            let pairs: Vec<String> = object(json)?.into_iter().map(pair).collect::<Result<_, String>>()?;
            Ok(format!("MAP({})", pairs.join(", ")))
        }
        (b'{', Some(SqlType::Struct(fields))) => structure(&object(json)?, fields),
        (b'[' | b'{', Some(ty)) => Err(format!("{json} is no {ty}")),
        (b'[' | b'{', None) => Err(format!("{json} is no number")),
        _ => Ok(json.to_owned()),
    }
}

fn structure(object: &[(String, Box<RawValue>)], fields: &[Field]) -> Result<String, String> {
    let known = |key: &str| fields.iter().any(|field| field.name == identifier(key));
    if let Some((key, _)) = object.iter().find(|(key, _)| !known(key)) {
        return Err(format!("the STRUCT has no field {}", back_tick(&identifier(key))));
    }
    let value = |field: &Field| {
        let given = object.iter().find(|(key, _)| identifier(key) == field.name);
        let value = given.map_or(Ok("NULL".to_owned()), |(_, value)| literal(value.get(), Some(&field.ty)))?;
        // A bare NULL has no type, and neither would the STRUCT.
        let value = if value == "NULL" { format!("CAST(NULL AS {})", field.ty) } else { value };
        Ok::<_, String>(format!("{} := {value}", back_tick(&field.name)))
    };
    let fields: Vec<String> = fields.iter().map(value).collect::<Result<_, _>>()?;
    Ok(format!("STRUCT({})", fields.join(", ")))
}

fn map_key(key: &str, ty: &SqlType) -> String {
    match ty {
        SqlType::String => quoted(key),
        other => format!("CAST({} AS {other})", quoted(key)),
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// The members of a JSON object in their order.
fn object(json: &str) -> Result<Object, String> {
    struct Members;
    impl<'de> serde::de::Visitor<'de> for Members {
        type Value = Object;
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object")
        }
        fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
            let mut members = Vec::new();
            while let Some(member) = map.next_entry()? {
                members.push(member);
            }
            Ok(members)
        }
    }
    let mut deserializer = serde_json::Deserializer::from_str(json);
    let members = serde::Deserializer::deserialize_map(&mut deserializer, Members).map_err(|error| error.to_string())?;
    deserializer.end().map_err(|error| error.to_string())?;
    Ok(members)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flumen_types::Column;

    fn schema() -> Schema {
        let point = SqlType::Struct(vec![Field::new("X", SqlType::Integer), Field::new("Y", SqlType::String)]);
        Schema::new(vec![
            Column::key("ID", SqlType::String),
            Column::value("D", SqlType::Decimal { precision: 30, scale: 2 }),
            Column::value("small", SqlType::Bytes),
            Column::value("A", SqlType::array(SqlType::Bigint)),
            Column::value("M", SqlType::map(SqlType::String, SqlType::Double)),
            Column::value("P", point),
        ])
    }

    #[test]
    fn objects_become_statements() {
        let written = |line: &str| statement("s", &schema(), line).unwrap();
        assert_eq!(
            written(r#"{"id": "it's", "d": 1234567890123456789012345.60, "`small`": "AQI="}"#),
            "INSERT INTO `s` (`ID`, `D`, `small`) VALUES ('it''s', 1234567890123456789012345.60, TO_BYTES('AQI=', 'base64'));"
        );
        assert_eq!(
            written(r#"{"A": [1, null, -2], "m": {"k": 1.5}, "P": {"x": 5}, "ROWTIME": 7}"#),
            "INSERT INTO `s` (`A`, `M`, `P`, `ROWTIME`) VALUES (ARRAY[1, NULL, -2], MAP('k' := 1.5), \
             STRUCT(`X` := 5, `Y` := CAST(NULL AS STRING)), 7);"
        );
        assert_eq!(written(r#"{"id": null}"#), "INSERT INTO `s` (`ID`) VALUES (NULL);");
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for (line, part) in [
            ("[1]", "no JSON object"),
            ("{", "no JSON object"),
            ("{} 1", "no JSON object"),
            ("{}", "no column"),
            (r#"{"nope": 1}"#, "no column `NOPE`"),
            (r#"{"id": [1]}"#, "no STRING"),
            (r#"{"p": {"z": 1}}"#, "no field `Z`"),
        ] {
            let refused = statement("s", &schema(), line).unwrap_err();
            assert!(refused.contains(part), "{line}: {refused}");
        }
    }

    #[test]
    fn names_fold_unless_quoted() {
        assert_eq!(identifier("orders"), "ORDERS");
        assert_eq!(identifier("`or``ders`"), "or`ders");
        assert_eq!(identifier("\"Or\""), "Or");
        assert_eq!(identifier("`"), "`");
    }
}
