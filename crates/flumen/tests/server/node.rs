//! The npm package `ksqldb-client`, as published, at work on a server.

use std::path::PathBuf;
use std::process::Command;

use flumen_testing::{installed, run, said};

use crate::process::Server;

const PACKAGE: &str = "ksqldb-client@1.0.5";

const SCRIPT: &str = r#"
const assert = require('node:assert');
const Client = require(process.argv[2]);
const [host, port] = [process.argv[3], Number(process.argv[4])];
const fine = (answer) => { assert.strictEqual(answer.status, 200, JSON.stringify(answer.error)); return answer.data; };
const properties = { 'auto.offset.reset': 'earliest' };

async function main() {
    const client = new Client({ host, port });
    await client.connect();
    fine(await client.executeStatement(
        "CREATE STREAM visits (who VARCHAR KEY, pages INT) WITH (kafka_topic = 'visits', value_format = 'JSON', partitions = 1);"));
    fine(await client.executeStatement(
        'CREATE TABLE totals AS SELECT who, SUM(pages) AS pages FROM visits GROUP BY who EMIT CHANGES;', { streamsProperties: properties }));
    assert.deepStrictEqual((await client.listStreams()).map((stream) => stream.name), ['VISITS']);
    for (const row of [{ who: 'ada', pages: 3 }, { who: 'alan', pages: 5 }, { who: 'ada', pages: 4 }]) {
        fine(await client.insertInto('visits', row));
    }

    const pushed = [];
    fine(await client.streamQuery('SELECT who, pages FROM visits EMIT CHANGES LIMIT 3;', ({ rows }) => pushed.push(...(rows || [])), { properties }));
    assert.deepStrictEqual(pushed.map((row) => [row.WHO, row.PAGES]), [['ada', 3], ['alan', 5], ['ada', 4]]);

    let pages = 0;
    for (let round = 0; round < 300 && pages !== 7; round++) {
        const { rows } = fine(await client.query("SELECT pages FROM totals WHERE who = 'ada';"));
        pages = rows.length ? rows[0].PAGES : 0;
        await new Promise((resolve) => setTimeout(resolve, 100));
    }
    assert.strictEqual(pages, 7);

    const ended = client.streamQuery('SELECT * FROM visits EMIT CHANGES;', ({ metadata, rows }) => {
        if (!rows) client.terminatePushQuery(metadata.queryId).catch(() => {});
    });
    fine(await ended);
    const refused = await client.query('SELECT * FROM nowhere;');
    assert.strictEqual(refused.status, 400);
    assert.strictEqual(refused.error.error_code, 40001);
    await client.disconnect();
}

main().catch((error) => { console.error(error); process.exit(1); });
"#;

#[test]
fn the_npm_client_creates_inserts_and_reads() {
    let client = match client() {
        Ok(client) => client,
        Err(why) => return println!("skipped: the npm client does not run here: {why}"),
    };
    let data = tempfile::tempdir().expect("a folder");
    let server = Server::start(data.path(), &[]);
    let script = data.path().join("client.js");
    std::fs::write(&script, SCRIPT).expect("a script");
    let (host, port) = server.url.rsplit_once(':').expect("a port");
    let output = Command::new("node").arg(&script).arg(&client).args([host, port]).output().expect("node");
    assert!(output.status.success(), "{}", said(&output));
    assert!(server.stop().success());
}

/// The folder of the package; why not, if it cannot be had.
fn client() -> Result<PathBuf, String> {
    run(Command::new("node").arg("--version"))?;
    let folder = installed("npm", PACKAGE, |folder| {
        let options = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"];
        run(Command::new("npm").args(options).arg(folder).arg(PACKAGE)).map(|_| ())
    })?;
    Ok(folder.join("node_modules/ksqldb-client"))
}
