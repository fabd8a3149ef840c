//! SQL types, values, schemas, names, time and window arithmetic, and the memcomparable key encoding.
