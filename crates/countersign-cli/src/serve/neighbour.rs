//! Who listens at an address: another server of ours, or somebody else.

use countersign_runtime::tls::{Trust, client_config};
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

/// Whether a countersign server answers there.
pub(crate) async fn is_countersign(address: SocketAddr) -> bool {
    let question = b"GET /livez HTTP/1.0\r\n\r\n";
    let answers = |answer: Result<String, std::io::Error>| answer.is_ok_and(|answer| answer.contains("\"alive\""));
    answers(ask(&address.to_string(), question).await) || answers(ask_over_tls(address, question).await)
}

/// Sends a few bytes to an address and reads the beginning of the answer.
pub(crate) async fn ask(address: &str, words: &[u8]) -> Result<String, std::io::Error> {
    in_time(async { talk(TcpStream::connect(address).await?, words).await }).await
}

/// The same over TLS, whatever certificate the other has: it is made for another name than loopback, and nothing is said
/// that somebody else might not hear.
pub(crate) async fn ask_over_tls(address: SocketAddr, words: &[u8]) -> Result<String, std::io::Error> {
    let config = client_config(Trust::Anyone, None).map_err(std::io::Error::other)?;
    let connector = TlsConnector::from(Arc::new(config));
    in_time(async {
        let stream = TcpStream::connect(address).await?;
        talk(connector.connect(address.ip().into(), stream).await?, words).await
    })
    .await
}

async fn in_time(talk: impl Future<Output = Result<String, std::io::Error>>) -> Result<String, std::io::Error> {
    tokio::time::timeout(DEADLINE, talk).await.unwrap_or_else(|_| Err(ErrorKind::TimedOut.into()))
}

async fn talk(mut stream: impl AsyncRead + AsyncWrite + Unpin, words: &[u8]) -> Result<String, std::io::Error> {
    stream.write_all(words).await?;
    let mut answer = Vec::new();
    let ended = stream.take(MOST_BYTES).read_to_end(&mut answer).await;
    // Who closes without a word of goodbye has still answered.
    ended.map(drop).or_else(|error| if answer.is_empty() { Err(error) } else { Ok(()) })?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

const MOST_BYTES: u64 = 4096;
const DEADLINE: Duration = Duration::from_secs(3);
