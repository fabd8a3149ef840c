//! Walking and rewriting expressions.

use std::collections::BTreeSet;

use super::{Branch, Expr};

impl Expr {
    /// The direct parts in evaluation order.
    pub fn children(&self) -> Vec<&Expr> {
        match self {
            Expr::Column { .. } | Expr::Null | Expr::Literal { .. } | Expr::Unit { .. } | Expr::Variable { .. } => vec![],
            Expr::Arithmetic { left, right, .. } | Expr::Compare { left, right, .. } | Expr::Logical { left, right, .. } => {
                vec![left, right]
            }
            Expr::Negate { operand } | Expr::Not { operand } | Expr::IsNull { operand, .. } | Expr::Cast { operand, .. } => {
                vec![operand]
            }
            Expr::Between { operand, low, high, .. } => vec![operand, low, high],
            Expr::In { operand, list, .. } => std::iter::once(operand.as_ref()).chain(list).collect(),
            Expr::Like { operand, pattern, .. } => vec![operand, pattern],
            Expr::Case { branches, otherwise, .. } => {
                branches.iter().flat_map(|b| [&b.when, &b.then]).chain(otherwise.as_deref()).collect()
            }
            Expr::Subscript { base, index, .. } => vec![base, index],
            Expr::Field { base, .. } => vec![base],
            Expr::Array { items, .. } => items.iter().collect(),
            Expr::Map { entries, .. } => entries.iter().flat_map(|(k, v)| [k, v]).collect(),
            Expr::Struct { values, .. } => values.iter().collect(),
            Expr::Call { args, .. } => args.iter().collect(),
            Expr::Lambda { body, .. } => vec![body],
        }
    }

    /// Calls `see` on this expression and then on all below it.
    pub fn visit(&self, see: &mut impl FnMut(&Expr)) {
        see(self);
        for child in self.children() {
            child.visit(see);
        }
    }

    /// Rebuilds the tree from the leaves up: every node, its parts rewritten, goes through `change`.
    pub fn rewrite<E>(self, change: &mut impl FnMut(Expr) -> Result<Expr, E>) -> Result<Expr, E> {
        let rewritten = self.rewrite_children(change)?;
        change(rewritten)
    }

    fn rewrite_children<E>(self, change: &mut impl FnMut(Expr) -> Result<Expr, E>) -> Result<Expr, E> {
        let mut one = |e: Expr| e.rewrite(change);
        let mut boxed = |e: Box<Expr>| one(*e).map(Box::new);
        Ok(match self {
            leaf @ (Expr::Column { .. } | Expr::Null | Expr::Literal { .. } | Expr::Unit { .. } | Expr::Variable { .. }) => leaf,
            Expr::Arithmetic { op, left, right, ty } => Expr::Arithmetic { op, left: boxed(left)?, right: boxed(right)?, ty },
            Expr::Negate { operand } => Expr::Negate { operand: boxed(operand)? },
            Expr::Compare { op, left, right } => Expr::Compare { op, left: boxed(left)?, right: boxed(right)? },
            Expr::Logical { op, left, right } => Expr::Logical { op, left: boxed(left)?, right: boxed(right)? },
            Expr::Not { operand } => Expr::Not { operand: boxed(operand)? },
            Expr::IsNull { operand, negated } => Expr::IsNull { operand: boxed(operand)?, negated },
            Expr::Between { operand, negated, low, high } => {
                Expr::Between { operand: boxed(operand)?, negated, low: boxed(low)?, high: boxed(high)? }
            }
            Expr::In { operand, negated, list } => {
                let operand = boxed(operand)?;
                Expr::In { operand, negated, list: list.into_iter().map(one).collect::<Result<_, _>>()? }
            }
            Expr::Like { operand, negated, pattern, escape } => {
                Expr::Like { operand: boxed(operand)?, negated, pattern: boxed(pattern)?, escape }
            }
            Expr::Case { branches, otherwise, ty } => {
                let branch = |b: Branch| Ok(Branch { when: one(b.when)?, then: one(b.then)? });
                let branches = branches.into_iter().map(branch).collect::<Result<_, E>>()?;
                Expr::Case { branches, otherwise: otherwise.map(|e| one(*e).map(Box::new)).transpose()?, ty }
            }
            Expr::Cast { operand, ty } => Expr::Cast { operand: boxed(operand)?, ty },
            Expr::Subscript { base, index, ty } => Expr::Subscript { base: boxed(base)?, index: boxed(index)?, ty },
            Expr::Field { base, index, name, ty } => Expr::Field { base: boxed(base)?, index, name, ty },
            Expr::Array { items, ty } => Expr::Array { items: items.into_iter().map(one).collect::<Result<_, _>>()?, ty },
            Expr::Map { entries, ty } => {
                let entry = |(k, v)| Ok((one(k)?, one(v)?));
                Expr::Map { entries: entries.into_iter().map(entry).collect::<Result<_, E>>()?, ty }
            }
            Expr::Struct { values, ty } => Expr::Struct { values: values.into_iter().map(one).collect::<Result<_, _>>()?, ty },
            Expr::Call { function, args, ty } => Expr::Call { function, args: args.into_iter().map(one).collect::<Result<_, _>>()?, ty },
            Expr::Lambda { params, body } => Expr::Lambda { params, body: boxed(body)? },
        })
    }

    /// Positions of the input columns read, ascending.
    pub fn columns_used(&self) -> BTreeSet<u32> {
        let mut used = BTreeSet::new();
        self.visit(&mut |e| {
            if let Expr::Column { index, .. } = e {
                used.insert(*index);
            }
        });
        used
    }

    /// The same expression over other column positions; `None` from `map` stops with the column's name.
    pub fn remap_columns(self, map: &mut impl FnMut(u32) -> Option<u32>) -> Result<Expr, String> {
        self.rewrite(&mut |e| match e {
            Expr::Column { index, name, ty } => match map(index) {
                Some(index) => Ok(Expr::Column { index, name, ty }),
                None => Err(name),
            },
            other => Ok(other),
        })
    }

    /// Ids of the lambda variables read that are not bound inside.
    pub fn free_variables(&self) -> BTreeSet<u32> {
        let mut free = BTreeSet::new();
        let mut bound = BTreeSet::new();
        self.visit(&mut |e| match e {
            Expr::Variable { id, .. } => drop(free.insert(*id)),
            Expr::Lambda { params, .. } => bound.extend(params.iter().map(|p| p.id)),
            _ => {}
        });
        free.difference(&bound).copied().collect()
    }
}
