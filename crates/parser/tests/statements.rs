//! What statements parse to, and where their parts stand.

use flumen_parser::ast::*;
use flumen_parser::{Span, parse, parse_expression, parse_schema, parse_statement, parse_type};

fn one(text: &str) -> Statement {
    parse_statement(text).unwrap_or_else(|e| panic!("{e}")).statement
}

fn select(text: &str) -> Query {
    match one(text) {
        Statement::Select(query) => *query,
        other => panic!("not a query: {other}"),
    }
}

/// Parses to the same as `canonical`, which prints as itself.
fn same(text: &str, canonical: &str) {
    assert_eq!(one(text).to_string(), canonical);
    assert_eq!(one(canonical).to_string(), canonical);
    assert_eq!(one(text), one(canonical));
}

fn expr_same(text: &str, canonical: &str) {
    let parsed = parse_expression(text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(parsed.to_string(), canonical);
    assert_eq!(parse_expression(canonical).unwrap(), parsed);
}

/// The text under a span; fails when it is not what is expected.
fn at(text: &str, span: Span, expected: &str) {
    assert_eq!(span.slice(text), expected);
}

#[test]
fn a_text_of_several_statements() {
    let text = "-- head\nSET 'a'='b';\n\n--@test: x\nCREATE STREAM é (id INT KEY) WITH (kafka_topic='t');";
    let error = parse(text).unwrap_err();
    assert_eq!((error.line, error.column), (5, 15));

    let text = text.replace('é', "`é`");
    let all = parse(&text).unwrap();
    assert_eq!(all[0].text, "SET 'a'='b';");
    assert!(all[0].directives.is_empty());
    assert_eq!(all[1].text, "CREATE STREAM `é` (id INT KEY) WITH (kafka_topic='t');");
    assert_eq!(all[1].directives[0].name, "test");
    at(&text, all[1].span, &all[1].text);
    let Statement::CreateSource(create) = &all[1].statement else { panic!() };
    at(&text, create.name.span, "`é`");
    at(&text, create.columns[0].span, "id INT KEY");
    at(&text, create.columns[0].data_type.span, "INT");
    at(&text, create.properties[0].name.span, "kafka_topic");
    at(&text, create.properties[0].value_span, "'t'");
    assert_eq!(create.properties[0].name.value, "KAFKA_TOPIC");
    assert_eq!(create.properties[0].value, Literal::String("t".into()));
}

#[test]
fn spans_of_a_query() {
    let text = "SELECT a.x + (1 - y) * 2 AS z, s->f[1], COUNT(*) n, b->* FROM orders a \
                LEFT OUTER JOIN users AS u WITHIN (1 HOUR, 2 HOURS) GRACE PERIOD 3 DAYS ON a.id = u.id WHERE NOT x LIKE 'a%' EMIT CHANGES;";
    let query = select(text);
    at(text, query.select[0].span, "a.x + (1 - y) * 2 AS z");
    let SelectItemKind::Expr { expr, alias } = &query.select[0].kind else { panic!() };
    at(text, expr.span, "a.x + (1 - y) * 2");
    at(text, alias.as_ref().unwrap().span, "z");
    let ExprKind::Arithmetic { op: ArithmeticOp::Add, left, right } = &expr.kind else { panic!("{expr:?}") };
    at(text, left.span, "a.x");
    at(text, right.span, "(1 - y) * 2");
    let ExprKind::Arithmetic { op: ArithmeticOp::Multiply, left, .. } = &right.kind else { panic!("{right:?}") };
    at(text, left.span, "1 - y");

    let SelectItemKind::Expr { expr, .. } = &query.select[1].kind else { panic!() };
    at(text, expr.span, "s->f[1]");
    let ExprKind::Subscript { base, .. } = &expr.kind else { panic!("{expr:?}") };
    at(text, base.span, "s->f");

    let SelectItemKind::StructAll { base } = &query.select[3].kind else { panic!() };
    at(text, base.span, "b");

    let join = &query.from.joins[0];
    assert_eq!((join.kind, join.right.alias_or_name().value.as_str()), (JoinKind::Left, "U"));
    at(text, join.right.span, "users AS u");
    let within = join.within.as_ref().unwrap();
    at(text, within.span, "WITHIN (1 HOUR, 2 HOURS) GRACE PERIOD 3 DAYS");
    assert_eq!(within.before.millis(), Some(3_600_000));
    assert_eq!(within.after.millis(), Some(7_200_000));
    assert_eq!(within.grace.unwrap().millis(), Some(3 * 86_400_000));
    at(text, query.filter.as_ref().unwrap().span, "NOT x LIKE 'a%'");
    at(text, query.span, text.strip_suffix(';').unwrap());
}

#[test]
fn names_fold_unless_quoted() {
    let query = select("SELECT `a`.\"b\", `c``d`, Foo, 1R, _x@y FROM s;");
    let names: Vec<String> = query.select.iter().map(|i| i.to_string()).collect();
    assert_eq!(names, ["`a`.`b`", "`c``d`", "FOO", "`1R`", "_X@Y"]);
    assert_eq!(select("SELECT `FOO` FROM s;"), select("SELECT foo FROM S;"));
}

#[test]
fn words_that_may_be_names() {
    same(
        "CREATE STREAM source (key INT KEY, id INT, timestamp TIMESTAMP, array ARRAY<INT>, map INT, changes INT) WITH (format='JSON');",
        "CREATE STREAM SOURCE (KEY INTEGER KEY, ID INTEGER, TIMESTAMP TIMESTAMP, `ARRAY` ARRAY<INTEGER>, `MAP` INTEGER, CHANGES INTEGER) \
         WITH (FORMAT='JSON')",
    );
    same("SELECT * FROM emit EMIT CHANGES;", "SELECT * FROM EMIT EMIT CHANGES");
    same("SELECT * FROM s PARTITION BY partition;", "SELECT * FROM S PARTITION BY PARTITION");
    same("SELECT year, replace(x, 'a', 'b') if FROM s;", "SELECT YEAR, REPLACE(X, 'a', 'b') AS IF FROM S");
}

#[test]
fn precedence() {
    expr_same("a OR b AND NOT c = d + e * -f", "A OR B AND NOT C = D + E * -F");
    expr_same("((a OR b) AND c)", "(A OR B) AND C");
    expr_same("a - (b - c) - d", "A - (B - C) - D");
    expr_same("a || b + c || d", "CONCAT(A, B + C, D)");
    expr_same("(a = b) = c", "(A = B) = C");
    expr_same("NOT (a AND b)", "NOT (A AND B)");
    expr_same("NOT NOT a", "NOT NOT A");
    expr_same("(-a)->b", "(-A)->B");
    expr_same("-(-1)", "- -1");
    expr_same("-(1)", "-(1)");
    expr_same("(-1)[2]", "(-1)[2]");
    expr_same("-(-a)", "- -A");
    expr_same("-+a", "- +A");
    expr_same("a--1\n - 2", "A - 2");
    expr_same("a BETWEEN 1 AND 2 AND b", "A BETWEEN 1 AND 2 AND B");
    expr_same("a NOT BETWEEN (b AND c) AND d", "A NOT BETWEEN (B AND C) AND D");
    expr_same("a NOT IN (1, 2) OR b IN ('x')", "A NOT IN (1, 2) OR B IN ('x')");
    expr_same("a NOT LIKE '!%%' ESCAPE '!'", "A NOT LIKE '!%%' ESCAPE '!'");
    expr_same("a IS NOT NULL AND b IS NULL", "A IS NOT NULL AND B IS NULL");
    expr_same("a IS DISTINCT FROM NULL", "A IS DISTINCT FROM NULL");
    expr_same("a is not distinct from b", "A IS NOT DISTINCT FROM B");
    expr_same("a != b", "A <> B");
    expr_same("a AT TIME ZONE 'UTC'", "A AT TIME ZONE 'UTC'");
    expr_same("x[1][y->z]->w['k']", "X[1][Y->Z]->W['k']");
}

#[test]
fn constants() {
    let literal = |text: &str| match parse_expression(text).unwrap().kind {
        ExprKind::Literal(literal) => literal,
        other => panic!("{other:?}"),
    };
    assert_eq!(literal("2147483647"), Literal::Integer(i32::MAX));
    assert_eq!(literal("2147483648"), Literal::BigInt(2_147_483_648));
    assert_eq!(literal("-2147483648"), Literal::Integer(i32::MIN));
    assert_eq!(literal("-9223372036854775808"), Literal::BigInt(i64::MIN));
    assert!(parse_expression("9223372036854775808").unwrap_err().message.contains("BIGINT"));
    assert_eq!(literal(".50"), Literal::Decimal(".50".into()));
    assert_eq!(literal("-1.5"), Literal::Decimal("-1.5".into()));
    assert_eq!(literal("DECIMAL '12'"), Literal::Decimal("12".into()));
    expr_same("DECIMAL '12'", "DECIMAL '12'");
    expr_same("DECIMAL '-1.5'", "-1.5");
    assert_eq!(literal("1.5E2"), Literal::Double(Double(150.0)));
    assert_eq!(literal("4.9e-324"), Literal::Double(Double(4.9e-324)));
    expr_same("-1e3", "-1E3");
    assert!(parse_expression("1e999").unwrap_err().message.contains("DOUBLE"));
    assert_eq!(literal("'it''s \\ \n ok'"), Literal::String("it's \\ \n ok".into()));
    assert_eq!(literal("''"), Literal::String(String::new()));
    assert_eq!(literal("tRue"), Literal::Boolean(true));
    assert_eq!(literal("null"), Literal::Null);
}

#[test]
fn calls_constructors_and_lambdas() {
    expr_same("count(*)", "COUNT(*)");
    expr_same("now()", "NOW()");
    expr_same("dateadd(days, 5, d)", "DATEADD(DAYS, 5, D)");
    expr_same("array[1, a, array[]]", "ARRAY[1, A, ARRAY[]]");
    expr_same("map('k' := 1, x := y)", "MAP('k' := 1, X := Y)");
    expr_same("struct(a := 1, `b` := struct())", "STRUCT(A := 1, `b` := STRUCT())");
    expr_same("reduce(m, 0, (s, k, v) => s + v)", "REDUCE(M, 0, (S, K, V) => S + V)");
    expr_same("transform(a, x => x > 1 OR y)", "TRANSFORM(A, X => X > 1 OR Y)");
    expr_same("f((a), (a + b) * c, (x) => x)", "F(A, (A + B) * C, X => X)");
    expr_same("cast(a + 1 as decimal(4, 2))", "CAST(A + 1 AS DECIMAL(4, 2))");
    expr_same("case when a then 1 when b then 2 end", "CASE WHEN A THEN 1 WHEN B THEN 2 END");
    expr_same("case x when 1 then 'a' else 'b' end", "CASE X WHEN 1 THEN 'a' ELSE 'b' END");
    // In quotes these are plain names.
    expr_same("`ARRAY`[1]", "`ARRAY`[1]");
    expr_same("`MAP`(1)", "`MAP`(1)");
}

#[test]
fn types() {
    let shown = |text: &str| parse_type(text).unwrap().to_string();
    assert_eq!(shown("int"), "INTEGER");
    assert_eq!(shown("varchar"), "STRING");
    assert_eq!(shown("varchar(string)"), "STRING");
    assert_eq!(shown("map<string, array<struct<a int, `b` decimal(3,1)>>>"), "MAP<STRING, ARRAY<STRUCT<A INTEGER, `b` DECIMAL(3, 1)>>>");
    assert_eq!(shown("int array"), "ARRAY<INTEGER>");
    assert_eq!(shown("struct<>"), "STRUCT< >");
    assert_eq!(shown("struct< >"), "STRUCT< >");
    assert_eq!(shown("address"), "ADDRESS");
    assert_eq!(shown("`INTEGER`"), "`INTEGER`");
    assert!(parse_type("varchar(10)").unwrap_err().message.contains("takes no parameters"));
    assert!(parse_type("decimal").unwrap_err().message.contains("expected \"(\""));
}

#[test]
fn schemas() {
    let text = "`A` INTEGER KEY, `b` ARRAY<STRUCT<KEY STRING, VALUE BYTES>> HEADERS, c BYTES HEADER('k'), d INT PRIMARY KEY, e DATE";
    let columns = parse_schema(text).unwrap();
    assert_eq!(parse_schema(&format!("({text})")).unwrap(), columns);
    let constraints: Vec<_> = columns.iter().map(|c| c.constraint.clone()).collect();
    use ColumnConstraint::*;
    assert_eq!(constraints, [Some(Key), Some(Headers), Some(Header("k".into())), Some(PrimaryKey), None]);
    assert_eq!(parse_schema(" ").unwrap(), []);
}

#[test]
fn windows_and_clauses() {
    same(
        "select k, count(*) from s window w tumbling (size 1 minute, retention 2 hours, grace period 5 seconds) where x > 1 \
         group by (k, l) having count(*) > 1 emit final limit 3;",
        "SELECT K, COUNT(*) FROM S WINDOW W TUMBLING (SIZE 1 MINUTES, RETENTION 2 HOURS, GRACE PERIOD 5 SECONDS) WHERE X > 1 \
         GROUP BY K, L HAVING COUNT(*) > 1 EMIT FINAL LIMIT 3",
    );
    same(
        "SELECT * FROM s WINDOW HOPPING (SIZE 30 SECONDS, ADVANCE BY 10 SECONDS) GROUP BY (a) + 1, b;",
        "SELECT * FROM S WINDOW HOPPING (SIZE 30 SECONDS, ADVANCE BY 10 SECONDS) GROUP BY A + 1, B",
    );
    same("SELECT * FROM s WINDOW session SESSION (1 DAY);", "SELECT * FROM S WINDOW SESSION SESSION (1 DAYS)");
    same(
        "SELECT a.*, b.x FROM a INNER JOIN b WITHIN 5 MINUTES ON a.i = b.i FULL JOIN c ON a.i = c.i RIGHT JOIN d ON TRUE PARTITION BY (x, y);",
        "SELECT A.*, B.X FROM A JOIN B WITHIN 5 MINUTES ON A.I = B.I FULL JOIN C ON A.I = C.I RIGHT JOIN D ON TRUE PARTITION BY X, Y",
    );
    same("SELECT a->b->*, (x)->*, m['k']->* FROM s;", "SELECT A->B->*, X->*, M['k']->* FROM S");
}

#[test]
fn every_other_statement() {
    for text in [
        "CREATE OR REPLACE SOURCE TABLE IF NOT EXISTS T (K STRING PRIMARY KEY) WITH (KAFKA_TOPIC='t', PARTITIONS=3, WRAP_SINGLE_VALUE=TRUE)",
        "CREATE STREAM S WITH (KAFKA_TOPIC='t')",
        "CREATE OR REPLACE STREAM IF NOT EXISTS S WITH (FORMAT='JSON') AS SELECT * FROM T",
        "CREATE TABLE T AS SELECT K, COUNT(*) AS N FROM S GROUP BY K",
        "INSERT INTO S SELECT * FROM T",
        "INSERT INTO S WITH (QUERY_ID='q') SELECT * FROM T",
        "INSERT INTO S (A, `b`) VALUES (1, UNIX_TIMESTAMP())",
        "INSERT INTO S VALUES (NULL)",
        "DROP STREAM IF EXISTS S DELETE TOPIC",
        "DROP TABLE T",
        "ALTER STREAM S ADD COLUMN A INTEGER, ADD COLUMN B ARRAY<STRING>",
        "CREATE TYPE IF NOT EXISTS ADDRESS AS STRUCT<STREET STRING>",
        "DROP TYPE IF EXISTS ADDRESS",
        "TERMINATE ALL",
        "TERMINATE CSAS_X_1",
        "TERMINATE `transient_X_9`",
        "PAUSE Q_1",
        "RESUME ALL",
        "ALTER SYSTEM 'p'='it''s'",
        "PRINT `my.topic` FROM BEGINNING INTERVAL 2 LIMIT 3",
        "EXPLAIN CSAS_X_1",
        "EXPLAIN SELECT * FROM S EMIT CHANGES",
        "EXPLAIN CREATE STREAM A AS SELECT * FROM S",
        "DESCRIBE S EXTENDED",
        "DESCRIBE STREAMS EXTENDED",
        "DESCRIBE TABLES",
        "DESCRIBE FUNCTION ABS",
        "DESCRIBE CONNECTOR C",
        "LIST TOPICS",
        "LIST ALL TOPICS EXTENDED",
        "LIST STREAMS EXTENDED",
        "LIST TABLES",
        "LIST QUERIES EXTENDED",
        "LIST FUNCTIONS",
        "LIST PROPERTIES",
        "LIST TYPES",
        "LIST VARIABLES",
        "LIST CONNECTORS",
        "LIST SOURCE CONNECTORS",
        "LIST SINK CONNECTORS",
        "LIST CONNECTOR PLUGINS",
        "SET 'auto.offset.reset'='earliest'",
        "UNSET 'auto.offset.reset'",
        "DEFINE V='x'",
        "UNDEFINE V",
        "CREATE SOURCE CONNECTOR IF NOT EXISTS C WITH (`connector.class`='x')",
        "CREATE SINK CONNECTOR C WITH (TOPICS='x')",
        "DROP CONNECTOR IF EXISTS C",
        "ASSERT TOPIC `t` WITH (PARTITIONS=1, REPLICAS=1) TIMEOUT 10 SECONDS",
        "ASSERT NOT EXISTS TOPIC `t`",
        "ASSERT SCHEMA SUBJECT `t-value` ID 3 TIMEOUT 1 MINUTES",
        "ASSERT NOT EXISTS SCHEMA ID 3",
        "ASSERT VALUES S (A, B) VALUES (1, 'x')",
        "ASSERT NULL VALUES T (K) KEY ('x')",
        "ASSERT STREAM S (A INTEGER) WITH (FORMAT='JSON')",
        "ASSERT TABLE T",
        "RUN SCRIPT 'f.sql'",
    ] {
        let statement = one(text);
        // Property names are words of the language in some cases and are quoted then.
        assert_eq!(statement.to_string().replace("`TOPICS`=", "TOPICS="), text);
        assert_eq!(one(&statement.to_string()), statement);
    }
}

#[test]
fn other_spellings() {
    same("SHOW STREAMS", "LIST STREAMS");
    same("PRINT 'Topic' SAMPLE 2", "PRINT `Topic` INTERVAL 2");
    same("PRINT myTopic", "PRINT `myTopic`");
    same("ALTER TABLE t ADD a INT", "ALTER TABLE T ADD COLUMN A INTEGER");
    same("CREATE SINK CONNECTOR c WITH ('a.b'='1', \"c.d\"=2)", "CREATE SINK CONNECTOR C WITH (`a.b`='1', `c.d`=2)");
    same("ASSERT SCHEMA SUBJECT 'x-key'", "ASSERT SCHEMA SUBJECT `x-key`");
}
