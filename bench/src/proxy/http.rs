//! HTTP in the plainest way, over threads: a model that answers at once, a relay that only copies, a client with a watch.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use crate::Failure;

/// An answer in one piece.
const WHOLE: &str = r#"{"id":"c","object":"chat.completion","created":1,"model":"gpt-4.1","choices":[{"index":0,"message":{"role":"assistant","content":"go on"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1000,"completion_tokens":2,"total_tokens":1002}}"#;

/// Events of a stream, and the time between two.
pub(crate) const EVENTS: usize = 40;
pub(crate) const BEAT: Duration = Duration::from_millis(50);

/// A model on a port of loopback, for as long as the process lives. It reads a request and answers at once; with
/// `"stream":true` it sends an event every [`BEAT`].
pub(crate) fn model() -> Result<SocketAddr, Failure> {
    serve(|mut client| {
        let mut reader = BufReader::new(client.try_clone().ok()?);
        while let Some(request) = Incoming::read(&mut reader) {
            match request.contains(br#""stream":true"#) {
                true => stream(&mut client)?,
                false => answer(&mut client)?,
            }
        }
        None
    })
}

/// What only copies: the whole request on, the answer back, a connection to the model per connection of a client.
pub(crate) fn relay(to: SocketAddr) -> Result<SocketAddr, Failure> {
    serve(move |mut client| {
        let mut reader = BufReader::new(client.try_clone().ok()?);
        let mut model = TcpStream::connect(to).ok()?;
        model.set_nodelay(true).ok()?;
        let mut answers = BufReader::new(model.try_clone().ok()?);
        while let Some(request) = Incoming::read(&mut reader) {
            model.write_all(&request.bytes).ok()?;
            copy_answer(&mut answers, |piece| client.write_all(piece).ok())?;
        }
        None
    })
}

fn serve(each: impl Fn(TcpStream) -> Option<()> + Send + Clone + 'static) -> Result<SocketAddr, Failure> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let each = each.clone();
            let _ = client.set_nodelay(true);
            thread::spawn(move || each(client));
        }
    });
    Ok(address)
}

fn answer(client: &mut TcpStream) -> Option<()> {
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        WHOLE.len()
    );
    client.write_all((head + WHOLE).as_bytes()).ok()
}

fn stream(client: &mut TcpStream) -> Option<()> {
    client
        .write_all(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n",
        )
        .ok()?;
    for nth in 0..EVENTS {
        let event = format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"word {nth} \"}}}}]}}\n\n");
        client.write_all(format!("{:x}\r\n{event}\r\n", event.len()).as_bytes()).ok()?;
        thread::sleep(BEAT);
    }
    client.write_all(b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n").ok()
}

/// A request as it came, head and body.
struct Incoming {
    bytes: Vec<u8>,
}

impl Incoming {
    fn read(reader: &mut impl BufRead) -> Option<Incoming> {
        let mut bytes = Vec::new();
        let length = head(reader, &mut bytes)?.length;
        let begins = bytes.len();
        bytes.resize(begins + length.unwrap_or(0), 0);
        reader.read_exact(&mut bytes[begins..]).ok()?;
        Some(Incoming { bytes })
    }

    fn contains(&self, words: &[u8]) -> bool {
        // The field stands in front of the messages.
        self.bytes[..self.bytes.len().min(2_000)].windows(words.len()).any(|window| window == words)
    }
}

struct Head {
    length: Option<usize>,
    is_ok: bool,
}

fn head(reader: &mut impl BufRead, bytes: &mut Vec<u8>) -> Option<Head> {
    let mut length = None;
    let mut is_ok = false;
    loop {
        let begins = bytes.len();
        reader.read_until(b'\n', bytes).ok().filter(|read| *read > 0)?;
        let line = String::from_utf8_lossy(&bytes[begins..]).to_ascii_lowercase();
        is_ok |= line.starts_with("http/1.1 200");
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().ok();
        }
        if line.trim().is_empty() {
            return Some(Head { length, is_ok });
        }
    }
}

/// Hands on an answer piece by piece as it comes: the head, then the body, whole or in chunks.
fn copy_answer(reader: &mut impl BufRead, mut piece: impl FnMut(&[u8]) -> Option<()>) -> Option<bool> {
    let mut bytes = Vec::new();
    let head = head(reader, &mut bytes)?;
    piece(&bytes)?;
    match head.length {
        Some(length) => {
            let mut body = vec![0; length];
            reader.read_exact(&mut body).ok()?;
            piece(&body)?;
        }
        None => loop {
            let mut chunk = Vec::new();
            reader.read_until(b'\n', &mut chunk).ok()?;
            let size = usize::from_str_radix(String::from_utf8_lossy(&chunk).trim(), 16).ok()?;
            let begins = chunk.len();
            chunk.resize(begins + size + 2, 0);
            reader.read_exact(&mut chunk[begins..]).ok()?;
            piece(&chunk)?;
            if size == 0 {
                break;
            }
        },
    }
    Some(head.is_ok)
}

/// A client with one connection.
pub(crate) struct Client {
    stream: TcpStream,
    reader: BufReader<TcpStream>,
}

/// How an answer came.
pub(crate) struct Took {
    pub(crate) first: Duration,
    pub(crate) whole: Duration,
    /// The body, chunks joined.
    pub(crate) body: Vec<u8>,
}

impl Client {
    pub(crate) fn to(address: SocketAddr) -> Result<Client, Failure> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        Ok(Client { reader: BufReader::new(stream.try_clone()?), stream })
    }

    /// Sends a chat request of a session and waits for all of the answer.
    pub(crate) fn post(&mut self, session: &str, body: &[u8]) -> Result<Took, Failure> {
        let head = format!(
            "POST /v1/chat/completions HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\nauthorization: Bearer sk-bench\r\nx-enfold-session: {session}\r\ncontent-length: {}\r\n\r\n",
            self.stream.peer_addr()?,
            body.len()
        );
        let start = Instant::now();
        self.stream.write_all(head.as_bytes())?;
        self.stream.write_all(body)?;
        let (mut first, mut pieces) = (None, Vec::new());
        let copied = copy_answer(&mut self.reader, |piece| {
            first.get_or_insert_with(|| start.elapsed());
            pieces.push(piece.to_vec());
            Some(())
        });
        let whole = start.elapsed();
        if copied != Some(true) {
            let said: Vec<u8> = pieces.concat();
            return Err(
                format!("no answer: {}", String::from_utf8_lossy(&said[..said.len().min(500)])).into()
            );
        }
        let body = pieces.iter().skip(1).flat_map(|piece| unchunked(piece)).copied().collect();
        Ok(Took { first: first.unwrap_or(whole), whole, body })
    }
}

/// A chunk without its frame; a body in one piece as it is.
fn unchunked(piece: &[u8]) -> &[u8] {
    let end = piece.windows(2).position(|pair| pair == b"\r\n");
    let size = end.and_then(|end| usize::from_str_radix(std::str::from_utf8(&piece[..end]).ok()?, 16).ok());
    match (end, size) {
        (Some(end), Some(size)) if piece.len() == end + size + 4 => &piece[end + 2..end + 2 + size],
        _ => piece,
    }
}

/// What a GET answers.
pub(crate) fn get(address: SocketAddr, path: &str) -> Result<String, Failure> {
    let mut stream = TcpStream::connect(address)?;
    stream.write_all(
        format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n").as_bytes(),
    )?;
    let mut text = String::new();
    stream.read_to_string(&mut text)?;
    Ok(text)
}
