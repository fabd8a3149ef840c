//! The typed expression tree that planners build, plans persist and the evaluator compiles.

mod display;
mod stored;
mod walk;

use std::fmt;

use flumen_types::{SqlType, Value};
use serde::{Deserialize, Serialize};

/// A typed expression. Every operand already has the type its operator needs: conversions are explicit [`Expr::Cast`]s.
///
/// Built by the functions of [`crate::build`], which apply the typing rules. Stored as a flat list of nodes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(into = "Vec<stored::Stored>", try_from = "Vec<stored::Stored>")]
pub enum Expr {
    /// A column of the operator's input, by position.
    Column {
        /// Position among the input columns.
        index: u32,
        /// Name, for display only.
        name: String,
        /// Type.
        ty: SqlType,
    },
    /// The NULL literal before a coercion gave it a type.
    Null,
    /// A constant; also a typed NULL.
    Literal {
        /// The value.
        value: Value,
        /// Its type.
        ty: SqlType,
    },
    /// A bare interval unit, as a function argument.
    Unit {
        /// The unit.
        unit: IntervalUnit,
    },
    /// `left op right` on two numbers of the same type (decimals of any precision and scale), or STRING + STRING.
    Arithmetic {
        /// Which operation.
        op: ArithmeticOp,
        /// Left operand.
        left: Box<Expr>,
        /// Right operand.
        right: Box<Expr>,
        /// Result type.
        ty: SqlType,
    },
    /// `-operand`
    Negate {
        /// A number.
        operand: Box<Expr>,
    },
    /// `left op right`, both of the same type (decimals of any precision and scale).
    Compare {
        /// Which comparison.
        op: CompareOp,
        /// Left operand.
        left: Box<Expr>,
        /// Right operand.
        right: Box<Expr>,
    },
    /// `left AND right`, `left OR right`; the right side is evaluated only where it decides.
    Logical {
        /// AND or OR.
        op: LogicalOp,
        /// Left operand.
        left: Box<Expr>,
        /// Right operand.
        right: Box<Expr>,
    },
    /// `NOT operand`
    Not {
        /// A BOOLEAN.
        operand: Box<Expr>,
    },
    /// `operand IS [NOT] NULL`
    IsNull {
        /// What is tested.
        operand: Box<Expr>,
        /// With NOT.
        negated: bool,
    },
    /// `operand [NOT] BETWEEN low AND high`, all of one type.
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
    /// `operand [NOT] IN (list)`, all of one type.
    In {
        /// What is looked for.
        operand: Box<Expr>,
        /// With NOT.
        negated: bool,
        /// The values.
        list: Vec<Expr>,
    },
    /// `operand [NOT] LIKE pattern [ESCAPE 'c']` on STRINGs.
    Like {
        /// What is matched.
        operand: Box<Expr>,
        /// With NOT.
        negated: bool,
        /// `%` any run, `_` one character.
        pattern: Box<Expr>,
        /// The escape character.
        escape: Option<char>,
    },
    /// `CASE WHEN … THEN … [ELSE …] END`
    Case {
        /// The branches in order.
        branches: Vec<Branch>,
        /// The ELSE part.
        otherwise: Option<Box<Expr>>,
        /// Type of every result.
        ty: SqlType,
    },
    /// `CAST(operand AS ty)`
    Cast {
        /// What is converted.
        operand: Box<Expr>,
        /// Its new type.
        ty: SqlType,
    },
    /// `base[index]`: ARRAY by BIGINT position, MAP by key.
    Subscript {
        /// The array or map.
        base: Box<Expr>,
        /// Position or key.
        index: Box<Expr>,
        /// Type of the element.
        ty: SqlType,
    },
    /// `base->name`
    Field {
        /// The struct.
        base: Box<Expr>,
        /// Position among the struct's fields.
        index: u32,
        /// The field's name.
        name: String,
        /// The field's type.
        ty: SqlType,
    },
    /// `ARRAY[…]`
    Array {
        /// The elements, all of the element type.
        items: Vec<Expr>,
        /// The array's type.
        ty: SqlType,
    },
    /// `MAP(k := v, …)`
    Map {
        /// Keys and values, of the map's types.
        entries: Vec<(Expr, Expr)>,
        /// The map's type.
        ty: SqlType,
    },
    /// `STRUCT(f := v, …)`
    Struct {
        /// The values in the order of the type's fields.
        values: Vec<Expr>,
        /// The struct's type.
        ty: SqlType,
    },
    /// A call of a registered function; the arguments have exactly the types of one of its overloads.
    Call {
        /// Upper-case name.
        function: String,
        /// The arguments.
        args: Vec<Expr>,
        /// Return type.
        ty: SqlType,
    },
    /// `(x, y) => body`, only as an argument of a call.
    Lambda {
        /// The parameters.
        params: Vec<LambdaParam>,
        /// The body.
        body: Box<Expr>,
    },
    /// A parameter of an enclosing lambda.
    Variable {
        /// [`LambdaParam::id`].
        id: u32,
        /// Name, for display only.
        name: String,
        /// Type.
        ty: SqlType,
    },
}

