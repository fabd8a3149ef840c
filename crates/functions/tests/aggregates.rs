//! Every aggregate: results step by step, NULLs, taking back, merging, saving and loading.

use arrow::array::{Array, ArrayRef};
use flumen_expr::function::{Batch, Emit, Registry, Settings};
use flumen_expr::{Accumulators, AggregateCall, Expr, Failures};
use flumen_functions::aggregate;
use flumen_types::{Field, SqlType, Value, column_of, value_at};

fn int(n: i32) -> Value {
    Value::Integer(n)
}

fn long(n: i64) -> Value {
    Value::Bigint(n)
}

fn double(n: f64) -> Value {
    Value::Double(n)
}

fn dec(text: &str) -> Value {
    Value::Decimal(text.parse().unwrap())
}

fn list(items: &[Value]) -> Value {
    Value::Array(items.to_vec())
}

const NULL: Value = Value::Null;

struct Case {
    call: AggregateCall,
    columns: Vec<ArrayRef>,
    settings: Settings,
    registry: Registry,
}

/// A call over columns of values; `init` are literal arguments.
fn case(name: &str, columns: &[(SqlType, Vec<Value>)], init: &[Value]) -> Case {
    let mut registry = Registry::new();
    aggregate::register(&mut registry);
    let rows = columns.iter().enumerate().map(|(i, (ty, _))| Expr::column(i as u32, format!("C{i}"), ty.clone()));
    let literals = init.iter().map(|v| {
        let ty = if matches!(v, Value::Boolean(_)) { SqlType::Boolean } else { SqlType::Integer };
        Expr::literal(v.clone(), ty)
    });
    let call = registry.aggregate_call(name, rows.chain(literals).collect()).unwrap();
    let columns = columns.iter().map(|(ty, values)| column_of(ty, values).unwrap()).collect();
    Case { call, columns, settings: Settings::new(), registry }
}

impl Case {
    fn accumulators(&self) -> Box<dyn Accumulators> {
        self.registry.accumulators(&self.call, &self.settings).unwrap()
    }

    fn values(&self, array: &ArrayRef) -> Vec<Value> {
        assert_eq!(array.data_type(), &flumen_types::arrow_type(&self.call.ty));
        (0..array.len()).map(|i| value_at(array.as_ref(), &self.call.ty, i)).collect()
    }

    /// Applies steps of (row, slot, taken back), each one emitting.
    fn apply(&self, states: &mut dyn Accumulators, steps: &[(u32, u32, bool)]) -> (Vec<Value>, Vec<usize>) {
        let rows: Vec<u32> = steps.iter().map(|s| s.0).collect();
        let slots: Vec<u32> = steps.iter().map(|s| s.1).collect();
        let retract: Vec<bool> = steps.iter().map(|s| s.2).collect();
        let batch = Batch { args: &self.columns, rows: &rows, slots: &slots, retract: Some(&retract), emit: Emit::Every };
        let mut failures = Failures::new(steps.len());
        states.update(&batch, &mut failures).unwrap();
        (self.values(&states.take_emitted()), failures.rows().collect())
    }

    /// All rows into one slot; the result after each.
    fn run(&self) -> Vec<Value> {
        let mut states = self.accumulators();
        states.reset(1);
        let steps: Vec<_> = (0..self.columns[0].len() as u32).map(|row| (row, 0, false)).collect();
        let (values, failed) = self.apply(states.as_mut(), &steps);
        assert!(failed.is_empty());
        self.check_storage_and_merge(&values);
        values
    }

    /// A state that was saved after a part of the rows and loaded again goes on as if nothing had happened, and two
    /// merged states give what one would have.
    fn check_storage_and_merge(&self, expected: &[Value]) {
        let rows = self.columns[0].len() as u32;
        let last = expected.last().unwrap();
        for cut in 0..=rows {
            let mut first = self.accumulators();
            first.reset(1);
            let steps: Vec<_> = (0..cut).map(|row| (row, 0, false)).collect();
            self.apply(first.as_mut(), &steps);
            let mut bytes = Vec::new();
            first.save(0, &mut bytes);
            bytes.push(77);
            let mut second = self.accumulators();
            second.reset(2);
            let mut rest = bytes.as_slice();
            second.load(1, &mut rest).unwrap();
            assert_eq!(rest, [77]);
            let steps: Vec<_> = (cut..rows).map(|row| (row, 1, false)).collect();
            let (after, _) = self.apply(second.as_mut(), &steps);
            assert_eq!(after, expected[cut as usize..]);
            assert!(second.load(0, &mut [9u8; 3].as_slice()).is_err());

            let mut both = self.accumulators();
            both.reset(2);
            let steps: Vec<_> = (0..rows).map(|row| (row, u32::from(row >= cut), false)).collect();
            self.apply(both.as_mut(), &steps);
            both.merge(1, 0);
            assert_eq!(self.values(&both.results(&[0])), std::slice::from_ref(last), "merged after {cut}");
        }
    }

