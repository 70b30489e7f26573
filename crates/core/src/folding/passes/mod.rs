//! Passes: each looks at a view and proposes folds. One file each.
//!
//! A pass is its own options struct: the fields are what a policy can set, `Default` is what a stranger gets. To add
//! one here: write its file (or let `cargo xtask new-pass NAME` do it), add its line to [`PASSES`]. Order is not decided
//! here but in a policy.
//!
//! # A pass of your own
//! Implement [`Pass`], register it under its name, and name it in a policy. The runner holds it to the promises as it
//! holds ours: it measures each fold, refuses what would break something, and skips a pass that fails.
//! ```
//! use enfold::folding::passes::{Cx, Outcome, Pass, PassError, Registry};
//! use enfold::folding::policy::Policy;
//! use enfold::view::View;
//! use enfold::view::fold::{Change, Fold, FoldKind};
//!
//! /// Keeps the first lines of each result.
//! #[derive(serde::Deserialize)]
//! #[serde(deny_unknown_fields)]
//! struct KeepHeads {
//!     lines: usize,
//! }
//!
//! impl Pass for KeepHeads {
//!     fn name(&self) -> &str {
//!         "keep_heads"
//!     }
//!
//!     fn apply(&self, view: &View, cx: &Cx) -> Result<Outcome, PassError> {
//!         let results = view.items().filter(|(id, item)| item.result().is_some() && cx.is_open(*id));
//!         let folds = results.filter_map(|(id, _)| {
//!             let text = view.text(id, 0);
//!             let (end, _) = text.match_indices('\n').nth(self.lines.checked_sub(1)?)?;
//!             let head = format!("{}\n[the rest is left out{}]", &text[..end], cx.opens(text));
//!             let change = Change::Texts { item: id, texts: vec![(0, head)] };
//!             Some(Fold { kind: FoldKind::Bookend, change, why: "only its head was asked for".into() })
//!         });
//!         Ok(Outcome::Folds(folds.collect()))
//!     }
//! }
//!
//! let registry = Registry::default().with("keep_heads", |pass: KeepHeads| Ok(pass));
//! let policy = r#"
//!     name = "heads"
//!     about = "The beginning of every result."
//!     [[pass]]
//!     use = "keep_heads"
//!     lines = 3
//!     why = "our tools say the important things first"
//! "#;
//! let policy = Policy::parse_with(policy, &registry)?;
//! assert_eq!(policy.passes[0].pass.name(), "keep_heads");
//! # Ok::<(), enfold::folding::policy::PolicyError>(())
//! ```

mod asked_again;
mod cap_results;
mod dedup_reads;
mod digest_new;
mod drop_reasoning;
pub mod fold_by_value;
mod keep_edits;
mod manual;
mod microcompact;
mod prune_outputs;
mod registry;
mod summarize;
mod trim_age;
mod trim_priority;
mod truncate_output;

use std::any::Any;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::folding::bonds::{Bonds, NO_BONDS, Signed};
use crate::folding::opener::{NO_OPENER, Opener};
use crate::folding::persist::Persister;
use crate::folding::stretches::Stretches;
use crate::folding::telling;
use crate::folding::words::{NO_WORDS, Words};
use crate::history::{History, ItemId, MessageId, Slot};
use crate::summary::{Asked, Summaries, SummaryCx, Template};
use crate::text::nearest;
use crate::understand::facts::{Facts, Protection};
use crate::validate::{Around, NOTHING_AROUND};
use crate::view::View;
use crate::view::changes::Changes;
use crate::view::fold::{Fold, Handle, HandleKey};
use crate::view::original::{Originals, stretch};
use crate::wire::Wire;

pub use cap_results::CapResults;
pub use dedup_reads::DedupReads;
pub use digest_new::DigestNew;
pub use drop_reasoning::DropReasoning;
pub use fold_by_value::FoldByValue;
pub use keep_edits::KeepEdits;
pub use microcompact::Microcompact;
pub use prune_outputs::{PruneOutputs, Pruning};
pub use registry::Registry;
pub use summarize::Summarize;
pub use trim_age::TrimAge;
pub use trim_priority::TrimPriority;
pub use truncate_output::TruncateOutput;

