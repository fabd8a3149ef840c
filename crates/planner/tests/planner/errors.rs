//! What is refused, where and in which words.

use flumen_planner::PlanError;

use crate::world::World;

/// The statement is refused with this text in its message, at the first place this part of it stands.
fn refused(statement: &str, message: &str, at: &str) {
    let w = World::shop();
    match w.plan(statement) {
        Err(e @ PlanError::User { .. }) => {
            assert!(e.to_string().contains(message), "{statement}\n{e}");
            let span = e.span().map(|s| s.slice(statement).to_string()).unwrap_or_default();
            assert_eq!(span, at, "{statement}\n{}", e.rendered(statement));
        }
        other => panic!("{statement} gives {other:?}"),
    }
}

#[test]
fn unknown_names_are_shown_with_the_nearest() {
    refused("CREATE STREAM s AS SELECT * FROM ordres;", "ORDRES does not exist. Did you mean ORDERS?", "ordres");
    refused(
        "CREATE STREAM s AS SELECT id, amuont FROM orders;",
        "SELECT column 'AMUONT' cannot be resolved. Did you mean AMOUNT?",
        "amuont",
    );
    refused("CREATE STREAM s AS SELECT id, x.amount FROM orders o;", "'X' is not a valid stream/table name or alias", "x");
    refused("CREATE STREAM s AS SELECT * FROM orders WHERE bob = 1;", "WHERE column 'BOB' cannot be resolved", "bob");
    refused("CREATE STREAM s (a INT) WITH (KAFKA_TOPIC='orders', VALUE_FROMAT='JSON');", "Did you mean VALUE_FORMAT?", "VALUE_FROMAT");
    refused("CREATE STREAM s AS SELECT id, LENN(tags) FROM orders;", "LEN", "LENN(tags)");
    refused("CREATE STREAM s (a MAPP) WITH (KAFKA_TOPIC='orders', VALUE_FORMAT='JSON');", "Cannot resolve unknown type: MAPP", "MAPP");
}

#[test]
fn columns_of_sources_follow_rules() {
    let with = "WITH (KAFKA_TOPIC='orders', VALUE_FORMAT='JSON');";
    refused(&format!("CREATE STREAM s (rowtime BIGINT, a INT) {with}"), "'ROWTIME' is a reserved column name", "rowtime");
    refused(&format!("CREATE STREAM s (a INT, a INT) {with}"), "Duplicate column names: A", "a");
    refused(&format!("CREATE STREAM s (a INT PRIMARY KEY, b INT) {with}"), "please use 'KEY' for streams", "a INT PRIMARY KEY");
    refused(&format!("CREATE TABLE t (a INT KEY, b INT) {with}"), "please use 'PRIMARY KEY' for tables", "a INT KEY");
    refused(&format!("CREATE TABLE t (a INT) {with}"), "Tables require a PRIMARY KEY", "t");
    refused(&format!("CREATE STREAM s (a MAP<STRING, INT> KEY, b INT) {with}"), "Map keys", "a MAP<STRING, INT> KEY");
    refused(&format!("CREATE STREAM s (a DECIMAL(2, 3)) {with}"), "precision must be >= scale", "DECIMAL(2, 3)");
    refused(&format!("CREATE STREAM s (h INT HEADERS, b INT) {with}"), "Invalid type for HEADERS column", "h INT HEADERS");
}

