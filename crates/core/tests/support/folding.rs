//! Folding a session with every pass and every policy, as the laws look at it.

use std::sync::Arc;

use enfold::count::{Encoding, Tally};
use enfold::file;
use enfold::file::document::{Document, Layout};
use enfold::folding::passes::{Cache, Cx, PASSES};
use enfold::folding::policy::{POLICIES, Policy};
use enfold::folding::runner::{CannotFit, Run, arrive, run};
use enfold::history::History;
use enfold::history::{MessageId, Slot};
use enfold::understand::facts::Facts;
use enfold::validate::Around;
use enfold::view::View;
use enfold::view::fold::HandleKey;

/// A session with what folding looks at, whatever the policy.
pub struct Prepared {
    pub document: Document,
    pub tally: Tally,
    pub handles: HandleKey,
    pub around: Around,
}

impl Prepared {
    pub fn of(bytes: Vec<u8>) -> Prepared {
        Prepared::read(file::read_bytes(bytes).unwrap())
    }

    pub fn read(document: Document) -> Prepared {
        let tally = Tally::of(&document.history, Arc::new(Encoding::O200k), Default::default());
        let around = document.around();
        Prepared { document, tally, handles: HandleKey::new(b"secret", "session"), around }
    }

    pub fn history(&self) -> &History {
        &self.document.history
    }

    /// The session as a policy understands it.
    pub fn facts(&self, policy: &Policy) -> Facts {
        let mut facts = Facts::new(policy.understanding.clone());
        facts.update(self.history());
        facts
    }

    /// What a view of it sends: the file with the folds spliced in; of a transcript the messages, one per line.
    pub fn rendered(&self, view: &View) -> String {
        match self.document.layout {
            Layout::InPlace { .. } => self.document.render(view.changes()).unwrap().to_string(),
            Layout::Extracted => messages(view).map(|(_, _, raw)| raw + "\n").collect(),
        }
    }

    /// A view of it, read again as if it were the session. `None` where nothing is left to read.
    pub fn reread(&self, view: &View) -> Option<Prepared> {
        messages(view).next()?;
        let document = match self.document.layout {
            Layout::InPlace { .. } => {
                let bytes = self.rendered(view).into_bytes();
                let document = file::read_bytes_as(self.document.wire.name(), bytes);
                document.unwrap_or_else(|error| panic!("{error}\n{}", self.rendered(view)))
            }
            Layout::Extracted => {
                let mut history = History::new();
                for (_, slot, raw) in messages(view) {
                    let raw = raw.into();
                    let parsed = match slot {
                        Slot::List => self.document.wire.read_any(&raw).0,
                        Slot::Head => self.document.wire.read_head(&raw).unwrap(),
                    };
                    history.push(raw, parsed);
                }
                return Some(self.with_history(history));
            }
        };
        Some(Prepared::read(document))
    }

    /// Other messages in the same format, as a transcript has them.
    pub fn with_history(&self, history: History) -> Prepared {
        Prepared::read(Document { history, layout: Layout::Extracted, ..self.document.clone() })
    }
}

/// The messages of a view as they are sent, each with the one of the history that it is; a summary is none.
pub fn messages<'v>(view: &'v View) -> impl Iterator<Item = (Option<MessageId>, Slot, String)> + 'v {
    view.history().message_ids().flat_map(|id| {
        let inserted = view.changes().inserted().filter(|inserted| inserted.before == id);
        let inserted = inserted.map(|inserted| (None, Slot::List, inserted.raw.to_string()));
        let slot = view.history().message(id).slot;
        inserted.into_iter().chain(view.message(id).map(|raw| (Some(id), slot, raw.to_string())))
    })
}

/// What folds: a policy that ships, or a single pass.
pub struct Subject {
    pub name: String,
    pub policy: Policy,
    pub way: Way,
}

/// How a subject folds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// To a budget, with the guarantee at the end where the policy has it.
    Run,
    /// Its passes alone, wherever they get.
    Alone,
}

impl Subject {
    pub fn policy(name: &str) -> Subject {
        Subject { name: name.into(), policy: Policy::named(name).unwrap(), way: Way::Run }
    }

    pub fn pass(name: &str, way: Way) -> Subject {
        let text = format!(
            "name = \"{name}\"\nabout = \"\"\n[[pass]]\nuse = \"{name}\"\nwhen = \"arrival\"\nwhy = \"a law\"\n"
        );
        let ending = match way {
            Way::Run => "with the guarantee",
            Way::Alone => "alone",
        };
        Subject { name: format!("{name} {ending}"), policy: Policy::parse(&text).unwrap(), way }
    }

    pub fn policies() -> Vec<Subject> {
        POLICIES.iter().map(|(name, _)| Subject::policy(name)).collect()
    }

    /// Every policy, and every pass alone and with the guarantee.
    pub fn all() -> Vec<Subject> {
        let ways = [Way::Alone, Way::Run];
        let passes = PASSES.iter().flat_map(|entry| ways.map(|way| Subject::pass(entry.name, way)));
        Subject::policies().into_iter().chain(passes).collect()
    }
}

/// What a fold is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    pub limit: usize,
    pub target: usize,
    pub cache: Cache,
    /// The first message that was never sent; only where a subject folds alone.
    pub fresh: MessageId,
    pub blobs: Option<&'static str>,
}

impl Asked {
    pub fn limit(limit: usize) -> Asked {
        Asked { limit, target: limit, cache: Cache::Cold, fresh: MessageId::FIRST, blobs: None }
    }
}

/// One session folded by one subject.
pub struct Folding<'s> {
    pub session: &'s Prepared,
    pub subject: &'s Subject,
    pub facts: &'s Facts,
    pub asked: Asked,
    pub outcome: Result<Run<'s>, Box<CannotFit>>,
    /// For messages of failing tests.
    pub name: String,
}

impl<'s> Folding<'s> {
    pub fn of(
        session: &'s Prepared,
        subject: &'s Subject,
        facts: &'s Facts,
        asked: Asked,
        name: &str,
    ) -> Folding<'s> {
        let mut cx =
            Cx::new(asked.limit, facts, &session.handles, session.document.wire).within(&session.around);
        cx.target = asked.target;
        cx.cache = asked.cache;
        cx.blobs = asked.blobs;
        cx.first_unsent = if subject.way == Way::Alone { asked.fresh } else { MessageId::FIRST };
        let outcome = match subject.way {
            Way::Run => run(&subject.policy, session.history(), &session.tally, &cx),
            Way::Alone => Ok(arrive(&subject.policy, View::new(session.history(), &session.tally), &cx)),
        };
        let name = format!("{} of {name} to {}", subject.name, asked.limit);
        Folding { session, subject, facts, asked, outcome, name }
    }

    /// The view, unless it could not be made to fit.
    pub fn run(&self) -> Option<&Run<'s>> {
        self.outcome.as_ref().ok()
    }
}
