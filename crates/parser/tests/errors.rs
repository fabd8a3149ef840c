//! What is said of texts that are not in the language.

use flumen_parser::{Limits, MAX_HEIGHT, ParseError, parse, parse_expression, parse_statement, parse_type, parse_with};

fn refused(text: &str) -> ParseError {
    match parse(text) {
        Ok(parsed) => panic!("parsed: {}", parsed.iter().map(|p| p.statement.to_string()).collect::<Vec<_>>().join(" | ")),
        Err(error) => error,
    }
}

#[test]
fn shows_the_place() {
    let error = refused("SELECT a,\n       'ü' AS ALL\nFROM s;");
    assert_eq!((error.line, error.column), (2, 15));
    assert_eq!(
        error.to_string(),
        "line 2:15: unexpected ALL: it is a reserved word, so as a name it must be quoted, `ALL`; expected an alias name\n       'ü' AS ALL\n              ^^^"
    );
}

#[test]
fn names_what_was_expected() {
    let error = refused("CREATE STREAM s (id INT) WITH kafka_topic='x';");
    assert_eq!(error.expected, ["\"(\""]);
    assert_eq!(error.message, "unexpected \"kafka_topic\"; expected \"(\"");

    let error = refused("SELECT a FROM s WHERE b IS 5;");
    assert_eq!(error.message, "unexpected \"5\"; expected NOT, NULL or DISTINCT");

    let error = refused("DROP x;");
    assert_eq!(error.expected, ["TYPE", "CONNECTOR", "STREAM", "TABLE"]);

    let error = refused("SELECT a FROM s LIMIT 5");
    assert!(error.expected.contains(&"\";\"".to_string()), "{error}");

    let error = refused("LIST STREEMS;");
    assert_eq!(error.message, "unexpected \"STREEMS\"; did you mean STREAMS?");
    assert!(error.expected.contains(&"STREAMS".to_string()));

    let error = refused("FOO BAR;");
    assert!(error.expected.contains(&"SELECT".to_string()) && error.expected.contains(&"CREATE".to_string()));
}

#[test]
fn says_what_to_do() {
    for (text, part) in [
        ("SELECT * FROM s ORDER BY a;", "ORDER BY is not in the language"),
        ("SELECT DISTINCT a FROM s;", "use GROUP BY"),
        ("SELECT * FROM s UNION ALL SELECT * FROM t;", "set operations"),
        ("SELECT * FROM s CROSS JOIN t;", "CROSS JOIN is not in the language"),
        ("SELECT * FROM (SELECT * FROM s);", "subqueries"),
        ("SELECT * FROM s WHERE a = (SELECT 1 FROM t);", "subqueries"),
        ("SELECT a = b = c FROM s;", "parentheses"),
        ("INSERT INTO s VALUES (1), (2);", "one row"),
        ("CREATE SOURCE STREAM a AS SELECT * FROM s;", "cannot be the result of a query"),
        ("CREATE STREAM a (x INT) AS SELECT * FROM s;", "exclude each other"),
        ("SELECT DATE '2020-01-01' FROM s;", "typed constant"),
        ("SELECT a LIKE 'x' ESCAPE 'ab' FROM s;", "exactly one character"),
        ("SELECT ${x} FROM s;", "DEFINE"),
        ("CREATE STREAM s WITH (format=\"JSON\");", "single quotes"),
        ("SELECT X'00' FROM s;", "letter before the quote"),
        ("SELECT größe FROM s;", "means nothing here"),
        ("SELECT 'abc FROM s;", "this string is not closed"),
        ("SELECT a FROM s; /* open", "not closed"),
        ("EXPLAIN CREATE STREAM a (x INT) WITH (y='z');", "statement with a query"),
        ("SELECT 99999999999999999999 FROM s;", "too large for BIGINT"),
        ("SELECT * FROM s WINDOW TUMBLING (SIZE 99999999999999999999 SECONDS);", "too large for a length of time"),
        ("SELECT * FROM s WINDOW TUMBLING (SIZE 5 APPLES);", "a unit of time"),
        ("SELECT a AND x -> y + 1 FROM s WHERE x => 1;", "unexpected \"=>\""),
        ("SELECT a + b->* FROM s;", "expected"),
        ("SELECT a = NOT b FROM s;", "NOT"),
    ] {
        let error = refused(text);
        assert!(error.message.contains(part), "{text}\n{error}");
    }
}