    /// Takes every row back again, the first one first; the results after each.
    fn taken_back(&self) -> Vec<Value> {
        let rows = self.columns[0].len() as u32;
        let mut states = self.accumulators();
        states.reset(1);
        let add = (0..rows).map(|row| (row, 0, false));
        let steps: Vec<_> = add.chain((0..rows).map(|row| (row, 0, true))).collect();
        let (values, failed) = self.apply(states.as_mut(), &steps);
        assert!(failed.is_empty());
        values[rows as usize..].to_vec()
    }
}

fn ints(values: &[Option<i32>]) -> (SqlType, Vec<Value>) {
    (SqlType::Integer, values.iter().map(|v| v.map_or(NULL, int)).collect())
}

fn texts(values: &[Option<&str>]) -> (SqlType, Vec<Value>) {
    (SqlType::String, values.iter().map(|v| v.map_or(NULL, Value::from)).collect())
}

#[test]
fn count_counts_rows_or_values() {
    let c = case("COUNT", &[ints(&[Some(1), None, Some(3)])], &[]);
    assert!(c.call.undo);
    assert_eq!(c.run(), [long(1), long(1), long(2)]);
    assert_eq!(c.taken_back(), [long(1), long(1), long(0)]);
    let all = Case { columns: c.columns.clone(), ..case("count", &[], &[]) };
    assert_eq!(all.run(), [long(1), long(2), long(3)]);
    assert_eq!(all.taken_back(), [long(2), long(1), long(0)]);
}

#[test]
fn sum_keeps_its_type() {
    let c = case("SUM", &[ints(&[Some(1), None, Some(i32::MAX)])], &[]);
    assert_eq!(c.run(), [int(1), int(1), int(i32::MIN)]);
    assert_eq!(c.taken_back(), [int(i32::MAX), int(i32::MAX), int(0)]);
    let c = case("SUM", &[(SqlType::Double, vec![double(0.5), double(1.0)])], &[]);
    assert_eq!(c.run(), [double(0.5), double(1.5)]);
    let c = case("SUM", &[(SqlType::Bigint, vec![long(5), long(-6)])], &[]);
    assert_eq!(c.run(), [long(5), long(-1)]);
}

#[test]
fn a_decimal_sum_that_does_not_fit_fails_and_stays() {
    for precision in [3, 50] {
        let ty = SqlType::decimal(precision, 1).unwrap();
        let most = "9".repeat(precision as usize - 1) + ".9";
        let c = case("SUM", &[(ty.clone(), vec![dec(&most), dec("0.1"), dec("-1.0")])], &[]);
        assert_eq!(c.call.ty, ty);
        let mut states = c.accumulators();
        states.reset(1);
        let (values, failed) = c.apply(states.as_mut(), &[(0, 0, false), (1, 0, false), (2, 0, false)]);
        assert_eq!(failed, [1]);
        assert_eq!(values[1], dec(&most));
        assert_eq!(values[2], dec(&(most[..most.len() - 3].to_string() + "8.9")));
    }
}

#[test]
fn average_of_nothing_is_zero() {
    let c = case("AVG", &[ints(&[None, Some(1), Some(2)])], &[]);
    assert_eq!(c.run(), [double(0.0), double(1.0), double(1.5)]);
    assert_eq!(c.taken_back(), [double(1.5), double(2.0), double(0.0)]);
    let wraps = case("AVG", &[ints(&[Some(i32::MAX), Some(1)])], &[]);
    assert_eq!(wraps.run()[1], double(f64::from(i32::MIN) / 2.0));
    let c = case("AVG", &[(SqlType::Bigint, vec![long(1), long(4)])], &[]);
    assert_eq!(c.run(), [double(1.0), double(2.5)]);
}