/// Looks at a view and proposes folds.
///
/// To implement it well: return early when nothing matches; propose only what the options promise; leave protected
/// items alone ([`Cx::is_protected`]); say in `why` what a person would want to know. The runner measures each fold,
/// refuses what does not shrink or parts a pair, and skips the pass if it fails.
pub trait Pass: Any + Send + Sync {
    /// Its name, as policies and traces have it: a verb and its object.
    fn name(&self) -> &str;

    /// The folds it proposes for this view.
    fn apply(&self, view: &View, cx: &Cx) -> Result<Outcome, PassError>;
}

/// The passes that make a view fit where those of a policy did not.
pub(crate) struct LastResort {
    /// Whole steps leave, oldest first.
    pub(crate) trim: Box<dyn Pass>,
    /// Lines leave, of what stands in one step with something that must stay.
    pub(crate) shrink: Box<dyn Pass>,
}

impl Default for LastResort {
    fn default() -> LastResort {
        LastResort { trim: Box::new(TrimAge::default()), shrink: Box::new(FoldByValue::default()) }
    }
}

/// What a pass proposes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// Nothing, and why.
    Unchanged(String),
    /// These folds, to be made in this order.
    Folds(Vec<Fold>),
    /// These folds, which are good as they are, and a question: its answer would make them better.
    Ask(Vec<Fold>, Box<Asked>),
}

/// Why a pass could not do its work. The runner restores the view and goes on with the next pass.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PassError(pub String);

/// How steps that leave are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tells {
    Fully,
    /// By their numbers, their kinds and a few names: where there is no room for more.
    Briefly,
    Not,
}

/// What a pass may know beside the view. [`Cx::new`] makes one; its fields can be set.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Cx<'a> {
    /// Tokens the view must not exceed.
    pub limit: usize,
    /// Tokens from which on a view is to be made smaller although it fits, where there are such.
    pub starts: Option<usize>,
    /// Tokens to aim for once something has to be folded.
    pub target: usize,
    /// Tokens of the model's whole window.
    pub window: usize,
    /// Whether the provider still holds the last request.
    pub cache: Cache,
    /// The first message that was never sent: changing it costs no cache. Passes that work on arrival look at
    /// nothing older.
    pub first_unsent: MessageId,
    /// What the last view changed, where one was sent: thinking may be bound to it.
    pub sent: Option<&'a Changes>,
    /// The folder in which originals are written to files, as the agent would name it.
    pub blobs: Option<&'a str>,
    /// Who keeps originals and says where, if somebody does.
    pub persister: Option<Persister<'a>>,
    /// How the agent can open what is left out.
    pub opener: &'a Opener,
    /// How much must stay as it is.
    pub protection: Protection,
    /// What earlier views have hidden: a handle that opens something there opens nothing else.
    pub(crate) hidden: Option<&'a Originals>,
    /// What the next summary is written from.
    pub(crate) summaries: SummaryCx<'a>,
    /// What carries a signature, where somebody keeps that.
    pub(crate) signed: Option<&'a Signed>,
    /// What is known of stretches that left. The runner sees to it that there is something.
    pub(crate) stretches: Option<&'a Stretches>,
    /// What is known about the history.
    pub facts: &'a Facts,
    /// Makes handles.
    pub handles: &'a HandleKey,
    /// The format of the messages.
    pub wire: &'static dyn Wire,
    /// What stands around them: a view is judged in the request that it will be part of.
    pub around: &'a Around,
    /// What the provider binds together. The runner finds it.
    pub bonds: &'a Bonds,
    /// A call of more tokens may shrink; any other stays as the model wrote it.
    pub(crate) largest_call: usize,
    /// How steps that leave are told in a block of their own.
    pub(crate) tells: Tells,
    /// From this message on nothing leaves whole: the newest step, which the model goes on from. The runner finds it.
    pub newest: MessageId,
    /// Results of the newest step of which no line may be left out: they have just been asked for. What stands elsewhere in the
    /// view may be pointed to. The runner finds them.
    pub(crate) fresh: &'a [ItemId],
    /// From this item on everything stays as it is.
    pub(crate) stays_from: ItemId,
    /// What a person typed and stays word for word. The runner finds it.
    pub words: &'a Words,
}

/// Whether the provider still holds the last request in its prompt cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cache {
    /// It does: changing what was sent costs money.
    Warm,
    /// It does not: changing is free.
    Cold,
}

