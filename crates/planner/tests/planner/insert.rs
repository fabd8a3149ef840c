//! INSERT INTO … VALUES.

use flumen_types::Value;

use crate::world::World;

#[test]
fn values_become_the_columns_types() {
    let w = World::shop();
    let plan = w.insert("INSERT INTO orders VALUES (1, 2, '3.5', ARRAY['a', 'b']);").unwrap();
    assert_eq!(plan.keys, [Value::Integer(1)]);
    assert_eq!(plan.values[..2], [Value::Integer(2), Value::Double(3.5)]);
    assert_eq!(plan.timestamp, None);
    let plan = w.insert("INSERT INTO orders (ROWTIME, amount, id) VALUES (1234, 1 + 1, 7);").unwrap();
    assert_eq!((plan.keys, plan.timestamp), (vec![Value::Integer(7)], Some(1234)));
    assert_eq!(plan.values, [Value::Null, Value::Double(2.0), Value::Null]);
    let plan = w.insert("INSERT INTO clicks (page, moment) VALUES (UCASE('home'), UNIX_TIMESTAMP());").unwrap();
    assert_eq!(plan.values, [Value::from("HOME"), Value::Bigint(1_000)]);
    let plan = w.insert("INSERT INTO clicks (page) VALUES (12);").unwrap();
    assert_eq!(plan.values, [Value::from("12"), Value::Null]);
}

#[test]
fn what_does_not_fit_is_refused() {
    let mut w = World::shop();
    w.run("CREATE SOURCE STREAM frozen (a INT) WITH (KAFKA_TOPIC='clicks', VALUE_FORMAT='JSON');");
    let refused = |statement: &str, text: &str| {
        let e = w.insert(statement).unwrap_err();
        assert!(e.rendered(statement).contains(text), "{}", e.rendered(statement));
    };
    refused("INSERT INTO order VALUES (1);".replace("order", "oders").as_str(), "unknown stream/table: `ODERS` Did you mean ORDERS?");
    refused("INSERT INTO orders VALUES (1, 2);", "Expected a value for each column");
    refused("INSERT INTO orders (id, colour) VALUES (1, 2);", "Column name `COLOUR` does not exist");
    refused("INSERT INTO orders (id, user_id) VALUES (1, 'x');", "Expected type INTEGER for field `USER_ID`");
    refused("INSERT INTO orders (id, amount) VALUES (1, TRUE);", "Expected type DOUBLE for field `AMOUNT`");
    refused("INSERT INTO users (name) VALUES ('Ann');", "Value for primary key column(s) ID is required");
    refused("INSERT INTO frozen VALUES (1);", "read-only stream: FROZEN");
    refused("INSERT INTO orders (id, id) VALUES (1, 2);", "given twice");
    refused("INSERT INTO orders (id, ROWPARTITION) VALUES (1, 2);", "`ROWPARTITION` does not exist");
}
