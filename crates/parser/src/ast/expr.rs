//! Expressions as written.

use std::hash::{Hash, Hasher};

use super::name::Ident;
use super::types::DataType;
use crate::span::Span;

/// An expression and where it was written. Parentheses leave no node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it was written, without enclosing parentheses.
    pub span: Span,
}

/// The forms of an expression.
///
/// `a || b || c` is the function call `CONCAT(a, b, c)`; a sign in front of a number belongs to the literal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ExprKind {
    /// A constant.
    Literal(Literal),
    /// `name` or `source.name`; also a variable of an enclosing lambda, which the parser does not resolve.
    Column {
        /// The source's name or alias, if given.
        source: Option<Ident>,
        /// The column's name.
        name: Ident,
    },
    /// `left op right` on numbers (`+` joins strings too).
    Arithmetic {
        /// Which operation.
        op: ArithmeticOp,
        /// Left operand.
        left: Box<Expr>,
        /// Right operand.
        right: Box<Expr>,
    },
    /// `left op right`; not associative.
    Comparison {
        /// Which comparison.
        op: ComparisonOp,
        /// Left operand.
        left: Box<Expr>,
        /// Right operand.
        right: Box<Expr>,
    },
    /// `left AND right`, `left OR right`.
    Logical {
        /// AND or OR.
        op: LogicalOp,
        /// Left operand.
        left: Box<Expr>,
        /// Right operand.
        right: Box<Expr>,
    },
    /// `NOT operand`
    Not(Box<Expr>),
    /// `+operand`, `-operand`
    Unary {
        /// The sign.
        sign: Sign,
        /// What it stands before.
        operand: Box<Expr>,
    },
    /// `operand IS [NOT] NULL`
    IsNull {
        /// What is tested.
        operand: Box<Expr>,
        /// With NOT.
        negated: bool,
    },
    /// `operand [NOT] BETWEEN low AND high`; negated it is the NOT of the plain form.
    Between {
        /// What is tested.
        operand: Box<Expr>,
        /// With NOT.
        negated: bool,
        /// Lower bound, inclusive.
        low: Box<Expr>,
        /// Upper bound, inclusive.
        high: Box<Expr>,
    },
    /// `operand [NOT] IN (list)`; negated it is the NOT of the plain form. The list is not empty.
    InList {
        /// What is looked for.
        operand: Box<Expr>,
        /// With NOT.
        negated: bool,
        /// The values.
        list: Vec<Expr>,
    },
    /// `operand [NOT] LIKE pattern [ESCAPE 'c']`; negated it is the NOT of the plain form.
    Like {
        /// What is matched.
        operand: Box<Expr>,
        /// With NOT.
        negated: bool,
        /// The pattern: `%` any run, `_` one character.
        pattern: Box<Expr>,
        /// The escape character, if given.
        escape: Option<char>,
    },
    /// `CASE WHEN c THEN r … [ELSE d] END`
    SearchedCase {
        /// The branches in order; at least one.
        branches: Vec<WhenClause>,
        /// The ELSE part.
        default: Option<Box<Expr>>,
    },
    /// `CASE operand WHEN v THEN r … [ELSE d] END`
    SimpleCase {
        /// What is compared with each value.
        operand: Box<Expr>,
        /// The branches in order; at least one.
        branches: Vec<WhenClause>,
        /// The ELSE part.
        default: Option<Box<Expr>>,
    },
    /// `CAST(operand AS type)`
    Cast {
        /// What is converted.
        operand: Box<Expr>,
        /// Its new type.
        data_type: DataType,
    },
    /// `base[index]` of an array or a map
    Subscript {
        /// The array or map.
        base: Box<Expr>,
        /// The position or key.
        index: Box<Expr>,
    },
    /// `base->field`
    StructDeref {
        /// The struct.
        base: Box<Expr>,
        /// The field's name.
        field: Ident,
    },
    /// `NAME(args)`
    Function(FunctionCall),
    /// `x => body`, `(x, y) => body`; only as an argument of a function.
    Lambda {
        /// The parameters; at least one.
        params: Vec<Ident>,
        /// The body, which may use them as columns without a source.
        body: Box<Expr>,
    },
    /// `ARRAY[…]`
    Array(Vec<Expr>),
    /// `MAP(k := v, …)`
    Map(Vec<(Expr, Expr)>),
    /// `STRUCT(name := v, …)`
    Struct(Vec<(Ident, Expr)>),
    /// `operand AT TIME ZONE 'zone'`
    AtTimeZone {
        /// The moment.
        operand: Box<Expr>,
        /// The zone's name.
        zone: String,
    },
    /// A time unit as an argument of a function, as in `DATEADD(DAYS, 1, d)`.
    TimeUnit(TimeUnit),
}

/// A constant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Literal {
    /// `NULL`
    Null,
    /// `TRUE`, `FALSE`
    Boolean(bool),
    /// A whole number that fits 32 bits.
    Integer(i32),
    /// A whole number that does not fit [`Integer`](Literal::Integer).
    BigInt(i64),
    /// The digits of `1.5`, `.5` or `DECIMAL '1.50'`, as written, with the sign if there is one.
    Decimal(String),
    /// `1e3`
    Double(Double),
    /// The characters of `'…'`, quotes undone.
    String(String),
}

/// The value of a double literal: finite; equal when its bits are.
#[derive(Clone, Copy, Debug)]
pub struct Double(pub f64);

impl PartialEq for Double {
    fn eq(&self, other: &Double) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}

impl Eq for Double {}

impl Hash for Double {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

/// A function call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionCall {
    /// The function's name.
    pub name: Ident,
    /// The arguments; lambdas and time units may stand only here.
    pub args: Vec<Expr>,
    /// Written as `NAME(*)`; `args` is empty then.
    pub star: bool,
}

/// One branch of a CASE.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WhenClause {
    /// The condition, or the value of a simple CASE.
    pub when: Expr,
    /// The result.
    pub then: Expr,
}

/// `+ - * / %`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArithmeticOp {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Modulo,
}

/// `= <> < <= > >=` and their null-safe kin
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ComparisonOp {
    /// `=`
    Equal,
    /// `<>`, `!=`
    NotEqual,
    /// `<`
    LessThan,
    /// `<=`
    LessThanOrEqual,
    /// `>`
    GreaterThan,
    /// `>=`
    GreaterThanOrEqual,
    /// `IS DISTINCT FROM`
    IsDistinctFrom,
    /// `IS NOT DISTINCT FROM`
    IsNotDistinctFrom,
}

/// `AND`, `OR`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LogicalOp {
    /// `AND`
    And,
    /// `OR`
    Or,
}

/// A sign before an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sign {
    /// `+`
    Plus,
    /// `-`
    Minus,
}

/// A unit of time, written in the singular or the plural.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TimeUnit {
    /// 1 ms
    Millisecond,
    /// 1,000 ms
    Second,
    /// 60 s
    Minute,
    /// 60 min
    Hour,
    /// 24 h
    Day,
    /// A calendar month: no fixed length.
    Month,
    /// A calendar year: no fixed length.
    Year,
}

impl TimeUnit {
    /// Its length in milliseconds; `None` for months and years.
    pub fn millis(self) -> Option<u64> {
        Some(match self {
            TimeUnit::Millisecond => 1,
            TimeUnit::Second => 1_000,
            TimeUnit::Minute => 60_000,
            TimeUnit::Hour => 3_600_000,
            TimeUnit::Day => 86_400_000,
            TimeUnit::Month | TimeUnit::Year => return None,
        })
    }
}