#[test]
fn extremes_of_every_ordered_type() {
    let check = |ty: SqlType, low: Value, high: Value| {
        let values = vec![NULL, low.clone(), high.clone(), low.clone(), NULL];
        let column = [(ty, values)];
        let c = case("MAX", &column, &[]);
        assert!(!c.call.undo);
        assert_eq!(c.run(), [NULL, low.clone(), high.clone(), high.clone(), high]);
        let c = case("MIN", &column, &[]);
        assert_eq!(c.run(), [NULL, low.clone(), low.clone(), low.clone(), low]);
    };
    check(SqlType::Integer, int(-1), int(2));
    check(SqlType::Bigint, long(-1), long(2));
    check(SqlType::Double, double(-1.5), double(2.0));
    check(SqlType::decimal(4, 2).unwrap(), dec("-1.00"), dec("2.50"));
    check(SqlType::decimal(60, 2).unwrap(), dec("-1.00"), dec("2.50"));
    check(SqlType::Date, Value::Date(1), Value::Date(2));
    check(SqlType::Time, Value::Time(1), Value::Time(2));
    check(SqlType::Timestamp, Value::Timestamp(1), Value::Timestamp(2));
    check(SqlType::String, "a".into(), "b".into());
    check(SqlType::Bytes, Value::Bytes(vec![0x80]), Value::Bytes(vec![0x01]));
}

#[test]
fn collect_list_keeps_order_and_nulls() {
    let c = case("COLLECT_LIST", &[texts(&[Some("a"), None, Some("a")])], &[]);
    let (a, n) = (Value::from("a"), NULL);
    assert_eq!(c.run(), [list(std::slice::from_ref(&a)), list(&[a.clone(), n.clone()]), list(&[a.clone(), n.clone(), a.clone()])]);
    // The last match is the one taken back.
    assert_eq!(c.taken_back(), [list(&[a.clone(), n]), list(&[a]), list(&[])]);
}

#[test]
fn collections_stop_at_their_limit() {
    for name in ["COLLECT_LIST", "COLLECT_SET"] {
        let mut c = case(name, &[ints(&[Some(1), Some(2), Some(3)])], &[]);
        let property = format!("ksql.functions.{}.limit", name.to_lowercase());
        c.settings.insert(property.clone(), "2".into());
        assert_eq!(c.run()[2], list(&[int(1), int(2)]));
        c.settings.insert(property.clone(), "-1".into());
        assert_eq!(c.run()[2], list(&[int(1), int(2), int(3)]));
        c.settings.insert(property, "many".into());
        assert!(c.registry.accumulators(&c.call, &c.settings).is_err());
    }
}

#[test]
fn collected_values_may_be_of_any_type() {
    let structure = SqlType::Struct(vec![Field::new("A", SqlType::map(SqlType::String, SqlType::Double))]);
    let value = |n: f64| Value::Struct(vec![Value::Map(vec![("k".into(), double(n))])]);
    let column = [(structure, vec![value(1.0), value(2.0), value(1.0)])];
    assert_eq!(case("COLLECT_LIST", &column, &[]).run()[2], list(&[value(1.0), value(2.0), value(1.0)]));
    assert_eq!(case("COLLECT_SET", &column, &[]).run()[2], list(&[value(1.0), value(2.0)]));
    assert_eq!(case("LATEST_BY_OFFSET", &column, &[]).run()[1], value(2.0));
    assert_eq!(case("ATTR", &column, &[]).run(), [value(1.0), NULL, NULL]);
    assert_eq!(case("COUNT_DISTINCT", &column, &[]).run(), [long(1), long(2), long(2)]);
    for (ty, value) in [
        (SqlType::Boolean, Value::Boolean(true)),
        (SqlType::Date, Value::Date(3)),
        (SqlType::decimal(4, 2).unwrap(), dec("1.50")),
        (SqlType::Bytes, Value::Bytes(vec![1, 2])),
    ] {
        let column = [(ty, vec![value.clone(), NULL])];
        assert_eq!(case("COLLECT_LIST", &column, &[]).run()[1], list(&[value, NULL]));
    }
}