#[test]
fn properties_follow_rules() {
    let of = |with: &str| format!("CREATE STREAM s (k INT KEY, a INT) WITH ({with});");
    refused(&of("VALUE_FORMAT='JSON'"), "KAFKA_TOPIC", "s");
    refused(&of("KAFKA_TOPIC='orders'"), "missing the 'VALUE_FORMAT' property", "");
    refused(&of("KAFKA_TOPIC='orders', FORMAT='JSON', KEY_FORMAT='JSON'"), "Cannot supply both 'KEY_FORMAT' and 'FORMAT'", "");
    refused(&of("KAFKA_TOPIC='orders', FORMAT='XML'"), "XML", "'XML'");
    refused(&of("KAFKA_TOPIC='new', FORMAT='JSON'"), "Topic 'new' does not exist", "");
    refused(&of("KAFKA_TOPIC='orders', FORMAT='JSON', PARTITIONS=3"), "KSQL expects 3 partitions (topic has 4)", "");
    refused(&of("KAFKA_TOPIC='orders', FORMAT='JSON', TIMESTAMP='b'"), "does not exist in the schema: 'B'", "'b'");
    refused(&of("KAFKA_TOPIC='orders', FORMAT='JSON', TIMESTAMP='a'"), "should be LONG(INT64), TIMESTAMP", "'a'");
    refused(&of("KAFKA_TOPIC='orders', FORMAT='JSON', WINDOW_TYPE='SESSION', WINDOW_SIZE='1 SECOND'"), "should not be set for SESSION", "");
    refused(&of("KAFKA_TOPIC='orders', FORMAT='JSON', WINDOW_TYPE='TUMBLING', WINDOW_SIZE='3 moons'"), "Unknown time unit: 'MOONS'", "");
    refused(&of("KAFKA_TOPIC='orders', FORMAT='DELIMITED', VALUE_DELIMITER='::'"), "VALUE_DELIMITER", "'::'");
    refused(&of("KAFKA_TOPIC='orders', FORMAT='JSON', CLEANUP_POLICY='compact'"), "CLEANUP_POLICY", "'compact'");
    refused("CREATE STREAM s WITH (WINDOW_TYPE='SESSION') AS SELECT * FROM orders;", "WINDOW_TYPE", "WINDOW_TYPE");
}

#[test]
fn projections_hold_the_key_once_and_a_value() {
    refused("CREATE STREAM s AS SELECT amount FROM orders;", "must include the key column ID in its projection", "");
    refused("CREATE STREAM s AS SELECT id, id AS again, amount FROM orders;", "aliased as: ID and AGAIN", "id");
    refused("CREATE STREAM s AS SELECT id FROM orders;", "no value columns", "");
    refused("CREATE STREAM s AS SELECT id, amount, amount FROM orders;", "`AMOUNT` more than once", "amount");
    refused("CREATE STREAM s AS SELECT id, ROWTIME FROM orders;", "Reserved column name in select: `ROWTIME`", "ROWTIME");
    refused(
        "CREATE STREAM s AS SELECT id, amount AS rowoffset FROM orders;",
        "reserved column name. You cannot use it as an alias",
        "rowoffset",
    );
    refused("CREATE STREAM s AS SELECT id, NULL AS n FROM orders;", "Can't infer a type of null", "NULL");
    refused("CREATE STREAM s AS SELECT amount FROM orders PARTITION BY user_id;", "must include the partitioning expression USER_ID", "");
    refused(
        "CREATE STREAM s AS SELECT amount FROM orders o JOIN users u ON o.user_id = u.id;",
        "must include the join expressions O.USER_ID or U.ID",
        "",
    );
}

#[test]
fn grouping_follows_rules() {
    refused("CREATE TABLE t AS SELECT amount, COUNT(*) FROM orders GROUP BY id;", "not part of GROUP BY: AMOUNT", "amount");
    refused(
        "CREATE TABLE t AS SELECT id, COUNT(*) FROM orders GROUP BY id HAVING amount > 1;",
        "HAVING expression not part of GROUP BY",
        "amount > 1",
    );
    refused("CREATE TABLE t AS SELECT id, SUM(COUNT(*)) FROM orders GROUP BY id;", "can not be nested", "SUM(COUNT(*))");
    refused("CREATE TABLE t AS SELECT id, COUNT(*) FROM orders GROUP BY id, id;", "Duplicate GROUP BY expression", "id");
    refused("CREATE TABLE t AS SELECT id, amount FROM orders GROUP BY id;", "GROUP BY requires aggregate functions", "id");
    refused("CREATE TABLE t AS SELECT id, CUONT(*) FROM orders GROUP BY id;", "functions with the name 'CUONT'", "CUONT");
    refused("CREATE TABLE t AS SELECT COUNT(*) FROM orders;", "without a GROUP BY clause", "COUNT(*)");
    refused(
        "CREATE STREAM t AS SELECT id, COUNT(*) AS n FROM orders GROUP BY id;",
        "produces a TABLE",
        "SELECT id, COUNT(*) AS n FROM orders GROUP BY id",
    );
    refused(
        "CREATE TABLE t AS SELECT region, MAX(name) FROM users GROUP BY region;",
        "MAX cannot be applied to a table source",
        "SELECT region, MAX(name) FROM users GROUP BY region",
    );
    refused(
        "CREATE TABLE t AS SELECT id, COUNT(*) FROM orders WINDOW TUMBLING (SIZE 1 HOUR) WHERE WINDOWSTART > 1 GROUP BY id;",
        "can only be used in the SELECT clause",
        "WINDOWSTART",
    );
    refused(
        "CREATE TABLE t AS SELECT id, amount FROM orders WINDOW TUMBLING (SIZE 1 HOUR);",
        "WINDOW clause requires a GROUP BY",
        "TUMBLING (SIZE 1 HOUR)",
    );
    refused(
        "CREATE TABLE t AS SELECT id, COUNT(*) FROM orders WHERE COUNT(*) > 1 GROUP BY id;",
        "WHERE does not support aggregate functions",
        "COUNT(*)",
    );
    refused(
        "CREATE TABLE t AS SELECT id, user_id, COUNT(*) AS n FROM orders GROUP BY id, user_id;",
        "Key format does not support schema",
        "",
    );
}

