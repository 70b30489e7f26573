//! The same for callers without a runtime, such as the command line.

use tokio::runtime::{Builder, Runtime};
use tokio_util::sync::CancellationToken;

use crate::{Answer, Ask, Client, Error, Progress};

/// A [`Client`] whose calls return when the answer is there. May also be used from inside a runtime, which it blocks.
#[derive(Debug)]
pub struct Blocking {
    client: Client,
    /// Taken only in `drop`.
    runtime: Option<Runtime>,
}

impl Blocking {
    /// Wraps `client`. Connections live as long as the wrapper.
    pub fn new(client: Client) -> Result<Blocking, Error> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|why| Error::Setup(format!("no runtime: {why}")))?;
        Ok(Blocking { client, runtime: Some(runtime) })
    }

    /// What it wraps. Its futures belong to the wrapper's own runtime: ask through the wrapper.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// [`Client::ask`]. `cancel` may be cancelled from another thread.
    pub fn ask(&self, ask: &Ask, cancel: &CancellationToken) -> Result<Answer, Error> {
        self.run(self.client.ask(ask, cancel))
    }

    /// [`Client::stream`]. `on` is called on another thread, while this one waits.
    pub fn stream(
        &self,
        ask: &Ask,
        cancel: &CancellationToken,
        on: &mut (dyn FnMut(Progress<'_>) + Send),
    ) -> Result<Answer, Error> {
        self.run(self.client.stream(ask, cancel, on))
    }

    /// On a thread of its own: a runtime may not be entered from within another one.
    fn run(&self, answer: impl Future<Output = Result<Answer, Error>> + Send) -> Result<Answer, Error> {
        let runtime = self.runtime.as_ref().expect("the runtime is taken only in drop");
        let done = std::thread::scope(|scope| scope.spawn(|| runtime.block_on(answer)).join());
        done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

impl Drop for Blocking {
    fn drop(&mut self) {
        // Dropping a runtime waits for its tasks, which is not allowed inside another runtime.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