#[test]
fn collect_set_keeps_first_seen_order_and_one_null() {
    let c = case("COLLECT_SET", &[texts(&[Some("b"), None, Some("b"), Some("a"), None])], &[]);
    assert!(!c.call.undo);
    assert_eq!(c.run()[4], list(&["b".into(), NULL, "a".into()]));
}

#[test]
fn earliest_and_latest_follow_the_order_of_processing() {
    let column = [texts(&[None, Some("a"), Some("b"), None])];
    assert_eq!(case("LATEST_BY_OFFSET", &column, &[]).run(), [NULL, "a".into(), "b".into(), "b".into()]);
    assert_eq!(case("EARLIEST_BY_OFFSET", &column, &[]).run(), [NULL, "a".into(), "a".into(), "a".into()]);
    let keep_nulls = [Value::Boolean(false)];
    assert_eq!(case("LATEST_BY_OFFSET", &column, &keep_nulls).run(), [NULL, "a".into(), "b".into(), NULL]);
    assert_eq!(case("EARLIEST_BY_OFFSET", &column, &keep_nulls).run(), [NULL, NULL, NULL, NULL]);
}

#[test]
fn earliest_and_latest_of_several() {
    let column = [ints(&[Some(1), None, Some(2), Some(3)])];
    let two = [int(2)];
    assert_eq!(
        case("LATEST_BY_OFFSET", &column, &two).run(),
        [list(&[int(1)]), list(&[int(1)]), list(&[int(1), int(2)]), list(&[int(2), int(3)])]
    );
    assert_eq!(case("EARLIEST_BY_OFFSET", &column, &two).run()[3], list(&[int(1), int(2)]));
    let with_nulls = [int(2), Value::Boolean(false)];
    assert_eq!(case("EARLIEST_BY_OFFSET", &column, &with_nulls).run()[3], list(&[int(1), NULL]));
    let zero = case("LATEST_BY_OFFSET", &column, &[int(0)]);
    assert!(zero.registry.accumulators(&zero.call, &zero.settings).is_err());
}

#[test]
fn the_clock_orders_values_across_restarts() {
    let c = case("LATEST_BY_OFFSET", &[ints(&[Some(1), Some(2)])], &[]);
    let mut before = c.accumulators();
    before.reset(1);
    before.advance(1_000);
    c.apply(before.as_mut(), &[(0, 0, false)]);
    let mut bytes = Vec::new();
    before.save(0, &mut bytes);
    let mut after = c.accumulators();
    after.reset(2);
    after.advance(2_000);
    // The later value lands in another session before the older state is loaded.
    c.apply(after.as_mut(), &[(1, 0, false)]);
    after.load(1, &mut bytes.as_slice()).unwrap();
    after.merge(1, 0);
    assert_eq!(c.values(&after.results(&[0])), [int(2)]);
}

#[test]
fn topk_sorts_downwards() {
    let column = [ints(&[Some(5), None, Some(9), Some(5), Some(1)])];
    assert_eq!(
        case("TOPK", &column, &[int(3)]).run(),
        [list(&[int(5)]), list(&[int(5)]), list(&[int(9), int(5)]), list(&[int(9), int(5), int(5)]), list(&[int(9), int(5), int(5)])]
    );
    assert_eq!(case("TOPKDISTINCT", &column, &[int(3)]).run()[4], list(&[int(9), int(5), int(1)]));
    let column = [(SqlType::decimal(3, 1).unwrap(), vec![dec("1.5"), dec("1.5"), dec("2.0")])];
    assert_eq!(case("TOPKDISTINCT", &column, &[int(5)]).run()[2], list(&[dec("2.0"), dec("1.5")]));
}

#[test]
fn topk_brings_other_columns_along() {
    let columns = [ints(&[Some(1), Some(3), Some(2)]), texts(&[Some("x"), Some("y"), None]), ints(&[None, Some(7), Some(8)])];
    let c = case("TOPK", &columns, &[int(2)]);
    assert_eq!(c.call.ty.to_string(), "ARRAY<STRUCT<`sort_col` INTEGER, `col0` STRING, `col1` INTEGER>>");
    let row = |a: i32, b: Value, c: Value| Value::Struct(vec![int(a), b, c]);
    assert_eq!(c.run()[2], list(&[row(3, "y".into(), int(7)), row(2, NULL, int(8))]));
}

