//! Pull queries: bounds, results, refusals.

use std::ops::Bound;

use flumen_plan::{KeyBounds, Operator, PullPlan, WindowBounds};
use flumen_planner::Pull;
use flumen_types::Value;

use crate::world::World;

fn world() -> World {
    let mut w = World::shop();
    w.run("CREATE TABLE totals AS SELECT user_id, SUM(amount) AS total FROM orders GROUP BY user_id HAVING COUNT(*) > 1;");
    w.run("CREATE TABLE hourly AS SELECT id, COUNT(*) AS n FROM orders WINDOW TUMBLING (SIZE 1 HOUR) GROUP BY id;");
    w.run(
        "CREATE TABLE names AS SELECT name, region, COUNT(*) AS n FROM users GROUP BY name, region;"
            .replace("names AS", "names WITH (KEY_FORMAT='JSON') AS")
            .as_str(),
    );
    w.run("CREATE TABLE europe AS SELECT id AS who, name FROM users WHERE region = 'EU';");
    w
}

fn table(statement: &str) -> PullPlan {
    match world().pull(statement) {
        Ok(Pull::Table(plan)) => *plan,
        Ok(other) => panic!("{other:?}"),
        Err(e) => panic!("{}", e.rendered(statement)),
    }
}

#[test]
fn keys_are_looked_up() {
    let plan = table("SELECT * FROM totals WHERE user_id = 3;");
    assert_eq!((plan.query.0.as_str(), plan.store.0.as_str()), ("CTAS_TOTALS_5", "aggregate-1"));
    assert_eq!(plan.keys, KeyBounds::Lookup(vec![vec![Value::Integer(3)]]));
    assert!(matches!(plan.steps.as_slice(), [Operator::Filter { .. }, Operator::Select { .. }]));
    assert_eq!(plan.result.to_string(), "`USER_ID` INTEGER KEY, `TOTAL` DOUBLE");
    let keys = |s: &str| table(s).keys;
    assert_eq!(
        keys("SELECT * FROM totals WHERE 1 + 1 = user_id OR user_id IN (2, 5) AND total > 1;"),
        KeyBounds::Lookup(vec![vec![Value::Integer(2)], vec![Value::Integer(5)]])
    );
    assert_eq!(
        keys("SELECT * FROM names WHERE region = 'EU' AND name = 'Ann';"),
        KeyBounds::Lookup(vec![vec![Value::from("Ann"), Value::from("EU")]])
    );
    assert_eq!(keys("SELECT * FROM names WHERE region = 'EU';"), KeyBounds::Scan);
    assert_eq!(keys("SELECT * FROM totals WHERE user_id = 3 OR total > 1;"), KeyBounds::Scan);
    assert_eq!(keys("SELECT * FROM totals WHERE NOT (user_id = 3);"), KeyBounds::Scan);
    assert_eq!(keys("SELECT * FROM totals WHERE user_id = 3.5;"), KeyBounds::Scan);
    assert_eq!(keys("SELECT * FROM totals;"), KeyBounds::Scan);
}

#[test]
fn ranges_of_a_key_are_read() {
    let keys = |s: &str| table(s).keys;
    assert_eq!(
        keys("SELECT * FROM totals WHERE user_id > 3 AND user_id <= 9;"),
        KeyBounds::Range { low: Bound::Excluded(Value::Integer(3)), high: Bound::Included(Value::Integer(9)) }
    );
    assert_eq!(
        keys("SELECT * FROM totals WHERE user_id BETWEEN 3 AND 4;"),
        KeyBounds::Range { low: Bound::Included(Value::Integer(3)), high: Bound::Included(Value::Integer(4)) }
    );
}

#[test]
fn windows_are_bounded() {
    let windows = |s: &str| table(s).windows;
    assert_eq!(
        windows("SELECT * FROM hourly WHERE id = 1 AND windowstart > 5 AND windowend <= '1970-01-01T01:00:00';"),
        WindowBounds { start_from: Some(6), start_to: None, end_from: None, end_to: Some(3_600_000) }
    );
    assert_eq!(
        windows("SELECT * FROM hourly WHERE (id = 1 AND windowstart = 5) OR (id = 2 AND windowstart = 9);"),
        WindowBounds { start_from: Some(5), start_to: Some(9), end_from: None, end_to: None }
    );
    assert_eq!(windows("SELECT * FROM hourly WHERE windowstart = 5 OR n = 1;"), WindowBounds::default());
    let all = table("SELECT * FROM hourly;");
    assert_eq!(all.result.to_string(), "`ID` INTEGER KEY, `WINDOWSTART` BIGINT KEY, `WINDOWEND` BIGINT KEY, `N` BIGINT");
}

#[test]
fn kept_tables_and_streams_can_be_pulled() {
    let plan = table("SELECT name, who AS w, LEN(name) FROM europe WHERE who = 1 LIMIT 2;");
    assert_eq!(plan.store.0, "table-1");
    assert_eq!(plan.stored.keys.first().map(|(n, _)| n.as_str()), Some("ID"));
    assert_eq!(plan.rows.keys.first().map(|(n, _)| n.as_str()), Some("WHO"));
    assert_eq!(plan.result.to_string(), "`W` INTEGER KEY, `NAME` STRING, `KSQL_COL_0` INTEGER");
    assert_eq!(plan.limit, Some(2));
    for stream in ["SELECT * FROM orders WHERE amount > 1;", "SELECT EXPLODE(ARRAY[1, 2]), ROWOFFSET FROM orders LIMIT 3;"] {
        assert!(matches!(world().pull(stream), Ok(Pull::Stream(_))), "{stream}");
    }
}

#[test]
fn what_cannot_be_pulled_is_refused() {
    let mut w = world();
    let refused = |w: &World, statement: &str, text: &str| {
        let e = w.pull(statement).unwrap_err();
        assert!(e.to_string().contains(text), "{}", e.rendered(statement));
        assert!(e.span().is_some(), "{e}");
    };
    refused(&w, "SELECT * FROM users;", "CREATE TABLE QUERYABLE_USERS AS SELECT * FROM USERS");
    refused(&w, "SELECT * FROM totals GROUP BY user_id;", "don't support GROUP BY clauses");
    refused(&w, "SELECT * FROM totals PARTITION BY user_id;", "don't support PARTITION BY clauses");
    refused(&w, "SELECT COUNT(*) FROM totals;", "don't support aggregate functions");
    refused(&w, "SELECT EXPLODE(ARRAY[1, 2]) FROM totals;", "on tables don't support table functions");
    refused(&w, "SELECT *, ROWOFFSET FROM totals;", "following columns in SELECT clauses: `ROWOFFSET`");
    refused(&w, "SELECT * FROM totals WHERE ROWPARTITION = 1;", "following columns in WHERE clauses: `ROWPARTITION`");
    refused(&w, "SELECT * FROM totals WHERE user_id = 'a';", "Error in WHERE expression");
    refused(&w, "SELECT * FROM totals t JOIN hourly h ON t.user_id = h.id;", "don't support JOIN clauses");
    refused(&w, "SELECT * FROM total;", "Did you mean TOTALS?");
    w.context.overrides.insert("ksql.query.pull.table.scan.enabled".to_string(), "false".to_string());
    refused(&w, "SELECT * FROM totals WHERE total > 1;", "missing key column for disjunct");
    refused(&w, "SELECT * FROM totals WHERE user_id > 1;", "single STRING key only");
    refused(&w, "SELECT * FROM names WHERE name = 'Ann';", "must specify every key");
    assert!(w.pull("SELECT * FROM totals WHERE user_id = 1;").is_ok());
}
