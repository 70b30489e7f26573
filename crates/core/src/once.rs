//! Folding a session once: bytes in, bytes out.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytestring::ByteString;

use crate::count::budget::{BudgetError, BudgetSpec};
use crate::count::media::ImageRule;
use crate::count::models::Table;
use crate::count::{Counter, Encoding, Tally};
use crate::file::convert::convert;
use crate::file::document::{Document, Layout};
use crate::file::{self, ReadError};
use crate::finding::Finding;
use crate::folding::account::{self, Account};
use crate::folding::passes::{Cache, Cx};
use crate::folding::persist::{Persist, Persister, Remembered};
use crate::folding::policy::{Policy, Room};
use crate::folding::runner::{CannotFit, run};
use crate::session::{Origin, Sent};
use crate::understand::facts::Facts;
use crate::view::fold::{Handle, HandleKey};
use crate::view::original::Original;
use crate::view::trace::Trace;

/// How to fold.
#[non_exhaustive]
pub struct Options {
    /// Which passes, in which order. `balanced`.
    pub policy: Policy,
    /// Tokens the view may take. Without it, what the model's window leaves for a history.
    pub budget: Option<usize>,
    /// The model: its counts and its window. Without one, tokens are counted in o200k.
    pub model: Option<String>,
    /// The name of the input's format. Without one it is recognised by content.
    pub format: Option<String>,
    /// Makes handles: a secret per installation and a name per session.
    pub handles: HandleKey,
    /// What counts, where that is not the model's.
    pub counter: Option<Arc<dyn Counter>>,
    /// The whole window, where it is not the model's and not the budget.
    pub window: Option<usize>,
    /// From where on the view is made smaller although it fits.
    pub starts: Option<usize>,
    /// What is aimed at once something has to be folded. The budget.
    pub target: Option<usize>,
    /// Whether the provider still holds the last request. It does not.
    pub cache: Cache,
    /// Who keeps what is hidden where the agent can read it, if somebody does.
    pub persister: Option<Arc<dyn Persist>>,
}

impl Options {
    /// To fit so many tokens.
    pub fn budget(tokens: usize, handles: HandleKey) -> Options {
        Options { budget: Some(tokens), ..Options::for_model(None, handles) }
    }

    /// To fit a model's window.
    pub fn model(id: impl Into<String>, handles: HandleKey) -> Options {
        Options::for_model(Some(id.into()), handles)
    }

    fn for_model(model: Option<String>, handles: HandleKey) -> Options {
        let policy = Policy::named("balanced").expect("`balanced` ships");
        Options {
            policy,
            budget: None,
            model,
            format: None,
            handles,
            counter: None,
            window: None,
            starts: None,
            target: None,
            cache: Cache::Cold,
            persister: None,
        }
    }
}

/// A session that was folded.
#[derive(Debug)]
#[non_exhaustive]
pub struct Folded {
    /// The view in the input's format; of a log, in the format that its agent speaks.
    pub text: ByteString,
    /// The name of that format.
    pub format: &'static str,
    /// The system prompt, where the format keeps it beside the list.
    pub head: Option<ByteString>,
    /// The messages of the view, one by one.
    pub messages: Vec<ByteString>,
    /// Where each of them comes from: places in the input's list of messages, from 0; of a log, in the list that its agent
    /// would send.
    pub origins: Vec<Origin>,
    /// Tokens of the view, with what stands around the messages.
    pub tokens: usize,
    /// What was done and why.
    pub trace: Trace,
    /// What is not whole in the view: messages that left, and what was shortened.
    pub account: Account,
    /// What is hidden, by its handle: to be stored before the view is used.
    pub originals: BTreeMap<Handle, ByteString>,
    /// What was noticed while reading, and what converting a log could not carry.
    pub findings: Vec<Finding>,
}

/// Why there is no view.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FoldOnceError {
    /// The input is no session. The caller can mend it.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// What must stay does not fit. The caller can allow more.
    #[error(transparent)]
    CannotFit(#[from] Box<CannotFit>),
    /// The window leaves no room. The caller can take another model or say a budget.
    #[error(transparent)]
    Budget(#[from] BudgetError),
}

/// Folds a session: any request format or transcript in, a view that fits out.
///
/// ```
/// use enfold::{HandleKey, Options, fold_once};
///
/// let session = r#"{"role":"user","content":"Why does the build fail?"}"#;
/// let folded = fold_once(session, &Options::budget(1_000, HandleKey::new(b"a secret", "my session")))?;
/// assert_eq!(folded.text, session, "what fits stays as it is");
/// # Ok::<(), enfold::FoldOnceError>(())
/// ```
pub fn fold_once(bytes: impl Into<Vec<u8>>, options: &Options) -> Result<Folded, FoldOnceError> {
    let read = match &options.format {
        Some(format) => file::read_bytes_as(format, bytes.into())?,
        None => file::read_bytes(bytes.into())?,
    };
    let (document, findings) = in_place(read)?;
    let model = options.model.as_deref().or(document.model.as_deref());
    let model = model.map(|id| Table::shipped().resolve(id).model);
    let models_own =
        || model.as_ref().map_or(Arc::new(Encoding::O200k) as Arc<dyn Counter>, |it| it.counter());
    let counter = options.counter.clone().unwrap_or_else(models_own);
    let image = model.as_ref().map_or_else(ImageRule::default, |model| model.image);
    let Room { limit, window } =
        options.policy.room(model.as_ref(), options.budget.map(BudgetSpec::Tokens))?;
    let around = document.around();
    let beside = document.count_beside(&around, &*counter);
    let tally = Tally::to_fit(&document.history, limit, counter, image);
    let mut facts = Facts::new(options.policy.understanding.clone());
    facts.update(&document.history);
    let mut cx =
        Cx::new(limit.saturating_sub(beside), &facts, &options.handles, document.wire).within(&around);
    cx.window = options.window.unwrap_or(window);
    cx.target = options.target.unwrap_or(limit).min(limit).saturating_sub(beside);
    cx.starts = options.starts.map(|starts| starts.saturating_sub(beside));
    cx.cache = options.cache;
    let kept = options.persister.clone().map(Remembered::new);
    cx.persister = kept.as_ref().map(|kept| Persister::of(kept, &document.history));
    let done = run(&options.policy, &document.history, &tally, &cx)?;
    let text = document.render(done.view.changes()).unwrap_or_else(|| document.source.clone());
    let (tokens, format) = (done.view.tokens() + beside, document.format);
    let read = |(handle, original): (&Handle, &Original)| Some((*handle, original.read(&document.history)?));
    let originals = done.originals.iter().filter_map(read).collect();
    let mut folds = account::Done::default();
    folds.note(done.trace.folds());
    let account = Account::of(&done.view, &facts, &folds);
    let Sent { head, messages, origins } = Sent::of(&document.history, done.view.changes());
    let trace = done.trace;
    Ok(Folded { text, format, head, messages, origins, tokens, trace, account, originals, findings })
}

/// The session as messages that stand in their text: a log becomes what its agent would send.
fn in_place(read: Document) -> Result<(Document, Vec<Finding>), ReadError> {
    let mut findings = read.findings.clone();
    if matches!(read.layout, Layout::InPlace { .. }) {
        return Ok((read, findings));
    }
    let converted = convert(&read, read.wire, None);
    findings.extend(converted.losses);
    Ok((file::read_bytes_as(read.wire.name(), converted.text.to_string().into_bytes())?, findings))
}