#[test]
fn histogram_counts_texts() {
    let c = case("HISTOGRAM", &[texts(&[Some("a"), Some("b"), None, Some("a")])], &[]);
    let map = |entries: &[(&str, i64)]| Value::Map(entries.iter().map(|(k, n)| ((*k).into(), long(*n))).collect());
    assert_eq!(c.run()[3], map(&[("a", 2), ("b", 1)]));
    assert_eq!(c.taken_back(), [map(&[("a", 1), ("b", 1)]), map(&[("a", 1)]), map(&[("a", 1)]), map(&[])]);
    let many: Vec<String> = (0..1_500).map(|i| i.to_string()).collect();
    let many: Vec<Option<&str>> = many.iter().map(|s| Some(s.as_str())).collect();
    let c = case("HISTOGRAM", &[texts(&many)], &[]);
    let mut states = c.accumulators();
    states.reset(1);
    let steps: Vec<_> = (0..1_500).map(|row| (row, 0, false)).collect();
    let (values, _) = c.apply(states.as_mut(), &steps);
    assert!(matches!(values.last(), Some(Value::Map(entries)) if entries.len() == 1_000));
}

#[test]
fn attr_is_the_one_value() {
    let c = case("ATTR", &[ints(&[Some(1), Some(1), None])], &[]);
    assert_eq!(c.run(), [int(1), int(1), NULL]);
    assert_eq!(c.taken_back(), [NULL, NULL, NULL]);
    let c = case("ATTR", &[ints(&[Some(1), Some(2)])], &[]);
    assert_eq!(c.taken_back()[0], int(2));
}

#[test]
fn count_distinct_is_near_enough() {
    let c = case("COUNT_DISTINCT", &[ints(&[Some(1), None, Some(1), Some(2)])], &[]);
    assert_eq!(c.run(), [long(1), long(1), long(1), long(2)]);
    for count in [300, 5_000, 60_000] {
        let values: Vec<Option<i32>> = (0..count).map(Some).collect();
        let c = case("COUNT_DISTINCT", &[ints(&values)], &[]);
        let mut states = c.accumulators();
        states.reset(3);
        let rows: Vec<u32> = (0..count as u32).collect();
        let slots: Vec<u32> = rows.iter().map(|row| row % 2).collect();
        let batch = Batch { args: &c.columns, rows: &rows, slots: &slots, retract: None, emit: Emit::Nothing };
        states.update(&batch, &mut Failures::new(rows.len())).unwrap();
        states.merge(0, 2);
        states.merge(1, 2);
        let mut bytes = Vec::new();
        states.save(2, &mut bytes);
        states.load(0, &mut bytes.as_slice()).unwrap();
        let Value::Bigint(estimate) = c.values(&states.results(&[0]))[0] else { panic!("no estimate") };
        let error = (estimate as f64 - f64::from(count)).abs() / f64::from(count);
        assert!(error < 0.03, "{estimate} for {count}");
    }
}

fn near(values: &[Value], expected: &[f64]) {
    assert_eq!(values.len(), expected.len());
    for (value, wanted) in values.iter().zip(expected) {
        let Value::Double(found) = value else { panic!("{value:?} is no DOUBLE") };
        assert!((found - wanted).abs() < 1e-9, "{found} instead of {wanted}");
    }
}

/// Without the check of merging, which rounds differently.
fn steps_of(c: &Case) -> Vec<Value> {
    let mut states = c.accumulators();
    states.reset(1);
    let steps: Vec<_> = (0..c.columns[0].len() as u32).map(|row| (row, 0, false)).collect();
    c.apply(states.as_mut(), &steps).0
}

#[test]
fn deviation_and_variance() {
    let column = [ints(&[Some(2), None, Some(4), Some(9)])];
    let c = case("STDDEV_SAMPLE", &column, &[]);
    near(&steps_of(&c), &[0.0, 0.0, 2f64.sqrt(), 13f64.sqrt()]);
    near(&c.taken_back(), &[12.5f64.sqrt(), 12.5f64.sqrt(), 0.0, 0.0]);
    let c = case("STDDEV_SAMP", &column, &[]);
    near(&steps_of(&c), &[0.0, 0.0, 2.0, 13.0]);
    let mut states = c.accumulators();
    states.reset(2);
    c.apply(states.as_mut(), &[(0, 0, false), (2, 1, false), (3, 1, false)]);
    states.merge(1, 0);
    near(&c.values(&states.results(&[0])), &[13.0]);
}

