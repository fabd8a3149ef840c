//! Sockets of the URLs in `listeners`.

use tokio::net::TcpListener;

use crate::ServerError;

/// A socket and the URL that leads to it.
#[derive(Debug)]
pub struct Bound {
    pub socket: TcpListener,
    pub url: String,
}

/// Listens on a URL `http://host:port`; port 0 takes a free one.
pub async fn bind(url: &str) -> Result<Bound, ServerError> {
    let (host, port) = address(url).map_err(|reason| ServerError::Listener { url: url.to_owned(), reason })?;
    let failed = |source| ServerError::Bind { url: url.to_owned(), source };
    // Brackets belong to the URL, not to the address.
    let name = host.trim_start_matches('[').trim_end_matches(']');
    let socket = TcpListener::bind((name, port)).await.map_err(failed)?;
    let port = socket.local_addr().map_err(failed)?.port();
    Ok(Bound { socket, url: format!("http://{host}:{port}") })
}

/// Host and port of a URL.
fn address(url: &str) -> Result<(&str, u16), String> {
    let Some((scheme, rest)) = url.split_once("://") else { return Err("it has no scheme".to_owned()) };
    match scheme.to_ascii_lowercase().as_str() {
        "http" => {}
        "https" => return Err("TLS is not supported yet; put a proxy in front".to_owned()),
        other => return Err(format!("the scheme is '{other}' and not http")),
    }
    let Some((host, port)) = rest.trim_end_matches('/').rsplit_once(':').filter(|(host, _)| !host.is_empty()) else {
        return Err("it lacks a host or a port".to_owned());
    };
    let port = port.parse().map_err(|_| format!("'{port}' is no port"))?;
    Ok((host, port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_taken_apart() {
        assert_eq!(address("http://0.0.0.0:8088"), Ok(("0.0.0.0", 8088)));
        assert_eq!(address("HTTP://localhost:0/"), Ok(("localhost", 0)));
        assert_eq!(address("http://[::1]:80"), Ok(("[::1]", 80)));
        for wrong in ["localhost:8088", "https://a:1", "ftp://a:1", "http://a", "http://:80", "http://a:port", "http://a:65536"] {
            assert!(address(wrong).is_err(), "{wrong}");
        }
    }

    #[tokio::test]
    async fn the_url_has_the_port_that_was_taken() {
        let bound = bind("http://127.0.0.1:0").await.unwrap();
        assert_eq!(bound.url, format!("http://{}", bound.socket.local_addr().unwrap()));
        let taken = bind(&bound.url).await;
        assert!(matches!(taken, Err(ServerError::Bind { .. })), "{taken:?}");
    }
}
