//! Makes names, constants, types and expressions.

use flumen_parser::Span;
use flumen_parser::ast::*;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

pub fn name() -> BoxedStrategy<Ident> {
    const WORDS: &[&str] = &[
        "SELECT",
        "FROM",
        "KEY",
        "ARRAY",
        "MAP",
        "STRUCT",
        "EMIT",
        "PARTITION",
        "DAY",
        "DAYS",
        "TIMESTAMP",
        "COLUMN",
        "TABLES",
        "FUNCTION",
        "IF",
        "SESSION",
        "ESCAPE",
        "GRACE",
        "HEADER",
        "DECIMAL",
        "INTEGER",
        "CHANGES",
        "CASE",
        "NOT",
        "IN",
        "TOPIC",
    ];
    prop_oneof![
        4 => "[A-Z_][A-Z0-9_@]{0,6}",
        2 => "[a-zA-Z0-9_]{1,6}",
        1 => "[ -~äß\u{1F600}]{1,6}",
        2 => prop::sample::select(WORDS).prop_map(str::to_string),
    ]
    .prop_map(Ident::new)
    .boxed()
}

pub fn text() -> BoxedStrategy<String> {
    prop_oneof![Just("it's".to_string()), "[a-z '\"`\\\\;$-]{0,8}", any::<String>()].boxed()
}

pub fn literal() -> BoxedStrategy<Literal> {
    let decimal = prop_oneof!["-?[0-9]{1,20}\\.[0-9]{0,5}", "-?\\.[0-9]{1,5}", "[+-]?[0-9]{1,5}(\\.[0-9]{1,3})?([eE]-?[0-9]{1,2})?"];
    prop_oneof![
        Just(Literal::Null),
        any::<bool>().prop_map(Literal::Boolean),
        any::<i32>().prop_map(Literal::Integer),
        (-9i32..100).prop_map(Literal::Integer),
        any::<i64>().prop_map(|v| i32::try_from(v).map_or(Literal::BigInt(v), Literal::Integer)),
        decimal.prop_map(Literal::Decimal),
        any::<f64>().prop_map(|v| Literal::Double(Double(if v.is_finite() { v } else { -0.0 }))),
        text().prop_map(Literal::String),
    ]
    .boxed()
}

pub fn data_type() -> BoxedStrategy<DataType> {
    let leaf = prop_oneof![
        Just(DataTypeKind::Boolean),
        Just(DataTypeKind::Integer),
        Just(DataTypeKind::BigInt),
        Just(DataTypeKind::Double),
        Just(DataTypeKind::String),
        Just(DataTypeKind::Bytes),
        Just(DataTypeKind::Time),
        Just(DataTypeKind::Date),
        Just(DataTypeKind::Timestamp),
        (any::<u32>(), any::<u32>()).prop_map(|(precision, scale)| DataTypeKind::Decimal { precision, scale }),
        name().prop_map(DataTypeKind::Custom),
    ];
    let typed = |kind| DataType { kind, span: Span::default() };
    leaf.prop_map(typed)
        .prop_recursive(4, 16, 3, move |inner| {
            prop_oneof![
                inner.clone().prop_map(|t| DataTypeKind::Array(Box::new(t))),
                (inner.clone(), inner.clone()).prop_map(|(k, v)| DataTypeKind::Map(Box::new(k), Box::new(v))),
                vec((name(), inner).prop_map(|(name, data_type)| StructField { name, data_type }), 0..4).prop_map(DataTypeKind::Struct),
            ]
            .prop_map(typed)
        })
        .boxed()
}

fn node(kind: ExprKind) -> Expr {
    Expr { kind, span: Span::default() }
}

pub fn expr() -> BoxedStrategy<Expr> {
    let leaf = prop_oneof![
        literal().prop_map(ExprKind::Literal),
        (option::of(name()), name()).prop_map(|(source, name)| ExprKind::Column { source, name }),
    ];
    leaf.prop_map(node).prop_recursive(6, 48, 4, |inner| prop_oneof![operators(inner.clone()), forms(inner)].prop_map(node)).boxed()
}