#[test]
fn correlation_of_pairs() {
    let columns = [
        (SqlType::Double, vec![double(1.0), double(2.0), NULL, double(3.0)]),
        (SqlType::Double, vec![double(2.0), double(4.0), double(9.0), double(5.0)]),
    ];
    let c = case("CORRELATION", &columns, &[]);
    let values = steps_of(&c);
    assert!(matches!(values[0], Value::Double(x) if x.is_nan()));
    near(&values[1..], &[1.0, 1.0, 0.981_980_506_061_966]);
    let flat = case("CORRELATION", &[ints(&[Some(1), Some(1)]), ints(&[Some(1), Some(2)])], &[]);
    assert!(matches!(steps_of(&flat)[1], Value::Double(x) if x.is_nan()));
}

#[test]
fn sum_list_adds_elements() {
    let column = [(SqlType::array(SqlType::Bigint), vec![list(&[long(1), NULL, long(2)]), NULL, list(&[])])];
    let c = case("SUM_LIST", &column, &[]);
    assert_eq!(c.run(), [long(3), long(3), long(3)]);
    assert_eq!(c.taken_back(), [long(0), long(0), long(0)]);
}

#[test]
fn slots_are_apart_and_emission_is_chosen() {
    let rows = 5_000u32;
    let values: Vec<Option<i32>> = (0..rows as i32).map(Some).collect();
    let c = case("SUM", &[ints(&values)], &[]);
    let mut states = c.accumulators();
    states.reset(5);
    states.grow(10);
    let row_ids: Vec<u32> = (0..rows).collect();
    let slots: Vec<u32> = row_ids.iter().map(|r| r % 10).collect();
    let marks: Vec<bool> = row_ids.iter().map(|r| *r >= rows - 10).collect();
    let batch = Batch { args: &c.columns, rows: &row_ids, slots: &slots, retract: None, emit: Emit::Marked(&marks) };
    states.update(&batch, &mut Failures::new(rows as usize)).unwrap();
    let emitted = c.values(&states.take_emitted());
    let sums: Vec<Value> = (0..10).map(|s| int((0..rows as i32).filter(|r| r % 10 == s).sum())).collect();
    assert_eq!(emitted, sums);
    assert_eq!(c.values(&states.take_emitted()), []);
    states.clear(3);
    assert_eq!(c.values(&states.results(&[3, 4])), [int(0), sums[4].clone()]);
    let outside = Batch { args: &c.columns, rows: &[0], slots: &[10], retract: None, emit: Emit::Nothing };
    assert!(states.update(&outside, &mut Failures::new(1)).is_err());
}

#[test]
fn calls_are_checked() {
    let mut registry = Registry::new();
    aggregate::register(&mut registry);
    let column = Expr::column(0, "A", SqlType::Integer);
    let literal = |n: i32| Expr::literal(int(n), SqlType::Integer);
    let error = registry.aggregate_call("TOPK", vec![column.clone(), column.clone()]).unwrap_err().to_string();
    assert!(error.contains("must be a literal"), "{error}");
    assert!(registry.aggregate_call("AVG", vec![Expr::column(0, "A", SqlType::decimal(4, 2).unwrap())]).is_ok());
    assert!(registry.aggregate_call("AVG", vec![Expr::column(0, "A", SqlType::String)]).is_err());
    assert!(registry.aggregate_call("SUM", vec![]).is_err());
    assert!(registry.aggregate_call("MIN", vec![Expr::column(0, "A", SqlType::Boolean)]).is_err());
    let call = registry.aggregate_call("latest_by_offset", vec![column, literal(2)]).unwrap();
    let stored = serde_json::to_string(&call).unwrap();
    let frozen = concat!(
        r#"{"function":"LATEST_BY_OFFSET","args":[[{"column":{"index":0,"name":"A","ty":"Integer"}}]],"#,
        r#""init":[{"Integer":2}],"ty":{"Array":"Integer"},"undo":false}"#
    );
    assert_eq!(stored, frozen);
    let back: AggregateCall = serde_json::from_str(&stored).unwrap();
    assert_eq!(back, call);
    assert!(registry.accumulators(&back, &Settings::new()).is_ok());
}

