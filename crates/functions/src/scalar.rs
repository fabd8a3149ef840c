//! The scalar functions.

mod adapters;
mod array;
mod array_order;
mod array_sets;
mod bytes;
mod conditional;
mod decimals;
mod encoding;
mod entries;
mod extremes;
mod filter;
mod find;
mod geo;
mod json_array;
mod json_field;
mod json_object;
mod json_write;
mod lists;
mod map;
mod mask;
mod math;
mod ordered;
mod pad;
mod parts;
mod reduce;
mod regex_syntax;
mod regexp;
mod rounding;
mod series;
mod split;
mod text;
mod time_add;
mod time_deprecated;
mod time_format;
mod time_parse;
mod time_zone;
mod transform;
mod unix_time;
mod uri;
mod url;
mod utf16;
mod uuid;

use flumen_expr::function::Registry;

/// Adds all scalar functions.
pub(crate) fn register(registry: &mut Registry) {
    let families = [
        math::all(),
        rounding::all(),
        extremes::all(),
        geo::all(),
        text::all(),
        find::all(),
        pad::all(),
        parts::all(),
        mask::all(),
        regexp::all(),
        split::all(),
        encoding::all(),
        bytes::all(),
        uuid::all(),
        conditional::all(),
        array::all(),
        array_order::all(),
        array_sets::all(),
        series::all(),
        entries::all(),
        map::all(),
        filter::all(),
        transform::all(),
        reduce::all(),
        json_field::all(),
        json_array::all(),
        json_object::all(),
        json_write::all(),
        time_add::all(),
        time_zone::all(),
        time_format::all(),
        time_parse::all(),
        time_deprecated::all(),
        unix_time::all(),
        url::all(),
    ];
    for function in families.into_iter().flatten() {
        registry.add_scalar(function);
    }
}
