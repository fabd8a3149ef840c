//! As much of HTTP/1.1 as the demo and the benchmark need: a GET, a POST, and an answer line by line as it arrives.

use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// How long nothing may arrive.
const PATIENCE: Duration = Duration::from_secs(60);

/// The body of an answer.
pub struct Body {
    reader: BufReader<TcpStream>,
    /// Bytes still to come of the body or of the present chunk; `None` until the connection ends.
    left: Option<usize>,
    chunked: bool,
}

/// Sends JSON and gives the status and the body.
///
/// # Errors
/// When the server cannot be reached or speaks something else.
pub fn post(address: &str, path: &str, accept: &str, body: &Value) -> Result<(u16, Body)> {
    let body = body.to_string();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nAccept: {accept}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    exchange(address, &format!("{head}{body}"))
}

/// Asks for a page and gives the status and the body.
///
/// # Errors
/// As [`post`].
pub fn get(address: &str, path: &str) -> Result<(u16, Body)> {
    exchange(address, &format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"))
}

fn exchange(address: &str, request: &str) -> Result<(u16, Body)> {
    let mut stream = TcpStream::connect(address).with_context(|| format!("cannot connect to {address}"))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.write_all(request.as_bytes())?;
    let mut reader = BufReader::new(stream);
    let status = line(&mut reader)?;
    let status = status.split(' ').nth(1).and_then(|s| s.parse().ok()).with_context(|| format!("not an HTTP answer: {status}"))?;
    let (mut left, mut chunked) = (None, false);
    loop {
        let header = line(&mut reader)?.to_ascii_lowercase();
        if header.is_empty() {
            break;
        }
        if let Some(length) = header.strip_prefix("content-length:") {
            left = Some(length.trim().parse().context("a length that is no number")?);
        }
        chunked |= header.starts_with("transfer-encoding:") && header.contains("chunked");
    }
    if chunked {
        left = Some(0);
    }
    Ok((status, Body { reader, left, chunked }))
}

fn line(reader: &mut BufReader<TcpStream>) -> Result<String> {
    let mut line = String::new();
    if reader.read_line(&mut line).context("the server does not answer")? == 0 {
        bail!("the server closed the connection");
    }
    Ok(line.trim_end().to_owned())
}

impl Body {
    /// Everything that is left.
    pub fn text(mut self) -> Result<String> {
        let mut text = String::new();
        self.read_to_string(&mut text).context("the answer breaks off")?;
        Ok(text)
    }
}

impl Read for Body {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.chunked && self.left == Some(0) {
            let mut size = String::new();
            while size.trim().is_empty() {
                size.clear();
                if self.reader.read_line(&mut size)? == 0 {
                    return Ok(0);
                }
            }
            let size = usize::from_str_radix(size.trim(), 16).map_err(|_| std::io::Error::other("a chunk without a size"))?;
            self.left = Some(size);
            self.chunked = size > 0;
        }
        let room = self.left.map_or(buffer.len(), |left| left.min(buffer.len()));
        let Some(part) = buffer.get_mut(..room) else { return Ok(0) };
        let read = self.reader.read(part)?;
        self.left = self.left.map(|left| left.saturating_sub(read));
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::net::TcpListener;

    fn answered(answer: &'static str) -> (u16, String) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a connection");
            let mut request = [0; 4096];
            let read = stream.read(&mut request).expect("a request");
            stream.write_all(answer.as_bytes()).expect("an answer");
            read
        });
        let (status, body) = post(&address, "/ksql", "*/*", &json!({"ksql": ""})).expect("an answer");
        let text = body.text().expect("a body");
        assert!(server.join().expect("an end") > 0);
        (status, text)
    }

    #[test]
    fn bodies_of_every_framing_are_read() {
        let want = (200, "hello\nworld\n".to_owned());
        assert_eq!(answered("HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\nhello\nworld\n"), want);
        assert_eq!(answered("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n9\r\nlo\nworld\n\r\n0\r\n\r\n"), want);
        assert_eq!(answered("HTTP/1.1 200 OK\r\n\r\nhello\nworld\n"), want);
    }

    #[test]
    fn the_status_of_a_refusal_is_kept() {
        assert_eq!(answered("HTTP/1.1 400 Bad Request\r\nContent-Length: 2\r\n\r\n{}"), (400, "{}".to_owned()));
    }
}
