//! A session that is kept in a database: every original is stored before a view hides it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use bytestring::ByteString;
use enfold::count::Usage;
use enfold::count::models::Table;
use enfold::history::Slot;
use enfold::session::{Prepared, Synced};
use enfold::wire::{self, Wire};
use enfold_cli::Count;
use enfold_coordinator::{Clock, Config, Coordinator, Summarizer};
use enfold_llm::{Client, Endpoint, Options as Calls};
use enfold_store::{Hit, Sessions, Sqlite, Upkeep, since_1970};
use serde_json::json;

use crate::kept_account::KeptAccount;
use crate::options::{bad, shared_policy, wire_names};
use crate::session::parse_handle;
use crate::{Code, Error, Message, Options, View};

/// Hears each event of a session as JSON, `{"type", "data"}`, when it happens: a compaction's start before its work.
pub type Listener = Arc<dyn Fn(&str) + Send + Sync>;

/// A session in a SQLite database, by its id. Another process can go on with it, with the very same views.
pub struct StoredSession {
    store: Arc<Sqlite>,
    id: String,
    coordinator: Coordinator,
    wire: &'static dyn Wire,
    model: Option<String>,
    account: KeptAccount,
    ahead: Ahead,
}

/// By how many milliseconds the host's clock is ahead of the system's.
type Ahead = Arc<AtomicI64>;

impl StoredSession {
    /// Opens a session with everything it was; creates it, and the database, if there is none. A session that is not there
    /// yet needs its format.
    pub fn open(
        path: &str,
        id: &str,
        options: &Options,
        listener: Option<Listener>,
    ) -> Result<StoredSession, Error> {
        options.for_session()?;
        let store = Arc::new(Sqlite::open(path)?);
        let wire = match (options.wire()?, store.session(id)?) {
            (Some(wire), _) => wire,
            (None, Some(stored)) => wire::named(&stored.session.wire).ok_or_else(|| {
                bad(format!("session `{id}` is stored in `{}`, which is no wire format", stored.session.wire))
            })?,
            (None, None) => {
                return Err(bad(format!(
                    "session `{id}` is not in the store yet: say its format, one of {}",
                    wire_names()
                )));
            }
        };
        let ahead = Ahead::default();
        let mut config = config(wire, options, listener)?;
        config.clock = clock(ahead.clone());
        let coordinator = Coordinator::open(store.clone(), id, config)?;
        let (model, account) = (options.model.clone(), KeptAccount::default());
        let mut session = StoredSession { store, id: id.into(), coordinator, wire, model, account, ahead };
        if let Some(system) = options.beside(wire)?.system {
            session.head(system)?;
        }
        Ok(session)
    }

    /// What the host's clock says, in milliseconds since 1970: what the provider's cache still holds is told by it. From then on
    /// time passes as it does here.
    pub fn at(&mut self, now: f64) {
        let now = now as i64;
        self.ahead.store(now - millis(since_1970()), Ordering::Relaxed);
    }

