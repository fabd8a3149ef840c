//! GEO_DISTANCE: the great-circle distance of two points.

use flumen_expr::function::{DOUBLE, STRING, ScalarFunction, Signature, rowwise};
use flumen_types::Value;

const EARTH_RADIUS_KM: f64 = 6371.0;
const EARTH_RADIUS_MILES: f64 = 3959.0;

pub(super) fn all() -> Vec<ScalarFunction> {
    let point = [DOUBLE, DOUBLE, DOUBLE, DOUBLE];
    let with_unit = [DOUBLE, DOUBLE, DOUBLE, DOUBLE, STRING];
    vec![
        ScalarFunction::new(
            "GEO_DISTANCE",
            "MATHEMATICAL",
            "The great-circle distance of two points given as latitude, longitude, latitude, longitude in degrees; in km, or in miles when the unit says so.",
        )
        .nullable_overload(Signature::new(point, DOUBLE).required(&[0, 1, 2, 3]), rowwise(|v, _| distance(v)))
        .nullable_overload(Signature::new(with_unit, DOUBLE).required(&[0, 1, 2, 3]), rowwise(|v, _| distance(v))),
    ]
}

fn distance(values: &[Value]) -> Result<Value, String> {
    let [Value::Double(lat1), Value::Double(lon1), Value::Double(lat2), Value::Double(lon2), unit @ ..] = values else {
        return Ok(Value::Null);
    };
    let radius = match unit {
        [Value::String(unit)] => radius(unit)?,
        _ => EARTH_RADIUS_KM,
    };
    for (name, value, limit) in [("latitude", lat1, 90.0), ("longitude", lon1, 180.0), ("latitude", lat2, 90.0), ("longitude", lon2, 180.0)]
    {
        if !(-limit..=limit).contains(value) {
            return Err(format!("{value} is no valid {name}: it must be between -{limit} and {limit}"));
        }
    }
    // The haversine formula.
    let half = |a: f64, b: f64| ((b - a).to_radians() / 2.0).sin().powi(2);
    let a = half(*lat1, *lat2) + half(*lon1, *lon2) * lat1.to_radians().cos() * lat2.to_radians().cos();
    Ok(Value::Double(radius * 2.0 * a.sqrt().asin()))
}

fn radius(unit: &str) -> Result<f64, String> {
    match unit.trim().to_lowercase().as_str() {
        "" | "km" | "kilometer" | "kilometers" | "kilometre" | "kilometres" => Ok(EARTH_RADIUS_KM),
        "mi" | "mile" | "miles" => Ok(EARTH_RADIUS_MILES),
        _ => Err(format!("'{unit}' is no unit of distance: give KM or MI")),
    }
}
