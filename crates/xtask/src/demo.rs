//! `cargo xtask demo`: from a fresh checkout to queries at work, in one command.

use crate::server::Server;
use crate::{http, setup};
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What the demo creates. Each statement does nothing when its stream, table or query is there already.
const STATEMENTS: [&str; 5] = [
    "CREATE STREAM IF NOT EXISTS orders (user_id VARCHAR KEY, order_id BIGINT, item VARCHAR, price DOUBLE)
  WITH (kafka_topic = 'orders', value_format = 'JSON', partitions = 4);",
    "CREATE TABLE IF NOT EXISTS users (user_id VARCHAR PRIMARY KEY, name VARCHAR, city VARCHAR)
  WITH (kafka_topic = 'users', value_format = 'JSON', partitions = 4);",
    "CREATE STREAM IF NOT EXISTS large_orders AS
  SELECT user_id, order_id, item, price FROM orders WHERE price > 50 EMIT CHANGES;",
    "CREATE STREAM IF NOT EXISTS named_orders AS
  SELECT o.user_id AS user_id, o.item AS item, o.price AS price, u.name AS name, u.city AS city
  FROM orders o LEFT JOIN users u ON o.user_id = u.user_id EMIT CHANGES;",
    "CREATE TABLE IF NOT EXISTS orders_per_minute AS
  SELECT user_id, COUNT(*) AS orders, SUM(price) AS total
  FROM orders WINDOW TUMBLING (SIZE 1 MINUTE) GROUP BY user_id EMIT CHANGES;",
];

const PUSH: &str = "SELECT user_id, name, city, item, price FROM named_orders EMIT CHANGES LIMIT 8;";
const PULL: &str = "SELECT user_id, WINDOWSTART, orders, total FROM orders_per_minute WHERE user_id = 'ada';";

const USERS: [(&str, &str, &str); 5] = [
    ("ada", "Ada Lovelace", "London"),
    ("alan", "Alan Turing", "Wilmslow"),
    ("edsger", "Edsger Dijkstra", "Rotterdam"),
    ("grace", "Grace Hopper", "New York"),
    ("kurt", "Kurt Gödel", "Brno"),
];
const ITEMS: [&str; 6] = ["abacus", "compass", "lamp", "notebook", "punch card", "slide rule"];

/// Orders that one run of the demo adds.
const ORDERS: usize = 200;
/// Statements of one request.
const BATCH: usize = 20;
/// How long the count may take to be complete.
const COMPLETE: Duration = Duration::from_secs(60);

/// Runs the demo.
///
/// # Errors
/// When a step fails.
pub fn run(args: &[String]) -> Result<bool> {
    let prepared = setup::prepare()?;
    let data = match args {
        [] => prepared.root.join("flumen-data"),
        [flag, dir] if flag == "--data-dir" => {
            std::path::absolute(PathBuf::from(dir)).context("the data directory has no absolute path")?
        }
        _ => bail!("the only argument is --data-dir DIR"),
    };
    eprintln!("demo: building flumen (the first time takes some minutes)");
    let binary = prepared.flumen()?;
    let mut server = tour(&binary, &data)?;
    if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
        println!("\nNow it is your turn. Try:   SHOW QUERIES;   SELECT * FROM large_orders EMIT CHANGES LIMIT 3;\n");
        server.into_shell()?;
        return Ok(true);
    }
    server.stop()?;
    println!("\nThe server has stopped; its data stays in {}. The next run goes on with it.", data.display());
    Ok(true)
}

/// Takes the tour twice over one new data directory, which is deleted afterwards: what the README promises must hold.
///
/// # Errors
/// When a step fails.
pub fn check(prepared: &setup::Prepared) -> Result<()> {
    let binary = prepared.flumen()?;
    let data = std::env::temp_dir().join(format!("flumen-demo-{}", std::process::id()));
    let twice = || {
        tour(&binary, &data)?.stop()?;
        tour(&binary, &data)?.stop()
    };
    let outcome = twice();
    std::fs::remove_dir_all(&data).with_context(|| format!("{} cannot be deleted", data.display()))?;
    outcome
}

/// Starts a server on a data directory and takes the tour.
fn tour(binary: &Path, data: &Path) -> Result<Server> {
    eprintln!("demo: starting the server on {}", data.display());
    let settings = ["processing.guarantee=exactly_once_v2", "commit.interval.ms=100"].map(str::to_owned);
    let server = Server::start(binary, data, &settings)?;
    println!("The server listens on {}; its log is {}.", server.url, data.join("server.log").display());
    Tour { address: server.address() }.take()?;
    Ok(server)
}

/// The steps of the demo against one server.
struct Tour {
    address: String,
}

