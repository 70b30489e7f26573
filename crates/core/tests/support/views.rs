//! A history in the notation, what to fold it with, and the view it becomes in the notation.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytestring::ByteString;
use enfold::count::{Counter, Encoding, Tally};
use enfold::file::notation::{parse, print};
use enfold::folding::passes::{Cache, Cx};
use enfold::folding::policy::Policy;
use enfold::folding::runner::{CannotFit, arrive, run};
use enfold::history::{History, MessageId};
use enfold::understand::facts::Facts;
use enfold::view::View;
use enfold::view::fold::{FoldKind, Handle, HandleKey};
use enfold::view::trace::{PassOutcome, Trace};
use enfold::wire::{Neutral, Wire};

/// What a view is made for.
#[derive(Clone)]
pub struct Setting<'a> {
    pub limit: usize,
    /// The limit, where nothing else is said.
    pub target: Option<usize>,
    /// The limit, where nothing else is said.
    pub window: Option<usize>,
    pub cache: Cache,
    pub blobs: Option<&'a str>,
    pub counter: Arc<dyn Counter>,
    /// How many messages were sent before: only what arrives behind them is folded.
    pub sent: Option<usize>,
}

impl Default for Setting<'_> {
    fn default() -> Self {
        Setting {
            limit: 1_000_000,
            target: None,
            window: None,
            cache: Cache::Cold,
            blobs: None,
            counter: Arc::new(Encoding::O200k),
            sent: None,
        }
    }
}

/// A view and its story.
pub struct Folded {
    /// The view in the notation.
    pub view: String,
    pub trace: Trace,
    pub originals: BTreeMap<Handle, ByteString>,
}

impl Folded {
    /// The kinds of folds that were made, in order.
    pub fn kinds(&self) -> Vec<FoldKind> {
        self.trace.folds().map(|fold| fold.kind).collect()
    }

    /// Why the last pass did nothing; what went wrong otherwise.
    pub fn idle(&self) -> String {
        match self.trace.passes.last().map(|pass| &pass.outcome) {
            Some(PassOutcome::Unchanged(why)) => why.clone(),
            other => format!("{other:?}"),
        }
    }
}

/// Folds a history with a policy.
pub fn fold(history: &str, policy: &Policy, setting: &Setting) -> Result<Folded, Box<CannotFit>> {
    let history = parse(history).unwrap();
    let tally = Tally::of(&history, setting.counter.clone(), Default::default());
    let mut facts = Facts::new(policy.understanding.clone());
    facts.update(&history);
    let handles = HandleKey::new(b"a secret", "a session");
    let mut cx = Cx::new(setting.limit, &facts, &handles, &Neutral);
    cx.target = setting.target.unwrap_or(cx.target);
    cx.window = setting.window.unwrap_or(cx.window);
    cx.cache = setting.cache;
    cx.blobs = setting.blobs;
    let run = match setting.sent {
        None => run(policy, &history, &tally, &cx)?,
        Some(sent) => {
            cx.first_unsent = MessageId::new(sent);
            arrive(policy, View::new(&history, &tally), &cx)
        }
    };
    let originals = run.originals.iter();
    let originals = originals.map(|(handle, original)| (*handle, original.read(&history).unwrap())).collect();
    Ok(Folded { view: shown(&run.view), trace: run.trace, originals })
}

/// Folds a history with one pass: its name and options in TOML.
pub fn fold_by(pass: &str, options: &str, history: &str, setting: &Setting) -> Folded {
    fold(history, &only(pass, options), setting).unwrap_or_else(|cannot| panic!("{cannot}"))
}

/// A policy of one pass, without the guarantee.
pub fn only(pass: &str, options: &str) -> Policy {
    let policy = format!(
        "name = \"only\"\nabout = \"\"\nfits = false\n[[pass]]\nuse = \"{pass}\"\nwhy = \"\"\n{options}"
    );
    Policy::parse(&policy).unwrap_or_else(|error| panic!("{error}"))
}

/// A view in the notation.
fn shown(view: &View) -> String {
    let mut history = History::new();
    for (_, raw) in view.changes().sequence(view.history(), MessageId::FIRST) {
        let parsed = Neutral.read_message(&raw).unwrap();
        history.push(raw, parsed);
    }
    print(&history)
}
