//! Frozen samples of persisted plans: each must be read for ever, whatever the planner makes of its statement by then.
//!
//! A sample is never changed. When plans get a new form, its writer gets a new version and new samples beside the old ones.

use flumen_plan::QueryPlan;

/// Operators, stores, windows and expressions of many kinds: a statement, and the plan that was made of it.
const SAMPLES: [(&str, &str); 3] = [
    (
        "CREATE STREAM big AS SELECT id, UCASE(tags[1]) AS tag, CASE WHEN amount > 10 THEN 'big' END AS class FROM orders
           WHERE amount BETWEEN 1 AND 1e6 AND NOT (tags IS NULL);",
        include_str!("../frozen/stateless.v1.json"),
    ),
    (
        "CREATE TABLE per_user AS SELECT user_id, COUNT(*) AS n, MAX(amount + 1) AS top FROM orders
           WINDOW HOPPING (SIZE 1 HOUR, ADVANCE BY 10 MINUTES, GRACE PERIOD 5 MINUTES) WHERE amount > 0
           GROUP BY user_id HAVING COUNT(*) > 2;",
        include_str!("../frozen/windowed.v1.json"),
    ),
    (
        "CREATE STREAM named AS SELECT o.user_id AS user_id, o.id AS id, u.name AS name FROM orders o LEFT JOIN users u ON o.user_id = u.id;",
        include_str!("../frozen/join.v1.json"),
    ),
];

#[test]
fn plans_are_read_as_they_were_written() {
    for (statement, sample) in SAMPLES {
        let sample = sample.trim_end();
        let plan = QueryPlan::decode(&[&[1], sample.as_bytes()].concat()).unwrap_or_else(|e| panic!("{statement}: {e}"));
        let written = plan.encode().expect("a plan");
        assert_eq!(written.first(), Some(&1));
        assert_eq!(std::str::from_utf8(&written[1..]).expect("text"), sample, "{statement}");
    }
}