#[test]
fn parts_must_be_whole() {
    assert!(parse_expression("a b").is_err());
    assert!(parse_expression("").is_err());
    assert!(parse_type("INT, INT").is_err());
    assert!(parse_statement("LIST TYPES; LIST TOPICS;").is_err());
    assert!(parse_statement("").is_err());
    assert!(parse("").unwrap().is_empty());
    assert!(parse(" ;; -- nothing\n;").unwrap().is_empty());
}

/// Runs in a thread of half the usual stack.
fn on_a_small_stack(check: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(1024 * 1024).spawn(check).unwrap().join().unwrap();
}

#[test]
fn depth_is_limited() {
    on_a_small_stack(|| {
        let repeat = |open: &str, inner: &str, close: &str, n: usize| format!("{}{inner}{}", open.repeat(n), close.repeat(n));
        for n in [190, 201, 2_000, 20_000] {
            for (open, inner, close) in [
                ("(", "1", ")"),
                ("f(", "1", ")"),
                ("-(", "1", ")"),
                ("NOT ", "a", ""),
                ("- ", "a", ""),
                ("ARRAY[", "1", "]"),
                ("MAP(", "1", ""),
                ("CASE WHEN ", "a", ""),
                ("CAST(", "a", " AS INT)"),
                ("a[", "1", "]"),
                ("1 IN (", "1", ")"),
                ("f(x => ", "1", ")"),
                ("STRUCT(a := ", "1", ")"),
            ] {
                let result = parse_expression(&repeat(open, inner, close, n));
                match n {
                    190 => drop(result),
                    _ => {
                        let message = result.unwrap_err().message;
                        assert!(message.contains("levels"), "{open}: {message}");
                    }
                }
            }
            let result = parse_type(&repeat("ARRAY<", "INT", ">", n));
            assert_eq!(result.is_err(), n > 200);
            assert!(parse_statement(&format!("{} SELECT * FROM s", "EXPLAIN ".repeat(n))).is_err());
        }
        let deep = parse_expression(&repeat("(1 + ", "2", ")", 99)).unwrap();
        assert_eq!(parse_expression(&deep.to_string()).unwrap(), deep);
    });
}

#[test]
fn rows_of_operators_are_limited() {
    on_a_small_stack(|| {
        for link in [" + 1", " OR a", "[1]", "->a", " AT TIME ZONE 'x'"] {
            let row = |n: usize| format!("a{}", link.repeat(n));
            let longest = parse_expression(&row(MAX_HEIGHT)).unwrap();
            assert_eq!(longest.clone(), longest);
            assert_eq!(parse_expression(&longest.to_string()).unwrap(), longest);
            for n in [MAX_HEIGHT + 1, 20_000] {
                assert!(parse_expression(&row(n)).unwrap_err().message.contains("levels"), "{link}");
            }
        }
        // Side by side they do not add up.
        let many = vec!["a + 1 + 2"; 2_000].join(", ");
        assert!(parse_expression(&format!("f({many})")).is_ok());
        assert!(parse(&format!("SELECT {many}, x->y->* FROM s;")).is_ok());
        assert!(parse_expression(&vec!["a"; 2_000].join(" || ")).is_ok());
        // Nested rows do.
        let row = |inner: &str| format!("({inner}{})", " + 1".repeat(MAX_HEIGHT / 2));
        assert!(parse_expression(&row(&row("a"))).is_ok());
        assert!(parse_expression(&row(&row(&row("a")))).is_err());
    });
}

#[test]
fn size_is_limited() {
    let big = format!("SELECT '{}' FROM s;", "x".repeat(10_000_000));
    let error = refused(&big);
    assert!(error.message.contains("bytes") && error.to_string().len() < 1_000, "{error}");

    let just_fits = format!("SELECT '{}' FROM s;", "x".repeat(1_000_000));
    assert_eq!(parse(&just_fits).unwrap().len(), 1);

    let limits = Limits { max_bytes: 100, max_tokens: 5 };
    assert!(parse_with("SELECT a, b FROM s;", &limits).unwrap_err().message.contains("more than 5"));
}
