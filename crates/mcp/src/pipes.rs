//! The protocol over pipes: a message per line. Calls run beside each other, and each is answered when it is done.

use std::collections::HashMap;
use std::io;

use serde::Serialize;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::task::{AbortHandle, JoinSet};

use crate::rpc::{Fault, Id, Incoming, LONGEST, Message, Notification, Request, Response};
use crate::{Recall, methods};

/// Requests that are worked on at once. More wait in the pipe.
const AT_ONCE: usize = 32;

/// Why the server ended before its client did. The operator can mend it.
#[derive(Debug, thiserror::Error)]
#[error(
    "the pipe to the client: {0}; `enfold mcp` is started by an agent, which keeps both of its pipes open"
)]
pub struct ServeError(io::Error);

/// Answers over standard input and output until the client leaves.
pub async fn over_pipes(recall: Recall) -> Result<(), ServeError> {
    over(recall, tokio::io::stdin(), tokio::io::stdout()).await
}

/// Answers what comes in a line each, until there is no more and all of it is answered, or nobody takes the answers.
pub async fn over<I, O>(recall: Recall, input: I, output: O) -> Result<(), ServeError>
where
    I: AsyncRead + Unpin,
    O: AsyncWrite + Unpin,
{
    let (mut lines, mut answers) = (Lines::of(input), Answers { output });
    let mut running = Running::default();
    let mut is_open = true;
    let served: io::Result<()> = async {
        loop {
            tokio::select! {
                line = lines.next(), if is_open && running.tasks.len() < AT_ONCE => match line? {
                    None => is_open = false,
                    Some(Line::TooLong) => answers.write(&Response::refused(Fault::too_long())).await?,
                    Some(Line::Whole(line)) if line.trim_ascii().is_empty() => {}
                    Some(Line::Whole(line)) => match Incoming::read(&line) {
                        Ok(Incoming::One(Message::Request(request))) => running.start(&recall, request),
                        Ok(Incoming::One(Message::Notification(told))) => running.hear(told),
                        Ok(Incoming::One(Message::Answer)) => {}
                        Ok(Incoming::Several(several)) => running.start_several(&recall, several),
                        Ok(Incoming::One(Message::Malformed(response))) | Err(response) => {
                            answers.write(&response).await?;
                        }
                    },
                },
                Some(done) = running.tasks.join_next() => {
                    // What was called off is not answered.
                    let Ok((id, answer)) = done else { continue };
                    running.forget(id);
                    answers.take(answer).await?;
                }
                else => return Ok(()),
            }
        }
    }
    .await;
    match served {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(ServeError(error)),
        _ => Ok(()),
    }
}

/// What is being worked on.
#[derive(Default)]
struct Running {
    tasks: JoinSet<(Option<Id>, Answer)>,
    by_id: HashMap<Id, AbortHandle>,
}

enum Answer {
    One(Response),
    Several(Vec<Response>),
}

impl Running {
    fn start(&mut self, recall: &Recall, request: Request) {
        let (recall, id) = (recall.clone(), request.id.clone());
        let work = async move {
            let id = request.id.clone();
            (Some(id), Answer::One(methods::answer(&recall, request).await))
        };
        self.by_id.insert(id, self.tasks.spawn(work));
    }

    fn start_several(&mut self, recall: &Recall, several: Vec<Message>) {
        let recall = recall.clone();
        let work = async move { (None, Answer::Several(methods::answer_several(&recall, several).await)) };
        self.tasks.spawn(work);
    }

    /// Of what clients tell, only that a request is called off matters here.
    fn hear(&mut self, mut told: Notification) {
        let id = match &*told.method {
            "notifications/cancelled" => told.params.remove("requestId").and_then(Id::read),
            _ => None,
        };
        if let Some(task) = id.and_then(|id| self.by_id.remove(&id)) {
            task.abort();
        }
    }

    fn forget(&mut self, id: Option<Id>) {
        if let Some(id) = id {
            self.by_id.remove(&id);
        }
    }
}

struct Answers<O> {
    output: O,
}

impl<O: AsyncWrite + Unpin> Answers<O> {
    async fn take(&mut self, answer: Answer) -> io::Result<()> {
        match answer {
            Answer::One(response) => self.write(&response).await,
            // To notifications alone nothing is said.
            Answer::Several(responses) if responses.is_empty() => Ok(()),
            Answer::Several(responses) => self.write(&responses).await,
        }
    }

    async fn write(&mut self, message: &impl Serialize) -> io::Result<()> {
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        self.output.write_all(&line).await?;
        self.output.flush().await
    }
}

/// The lines of a stream. Of one that is too long no more is kept than that it was.
struct Lines<I> {
    input: BufReader<I>,
    line: Vec<u8>,
    is_too_long: bool,
}

enum Line {
    Whole(Vec<u8>),
    TooLong,
}

impl<I: AsyncRead + Unpin> Lines<I> {
    fn of(input: I) -> Lines<I> {
        Lines { input: BufReader::new(input), line: Vec::new(), is_too_long: false }
    }

    /// The next line; the last may lack its end. Nothing is lost if this is dropped while it waits.
    async fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            let came = self.input.fill_buf().await?;
            if came.is_empty() {
                let is_all = self.line.is_empty() && !self.is_too_long;
                return Ok(if is_all { None } else { Some(self.take()) });
            }
            let end = came.iter().position(|byte| *byte == b'\n');
            let piece = &came[..end.unwrap_or(came.len())];
            if self.line.len() + piece.len() > LONGEST {
                self.is_too_long = true;
                self.line = Vec::new();
            }
            if !self.is_too_long {
                self.line.extend_from_slice(piece);
            }
            let read = piece.len() + usize::from(end.is_some());
            self.input.consume(read);
            if end.is_some() {
                return Ok(Some(self.take()));
            }
        }
    }

    fn take(&mut self) -> Line {
        let line = std::mem::take(&mut self.line);
        match std::mem::take(&mut self.is_too_long) {
            true => Line::TooLong,
            false => Line::Whole(line),
        }
    }
}