    /// Its id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Its wire format.
    pub fn format(&self) -> &'static str {
        self.wire.name()
    }

    /// How many messages of the host's list the session has.
    pub fn messages(&self) -> usize {
        self.listed().count()
    }

    /// The messages of the host's list as they are stored.
    pub fn texts(&self) -> Vec<ByteString> {
        self.listed().collect()
    }

    /// The epoch of the last view.
    pub fn epoch(&self) -> u32 {
        self.coordinator.session().epoch()
    }

    /// Appends one message. When this returns, it is stored.
    pub fn push(&mut self, message: Message) -> Result<(), Error> {
        let nth = self.messages();
        self.coordinator.push(message).map_err(|error| Error { message: Some(nth), ..error.into() })
    }

    /// Takes over the host's whole list. When this returns, what is new is stored.
    pub fn sync(&mut self, messages: &[Message]) -> Result<Synced, Error> {
        let texts = messages.iter().map(|message| message.text().clone());
        Ok(self.coordinator.sync(texts)?)
    }

    /// The same for a host that knows which of its messages it has given before.
    pub fn sync_tail(&mut self, kept: usize, new: &[Message]) -> Result<Synced, Error> {
        let there = self.messages();
        if kept > there {
            return Err(bad(format!("{kept} messages are to be kept, and the session has {there}")));
        }
        let all: Vec<ByteString> =
            self.listed().take(kept).chain(new.iter().map(|message| message.text().clone())).collect();
        Ok(self.coordinator.sync(all)?)
    }

    /// What to send now. What it hides is stored when this returns. May wait for a model that writes a summary, or for
    /// another process that compacts the session.
    pub fn prepare(&mut self) -> Result<View, Error> {
        let prepared = self.coordinator.prepare()?;
        Ok(self.view(prepared))
    }

    /// The provider refused the last view as too long; it may have said how many tokens it counted. The next view is folded
    /// harder. Nothing was charged for it.
    pub fn overflowed(&mut self, counted: Option<usize>) {
        self.coordinator.overflowed(counted);
    }

    /// Takes in what the provider charged for the last request. Stored with what comes next.
    pub fn report(&mut self, input: u64, cache_read: u64, cache_write: u64, output: u64) {
        let messages = self.coordinator.session().history().messages().len();
        self.coordinator.report(Usage { messages, input, cache_read, cache_write, output });
    }

    /// Opens a fold of any view there ever was.
    pub fn recall(&mut self, handle: &str) -> Result<Option<ByteString>, Error> {
        Ok(self.coordinator.recall(parse_handle(handle)?)?)
    }

    /// Messages that hold all words of a query, newest first, as JSON: `[{"message", "snippet"}]`.
    pub fn search(&self, query: &str, limit: usize) -> Result<String, Error> {
        let hits = self.store.search(&self.id, query, limit)?;
        let hit = |hit: &Hit| json!({ "message": hit.number, "snippet": hit.snippet });
        Ok(serde_json::Value::Array(hits.iter().map(hit).collect()).to_string())
    }

    /// To be called when the agent's work is done and the user has the word.
    pub fn settle(&mut self) -> Result<Option<View>, Error> {
        let settled = self.coordinator.settle()?;
        Ok(settled.map(|prepared| self.view(prepared)))
    }

    /// What clearing old outputs of tools would bring now: `{"is_worth_it", "outputs", "tokens", "tools"}`. Nothing is changed.
    pub fn pruning(&self) -> String {
        serde_json::to_string(&self.coordinator.session().pruning()).expect("numbers and texts are JSON")
    }

    /// The messages of the view that was sent last, as JSON; of another process too.
    pub fn last_view(&self) -> Vec<ByteString> {
        self.coordinator.session().view().to_vec()
    }

    /// The session in figures, as `enfold sessions show ID --json` has them: how often and when it was compacted, and who
    /// compacts it now.
    pub fn about(&self) -> Result<String, Error> {
        told(enfold_cli::stored_session(&self.store, &self.id, &self.counting()))
    }

    /// What became of each message, as `enfold sessions messages ID --json` has it: of all, or of those since the last
    /// compaction.
    pub fn messages_told(&self, since_compaction: bool) -> Result<String, Error> {
        told(enfold_cli::stored_messages(&self.store, &self.id, &self.counting(), since_compaction))
    }

    fn counting(&self) -> Count<'_> {
        Count { model: self.model.as_deref(), counter: None }
    }

    fn view(&mut self, prepared: Prepared) -> View {
        let session = self.coordinator.session();
        let account = self.account.after(&prepared, session);
        View::of_prepared(prepared, self.wire.name(), session.history(), account)
    }

    fn listed(&self) -> impl Iterator<Item = ByteString> + '_ {
        self.coordinator.session().history().listed().map(|(_, message)| message.raw.clone())
    }

    /// The system prompt is stored once, before the messages.
    fn head(&mut self, system: ByteString) -> Result<(), Error> {
        let messages = self.coordinator.session().history().messages();
        match messages.iter().find(|message| message.slot == Slot::Head) {
            Some(stored) if stored.raw == system => Ok(()),
            None if messages.is_empty() => Ok(self.coordinator.push_head(system)?),
            _ => Err(bad(format!(
                "session `{}` is stored with another system prompt; open it under another id",
                self.id
            ))),
        }
    }
}

fn told(found: Result<serde_json::Value, String>) -> Result<String, Error> {
    found.map(|found| found.to_string()).map_err(|why| Error::new(Code::Store, why))
}

fn config(wire: &'static dyn Wire, options: &Options, listener: Option<Listener>) -> Result<Config, Error> {
    let policy = shared_policy(options)?;
    let room = options.room(&policy)?;
    let mut config = Config::new(wire, policy, room.limit);
    config.window = room.window;
    config.model = options.model.clone();
    if let Some(model) = options.model() {
        (config.counter, config.image) = (model.counter(), model.image);
    }
    if let Some(counter) = options.counter()? {
        config.counter = counter;
    }
    config.tools = options.beside(wire)?.tools;
    if let Some(secret) = &options.secret {
        config.secret = secret.as_bytes().to_vec();
    }
    config.blobs = options.blobs.clone();
    config.cache = options.cache_lifetime()?;
    config.patience = seconds("patience_seconds", options.patience_seconds)?.unwrap_or(config.patience);
    if let Some(keep) = &options.persister {
        config.persister = Some(Arc::new(keep.clone()));
    }
    if let Some(listener) = listener {
        config.sink = Some(Arc::new(move |_, event| {
            listener(&serde_json::to_string(event).expect("numbers and texts always become JSON"));
        }));
    }
    match options.summarizer()? {
        Some((api, model)) => {
            let failed = |error: enfold_llm::Error| bad(format!("summarizer: {error}; {}", error.remedy()));
            let endpoint = Endpoint::from_env(api, options.summarizer_url.as_deref()).map_err(failed)?;
            let client = Client::new(endpoint, Calls::default()).map_err(failed)?;
            let window = Table::shipped().resolve(model).model.context;
            let summarizer = Summarizer::new(client, api, model, window);
            Ok(config.asking(summarizer.map_err(|error| Error::new(Code::BadOption, error.to_string()))?))
        }
        None => Ok(config),
    }
}

/// The system's clock, and what the host's is ahead of it.
fn clock(ahead: Ahead) -> Clock {
    Arc::new(move || {
        let now = millis(since_1970()) + ahead.load(Ordering::Relaxed);
        Duration::from_millis(now.try_into().unwrap_or_default())
    })
}

fn millis(time: Duration) -> i64 {
    time.as_millis().try_into().unwrap_or(i64::MAX)
}

pub(crate) fn seconds(name: &str, given: Option<f64>) -> Result<Option<Duration>, Error> {
    let Some(seconds) = given else { return Ok(None) };
    let time = Duration::try_from_secs_f64(seconds);
    time.map(Some).map_err(|_| bad(format!("{name}: {seconds} is no time to wait")))
}
