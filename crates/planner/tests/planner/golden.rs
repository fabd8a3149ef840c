//! Plans as EXPLAIN shows them.

use crate::world::World;

fn check(statement: &str, expected: &str) {
    let plan = World::shop().explain(statement);
    let lines = |text: &str| text.lines().map(str::trim).filter(|l| !l.is_empty()).map(str::to_string).collect::<Vec<_>>().join("\n");
    assert_eq!(lines(&plan), lines(expected), "{statement}\n{plan}");
}

#[test]
fn a_filter_and_a_projection_are_two_nodes() {
    check(
        "CREATE STREAM big AS SELECT id, amount FROM orders WHERE amount > 10;",
        "Sub-topology 0
         [0] Source stream ORDERS (topic orders, KAFKA/JSON)
         [1] Filter (AMOUNT > CAST(10 AS DOUBLE)) <- 0
         [2] Select AMOUNT AS AMOUNT <- 1
         [3] Sink topic BIG (KAFKA/JSON) <- 2",
    );
}

#[test]
fn a_projection_that_changes_nothing_is_left_out() {
    check(
        "CREATE STREAM copy AS SELECT * FROM orders;",
        "Sub-topology 0
         [0] Source stream ORDERS (topic orders, KAFKA/JSON)
         [1] Sink topic COPY (KAFKA/JSON) <- 0",
    );
}

#[test]
fn grouping_by_the_key_needs_no_repartition() {
    check(
        "CREATE TABLE per_id AS SELECT id, COUNT(*) AS n, SUM(amount) AS total FROM orders GROUP BY id;",
        "Sub-topology 0
         [0] Source stream ORDERS (topic orders, KAFKA/JSON)
         [1] Aggregate COUNT() AS KSQL_AGG_VARIABLE_0, SUM(AMOUNT) AS KSQL_AGG_VARIABLE_1 emit Changes store aggregate-1 <- 0
         [2] Select KSQL_AGG_VARIABLE_0 AS N, KSQL_AGG_VARIABLE_1 AS TOTAL <- 1
         [3] Sink topic PER_ID (KAFKA/JSON) <- 2
         Store aggregate-1 of node 1: KeyValue",
    );
}

#[test]
fn another_grouping_goes_through_a_topic_with_only_what_the_aggregates_read() {
    check(
        "CREATE TABLE per_user AS SELECT user_id, COUNT(*) AS n, MAX(amount + 1) AS top FROM orders
           WINDOW TUMBLING (SIZE 1 HOUR, GRACE PERIOD 0 SECONDS) WHERE amount > 0 GROUP BY user_id HAVING COUNT(*) > 2;",
        "Sub-topology 0
         [0] Source stream ORDERS (topic orders, KAFKA/JSON)
         [1] Filter (AMOUNT > CAST(0 AS DOUBLE)) <- 0
         [2] Rekey (without NULL keys) by USER_ID AS USER_ID, values AMOUNT AS AMOUNT <- 1
         [3] Repartition repartition-1 <- 2
         Sub-topology 1
         [4] Source repartition-1
         [5] Aggregate COUNT() AS KSQL_AGG_VARIABLE_0, MAX((AMOUNT + CAST(1 AS DOUBLE))) AS KSQL_AGG_VARIABLE_1 window TUMBLING size 3600000 ms advance 3600000 ms grace 0 ms emit Changes store aggregate-1 <- 4
         [6] Filter (KSQL_AGG_VARIABLE_0 > 2) <- 5
         [7] Select KSQL_AGG_VARIABLE_0 AS N, KSQL_AGG_VARIABLE_1 AS TOP <- 6
         [8] Sink topic PER_USER (KAFKA/JSON) <- 7
         Store aggregate-1 of node 5: Windowed(WindowSpec { kind: Tumbling, size: 3600000, advance: 3600000, grace: 0, retention: 86400000 })",
    );
}

#[test]
fn a_stream_table_join_repartitions_the_stream_only_when_it_must() {
    check(
        "CREATE STREAM joined AS SELECT o.id, o.user_id AS uid, u.name, amount FROM orders o LEFT JOIN users u ON o.user_id = u.id;",
        "Sub-topology 0
         [0] Source stream ORDERS (topic orders, KAFKA/JSON)
         [1] Rekey (without NULL keys) by USER_ID AS O_USER_ID, values ID AS O_ID, AMOUNT AS O_AMOUNT <- 0
         [2] Repartition repartition-1 <- 1
         Sub-topology 1
         [3] Source repartition-1
         [4] Source table USERS (topic users, KAFKA/JSON)
         [5] Select NAME AS U_NAME <- 4
         [6] Left stream-table join, store join-1 <- 3, 5
         [7] Select O_ID AS O_ID, U_NAME AS NAME, O_AMOUNT AS AMOUNT <- 6
         [8] Sink topic JOINED (KAFKA/JSON) <- 7
         Store join-1 of node 6: KeyValue",
    );
    check(
        "CREATE STREAM joined AS SELECT * FROM orders o JOIN users u ON o.id = u.id;",
        "Sub-topology 0
         [0] Source stream ORDERS (topic orders, KAFKA/JSON)
         [1] Select USER_ID AS O_USER_ID, AMOUNT AS O_AMOUNT, TAGS AS O_TAGS <- 0
         [2] Source table USERS (topic users, KAFKA/JSON)
         [3] Select ID AS U_ID, NAME AS U_NAME, REGION AS U_REGION <- 2
         [4] Inner stream-table join, store join-1 <- 1, 3
         [5] Sink topic JOINED (KAFKA/JSON) <- 4
         Store join-1 of node 4: KeyValue",
    );
}

