//! A server that does what a script says, request by request, however wrong that is.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::Instant;

/// One thing to do with a connection, after its request was read.
#[derive(Clone)]
pub(crate) enum Act {
    /// Send these bytes as they are.
    Send(Vec<u8>),
    /// Send these bytes until the client has had enough.
    SendForEver(Vec<u8>),
    /// Keep the connection and say nothing more.
    Hang,
    /// End the connection as a crash does.
    Reset,
}

/// A request as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) head: String,
    pub(crate) body: String,
    pub(crate) at: Instant,
}

pub(crate) struct Server {
    pub(crate) url: String,
    pub(crate) requests: Arc<Mutex<Vec<Request>>>,
    /// A message for each connection that hangs, and for each that the client ended while bytes were sent.
    pub(crate) events: UnboundedReceiver<Event>,
}

#[derive(Debug, PartialEq)]
pub(crate) enum Event {
    Hangs,
    ClientLeft,
}

impl Server {
    /// Plays one script per request, in order; a request beyond them gets status 418.
    pub(crate) async fn start(scripts: Vec<Vec<Act>>) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (sender, events) = unbounded_channel();
        tokio::spawn(serve(listener, scripts, requests.clone(), sender));
        Server { url, requests, events }
    }

    pub(crate) fn count(&self) -> usize {
        self.requests.lock().unwrap().len()
    }

    pub(crate) fn bodies(&self) -> Vec<String> {
        self.requests.lock().unwrap().iter().map(|request| request.body.clone()).collect()
    }
}

async fn serve(
    listener: TcpListener,
    scripts: Vec<Vec<Act>>,
    requests: Arc<Mutex<Vec<Request>>>,
    events: UnboundedSender<Event>,
) {
    loop {
        let (mut stream, _) = listener.accept().await.unwrap();
        let Some(request) = read(&mut stream).await else { continue };
        let nth = {
            let mut requests = requests.lock().unwrap();
            requests.push(request);
            requests.len() - 1
        };
        let script = scripts.get(nth).cloned().unwrap_or_else(|| json(418, "{}"));
        tokio::spawn(play(stream, script, events.clone()));
    }
}

async fn read(stream: &mut TcpStream) -> Option<Request> {
    let mut bytes = Vec::new();
    loop {
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
        let text = String::from_utf8_lossy(&bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length =
            head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
        if body.len() >= length.unwrap_or(0usize) {
            return Some(Request { head: head.into(), body: body.into(), at: Instant::now() });
        }
    }
}

async fn play(mut stream: TcpStream, script: Vec<Act>, events: UnboundedSender<Event>) {
    for act in script {
        match act {
            Act::Send(bytes) => {
                let _ = stream.write_all(&bytes).await;
            }
            Act::SendForEver(bytes) => {
                while stream.write_all(&bytes).await.is_ok() {}
                let _ = events.send(Event::ClientLeft);
            }
            Act::Hang => {
                let _ = events.send(Event::Hangs);
                // Ends when the client closes.
                let _ = stream.read(&mut [0]).await;
                let _ = events.send(Event::ClientLeft);
            }
            Act::Reset => {
                stream.set_zero_linger().unwrap();
                return;
            }
        }
    }
    let _ = stream.shutdown().await;
}

/// An answer in one piece.
pub(crate) fn json(status: u16, body: &str) -> Vec<Act> {
    json_with(status, "", body)
}

/// The same with further header lines, each ending in `\r\n`.
pub(crate) fn json_with(status: u16, headers: &str, body: &str) -> Vec<Act> {
    let length = body.len();
    let text = format!(
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n{body}"
    );
    vec![Act::Send(text.into_bytes())]
}

/// The head of an answer that comes in chunks.
pub(crate) fn chunked_head(kind: &str) -> Act {
    let text = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n"
    );
    Act::Send(text.into_bytes())
}

pub(crate) fn chunk(bytes: &[u8]) -> Act {
    let mut out = format!("{:x}\r\n", bytes.len()).into_bytes();
    out.extend_from_slice(bytes);
    out.extend_from_slice(b"\r\n");
    Act::Send(out)
}

/// A stream of events in the given portions, properly ended.
pub(crate) fn stream<'a>(portions: impl IntoIterator<Item = &'a [u8]>) -> Vec<Act> {
    let mut script = vec![chunked_head("text/event-stream; charset=utf-8")];
    script.extend(portions.into_iter().filter(|bytes| !bytes.is_empty()).map(chunk));
    script.push(Act::Send(b"0\r\n\r\n".to_vec()));
    script
}