impl<'a> Cx<'a> {
    /// To fit a budget once, with nothing sent before.
    pub fn new(limit: usize, facts: &'a Facts, handles: &'a HandleKey, wire: &'static dyn Wire) -> Cx<'a> {
        Cx {
            limit,
            starts: None,
            target: limit,
            window: limit,
            cache: Cache::Cold,
            first_unsent: MessageId::FIRST,
            sent: None,
            blobs: None,
            persister: None,
            opener: &NO_OPENER,
            protection: Protection::Full,
            hidden: None,
            signed: None,
            stretches: None,
            summaries: SummaryCx::default(),
            facts,
            handles,
            wire,
            around: &NOTHING_AROUND,
            bonds: &NO_BONDS,
            words: &NO_WORDS,
            tells: Tells::Fully,
            newest: MessageId::ALL.end,
            fresh: &[],
            stays_from: ItemId::ALL.end,
            largest_call: usize::MAX,
        }
    }

    /// The same, in this request.
    pub fn within(self, around: &'a Around) -> Cx<'a> {
        Cx { around, ..self }
    }

    /// The same, with the summaries so far and templates of the user's own for the next one.
    pub fn with_summaries(self, known: &'a Summaries, templates: &'a [Arc<Template>]) -> Cx<'a> {
        Cx { summaries: SummaryCx { known: Some(known), templates }, ..self }
    }

    /// Whether a view of this size is to be made smaller.
    pub fn is_full(&self, tokens: usize) -> bool {
        tokens > self.limit || self.starts.is_some_and(|starts| tokens >= starts)
    }

    /// Whether an item must stay as it is.
    pub fn is_protected(&self, item: ItemId) -> bool {
        item >= self.stays_from || self.facts.is_protected(item, self.protection) || self.words.keeps(item)
    }

    /// Whether an item may be changed or removed while its message stays.
    pub fn is_open(&self, item: ItemId) -> bool {
        !self.is_protected(item) && !self.bonds.is_sealed(item)
    }

    /// Whether the message must stay: something in it must, the provider wants it, or the model goes on from it.
    pub fn is_protected_message(&self, view: &View, message: MessageId) -> bool {
        message >= self.newest
            || view.history().first_item(message) >= self.stays_from
            || self.facts.is_protected_message(view.history(), message, self.protection)
            || self.bonds.holds(message, self.protection)
            || self.words.hold(view.history(), message)
    }

    /// Where a message stands that tells what left: right behind the original task; before everything where nobody asked for
    /// anything.
    pub(crate) fn behind_task(&self, history: &History) -> MessageId {
        let first = || history.message_ids().find(|id| history.message(*id).slot == Slot::List);
        let after_task = self.facts.task().map(MessageId::next);
        let after_task = after_task.filter(|next| history.get_message(*next).is_some());
        after_task.or_else(first).unwrap_or_default()
    }

    /// How a folded text says where its original is: ` #482913077`, or `, full text: DIR/482913077204518833` where
    /// originals are written to files. Where somebody keeps originals it is both, with the path they gave.
    pub fn opens(&self, original: &str) -> String {
        let handle = self.handles.handle(original.as_bytes());
        // What is only measured, not hidden, is empty.
        let persister = self.persister.filter(|_| !original.is_empty());
        match persister.and_then(|persister| persister.path(self.facts, handle, original)) {
            Some(path) => format!(" {handle}, full text: {path}"),
            None => self.opened(handle),
        }
    }

    /// Whether the agent can read originals as files.
    pub(crate) fn persists(&self) -> bool {
        self.blobs.is_some() || self.persister.is_some()
    }

    /// The same for a run of messages that is left out: it opens the stretch that holds them.
    pub fn opens_messages(&self, history: &History, messages: &[MessageId]) -> String {
        self.opened(self.handle_of(history, stretch(messages)))
    }

    /// The handle of a stretch of messages.
    pub(crate) fn handle_of(&self, history: &History, messages: Range<MessageId>) -> Handle {
        match self.stretches {
            Some(stretches) => stretches.handle(self.handles, history, messages),
            None => Stretches::default().handle(self.handles, history, messages),
        }
    }

    /// The same for these messages and nothing between them.
    pub fn opens_only(&self, history: &History, messages: &[MessageId]) -> String {
        self.opened(self.handles.handle_of_messages(history, messages))
    }

    fn opened(&self, handle: Handle) -> String {
        match self.blobs {
            None => format!(" {handle}"),
            Some(folder) => format!(", full text: {}/{}", folder.trim_end_matches('/'), handle.file_name()),
        }
    }
}

/// How a call went, for a marker that stands in place of all its result: `; exit 2: 3 of 41 failed`. Empty where the result
/// does not say.
pub(crate) fn ended(view: &View, cx: &Cx, result: ItemId) -> String {
    let says = cx.facts.tracker().call(result).and_then(|record| telling::outcome(view, record));
    says.map_or(String::new(), |says| format!("; {says}"))
}

/// A registered pass: its manual page and how to make one from a policy's options.
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    source: &'static str,
    defaults: fn() -> toml::Table,
    build: fn(toml::Table) -> Result<Box<dyn Pass>, String>,
}

