//! The output of a query, read back and compared with what the generator says it must be: every record, and their order.

use super::input::{self, BASE, WINDOW};
use super::kafka::Kafka;
use super::workload::Workload;
use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use std::collections::HashMap;

/// Reads a topic, read_committed, and checks it; gives the number of records.
///
/// # Errors
/// At the first record that is wrong, twice there, or missing.
pub fn read(kafka: &Kafka, workload: Workload, topic: &str, records: u64) -> Result<u64> {
    let mut checker: Box<dyn Checker> = match workload {
        Workload::Filter => Box::new(Orders { seen: vec![false; usize::try_from(records)?], joined: false }),
        Workload::StreamTableJoin => Box::new(Orders { seen: vec![false; usize::try_from(records)?], joined: true }),
        Workload::Count => Box::new(Counts::new(records)),
        Workload::Tumbling => Box::new(Windows::new(records)),
    };
    let mut count = 0;
    kafka.read(topic, |key, value| {
        count += 1;
        let row = serde_json::from_str(value).with_context(|| format!("not JSON: {value}"))?;
        checker.take(key, &row).with_context(|| format!("record {count} of {topic}: {key} {value}"))
    })?;
    checker.end().with_context(|| format!("{topic}, {count} records"))?;
    Ok(count)
}

trait Checker {
    fn take(&mut self, key: &str, row: &Value) -> Result<()>;
    fn end(&self) -> Result<()>;
}

/// Each order once, with its fields.
struct Orders {
    seen: Vec<bool>,
    joined: bool,
}

impl Orders {
    fn wanted(&self, i: u64) -> bool {
        self.joined || input::order(i).price > 50.0
    }
}

impl Checker for Orders {
    fn take(&mut self, key: &str, row: &Value) -> Result<()> {
        let i = row["ORDER_ID"].as_u64().context("no order id")?;
        let seen = self.seen.get_mut(usize::try_from(i)?).context("an order that was never made")?;
        ensure!(!std::mem::replace(seen, true), "an order that was there before");
        ensure!(self.wanted(i), "an order that should have been left out");
        let order = input::order(i);
        let user = format!("u{}", order.user);
        ensure!(key == user, "the key should be {user}");
        let mut right = json!({"ORDER_ID": i, "USER_ID": user, "ITEM": format!("item_{}", order.item), "PRICE": order.price});
        if self.joined {
            let (region, tier) = input::user(order.user);
            right["NAME"] = json!(format!("name_{}", order.user));
            right["REGION"] = json!(format!("r{region}"));
            right["TIER"] = json!(tier);
        }
        ensure!(*row == right, "the value should be {right}");
        Ok(())
    }

    fn end(&self) -> Result<()> {
        let missing = (0..).zip(&self.seen).find(|(i, seen)| !**seen && self.wanted(*i));
        missing.map_or(Ok(()), |(i, _)| bail!("order {i} is missing"))
    }
}

/// Each change of each user's count and sum, in order.
struct Counts {
    /// The prices of each user's orders, and how many of them the output has counted, with their sum.
    users: HashMap<u64, (Vec<f64>, usize, f64)>,
}

impl Counts {
    fn new(records: u64) -> Counts {
        let mut users: HashMap<u64, (Vec<f64>, usize, f64)> = HashMap::new();
        for order in (0..records).map(input::order) {
            users.entry(order.user).or_default().0.push(order.price);
        }
        Counts { users }
    }
}

impl Checker for Counts {
    fn take(&mut self, key: &str, row: &Value) -> Result<()> {
        let (prices, counted, sum) = self.users.get_mut(&user(key)?).context("a user without orders")?;
        *sum += prices.get(*counted).context("more orders than this user has")?;
        *counted += 1;
        let right = json!({"CNT": *counted, "TOTAL": *sum});
        ensure!(*row == right, "the value should be {right}");
        Ok(())
    }

    fn end(&self) -> Result<()> {
        let short = self.users.iter().find(|(_, (prices, counted, _))| prices.len() != *counted);
        short.map_or(Ok(()), |(user, (prices, counted, _))| bail!("u{user} ends at {counted} of {} orders", prices.len()))
    }
}

/// Each change of the count of each user and window, in order.
struct Windows {
    /// By user and start of the window: orders, and how many of them the output has counted.
    windows: HashMap<(u64, u64), (u64, u64)>,
}

impl Windows {
    fn new(records: u64) -> Windows {
        let mut windows: HashMap<(u64, u64), (u64, u64)> = HashMap::new();
        for order in (0..records).map(input::order) {
            windows.entry((order.user, order.time - (order.time - BASE) % WINDOW)).or_default().0 += 1;
        }
        Windows { windows }
    }
}

impl Checker for Windows {
    fn take(&mut self, key: &str, row: &Value) -> Result<()> {
        let bytes = unescape(key)?;
        let (name, start) = bytes.split_last_chunk::<8>().context("a key without a window")?;
        let window = (user(std::str::from_utf8(name)?)?, u64::from_be_bytes(*start));
        let (orders, counted) = self.windows.get_mut(&window).context("a window without orders")?;
        *counted += 1;
        ensure!(*counted <= *orders, "more than the {orders} orders of the window");
        let right = json!({"CNT": *counted});
        ensure!(*row == right, "the value should be {right}");
        Ok(())
    }

    fn end(&self) -> Result<()> {
        let short = self.windows.iter().find(|(_, (orders, counted))| orders != counted);
        short.map_or(Ok(()), |((user, start), (orders, counted))| bail!("u{user} from {start} ends at {counted} of {orders} orders"))
    }
}

fn user(key: &str) -> Result<u64> {
    key.strip_prefix('u').and_then(|n| n.parse().ok()).with_context(|| format!("not a user: {key}"))
}

/// The bytes of a key that is printed with `\xHH` for what is no plain character.
fn unescape(text: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((plain, escaped)) = rest.split_once("\\x") {
        bytes.extend_from_slice(plain.as_bytes());
        let (byte, after) = escaped.split_at_checked(2).context("an escape without its digits")?;
        bytes.push(u8::from_str_radix(byte, 16)?);
        rest = after;
    }
    bytes.extend_from_slice(rest.as_bytes());
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_bytes_come_back() {
        assert_eq!(unescape("u1\\x00\\x8B\\xFFa\\x0A").expect("bytes"), b"u1\x00\x8b\xffa\x0a");
        assert!(unescape("\\x0").is_err());
    }

    #[test]
    fn a_change_that_is_missing_or_twice_there_is_found() {
        let first = input::order(0);
        let mut counts = Counts::new(1);
        assert!(counts.end().is_err());
        let (key, row) = (format!("u{}", first.user), json!({"CNT": 1, "TOTAL": first.price}));
        counts.take(&key, &row).expect("right");
        counts.end().expect("complete");
        assert!(counts.take(&key, &row).is_err());
    }
}
