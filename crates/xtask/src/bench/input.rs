//! The input, computed again: each value is a pure function of stream and index, so that any output can be checked.

use super::KEYS;

/// Event time of the first order, in milliseconds; a whole minute.
pub const BASE: u64 = 1_700_000_040_000;
/// The length of a window, in milliseconds.
pub const WINDOW: u64 = 60_000;

/// The random stream the orders are drawn from.
const ORDERS: u64 = 1;
/// The random stream the users are drawn from.
const USERS: u64 = 3;

/// Draw `j` of record `i`, below `n`: SplitMix64 with random access.
fn pick(stream: u64, i: u64, j: u64, n: u64) -> u64 {
    let z = stream.wrapping_add((8 * i + j + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (z ^ (z >> 31)) % n
}

/// An order, as far as the queries read it.
pub struct Order {
    pub user: u64,
    pub item: u64,
    pub price: f64,
    /// Event time, in milliseconds.
    pub time: u64,
}

/// The order with this number.
pub fn order(i: u64) -> Order {
    let cents = 100 + pick(ORDERS, i, 3, 9900);
    Order { user: pick(ORDERS, i, 0, KEYS), item: pick(ORDERS, i, 1, 1000), price: cents as f64 / 100.0, time: BASE + i }
}

/// Region and tier of a user.
pub fn user(i: u64) -> (u64, &'static str) {
    let tier = ["gold", "silver", "bronze", "basic"].get(pick(USERS, i, 2, 4) as usize).copied().unwrap_or_default();
    (pick(USERS, i, 1, 10), tier)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_first_order_is_as_published() {
        let order = super::order(0);
        assert_eq!((order.user, order.item, order.price), (22_465, 519, 94.35));
    }
}
