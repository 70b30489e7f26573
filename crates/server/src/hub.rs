//! What happened, told to whoever listens, when it happens: server-sent events with the names that dashboards know.

use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame};
use serde_json::{Value, json};
use tokio::sync::mpsc::{Receiver, Sender, channel};

use crate::answer::BoxError;
use crate::config::Log;

/// A listener that is so many events behind is let go: nothing waits for it.
const BEHIND: usize = 1_024;

/// Tells listeners, and the log.
pub(crate) struct Hub {
    listeners: Mutex<Vec<Sender<Bytes>>>,
    log: Option<Log>,
    clock: fn() -> Duration,
}

impl Hub {
    pub(crate) fn new(log: Option<Log>, clock: fn() -> Duration) -> Hub {
        Hub { listeners: Mutex::new(Vec::new()), log, clock }
    }

    /// Something happened to a session.
    pub(crate) fn tell(&self, session: &str, name: &str, data: Value) {
        let at = u64::try_from((self.clock)().as_millis()).unwrap_or(u64::MAX);
        let told = json!({"session": session, "at": at, "data": data});
        self.log(name, &told);
        let frame = Bytes::from(format!("event: {name}\ndata: {told}\n\n"));
        self.send(&frame);
    }

    /// A line for the log alone.
    pub(crate) fn log(&self, name: &str, what: &Value) {
        if let Some(log) = &self.log {
            let mut line = json!({"event": name});
            if let (Some(line), Some(what)) = (line.as_object_mut(), what.as_object()) {
                line.extend(what.iter().map(|(key, value)| (key.clone(), value.clone())));
            }
            log(&line.to_string());
        }
    }

    /// A sign of life, so that nobody in between takes the connection for dead.
    pub(crate) fn ping(&self) {
        self.send(&Bytes::from_static(b": ping\n\n"));
    }

    /// Ends all streams of events.
    pub(crate) fn close(&self) {
        self.lock().clear();
    }

    /// A stream of what happens from now on.
    pub(crate) fn listen(&self) -> Listening {
        let (sender, events) = channel(BEHIND);
        // The first bytes tell a client that it is connected.
        let _ = sender.try_send(Bytes::from_static(b": enfold\n\n"));
        self.lock().push(sender);
        Listening { events }
    }

    fn send(&self, frame: &Bytes) {
        self.lock().retain(|listener| listener.try_send(frame.clone()).is_ok());
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Sender<Bytes>>> {
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A stream of events.
pub(crate) struct Listening {
    events: Receiver<Bytes>,
}

impl HttpBody for Listening {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        self.events.poll_recv(cx).map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }
}
