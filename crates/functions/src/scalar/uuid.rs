//! UUID.

use flumen_expr::function::{BYTES, STRING, ScalarFunction, Signature, map1, whole};
use uuid::{Builder, Uuid};

use super::adapters::build;

pub(super) fn all() -> Vec<ScalarFunction> {
    vec![
        ScalarFunction::new("UUID", "STRING", "A random UUID, or 16 bytes written as one.")
            .overload(
                Signature::new([], STRING),
                whole(|call, failures| {
                    Ok(build(call, failures, |_| {
                        let (high, low) = (call.random.next_u64() as u128, call.random.next_u64() as u128);
                        let random = (high << 64 | low).to_be_bytes();
                        Ok(Some(Builder::from_random_bytes(random).into_uuid().to_string()))
                    }))
                }),
            )
            .overload(
                Signature::new([BYTES], STRING),
                map1::<[u8], String>(|bytes| Ok(Uuid::from_slice(bytes).ok().map(|u| u.to_string()))),
            ),
    ]
}
