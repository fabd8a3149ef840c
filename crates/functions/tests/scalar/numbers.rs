//! Functions of numbers.

use flumen_types::{SqlType, Value};

use crate::support::{dec, decimal, null, resolve};
use crate::{fails, gives, gives_null};

#[test]
fn trigonometry_takes_every_kind_of_number() {
    gives!(1.0, "COS", 0);
    gives!(1.0, "COS", 0i64);
    gives!(1.0, "COS", decimal("0.0", 2, 1));
    gives!(0.0, "ATAN2", 0, 1);
    gives!(f64::INFINITY, "COT", 0);
    gives!(180.0, "DEGREES", std::f64::consts::PI);
    gives!(2.0, "CBRT", 8);
    gives_null!("SIN", null(SqlType::Double));
    let nan = crate::f!("SQRT", -1.0).unwrap();
    assert!(matches!(nan, Value::Double(d) if d.is_nan()));
}

#[test]
fn logarithms_are_natural_unless_a_base_is_given() {
    gives!(0.0, "LOG", 1);
    gives!(3.0, "LOG", 2, 8);
    gives!(f64::NEG_INFINITY, "LN", 0);
    for base in [0.0, 1.0, -2.0] {
        let nan = crate::f!("LOG", base, 8.0).unwrap();
        assert!(matches!(nan, Value::Double(d) if d.is_nan()));
    }
    gives!(8.0, "POWER", 2, 3);
}

#[test]
fn absolute_values_wrap_at_the_end() {
    gives!(i32::MIN, "ABS", i32::MIN);
    gives!(5i64, "ABS", -5i64);
    gives!(1.5, "ABS", -1.5);
    gives!(dec("1.50"), "ABS", decimal("-1.50", 3, 2));
    gives!(-1, "SIGN", -0.5);
    gives!(0, "SIGN", f64::NAN);
}

#[test]
fn rounding_ties_go_up() {
    gives!(3i64, "ROUND", 2.5);
    gives!(-2i64, "ROUND", -2.5);
    gives!(-3i64, "ROUND", -2.6);
    gives!(7i64, "ROUND", 7);
    gives!(0.5, "ROUND", 0.49999, 2);
    gives!(1.01, "ROUND", 1.005, 2);
    gives!(-1.0, "ROUND", -1.005, 2);
    gives!(1200.0, "ROUND", 1234.0, -2);
    gives!(dec("13"), "ROUND", decimal("12.5", 4, 1));
    gives!(dec("-12"), "ROUND", decimal("-12.5", 4, 1));
    gives!(dec("12.40"), "ROUND", decimal("12.35", 4, 2), 1);
    fails!("NULL", "ROUND", null(SqlType::Integer));
    gives_null!("ROUND", null(SqlType::Double));
    fails!("cannot be rounded", "ROUND", f64::NAN, 1);
    assert_eq!(resolve("ROUND", &[decimal("12.35", 4, 2)]).unwrap().ty(), &SqlType::decimal(2, 0).unwrap());
}

#[test]
fn truncating_and_whole_numbers() {
    gives!(-2i64, "TRUNC", -2.9);
    gives!(-2.98, "TRUNC", -2.987, 2);
    gives!(dec("2.90"), "TRUNC", decimal("2.98", 3, 2), 1);
    gives!(3.0, "CEIL", 2.1);
    gives!(-3.0, "FLOOR", -2.1);
    gives!(4, "CEIL", 4);
    gives!(dec("3.0"), "CEIL", decimal("2.1", 3, 1));
    gives!(dec("-3.0"), "FLOOR", decimal("-2.1", 3, 1));
}

#[test]
fn greatest_and_least_skip_nulls() {
    gives!(3, "GREATEST", 1, null(SqlType::Integer), 3);
    gives!(1i64, "LEAST", 1, 2i64);
    gives!("b", "GREATEST", "a", "b", "B");
    gives_null!("GREATEST", null(SqlType::Double), null(SqlType::Double));
    gives!(dec("2.50"), "GREATEST", decimal("2.5", 2, 1), decimal("1.25", 3, 2));
    fails!("ambiguous", "GREATEST", 1, decimal("2.5", 2, 1));
    gives!(2.5, "GREATEST", 1, decimal("2.5", 2, 1), 0.5);
    gives!(Value::Bytes(vec![1]), "GREATEST", &[0x80u8][..], &[1u8][..]);
}

#[test]
fn distances_follow_the_great_circle() {
    let Ok(Value::Double(km)) = crate::f!("GEO_DISTANCE", 0.0, 0.0, 0.0, 90.0) else { panic!("no distance") };
    assert!((km - 10_007.543).abs() < 0.01, "{km}");
    let Ok(Value::Double(miles)) = crate::f!("GEO_DISTANCE", 0.0, 0.0, 0.0, 90.0, "Miles") else { panic!("no distance") };
    assert!((miles / km - 3959.0 / 6371.0).abs() < 1e-9);
    assert_eq!(crate::f!("GEO_DISTANCE", 0.0, 0.0, 0.0, 90.0, null(SqlType::String)), Ok(Value::Double(km)));
    fails!("latitude", "GEO_DISTANCE", 91.0, 0.0, 0.0, 0.0);
    fails!("unit", "GEO_DISTANCE", 0.0, 0.0, 0.0, 0.0, "yards");
    fails!("NULL", "GEO_DISTANCE", 0.0, null(SqlType::Double), 0.0, 0.0);
}

#[test]
fn random_numbers_lie_below_one() {
    let Ok(Value::Double(n)) = crate::f!("RANDOM") else { panic!("no number") };
    assert!((0.0..1.0).contains(&n));
    gives!(std::f64::consts::PI, "PI");
}

#[test]
fn numbers_read_from_bytes() {
    gives!(258, "INT_FROM_BYTES", &[0u8, 0, 1, 2][..]);
    gives!(258i64, "BIGINT_FROM_BYTES", &[2u8, 1, 0, 0, 0, 0, 0, 0][..], "LITTLE_ENDIAN");
    gives!(1.0, "DOUBLE_FROM_BYTES", &[0x3Fu8, 0xF0, 0, 0, 0, 0, 0, 0][..], "BIG_ENDIAN");
    fails!("4 bytes are needed", "INT_FROM_BYTES", &[1u8][..]);
    fails!("byte order", "INT_FROM_BYTES", &[0u8, 0, 1, 2][..], "MIDDLE");
}
