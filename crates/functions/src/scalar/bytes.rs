//! Numbers from bytes.

use flumen_expr::function::{BIGINT, BYTES, DOUBLE, INTEGER, Output, ParamType, STRING, ScalarFunction, Signature, map1, map2};

pub(super) fn all() -> Vec<ScalarFunction> {
    vec![
        number("INT_FROM_BYTES", "The INTEGER in 4 bytes.", INTEGER, i32::from_be_bytes),
        number("BIGINT_FROM_BYTES", "The BIGINT in 8 bytes.", BIGINT, i64::from_be_bytes),
        number("DOUBLE_FROM_BYTES", "The DOUBLE in 8 bytes.", DOUBLE, f64::from_be_bytes),
    ]
}

fn number<const N: usize, R: Output>(
    name: &'static str,
    description: &'static str,
    ty: ParamType,
    read: fn([u8; N]) -> R,
) -> ScalarFunction {
    let exactly = |bytes: &[u8]| -> Result<[u8; N], String> {
        bytes.try_into().map_err(|_| format!("{N} bytes are needed, but there are {}", bytes.len()))
    };
    ScalarFunction::new(name, "STRING", description)
        .overload(Signature::new([BYTES], ty.clone()), map1::<[u8], R>(move |bytes| Ok(Some(read(exactly(bytes)?)))))
        .overload(
            Signature::new([BYTES, STRING], ty),
            map2::<[u8], str, R>(move |bytes, order| {
                let mut bytes = exactly(bytes)?;
                match order {
                    "BIG_ENDIAN" => {}
                    "LITTLE_ENDIAN" => bytes.reverse(),
                    _ => return Err(format!("the byte order is BIG_ENDIAN or LITTLE_ENDIAN, not '{order}'")),
                }
                Ok(Some(read(bytes)))
            }),
        )
}
