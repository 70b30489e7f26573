//! How a session is to be kept.

use std::sync::Arc;
use std::time::Duration;

use bytestring::ByteString;
use enfold::count::media::ImageRule;
use enfold::count::{Counter, Encoding};
use enfold::folding::opener::Opener;
use enfold::folding::persist::Persist;
use enfold::folding::policy::Policy;
use enfold::session::Event;
use enfold::summary::Template;
use enfold::view::fold::HandleKey;
use enfold::wire::Wire;

use crate::Summarizer;

/// Hears what happens to a session, by its id, when it happens.
pub type Sink = Arc<dyn Fn(&str, &Event) + Send + Sync>;

/// How a session is to be kept. What [`Config::new`] does not ask for has a default. Cheap to clone: sessions of one
/// configuration share their policy, their summarizer and its breaker.
#[derive(Clone)]
pub struct Config {
    /// The format of its messages.
    pub wire: &'static dyn Wire,
    /// How it is folded.
    pub policy: Arc<Policy>,
    /// Tokens a view may take.
    pub limit: usize,
    /// The model's whole window. The limit, if nothing is said.
    pub window: usize,
    /// The model's id: stored with the session, and views are what this model's provider takes.
    pub model: Option<String>,
    /// The tool definitions of the requests, a JSON array: counted within the limit, and views are judged with them.
    pub tools: Option<ByteString>,
    /// Who can be asked for summaries. Nobody: they are what code can extract.
    pub summarizer: Option<Arc<Summarizer>>,
    /// Templates of your own.
    pub templates: Vec<Arc<Template>>,
    /// Counts tokens. o200k.
    pub counter: Arc<dyn Counter>,
    /// How images are counted.
    pub image: ImageRule,
    /// How long the provider keeps a request after it was last used. Five minutes.
    pub cache: Duration,
    /// How long a compaction may hold the session. Longer than a summarizer may take; six minutes.
    pub lease: Duration,
    /// How long to wait for a compaction of another process. A minute.
    pub patience: Duration,
    /// Makes handles hard to guess, together with the session's name. One per installation; without one they are
    /// [`HandleKey::guessable`] by whoever knows the session's id.
    pub secret: Vec<u8>,
    /// A folder for originals as files, which folded texts name. Where it cannot be written, folds name handles instead.
    pub blobs: Option<String>,
    /// Who keeps originals where the agent can read them, and says where: in place of a folder.
    pub persister: Option<Arc<dyn Persist>>,
    /// How the agent can open what is left out. No way that is known.
    pub opener: Opener,
    /// Who hears what happens.
    pub sink: Option<Sink>,
    /// Time since 1970.
    pub clock: Clock,
}

/// Tells the time since 1970.
pub type Clock = Arc<dyn Fn() -> Duration + Send + Sync>;

impl Config {
    /// A session in this format, folded by this policy to this many tokens.
    pub fn new(wire: &'static dyn Wire, policy: impl Into<Arc<Policy>>, limit: usize) -> Config {
        Config {
            wire,
            policy: policy.into(),
            limit,
            window: limit,
            model: None,
            tools: None,
            summarizer: None,
            templates: Vec::new(),
            counter: Arc::new(Encoding::O200k),
            image: ImageRule::default(),
            cache: Duration::from_secs(5 * 60),
            lease: Duration::from_secs(6 * 60),
            patience: Duration::from_secs(60),
            secret: HandleKey::NO_SECRET.to_vec(),
            blobs: None,
            persister: None,
            opener: Opener::Unknown,
            sink: None,
            clock: Arc::new(enfold_store::since_1970),
        }
    }

    /// With somebody to ask for summaries.
    pub fn asking(mut self, summarizer: impl Into<Arc<Summarizer>>) -> Config {
        self.summarizer = Some(summarizer.into());
        self
    }
}