fn operators(inner: BoxedStrategy<Expr>) -> BoxedStrategy<ExprKind> {
    let one = inner.clone().prop_map(Box::new);
    let arithmetic = prop::sample::select(vec![
        ArithmeticOp::Add,
        ArithmeticOp::Subtract,
        ArithmeticOp::Multiply,
        ArithmeticOp::Divide,
        ArithmeticOp::Modulo,
    ]);
    let comparison = prop::sample::select(vec![
        ComparisonOp::Equal,
        ComparisonOp::NotEqual,
        ComparisonOp::LessThan,
        ComparisonOp::LessThanOrEqual,
        ComparisonOp::GreaterThan,
        ComparisonOp::GreaterThanOrEqual,
        ComparisonOp::IsDistinctFrom,
        ComparisonOp::IsNotDistinctFrom,
    ]);
    let logical = prop::sample::select(vec![LogicalOp::And, LogicalOp::Or]);
    let sign = prop::sample::select(vec![Sign::Plus, Sign::Minus]);
    prop_oneof![
        (arithmetic, one.clone(), one.clone()).prop_map(|(op, left, right)| ExprKind::Arithmetic { op, left, right }),
        (comparison, one.clone(), one.clone()).prop_map(|(op, left, right)| ExprKind::Comparison { op, left, right }),
        (logical, one.clone(), one.clone()).prop_map(|(op, left, right)| ExprKind::Logical { op, left, right }),
        one.clone().prop_map(ExprKind::Not),
        (sign, one.clone()).prop_map(|(sign, operand)| ExprKind::Unary { sign, operand }),
        (one.clone(), any::<bool>()).prop_map(|(operand, negated)| ExprKind::IsNull { operand, negated }),
        (one.clone(), any::<bool>(), one.clone(), one.clone()).prop_map(|(operand, negated, low, high)| ExprKind::Between {
            operand,
            negated,
            low,
            high
        }),
        (one.clone(), any::<bool>(), vec(inner, 1..4)).prop_map(|(operand, negated, list)| ExprKind::InList { operand, negated, list }),
        (one.clone(), any::<bool>(), one.clone(), option::of(any::<char>()))
            .prop_map(|(operand, negated, pattern, escape)| ExprKind::Like { operand, negated, pattern, escape }),
        (one, text()).prop_map(|(operand, zone)| ExprKind::AtTimeZone { operand, zone }),
    ]
    .boxed()
}

fn forms(inner: BoxedStrategy<Expr>) -> BoxedStrategy<ExprKind> {
    let one = inner.clone().prop_map(Box::new);
    let branches = vec((inner.clone(), inner.clone()).prop_map(|(when, then)| WhenClause { when, then }), 1..3);
    let unit = prop::sample::select(vec![
        TimeUnit::Millisecond,
        TimeUnit::Second,
        TimeUnit::Minute,
        TimeUnit::Hour,
        TimeUnit::Day,
        TimeUnit::Month,
        TimeUnit::Year,
    ]);
    let argument = prop_oneof![
        4 => inner.clone(),
        1 => (vec(name(), 1..4), one.clone()).prop_map(|(params, body)| node(ExprKind::Lambda { params, body })),
        1 => unit.prop_map(|u| node(ExprKind::TimeUnit(u))),
    ];
    prop_oneof![
        (branches.clone(), option::of(one.clone())).prop_map(|(branches, default)| ExprKind::SearchedCase { branches, default }),
        (one.clone(), branches, option::of(one.clone())).prop_map(|(operand, branches, default)| ExprKind::SimpleCase {
            operand,
            branches,
            default
        }),
        (one.clone(), data_type()).prop_map(|(operand, data_type)| ExprKind::Cast { operand, data_type }),
        (one.clone(), one.clone()).prop_map(|(base, index)| ExprKind::Subscript { base, index }),
        (one, name()).prop_map(|(base, field)| ExprKind::StructDeref { base, field }),
        (name(), vec(argument, 0..4)).prop_map(|(name, args)| ExprKind::Function(FunctionCall { name, args, star: false })),
        name().prop_map(|name| ExprKind::Function(FunctionCall { name, args: vec![], star: true })),
        vec(inner.clone(), 0..4).prop_map(ExprKind::Array),
        vec((inner.clone(), inner.clone()), 0..3).prop_map(ExprKind::Map),
        vec((name(), inner), 0..3).prop_map(ExprKind::Struct),
    ]
    .boxed()
}