/// One `WHEN … THEN …`.
#[derive(Debug, Clone, PartialEq)]
pub struct Branch {
    /// A BOOLEAN.
    pub when: Expr,
    /// The result where it is the first that holds.
    pub then: Expr,
}

/// A parameter of a lambda.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LambdaParam {
    /// Unlike that of every enclosing lambda's parameters: the number of parameters in scope outside it, counted on.
    pub id: u32,
    /// Name, for display only.
    pub name: String,
    /// Type.
    pub ty: SqlType,
}

/// `+ - * / %`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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
    Remainder,
}

/// The comparison operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CompareOp {
    /// `=`
    Eq,
    /// `<>`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `IS DISTINCT FROM`
    DistinctFrom,
    /// `IS NOT DISTINCT FROM`
    NotDistinctFrom,
}

/// AND, OR.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogicalOp {
    /// `AND`
    And,
    /// `OR`
    Or,
}

/// The units of interval arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IntervalUnit {
    /// 1 ms
    Milliseconds,
    /// 1,000 ms
    Seconds,
    /// 60,000 ms
    Minutes,
    /// 3,600,000 ms
    Hours,
    /// 86,400,000 ms
    Days,
}

impl IntervalUnit {
    /// Length in milliseconds.
    pub fn millis(self) -> i64 {
        match self {
            IntervalUnit::Milliseconds => 1,
            IntervalUnit::Seconds => 1_000,
            IntervalUnit::Minutes => 60_000,
            IntervalUnit::Hours => 3_600_000,
            IntervalUnit::Days => 86_400_000,
        }
    }

    /// The keyword in upper case, plural: what a function receives as the text of its unit argument.
    pub fn name(self) -> &'static str {
        match self {
            IntervalUnit::Milliseconds => "MILLISECONDS",
            IntervalUnit::Seconds => "SECONDS",
            IntervalUnit::Minutes => "MINUTES",
            IntervalUnit::Hours => "HOURS",
            IntervalUnit::Days => "DAYS",
        }
    }

    /// The unit of a keyword, singular or plural, any case.
    pub fn from_name(name: &str) -> Option<IntervalUnit> {
        let upper = name.to_ascii_uppercase();
        let all = [Self::Milliseconds, Self::Seconds, Self::Minutes, Self::Hours, Self::Days];
        all.into_iter().find(|u| u.name() == upper || u.name().strip_suffix('S') == Some(&upper))
    }
}

impl fmt::Display for IntervalUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Expr {
    /// The type of the value. A lambda's is that of its body; the untyped [`Expr::Null`] and units show as STRING.
    pub fn ty(&self) -> &SqlType {
        static BOOLEAN: SqlType = SqlType::Boolean;
        static STRING: SqlType = SqlType::String;
        match self {
            Expr::Column { ty, .. }
            | Expr::Literal { ty, .. }
            | Expr::Arithmetic { ty, .. }
            | Expr::Case { ty, .. }
            | Expr::Cast { ty, .. }
            | Expr::Subscript { ty, .. }
            | Expr::Field { ty, .. }
            | Expr::Array { ty, .. }
            | Expr::Map { ty, .. }
            | Expr::Struct { ty, .. }
            | Expr::Call { ty, .. }
            | Expr::Variable { ty, .. } => ty,
            Expr::Negate { operand } => operand.ty(),
            Expr::Lambda { body, .. } => body.ty(),
            Expr::Compare { .. }
            | Expr::Logical { .. }
            | Expr::Not { .. }
            | Expr::IsNull { .. }
            | Expr::Between { .. }
            | Expr::In { .. }
            | Expr::Like { .. } => &BOOLEAN,
            Expr::Null | Expr::Unit { .. } => &STRING,
        }
    }

    /// A column of the input.
    pub fn column(index: u32, name: impl Into<String>, ty: SqlType) -> Expr {
        Expr::Column { index, name: name.into(), ty }
    }

    /// A constant of a type; the pair is trusted.
    pub fn literal(value: Value, ty: SqlType) -> Expr {
        Expr::Literal { value, ty }
    }

    /// True for the NULL literal, typed or not.
    pub fn is_null_literal(&self) -> bool {
        matches!(self, Expr::Null | Expr::Literal { value: Value::Null, .. })
    }
}