impl Tour {
    fn take(&self) -> Result<()> {
        for statement in STATEMENTS {
            println!("\n{statement}");
            println!("  -> {}", self.statement(statement)?);
        }
        let before = self.wait_for(0)?;
        if before > 0 {
            println!("\nThis data directory already holds {before} orders of ada; {ORDERS} more come on top.");
        }
        self.users()?;

        println!("\n{PUSH}");
        let rows = self.query(PUSH)?;
        let push = std::thread::spawn(move || print_rows(rows));
        let of_ada = self.orders()?;
        let printed = push.join().map_err(|_| anyhow::anyhow!("the push query's reader failed"))??;
        if printed == 0 {
            bail!("the push query gave no row");
        }

        self.wait_for(before + of_ada)?;
        println!("\n{PULL}");
        print_rows(self.query(PULL)?)?;
        Ok(())
    }

    /// Runs one statement and gives its message.
    fn statement(&self, sql: &str) -> Result<String> {
        let properties = json!({"auto.offset.reset": "earliest"});
        let answer = self.post("/ksql", "application/vnd.ksql.v1+json", &json!({"ksql": sql, "streamsProperties": properties}))?.text()?;
        let answer: Value = serde_json::from_str(&answer).with_context(|| format!("not JSON: {answer}"))?;
        let entity = &answer[0];
        let message = entity["commandStatus"]["message"].as_str().or_else(|| entity["message"].as_str());
        Ok(message.unwrap_or("done").to_owned())
    }

    fn query(&self, sql: &str) -> Result<http::Body> {
        self.post("/query-stream", "application/vnd.ksqlapi.delimited.v1", &json!({"sql": sql}))
    }

    fn post(&self, path: &str, accept: &str, body: &Value) -> Result<http::Body> {
        let (status, answer) = http::post(&self.address, path, accept, body)?;
        if status != 200 {
            let text = answer.text()?;
            let error: Value = serde_json::from_str(&text).unwrap_or_default();
            bail!("the server answered {status}: {}\nto {body}", error["message"].as_str().unwrap_or(&text));
        }
        Ok(answer)
    }

    fn users(&self) -> Result<()> {
        let inserts: String = USERS
            .iter()
            .map(|(id, name, city)| format!("INSERT INTO users (user_id, name, city) VALUES ('{id}', '{name}', '{city}');\n"))
            .collect();
        self.statement(&inserts).map(|_| ())
    }

    /// Inserts orders, and gives how many are ada's.
    fn orders(&self) -> Result<u64> {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).context("the clock stands before 1970")?;
        let first = u64::try_from(now.as_millis()).context("the clock is too far ahead")?;
        let mut dice = Dice(first | 1);
        let mut of_ada = 0;
        let mut inserts = String::new();
        for number in 0..ORDERS {
            let (user, ..) = dice.pick(&USERS);
            let item = dice.pick(&ITEMS);
            let cents = dice.roll() % 10_000;
            of_ada += u64::from(*user == "ada");
            let id = first + number as u64;
            let price = format!("{}.{:02}", cents / 100, cents % 100);
            inserts += &format!("INSERT INTO orders (user_id, order_id, item, price) VALUES ('{user}', {id}, '{item}', {price});\n");
            if (number + 1) % BATCH == 0 {
                self.statement(&std::mem::take(&mut inserts))?;
            }
        }
        if !inserts.is_empty() {
            self.statement(&inserts)?;
        }
        Ok(of_ada)
    }

    /// Waits until the count has seen so many orders of ada, and gives how many. A query that has only been started refuses to
    /// tell for a moment.
    fn wait_for(&self, orders: u64) -> Result<u64> {
        let deadline = Instant::now() + COMPLETE;
        loop {
            let late = Instant::now() > deadline;
            match self.orders_of_ada() {
                Ok(seen) if seen >= orders => return Ok(seen),
                Ok(seen) if late => bail!("the count stands at {seen} orders of ada, {orders} were made"),
                Err(error) if late => return Err(error),
                _ => {}
            }
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    fn orders_of_ada(&self) -> Result<u64> {
        let mut sum = 0;
        for line in self.query(PULL)?.text()?.lines().skip(1) {
            let row: Value = serde_json::from_str(line).with_context(|| format!("not JSON: {line}"))?;
            if let Some(message) = row["message"].as_str() {
                bail!("the pull query failed: {message}");
            }
            sum += row[2].as_u64().unwrap_or(0);
        }
        Ok(sum)
    }
}

/// Prints the rows of an answer as they arrive, and gives their number.
fn print_rows(body: http::Body) -> Result<usize> {
    let mut rows = 0;
    for line in BufReader::new(body).lines() {
        let line = line.context("the rows break off")?;
        let Ok(value) = serde_json::from_str::<Value>(&line) else { continue };
        if let Some(names) = value["columnNames"].as_array() {
            let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
            println!("  {}", names.join(" | "));
        } else if let Some(cells) = value.as_array() {
            rows += 1;
            println!("  {}", cells.iter().map(cell).collect::<Vec<_>>().join(" | "));
        } else if let Some(message) = value["message"].as_str() {
            bail!("the query failed: {message}");
        }
    }
    Ok(rows)
}

fn cell(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Numbers that look random (xorshift).
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        let count = all.len() as u64;
        &all[(self.roll() % count) as usize]
    }
}
