//! What is printed: medians of the repeated runs, and Flumen's ratio to the better of Kafka Streams' two settings.

use super::Figures;
use super::peers::Streams;
use super::workload::Workload;
use anyhow::{Result, bail};

/// The runs of one workload.
pub struct Row {
    workload: Workload,
    /// Flumen.
    pub flumen: Vec<Figures>,
    uncached: Vec<Figures>,
    cached: Vec<Figures>,
    /// Records per CPU second of the bare client.
    pub client: Vec<f64>,
}

impl Row {
    /// Before the first run.
    pub fn new(workload: Workload) -> Row {
        Row { workload, flumen: Vec::new(), uncached: Vec::new(), cached: Vec::new(), client: Vec::new() }
    }

    /// Adds what Kafka Streams did. Without a cache it must have written as many records as Flumen has to.
    pub fn streams(&mut self, runs: Vec<Streams>, expected: u64) -> Result<()> {
        for run in runs {
            if run.cache > 0 {
                self.cached.push(run.figures);
            } else if run.figures.out == expected {
                self.uncached.push(run.figures);
            } else {
                bail!("Kafka Streams wrote {} records for {}, {expected} are right", run.figures.out, self.workload);
            }
        }
        Ok(())
    }

    /// The single runs, to show how far apart they lie.
    pub fn print_runs(&self) {
        let list = |runs: &[Figures]| runs.iter().map(|f| format!("{:.0}k", f.steady_per_cpu / 1000.0)).collect::<Vec<_>>().join(" ");
        println!(
            "{}: steady records per CPU second: Flumen {}; Kafka Streams without cache {}, with cache {}",
            self.workload,
            list(&self.flumen),
            list(&self.uncached),
            list(&self.cached)
        );
    }
}

/// Prints the table.
pub fn print(rows: &[Row]) {
    println!("\n| workload | engine | rec/s | steady rec/s | steady rec / CPU s | CPU s | broker CPU s | out | ratio |");
    println!("|---|---|---|---|---|---|---|---|---|");
    for row in rows {
        let best = [&row.uncached, &row.cached].into_iter().filter_map(|runs| median(runs, |f| f.steady_per_cpu)).fold(0.0, f64::max);
        for (name, runs) in
            [("Flumen", &row.flumen), ("Kafka Streams, cache 0", &row.uncached), ("Kafka Streams, cache 10 MiB", &row.cached)]
        {
            let of = |value: fn(&Figures) -> f64| median(runs, value);
            let Some(steady) = of(|f| f.steady_per_cpu) else { continue };
            let ratio = if best > 0.0 { format!("{:.2}", steady / best) } else { "–".to_owned() };
            println!(
                "| {} | {name} | {:.0} | {:.0} | **{steady:.0}** | {:.2} | {:.2} | {:.0} | {ratio} |",
                row.workload,
                of(|f| f.per_second).unwrap_or_default(),
                of(|f| f.steady_per_second).unwrap_or_default(),
                of(|f| f.app_cpu).unwrap_or_default(),
                of(|f| f.broker_cpu).unwrap_or_default(),
                of(|f| f.out as f64).unwrap_or_default(),
            );
        }
        if let Some(client) = middle(row.client.clone()) {
            let ratio = if best > 0.0 { format!("{:.2}", client / best) } else { "–".to_owned() };
            println!("| {} | bare client (rawpath) | – | – | **{client:.0}** | – | – | – | {ratio} |", row.workload);
        }
    }
    println!(
        "\nRatios are to the better of Kafka Streams' two settings, in records per CPU second of the process from 10 % to 90 % of the input."
    );
}

fn median(runs: &[Figures], value: fn(&Figures) -> f64) -> Option<f64> {
    middle(runs.iter().map(value).collect())
}

fn middle(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}