/// Every pass, in the order of the manual.
pub static PASSES: &[Entry] = &[
    entry::<CapResults>("cap_results", include_str!("cap_results.rs")),
    entry::<DedupReads>("dedup_reads", include_str!("dedup_reads/mod.rs")),
    entry::<DigestNew>("digest_new", include_str!("digest_new.rs")),
    entry::<DropReasoning>("drop_reasoning", include_str!("drop_reasoning.rs")),
    entry::<FoldByValue>("fold_by_value", include_str!("fold_by_value/mod.rs")),
    entry::<Microcompact>("microcompact", include_str!("microcompact.rs")),
    entry::<PruneOutputs>("prune_outputs", include_str!("prune_outputs.rs")),
    entry::<KeepEdits>("keep_edits", include_str!("keep_edits.rs")),
    entry::<Summarize>("summarize", include_str!("summarize/mod.rs")),
    entry::<TrimAge>("trim_age", include_str!("trim_age.rs")),
    entry::<TrimPriority>("trim_priority", include_str!("trim_priority.rs")),
    entry::<TruncateOutput>("truncate_output", include_str!("truncate_output.rs")),
];

const fn entry<P>(name: &'static str, source: &'static str) -> Entry
where
    P: Pass + Default + Serialize + DeserializeOwned + 'static,
{
    Entry { name, source, defaults: defaults::<P>, build: build::<P> }
}

fn defaults<P: Default + Serialize>() -> toml::Table {
    toml::Table::try_from(P::default()).expect("options are plain numbers, words and lists")
}

fn build<P: Pass + DeserializeOwned + 'static>(options: toml::Table) -> Result<Box<dyn Pass>, String> {
    let pass: P = options.try_into().map_err(|error: toml::de::Error| error.message().to_string())?;
    Ok(Box::new(pass))
}

/// Options with their values. TOML and JSON write numbers, words and lists alike.
pub(super) fn as_json(options: &toml::Table) -> BTreeMap<String, String> {
    let json =
        |value: &toml::Value| serde_json::to_string(value).expect("numbers, words and lists are JSON too");
    options.iter().map(|(option, value)| (option.clone(), json(value))).collect()
}

impl Entry {
    /// The pass of that name.
    pub fn find(name: &str) -> Option<&'static Entry> {
        PASSES.iter().find(|entry| entry.name == name)
    }

    /// Its manual page: the documentation at the top of its file.
    pub fn manual(&self) -> String {
        let lines = self.source.lines().take_while(|line| line.starts_with("//!"));
        lines
            .map(|line| line.trim_start_matches("//!").strip_prefix(' ').unwrap_or("").to_string() + "\n")
            .collect()
    }

    /// Its options with their defaults, as JSON writes them.
    pub fn options(&self) -> BTreeMap<String, String> {
        as_json(&(self.defaults)())
    }

    /// Makes the pass. An unknown option is answered with the nearest known one.
    pub(crate) fn build(&self, options: toml::Table) -> Result<Box<dyn Pass>, String> {
        let known = (self.defaults)();
        if let Some(unknown) = options.keys().find(|key| !known.contains_key(*key)) {
            let hint = nearest(unknown, known.keys().map(String::as_str));
            return Err(format!("pass `{}` has no option `{unknown}`{hint}", self.name));
        }
        (self.build)(options).map_err(|why| format!("pass `{}`: {why}", self.name))
    }
}