#[test]
fn partition_by_writes_the_sink_at_once() {
    check(
        "CREATE STREAM by_user AS SELECT * FROM orders PARTITION BY user_id;",
        "Sub-topology 0
         [0] Source stream ORDERS (topic orders, KAFKA/JSON)
         [1] Rekey by USER_ID AS USER_ID, values AMOUNT AS AMOUNT, TAGS AS TAGS, ID AS ID <- 0
         [2] Sink topic BY_USER (KAFKA/JSON) <- 1",
    );
    check(
        "CREATE STREAM same AS SELECT * FROM orders PARTITION BY id;",
        "Sub-topology 0
         [0] Source stream ORDERS (topic orders, KAFKA/JSON)
         [1] Sink topic SAME (KAFKA/JSON) <- 0",
    );
}

#[test]
fn table_functions_come_before_the_projection() {
    check(
        "CREATE STREAM tags AS SELECT id, UCASE(EXPLODE(tags)) AS tag FROM orders;",
        "Sub-topology 0
         [0] Source stream ORDERS (topic orders, KAFKA/JSON)
         [1] FlatMap EXPLODE(TAGS) AS KSQL_SYNTH_0 <- 0
         [2] Select UCASE(KSQL_SYNTH_0) AS TAG <- 1
         [3] Sink topic TAGS (KAFKA/JSON) <- 2",
    );
}

#[test]
fn a_table_is_kept_so_that_its_old_rows_are_known() {
    check(
        "CREATE TABLE in_region AS SELECT id, name FROM users WHERE region = 'EU';",
        "Sub-topology 0
         [0] Source table USERS (topic users, KAFKA/JSON)
         [1] Materialize, store table-1 <- 0
         [2] Filter (REGION = 'EU') <- 1
         [3] Select NAME AS NAME <- 2
         [4] Sink topic IN_REGION (KAFKA/JSON) <- 3
         Store table-1 of node 1: KeyValue",
    );
    check(
        "CREATE TABLE regions_n AS SELECT region, COUNT(*) AS n FROM users GROUP BY region;",
        "Sub-topology 0
         [0] Source table USERS (topic users, KAFKA/JSON)
         [1] Materialize, store table-1 <- 0
         [2] Rekey (without NULL keys) by REGION AS REGION, values  <- 1
         [3] Repartition repartition-1 <- 2
         Store table-1 of node 1: KeyValue
         Sub-topology 1
         [4] Source repartition-1
         [5] Aggregate COUNT() AS KSQL_AGG_VARIABLE_0 emit Changes store aggregate-1 <- 4
         [6] Select KSQL_AGG_VARIABLE_0 AS N <- 5
         [7] Sink topic REGIONS_N (KAFKA/JSON) <- 6
         Store aggregate-1 of node 5: KeyValue",
    );
}

#[test]
fn push_queries_project_the_key_among_the_values() {
    check(
        "SELECT id, COUNT(*) FROM orders GROUP BY id EMIT CHANGES LIMIT 3;",
        "Sub-topology 0
         [0] Source stream ORDERS (topic orders, KAFKA/JSON)
         [1] Aggregate COUNT() AS KSQL_AGG_VARIABLE_0 emit Changes store aggregate-1 <- 0
         [2] Select ID AS ID, KSQL_AGG_VARIABLE_0 AS KSQL_COL_0 <- 1
         [3] Sink to the client <- 2
         Store aggregate-1 of node 1: KeyValue",
    );
    check(
        "SELECT COUNT(*) FROM clicks EMIT CHANGES;",
        "Sub-topology 0
         [0] Source stream CLICKS (topic clicks, NONE/JSON)
         [1] Rekey by 0 AS KSQL_GROUP, values  <- 0
         [2] Repartition repartition-1 <- 1
         Sub-topology 1
         [3] Source repartition-1
         [4] Aggregate COUNT() AS KSQL_AGG_VARIABLE_0 emit Changes store aggregate-1 <- 3
         [5] Select KSQL_AGG_VARIABLE_0 AS KSQL_COL_0 <- 4
         [6] Sink to the client <- 5
         Store aggregate-1 of node 4: KeyValue",
    );
}

#[test]
fn an_existing_topic_of_repartition_keeps_its_name_when_a_filter_is_added() {
    let w = World::shop();
    let plain = w.plan("CREATE TABLE t AS SELECT user_id, COUNT(*) AS n FROM orders GROUP BY user_id;").unwrap().query.unwrap();
    let filtered =
        w.plan("CREATE TABLE t AS SELECT user_id, COUNT(*) AS n FROM orders WHERE amount > 1 GROUP BY user_id;").unwrap().query.unwrap();
    assert_eq!(plain.repartition_topics, filtered.repartition_topics);
    assert_eq!(plain.materialized, filtered.materialized);
}