#[test]
fn joins_follow_rules() {
    refused(
        "CREATE STREAM s AS SELECT * FROM orders o JOIN users u ON o.user_id = u.name;",
        "join on the table's primary key",
        "JOIN users u ON o.user_id = u.name",
    );
    refused(
        "CREATE STREAM s AS SELECT * FROM orders o JOIN regions r ON o.user_id = r.code;",
        "types don't match. Got O.USER_ID{INTEGER} = R.CODE{STRING}",
        "JOIN regions r ON o.user_id = r.code",
    );
    refused(
        "CREATE STREAM s AS SELECT * FROM orders o FULL JOIN users u ON o.id = u.id;",
        "full-outer join not supported for stream-table join",
        "FULL JOIN users u ON o.id = u.id",
    );
    refused(
        "CREATE STREAM s AS SELECT * FROM users u JOIN orders o ON o.id = u.id;",
        "table-stream joins are not supported",
        "JOIN orders o ON o.id = u.id",
    );
    refused("CREATE STREAM s AS SELECT * FROM orders o JOIN users u ON o.id = 1;", "references from exactly one source", "1");
    refused(
        "CREATE STREAM s AS SELECT id FROM orders o JOIN users u ON o.id = u.id;",
        "Column 'ID' is ambiguous. Could be O.ID or U.ID",
        "id",
    );
    refused(
        "CREATE STREAM s AS SELECT * FROM orders o JOIN users u ON o.id = u.id AND o.user_id = u.id;",
        "multiple conditions",
        "o.id = u.id AND o.user_id = u.id",
    );
    let mut w = World::shop();
    w.run("CREATE STREAM two (code STRING KEY, v INT) WITH (KAFKA_TOPIC='two', PARTITIONS=3, VALUE_FORMAT='JSON');");
    let message = w.refusal("CREATE STREAM s AS SELECT * FROM two t JOIN regions r ON t.code = r.code;");
    assert!(message.contains("`TWO` partitions = 3 (topic two); `REGIONS` partitions = 2 (topic regions)"), "{message}");
}

#[test]
fn mistakes_are_found_before_missing_features() {
    let w = World::shop();
    let unsupported = |statement: &str| match w.plan(statement) {
        Err(PlanError::Unsupported { feature, .. }) => feature,
        other => panic!("{statement} gives {other:?}"),
    };
    assert_eq!(unsupported("CREATE STREAM s (a INT) WITH (KAFKA_TOPIC='orders', VALUE_FORMAT='AVRO');"), "format AVRO");
    assert_eq!(
        unsupported("CREATE STREAM s AS SELECT * FROM orders o JOIN clicks c WITHIN 1 HOUR ON o.id = LEN(c.page);"),
        "a stream-stream join"
    );
    refused(
        "CREATE STREAM s AS SELECT o.id, nothing FROM orders o JOIN clicks c WITHIN 1 HOUR ON o.id = LEN(c.page);",
        "'NOTHING' cannot be resolved",
        "nothing",
    );
    refused("CREATE STREAM s (a INT KEY) WITH (KAFKA_TOPIC='orders', KEY_FORMAT='NONE', VALUE_FORMAT='AVRO');", "NONE", "");
}