#[test]
fn saved_states_are_frozen() {
    let bytes = |c: Case| {
        let mut states = c.accumulators();
        states.reset(1);
        let steps: Vec<_> = (0..c.columns[0].len() as u32).map(|row| (row, 0, false)).collect();
        c.apply(states.as_mut(), &steps);
        let mut out = Vec::new();
        states.save(0, &mut out);
        out
    };
    let column = [ints(&[Some(1), Some(258)])];
    assert_eq!(bytes(case("COUNT", &column, &[])), [2, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(bytes(case("SUM", &column, &[])), [3, 1, 0, 0]);
    assert_eq!(bytes(case("AVG", &column, &[])), [3, 1, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(bytes(case("MAX", &column, &[])), [1, 2, 1, 0, 0]);
    assert_eq!(bytes(case("COLLECT_LIST", &column, &[])), [2, 0, 0, 0, 1, 1, 0, 0, 0, 1, 2, 1, 0, 0]);
    assert_eq!(bytes(case("LATEST_BY_OFFSET", &column, &[])), [1, 2, 0, 0, 0, 0, 0, 0, 0, 1, 2, 1, 0, 0]);
    assert_eq!(bytes(case("MIN", &[texts(&[Some("ab")])], &[])), [1, 2, 0, 0, 0, b'a', b'b']);
    assert_eq!(bytes(case("TOPK", &column, &[int(1)])), [1, 0, 0, 0, 2, 1, 0, 0]);
    let hex = |c: Case| bytes(c).iter().map(|b| format!("{b:02x}")).collect::<String>();
    let twice = [ints(&[Some(258), Some(258)])];
    let doubles = |values: &[f64]| (SqlType::Double, values.iter().map(|v| double(*v)).collect::<Vec<_>>());
    let pair = [doubles(&[1.0, 2.0]), doubles(&[4.0, 8.0])];
    let decimals = [(SqlType::Decimal { precision: 5, scale: 2 }, vec![dec("1.50"), dec("-2.00")])];
    let lists = [(SqlType::array(SqlType::Integer), vec![list(&[int(1), int(2)]), list(&[int(3)])])];
    let words = [texts(&[Some("b"), Some("a"), Some("b")])];
    for (found, expected) in [
        (hex(case("ATTR", &twice, &[])), "01000000010201000002000000"),
        (hex(case("ATTR", &column, &[])), "02000000010100000001000000010201000001000000"),
        (hex(case("COLLECT_SET", &words, &[])), "02000000010100000062010100000061"),
        (
            hex(case("CORRELATION", &pair, &[])),
            "000000000000004000000000000008400000000000002840000000000000144000000000000054400000000000003440",
        ),
        (hex(case("COUNT_DISTINCT", &column, &[])), "000200000055701855d77e3e83369c2d95177c07dc"),
        (hex(case("STDDEV_SAMP", &column, &[])), "02000000000000000000000000307040000000001020e040"),
        (hex(case("STDDEV_SAMPLE", &column, &[])), "02000000000000000000000000307040000000001020e040"),
        (hex(case("HISTOGRAM", &words, &[])), "020000000100000062020000000000000001000000610100000000000000"),
        (hex(case("EARLIEST_BY_OFFSET", &column, &[])), "0101000000000000000101000000"),
        (hex(case("LATEST_BY_OFFSET", &column, &[int(2)])), "020000000100000000000000010100000002000000000000000102010000"),
        (hex(case("SUM", &decimals, &[])), "ceffffffffffffffffffffffffffffff"),
        (hex(case("MAX", &decimals, &[])), "0196000000000000000000000000000000"),
        (hex(case("COLLECT_LIST", &lists, &[])), "02000000010e000000010201800000010201800000020101080000000102018000000301"),
        (hex(case("SUM_LIST", &lists, &[])), "06000000"),
        (hex(case("TOPKDISTINCT", &column, &[int(2)])), "020000000201000001000000"),
    ] {
        assert_eq!(found, expected);
    }
}
