//! TO_JSON_STRING.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use flumen_expr::function::{STRING, ScalarFunction, Signature, T, rowwise};
use flumen_types::json_text::write_string;
use flumen_types::{SqlType, Value, display_value, format_date, format_double, format_time, format_timestamp};

use super::json_field::named;

pub(super) fn all() -> Vec<ScalarFunction> {
    vec![named("TO_JSON_STRING", "Any value as JSON; keys of maps and structs in order.").nullable_overload(
        Signature::new([T], STRING),
        rowwise(|values, call| {
            let mut out = Vec::new();
            if let (Some(value), Some(ty)) = (values.first(), call.types.first()) {
                write(value, ty, &mut out);
            }
            Ok(Value::String(String::from_utf8_lossy(&out).into_owned()))
        }),
    )]
}

fn write(value: &Value, ty: &SqlType, out: &mut Vec<u8>) {
    match (value, ty) {
        (Value::Null, _) => out.extend_from_slice(b"null"),
        (Value::Boolean(_) | Value::Integer(_) | Value::Bigint(_) | Value::Decimal(_), _) => {
            out.extend_from_slice(display_value(value, ty).as_bytes());
        }
        (Value::Double(d), _) if d.is_finite() => out.extend_from_slice(format_double(*d).as_bytes()),
        (Value::Double(d), _) => write_string(&format_double(*d), out),
        (Value::String(s), _) => write_string(s, out),
        (Value::Bytes(b), _) => write_string(&BASE64.encode(b), out),
        (Value::Time(t), _) => write_string(&format_time(*t), out),
        (Value::Date(d), _) => write_string(&format_date(*d), out),
        (Value::Timestamp(t), _) => write_string(&format_timestamp(*t), out),
        (Value::Array(items), SqlType::Array(element)) => {
            out.push(b'[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(b',');
                }
                write(item, element, out);
            }
            out.push(b']');
        }
        (Value::Map(entries), SqlType::Map(key, element)) => {
            let named = entries.iter().map(|(k, v)| (display_value(k, key), v, element.as_ref()));
            object(named.collect(), out);
        }
        (Value::Struct(values), SqlType::Struct(fields)) => {
            object(fields.iter().zip(values).map(|(f, v)| (f.name.clone(), v, &f.ty)).collect(), out);
        }
        _ => out.extend_from_slice(b"null"),
    }
}

fn object(mut members: Vec<(String, &Value, &SqlType)>, out: &mut Vec<u8>) {
    members.sort_by(|a, b| a.0.cmp(&b.0));
    out.push(b'{');
    for (i, (name, value, ty)) in members.into_iter().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        write_string(&name, out);
        out.push(b':');
        write(value, ty, out);
    }
    out.push(b'}');
}
