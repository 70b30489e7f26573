//! A server that does what it is told, request by request, however wrong that is.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio::time::Instant;

/// One thing to do with a connection, after its request was read.
#[derive(Clone, Debug)]
pub enum Act {
    /// Send these bytes as they are.
    Send(Vec<u8>),
    /// Send these bytes until the client has had enough.
    SendForEver(Vec<u8>),
    /// Keep the connection and say nothing more.
    Hang,
    /// End the connection as a crash does.
    Reset,
}

/// A request as it arrived, keys and all.
#[derive(Clone, Debug)]
pub struct Request {
    /// The request line and the headers.
    pub head: String,
    /// What was sent.
    pub body: String,
    /// The same as bytes, which need not be text.
    pub bytes: Vec<u8>,
    /// When all of it was there.
    pub at: Instant,
}

/// A server on loopback. It ends with this value.
pub struct Server {
    /// Scheme, address and port.
    pub url: String,
    /// What was asked, in the order in which it was whole.
    pub requests: Arc<Mutex<Vec<Request>>>,
    /// A message for each connection that hangs, and for each that the client ended while bytes were sent.
    pub events: UnboundedReceiver<Event>,
    poured: Arc<AtomicUsize>,
    _stop: oneshot::Sender<()>,
}

/// What a test may have to wait for.
#[derive(Debug, PartialEq)]
pub enum Event {
    /// A connection hangs.
    Hangs,
    /// The client ended a connection that hung, or on which bytes were sent for ever.
    ClientLeft,
}

impl Server {
    /// Plays one script per request, in order; a request beyond them gets status 418. Lives in the caller's runtime,
    /// whose clock a test can stop.
    pub async fn start(scripts: Vec<Vec<Act>>) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("loopback has a free port");
        let mut scripts = scripts.into_iter();
        let (server, serving) =
            Server::listening(listener, move |_| scripts.next().unwrap_or_else(|| json(418, "{}")));
        tokio::spawn(serving);
        server
    }

    /// Does with each request what `play` says. Lives on a thread of its own, for callers that have no runtime or block
    /// theirs.
    pub fn on_thread(play: impl FnMut(&Request) -> Vec<Act> + Send + 'static) -> Server {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.expect("a runtime needs little more than memory");
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
        listener.set_nonblocking(true).expect("every socket can be that");
        // The caller may be inside another runtime, which must not be blocked.
        let listener = {
            let _inside = runtime.enter();
            TcpListener::from_std(listener).expect("a socket that does not block")
        };
        let (server, serving) = Server::listening(listener, play);
        std::thread::spawn(move || runtime.block_on(serving));
        server
    }

    fn listening(
        listener: TcpListener,
        play: impl FnMut(&Request) -> Vec<Act> + Send + 'static,
    ) -> (Server, impl Future<Output = ()> + Send) {
        let url = format!("http://{}", listener.local_addr().expect("a bound socket has an address"));
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (sender, events) = unbounded_channel();
        let (stop, stopped) = oneshot::channel();
        let poured = Arc::new(AtomicUsize::new(0));
        let seen = Seen { requests: requests.clone(), events: sender, poured: poured.clone() };
        let serving = serve(listener, Arc::new(Mutex::new(play)), seen);
        let until_stopped = async {
            tokio::select! {
                () = serving => {}
                _ = stopped => {}
            }
        };
        (Server { url, requests, events, poured, _stop: stop }, until_stopped)
    }

    /// Bytes that were taken of what is sent for ever.
    pub fn poured(&self) -> usize {
        self.poured.load(Ordering::Relaxed)
    }

    /// How many requests came.
    pub fn count(&self) -> usize {
        lock(&self.requests).len()
    }

    /// What was sent with them.
    pub fn bodies(&self) -> Vec<String> {
        lock(&self.requests).iter().map(|request| request.body.clone()).collect()
    }
}

/// A test that failed while it held the lock has said so already.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

type Play = dyn FnMut(&Request) -> Vec<Act> + Send;

/// What a server notes for its test.
#[derive(Clone)]
struct Seen {
    requests: Arc<Mutex<Vec<Request>>>,
    events: UnboundedSender<Event>,
    poured: Arc<AtomicUsize>,
}

async fn serve(listener: TcpListener, play: Arc<Mutex<Play>>, seen: Seen) {
    loop {
        let Ok((mut stream, _)) = listener.accept().await else { continue };
        let (play, seen) = (play.clone(), seen.clone());
        tokio::spawn(async move {
            let Some(request) = read(&mut stream).await else { return };
            lock(&seen.requests).push(request.clone());
            let script = lock(&play)(&request);
            perform(stream, script, seen).await;
        });
    }
}

async fn read(stream: &mut TcpStream) -> Option<Request> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break at;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let mut body = bytes.split_off(end + 4);
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let length =
        head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
    while body.len() < length.unwrap_or(0usize) {
        if stream.read_buf(&mut body).await.ok()? == 0 {
            return None;
        }
    }
    let text = String::from_utf8_lossy(&body).into_owned();
    Some(Request { head, body: text, bytes: body, at: Instant::now() })
}

async fn perform(mut stream: TcpStream, script: Vec<Act>, Seen { events, poured, .. }: Seen) {
    for act in script {
        match act {
            Act::Send(bytes) => {
                let _ = stream.write_all(&bytes).await;
            }
            Act::SendForEver(bytes) => {
                while stream.write_all(&bytes).await.is_ok() {
                    poured.fetch_add(bytes.len(), Ordering::Relaxed);
                }
                let _ = events.send(Event::ClientLeft);
            }
            Act::Hang => {
                let _ = events.send(Event::Hangs);
                // Ends when the client closes.
                let _ = stream.read(&mut [0]).await;
                let _ = events.send(Event::ClientLeft);
            }
            Act::Reset => {
                let _ = stream.set_zero_linger();
                return;
            }
        }
    }
    let _ = stream.shutdown().await;
}

/// An answer in one piece.
pub fn json(status: u16, body: &str) -> Vec<Act> {
    json_with(status, "", body)
}

/// The same with further header lines, each ending in `\r\n`.
pub fn json_with(status: u16, headers: &str, body: &str) -> Vec<Act> {
    let length = body.len();
    let text = format!(
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n{body}"
    );
    vec![Act::Send(text.into_bytes())]
}

/// The head of an answer that comes in chunks.
pub fn chunked_head(kind: &str) -> Act {
    let text = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n"
    );
    Act::Send(text.into_bytes())
}

/// One chunk of such an answer.
pub fn chunk(bytes: &[u8]) -> Act {
    let mut out = format!("{:x}\r\n", bytes.len()).into_bytes();
    out.extend_from_slice(bytes);
    out.extend_from_slice(b"\r\n");
    Act::Send(out)
}

/// A stream of events in the given portions, properly ended.
pub fn stream<'a>(portions: impl IntoIterator<Item = &'a [u8]>) -> Vec<Act> {
    let mut script = vec![chunked_head("text/event-stream; charset=utf-8")];
    script.extend(portions.into_iter().filter(|bytes| !bytes.is_empty()).map(chunk));
    script.push(Act::Send(b"0\r\n\r\n".to_vec()));
    script
}
