//! COUNT_DISTINCT: an estimate within about 1 %, by HyperLogLog; exact up to 256 values.
//!
//! The state is a set of 64-bit hashes while it is small, then 16,384 registers (Flajolet et al., "HyperLogLog", 2007,
//! with linear counting at the low end). Hashes are persisted, so the hash function never changes.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Builder};
use flumen_expr::ExprError;
use flumen_expr::function::{AggregateFunction, BIGINT, Signature, T};

use super::cell::{Cell, load_bytes, load_count, save_bytes, save_count, take, with_cell};
use super::slots::{Kernel, Slots};
use super::{argument, argument_type};

const INDEX_BITS: u32 = 14;
const REGISTERS: usize = 1 << INDEX_BITS;
const EXACT_UP_TO: usize = 256;

pub(super) fn function() -> AggregateFunction {
    AggregateFunction::new("COUNT_DISTINCT", "About how many distinct values there are; NULLs are skipped.").composite_state().overload(
        Signature::new([T], BIGINT),
        false,
        |instance| with_cell!(argument_type(instance, 0)?, cell => Slots::boxed(CountDistinct { cell })),
    )
}

struct CountDistinct<C> {
    cell: C,
}

#[derive(Clone)]
enum Sketch {
    Exact(BTreeSet<u64>),
    Registers(Box<[u8]>),
}

impl Sketch {
    fn insert(&mut self, hash: u64) {
        match self {
            Sketch::Exact(hashes) => {
                hashes.insert(hash);
                if hashes.len() > EXACT_UP_TO {
                    let mut registers = vec![0; REGISTERS].into_boxed_slice();
                    hashes.iter().for_each(|hash| raise(&mut registers, *hash));
                    *self = Sketch::Registers(registers);
                }
            }
            Sketch::Registers(registers) => raise(registers, hash),
        }
    }

    fn estimate(&self) -> i64 {
        let registers = match self {
            Sketch::Exact(hashes) => return hashes.len() as i64,
            Sketch::Registers(registers) => registers,
        };
        let m = REGISTERS as f64;
        let sum: f64 = registers.iter().map(|r| (-f64::from(*r)).exp2()).sum();
        let raw = 0.7213 / (1.0 + 1.079 / m) * m * m / sum;
        let empty = registers.iter().filter(|r| **r == 0).count();
        let estimate = if raw <= 2.5 * m && empty > 0 { m * (m / empty as f64).ln() } else { raw };
        estimate.round() as i64
    }
}

/// Keeps the longest run of leading zeros seen in a hash's register.
fn raise(registers: &mut [u8], hash: u64) {
    let index = (hash >> (64 - INDEX_BITS)) as usize;
    let zeros = ((hash << INDEX_BITS) | (1 << (INDEX_BITS - 1))).leading_zeros() as u8 + 1;
    if let Some(register) = registers.get_mut(index) {
        *register = (*register).max(zeros);
    }
}

/// FNV-1a, its bits mixed by the finaliser of MurmurHash3.
fn hash(bytes: &[u8]) -> u64 {
    let fnv = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3));
    let mut h = fnv;
    h = (h ^ (h >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    h = (h ^ (h >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    h ^ (h >> 33)
}

impl<C: Cell> Kernel for CountDistinct<C> {
    type State = Sketch;
    type Args<'a> = C::Column<'a>;
    type Output = Int64Builder;

    fn initial(&self) -> Sketch {
        Sketch::Exact(BTreeSet::new())
    }

    fn bind<'a>(&self, args: &'a [ArrayRef]) -> Result<C::Column<'a>, ExprError> {
        self.cell.bind(argument(args, 0)?)
    }

    fn add(&self, state: &mut Sketch, column: &C::Column<'_>, row: usize, _: i64) -> Result<(), String> {
        if let Some(value) = self.cell.option(column, row) {
            let mut form = Vec::new();
            self.cell.save(&value, &mut form);
            state.insert(hash(&form));
        }
        Ok(())
    }

    fn merge(&self, into: &mut Sketch, from: Sketch) {
        match (&mut *into, from) {
            (_, Sketch::Exact(hashes)) => hashes.into_iter().for_each(|hash| into.insert(hash)),
            (Sketch::Registers(kept), Sketch::Registers(other)) => {
                kept.iter_mut().zip(other.iter()).for_each(|(a, b)| *a = (*a).max(*b));
            }
            (Sketch::Exact(hashes), mut other) => {
                hashes.iter().for_each(|hash| other.insert(*hash));
                *into = other;
            }
        }
    }

    fn save(&self, state: &Sketch, out: &mut Vec<u8>) {
        match state {
            Sketch::Exact(hashes) => {
                out.push(0);
                save_count(hashes.len(), out);
                hashes.iter().for_each(|hash| out.extend(hash.to_le_bytes()));
            }
            Sketch::Registers(registers) => {
                out.push(1);
                save_bytes(registers, out);
            }
        }
    }

    fn load(&self, bytes: &mut &[u8]) -> Option<Sketch> {
        match take::<1>(bytes)? {
            [0] => {
                let count = load_count(bytes)?;
                let hashes = (0..count).map(|_| take(bytes).map(u64::from_le_bytes));
                Some(Sketch::Exact(hashes.collect::<Option<_>>()?))
            }
            [1] => {
                let registers = load_bytes(bytes)?;
                (registers.len() == REGISTERS).then(|| Sketch::Registers(registers.into()))
            }
            _ => None,
        }
    }

    fn output(&self) -> Int64Builder {
        Int64Builder::new()
    }

    fn emit(&self, state: &Sketch, out: &mut Int64Builder) {
        out.append_value(state.estimate());
    }

    fn finish(&self, mut out: Int64Builder) -> ArrayRef {
        Arc::new(out.finish())
    }
}
