//! Attempts, the waits between them, the deadline over all, and the breaker.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::attempt::{Limits, Sender};
use crate::body::{self, Delivery, Habits};
use crate::breaker::{Breaker, Outcome};
use crate::{Answer, Ask, Endpoint, Error, Progress, key, retry};

/// Longest duration that is taken from [`Options`]; a longer one is this.
const LONGEST: Duration = Duration::from_secs(7 * 24 * 3_600);

/// How patient a client is. The defaults suit summaries.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Further attempts after one that failed for a passing reason. 2.
    pub retries: u32,
    /// Upper bound of the random wait before the first further attempt; doubles with each. 500 ms.
    pub first_wait: Duration,
    /// Longest wait between attempts. A provider that asks for more gets no further attempt, and the caller the error
    /// with the time asked for. 60 s.
    pub longest_wait: Duration,
    /// For a connection. 10 s.
    pub connect: Duration,
    /// For the head of the answer, which comes only after the whole answer is written where it is not streamed. 120 s.
    pub head: Duration,
    /// Between two portions of the answer. 60 s.
    pub idle: Duration,
    /// Over all attempts and waits. 300 s.
    pub total: Duration,
    /// Longest answer in bytes; reading stops there. 1 MiB.
    pub answer_bytes: usize,
    /// Failed questions in a row after which none is sent for a while. 3.
    pub breaker_after: u32,
    /// How long that while is. 60 s.
    pub breaker_open_for: Duration,
    /// Seed of the random waits; `None` takes one that differs between processes.
    pub seed: Option<u64>,
    /// For `retry-after` as a date. All other times are tokio's, which tests can stop.
    pub wall_clock: fn() -> SystemTime,
    /// Whether a proxy is used.
    pub proxy: Proxy,
}

/// Whether a proxy is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proxy {
    /// As `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` say.
    Environment,
    /// Never.
    Direct,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            retries: 2,
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_secs(60),
            connect: Duration::from_secs(10),
            head: Duration::from_secs(120),
            idle: Duration::from_secs(60),
            total: Duration::from_secs(300),
            answer_bytes: 1 << 20,
            breaker_after: 3,
            breaker_open_for: Duration::from_secs(60),
            seed: None,
            wall_clock: SystemTime::now,
            proxy: Proxy::Environment,
        }
    }
}

impl Options {
    /// Durations far beyond use would overflow the clock.
    fn bounded(mut self) -> Options {
        let Options { first_wait, longest_wait, connect, head, idle, total, breaker_open_for, .. } =
            &mut self;
        for duration in [first_wait, longest_wait, connect, head, idle, total, breaker_open_for] {
            *duration = LONGEST.min(*duration);
        }
        self
    }
}

/// Obtains answers from one endpoint. Clones share connections, the breaker, and what was learnt about models.
#[derive(Clone)]
pub struct Client {
    shared: Arc<Shared>,
}

struct Shared {
    endpoint: Endpoint,
    options: Options,
    sender: Sender,
    breaker: Mutex<Breaker>,
    habits: Mutex<BTreeMap<String, Habits>>,
    random: Mutex<fastrand::Rng>,
}

impl Client {
    /// A client for `endpoint`. Sends nothing yet.
    pub fn new(endpoint: Endpoint, options: Options) -> Result<Client, Error> {
        let options = options.bounded();
        let sender = Sender::new(&endpoint.url, options.proxy, options.connect)?;
        let breaker = Mutex::new(Breaker::new(options.breaker_after, options.breaker_open_for));
        let random = Mutex::new(options.seed.map_or_else(fastrand::Rng::new, fastrand::Rng::with_seed));
        let habits = Mutex::default();
        Ok(Client { shared: Arc::new(Shared { endpoint, options, sender, breaker, habits, random }) })
    }

    /// Asks, and returns the answer when it is whole. Dropping the future cancels, and so does `cancel`.
    pub async fn ask(&self, ask: &Ask, cancel: &CancellationToken) -> Result<Answer, Error> {
        self.obtain(ask, Delivery::Whole, cancel, &mut |_| {}).await
    }

