//! Any statement prints to text that parses back to an equal statement.

#[path = "round_trip/expressions.rs"]
mod expressions;
#[path = "round_trip/statements.rs"]
mod statements;

use flumen_parser::{parse, parse_expression, parse_schema, parse_statement, parse_type};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn expressions_round_trip(expr in expressions::expr()) {
        let text = expr.to_string();
        let parsed = parse_expression(&text).map_err(|e| TestCaseError::fail(e.to_string()))?;
        prop_assert_eq!(&parsed, &expr, "{}", text);
        prop_assert_eq!(parsed.span.slice(&text), &text);
    }

    #[test]
    fn types_round_trip(data_type in expressions::data_type()) {
        let text = data_type.to_string();
        let parsed = parse_type(&text).map_err(|e| TestCaseError::fail(e.to_string()))?;
        prop_assert_eq!(parsed, data_type, "{}", text);
    }

    #[test]
    fn statements_round_trip(statement in statements::statement()) {
        let text = statement.to_string();
        let parsed = parse_statement(&text).map_err(|e| TestCaseError::fail(e.to_string()))?;
        prop_assert_eq!(&parsed.statement, &statement, "{}", text);
        prop_assert_eq!(parsed.text, text);
    }

    #[test]
    fn texts_of_statements_round_trip(all in prop::collection::vec(statements::statement(), 0..5)) {
        let text: String = all.iter().map(|s| format!("/* ; */ {s}; -- ;\n")).collect();
        let parsed: Vec<_> = parse(&text).map_err(|e| TestCaseError::fail(e.to_string()))?.into_iter().map(|p| p.statement).collect();
        prop_assert_eq!(parsed, all, "{}", text);
    }

    #[test]
    fn schemas_round_trip(columns in prop::collection::vec(statements::column(), 0..6)) {
        let text = columns.iter().map(|c| c.to_string()).collect::<Vec<_>>().join(", ");
        let parsed = parse_schema(&text).map_err(|e| TestCaseError::fail(e.to_string()))?;
        prop_assert_eq!(parsed, columns, "{}", text);
    }
}
