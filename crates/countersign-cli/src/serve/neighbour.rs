//! Who listens at an address: another server of ours, or somebody else.

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Whether a countersign server answers there.
pub(crate) async fn is_countersign(address: SocketAddr) -> bool {
    let asked = ask(&address.to_string(), b"GET /livez HTTP/1.0\r\n\r\n").await;
    asked.is_ok_and(|answer| answer.contains("\"alive\""))
}

/// Sends a few bytes to an address and reads the beginning of the answer.
pub(crate) async fn ask(address: &str, words: &[u8]) -> Result<String, std::io::Error> {
    let talk = async {
        let mut stream = TcpStream::connect(address).await?;
        stream.write_all(words).await?;
        let mut answer = Vec::new();
        stream.take(MOST_BYTES).read_to_end(&mut answer).await?;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    };
    tokio::time::timeout(DEADLINE, talk).await.unwrap_or_else(|_| Err(ErrorKind::TimedOut.into()))
}

const MOST_BYTES: u64 = 4096;
const DEADLINE: Duration = Duration::from_secs(3);