    /// Asks, and reports text as it comes. Returns the whole answer.
    pub async fn stream(
        &self,
        ask: &Ask,
        cancel: &CancellationToken,
        on: &mut (dyn FnMut(Progress<'_>) + Send),
    ) -> Result<Answer, Error> {
        self.obtain(ask, Delivery::Stream, cancel, on).await
    }

    /// Why nothing would be asked now: several questions in a row failed, or their answers were of no use.
    pub fn held_back(&self) -> Option<Error> {
        let held = lock(&self.shared.breaker).held_back(Instant::now())?;
        Some(Error::BreakerOpen { wait: held.wait, because: held.because })
    }

    /// To be told whether an answer was of use: several in a row that were not hold further questions back, as failures do.
    pub fn judge(&self, was_useful: bool) {
        lock(&self.shared.breaker).judge(Instant::now(), was_useful);
    }

    /// The endpoint asked.
    pub fn endpoint(&self) -> &Endpoint {
        &self.shared.endpoint
    }

    async fn obtain(
        &self,
        ask: &Ask,
        delivery: Delivery,
        cancel: &CancellationToken,
        on: &mut (dyn FnMut(Progress<'_>) + Send),
    ) -> Result<Answer, Error> {
        body::check(ask)?;
        let admitted = self.shared.admit()?;
        let result = tokio::select! {
            biased;
            () = cancel.cancelled() => Err(Error::Cancelled),
            result = self.shared.try_repeatedly(ask, delivery, on) => result,
        };
        admitted.settle(&result);
        result
    }
}

impl Shared {
    async fn try_repeatedly(
        &self,
        ask: &Ask,
        delivery: Delivery,
        on: &mut (dyn FnMut(Progress<'_>) + Send),
    ) -> Result<Answer, Error> {
        let limits = self.limits();
        let mut retried = Vec::new();
        let mut repeats = 0;
        loop {
            let habits = lock(&self.habits).get(&ask.model).copied().unwrap_or_default();
            let error = match self.try_once(ask, delivery, habits, &limits, on).await {
                Ok(answer) => return Ok(Answer { retried, ..answer }),
                Err(error) => key::clean(error, self.endpoint.key.as_ref()),
            };
            let wait = if let Some(learnt) = habits.taught_by(&error, self.endpoint.api) {
                lock(&self.habits).insert(ask.model.clone(), learnt);
                Duration::ZERO
            } else if let Some(wait) = self.wait_before_next(&error, repeats, &limits) {
                repeats += 1;
                wait
            } else {
                return Err(error);
            };
            on(Progress::Retry { error: &error, wait });
            retried.push(error);
            sleep(wait).await;
        }
    }

    async fn try_once(
        &self,
        ask: &Ask,
        delivery: Delivery,
        habits: Habits,
        limits: &Limits,
        on: &mut (dyn FnMut(Progress<'_>) + Send),
    ) -> Result<Answer, Error> {
        let endpoint = &self.endpoint;
        let body = body::write(endpoint.api, endpoint.is_openai(), ask, delivery, habits);
        let mut on_text = |text: &str| on(Progress::Text(text));
        self.sender.attempt(endpoint, body, delivery, limits, &mut on_text).await
    }

    /// How long to wait before another attempt; `None` where there shall be none.
    fn wait_before_next(&self, error: &Error, repeats: u32, limits: &Limits) -> Option<Duration> {
        let Options { retries, first_wait, longest_wait, .. } = self.options;
        if !error.is_transient() || repeats >= retries {
            return None;
        }
        let wait =
            retry::wait(&mut lock(&self.random), first_wait, longest_wait, repeats, error.retry_after());
        (wait <= longest_wait && Instant::now() + wait < limits.deadline).then_some(wait)
    }

    fn limits(&self) -> Limits {
        let Options { head, idle, total, answer_bytes, wall_clock, connect, .. } = self.options;
        Limits {
            connect,
            head,
            idle,
            deadline: Instant::now() + total,
            total,
            bytes: answer_bytes,
            wall_clock,
        }
    }

    fn admit(&self) -> Result<Admitted<'_>, Error> {
        match lock(&self.breaker).admit(Instant::now()) {
            Ok(()) => Ok(Admitted { breaker: &self.breaker, outcome: Outcome::Unknown }),
            Err(held) => Err(Error::BreakerOpen { wait: held.wait, because: held.because }),
        }
    }
}

/// A question the breaker let through. Tells it how the question ended, also when its future is dropped.
struct Admitted<'a> {
    breaker: &'a Mutex<Breaker>,
    outcome: Outcome,
}

impl Admitted<'_> {
    fn settle(mut self, result: &Result<Answer, Error>) {
        self.outcome = match result {
            // Whoever says that a request is too long is there and takes the key.
            Ok(_) | Err(Error::Overflow(_)) => Outcome::Worked,
            Err(Error::Cancelled) => Outcome::Unknown,
            Err(error) => Outcome::Failed(error.class()),
        };
    }
}

impl Drop for Admitted<'_> {
    fn drop(&mut self) {
        lock(self.breaker).settle(Instant::now(), self.outcome);
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("Client")
            .field("endpoint", &self.shared.endpoint)
            .field("options", &self.shared.options)
            .finish()
    }
}

/// Nothing behind these locks can be left half-changed, so a panic elsewhere is no reason to stop.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
