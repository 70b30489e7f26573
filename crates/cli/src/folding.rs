//! Folding a session as the command line asks: read, counted, folded, written and checked.

use std::sync::Arc;

use bytestring::ByteString;
use enfold::count::budget::{Budget, BudgetSpec};
use enfold::count::models::Resolved;
use enfold::file;
use enfold::file::convert::{convert, to_notation};
use enfold::file::document::{Document, Layout};
use enfold::finding::{Finding, Severity};
use enfold::folding::passes::{Cache, Cx};
use enfold::folding::policy::Policy;
use enfold::folding::runner::{CannotFit, Run, run};
use enfold::summary::{Summaries, Template};
use enfold::understand::facts::Facts;
use enfold::understand::files::FileTracker;
use enfold::validate::{Around, Baseline, Bound, Request, validate};
use enfold::view::fold::HandleKey;
use enfold::wire;
use enfold::wire::Wire;

use crate::args::FoldingArgs;
use crate::commands::convert::lost;
use crate::counting::{Counted, Counting};
use crate::failure::Failure;
use crate::input::Input;
use crate::progress::Progress;
use crate::report::number;
use crate::{input, output, policies, stored};

/// A session that is ready to be folded.
pub struct Folding {
    /// Where it came from.
    pub file: Input,
    /// The format it was read in.
    pub format: &'static str,
    /// The session in the wire format that its view is in: what is counted, folded and checked.
    pub document: Document,
    /// Its counts.
    pub counted: Counted,
    /// What that format could not express of the session.
    pub losses: Vec<Finding>,
    /// How much room there is.
    pub room: Room,
    /// How to fold.
    pub policy: Policy,
    to: Target,
    facts: Facts,
    around: Around,
    handles: HandleKey,
    blobs: Option<String>,
    cache: Cache,
    /// The summaries of the session so far.
    known: Summaries,
}

/// How much room there is. All of it in tokens, tool definitions included.
pub struct Room {
    /// What the view may take.
    pub budget: usize,
    /// From where on it is made smaller although it fits, if there is such a place.
    pub starts: Option<usize>,
    /// What to aim for once something has to be folded.
    pub target: usize,
    /// The whole window.
    pub window: usize,
    /// Where the budget comes from, for people.
    pub source: String,
}

/// A view as it leaves.
pub struct Written {
    /// Its text.
    pub text: ByteString,
    /// What a provider would refuse about it, and about the session itself just as much.
    pub faults: Vec<Finding>,
}

/// The format that a session is folded in unless told otherwise.
pub fn usual_wire(read: &Document) -> &'static dyn Wire {
    Target::of(read, None).wire(read)
}

/// What the view is written in.
#[derive(Clone, Copy)]
enum Target {
    Wire(&'static dyn Wire),
    Notation,
}

impl Folding {
    /// Reads everything that folding needs, and finds out how much room there is.
    pub fn prepare(args: &FoldingArgs) -> Result<Folding, Failure> {
        let (mut policy, _) = policies::load(&args.policy)?;
        args.reserves.apply(&mut policy.budget);
        let blobs = args.blobs.blobs.as_ref().map(|folder| {
            let remedy = "choose a folder with a plain name: the view has to name it";
            folder.to_str().map(String::from).ok_or_else(|| Failure::new("--blobs", "not UTF-8", remedy))
        });
        let blobs = blobs.transpose()?;
        let counting = Counting::new(&args.counting)?;
        let read = input::read_session(&args.session.file, &args.session.from)?;
        let format = read.format;
        let to = Target::of(&read, args.to.as_deref());
        let wire = to.wire(&read);
        let (document, losses) = in_wire(read, wire, &args.session.file)?;
        let counted = match args.budget {
            Some(BudgetSpec::Tokens(budget)) => counting.count_to_fit(&document, budget),
            _ => counting.count(&document),
        };
        let room = Room::of(args.budget, &policy, counted.model.as_ref(), &args.session.file)?;
        if let Some(assumed) = room.assumes(&counted, args) {
            output::note(&format!("{assumed}\n"));
        }
        let _progress = Progress::spinner("looking at files and tasks");
        let mut facts = Facts::new(policy.understanding.clone());
        facts.update(&document.history);
        let handles = handle_key(&document);
        let file = args.session.file.clone();
        let around = document.around();
        // In another format messages have other numbers.
        let known = match &args.session.file {
            Input::Stored(id) if format == document.format => stored::rounds(&args.session.from.store, id)?,
            _ => Summaries::default(),
        };
        Ok(Folding {
            file,
            format,
            document,
            counted,
            losses,
            room,
            policy,
            to,
            facts,
            around,
            handles,
            blobs,
            cache: args.cache.into(),
            known,
        })
    }

    /// The calls and files of the session.
    pub fn tracker(&self) -> &FileTracker {
        self.facts.tracker()
    }

    /// Folds.
    pub fn run(&self) -> Result<Run<'_>, Box<CannotFit>> {
        self.run_telling(&self.known, &[])
    }

    /// The summaries of the session so far.
    pub fn known(&self) -> &Summaries {
        &self.known
    }

    /// Whether the view names files of originals.
    pub fn names_files(&self) -> bool {
        self.blobs.is_some()
    }

    /// Where originals cannot be written: the view names handles alone.
    pub fn without_blobs(self) -> Folding {
        Folding { blobs: None, ..self }
    }

    /// Folds into another budget.
    pub fn run_in(&self, room: &Room) -> Result<Run<'_>, Box<CannotFit>> {
        self.run_with(room, &self.known, &[])
    }

    /// Folds, with what is known of the summary that may stand in the view.
    pub fn run_telling(
        &self,
        summaries: &Summaries,
        templates: &[Arc<Template>],
    ) -> Result<Run<'_>, Box<CannotFit>> {
        self.run_with(&self.room, summaries, templates)
    }

    fn run_with(
        &self,
        room: &Room,
        summaries: &Summaries,
        templates: &[Arc<Template>],
    ) -> Result<Run<'_>, Box<CannotFit>> {
        let _progress = Progress::spinner("folding");
        let beside = self.counted.tools;
        let limit = room.budget.saturating_sub(beside);
        let mut cx = Cx::new(limit, &self.facts, &self.handles, self.document.wire)
            .within(&self.around)
            .with_summaries(summaries, templates);
        cx.target = room.target.saturating_sub(beside);
        cx.starts = room.starts.map(|starts| starts.saturating_sub(beside));
        cx.window = room.window;
        cx.cache = self.cache;
        cx.blobs = self.blobs.as_deref();
        run(&self.policy, &self.document.history, &self.counted.tally, &cx)
    }

    /// Whether the messages of the document are others than those that were read.
    pub fn is_converted(&self) -> bool {
        self.format != self.document.format
    }

    /// The format of the view.
    pub fn to(&self) -> &'static str {
        match self.to {
            Target::Wire(wire) => wire.name(),
            Target::Notation => file::NOTATION,
        }
    }

    /// The view's text, if a provider would refuse nothing about it that it would not refuse about the session.
    pub fn write(&self, run: &Run) -> Result<Written, Refused> {
        let _progress = Progress::spinner("checking");
        let Some(text) = self.document.render(run.view.changes()) else {
            return Err(Refused::Unreadable("an agent's log cannot hold a view".into()));
        };
        if text == self.document.source {
            return Ok(Written { text: self.printed(&self.document), faults: self.faults(&self.document) });
        }
        let view = file::read_bytes_as(self.document.format, text.as_bytes().to_vec())
            .map_err(|error| Refused::Unreadable(error.to_string()))?;
        let before = self.request(&self.document);
        let origins = run.view.changes().origins(&self.document.history);
        let mut new = Baseline::compare(view.wire.name(), &before, &self.request(&view), &origins);
        let bound = Bound::of(view.wire.name(), &before);
        new.extend(bound.map_or(Vec::new(), |bound| bound.beyond(&self.request(&view))));
        if !new.is_empty() {
            return Err(Refused::Faults(new));
        }
        let faults = self.faults(&view);
        Ok(Written { text: self.printed(&view), faults })
    }

    fn printed(&self, view: &Document) -> ByteString {
        match self.to {
            Target::Wire(_) => view.source.clone(),
            Target::Notation => to_notation(view).text,
        }
    }

    fn faults(&self, document: &Document) -> Vec<Finding> {
        let findings = validate(document.wire.name(), &self.request(document)).into_iter();
        findings.filter(|finding| finding.severity == Severity::Error).collect()
    }

    fn request<'d>(&'d self, document: &'d Document) -> Request<'d> {
        Request { model: self.document.model.as_deref(), ..document.request() }
    }
}

/// Why a view may not leave.
pub enum Refused {
    /// It is no session any more.
    Unreadable(String),
    /// A provider would refuse these, which are not the session's own.
    Faults(Vec<Finding>),
}

impl Target {
    /// The format asked for; else the input's own; else the one that the log's agent speaks.
    fn of(read: &Document, asked: Option<&str>) -> Target {
        match asked.unwrap_or(read.format) {
            file::NOTATION => Target::Notation,
            name => Target::Wire(wire::named(name).unwrap_or(read.wire)),
        }
    }

    /// The format to fold in: the notation is no provider's, so nobody could check it.
    fn wire(self, read: &Document) -> &'static dyn Wire {
        match self {
            Target::Wire(wire) => wire,
            Target::Notation => wire::named(read.wire.name()).unwrap_or(&wire::OpenAiChat),
        }
    }
}

/// Makes the handles of a session. Its first message is the same as long as it goes on, so they are too.
pub fn handle_key(document: &Document) -> HandleKey {
    let first = document.history.messages().first().map_or("", |message| &*message.raw);
    HandleKey::guessable(first)
}

/// The session in the wire format that the view will be in: a budget that holds before a conversion may not hold after it.
pub fn in_wire(
    read: Document,
    wire: &'static dyn Wire,
    file: &Input,
) -> Result<(Document, Vec<Finding>), Failure> {
    let is_there = matches!(read.layout, Layout::InPlace { .. }) && read.format == wire.name();
    if is_there {
        return Ok((read, Vec::new()));
    }
    let _progress = Progress::spinner("converting");
    let converted = convert(&read, wire, None);
    let losses = lost(&read, &converted);
    let document = file::read_bytes_as(wire.name(), converted.text.as_bytes().to_vec());
    let mut document = document.map_err(|error| {
        Failure::new(file, format!("in {} it is no session: {error}", wire.name()), "choose another --to")
    })?;
    // A list of messages has no place for it.
    document.model = read.model.clone();
    Ok((document, losses))
}

impl Room {
    fn of(
        budget: Option<BudgetSpec>,
        policy: &Policy,
        model: Option<&Resolved>,
        file: &Input,
    ) -> Result<Room, Failure> {
        if let Some(BudgetSpec::Tokens(tokens)) = budget {
            let source = "--budget".to_string();
            return Ok(Room { budget: tokens, starts: None, target: tokens, window: tokens, source });
        }
        let Some(resolved) = model else { return Err(no_room(budget, file)) };
        let of = Budget::of(&resolved.model, policy.budget.clone())
            .map_err(|error| Failure::BadInput(format!("{}: {error}", resolved.model.id)))?;
        let id = &resolved.model.id;
        let (budget, starts, target, source) = match budget {
            Some(spec) => {
                let tokens = spec.tokens(of.usable);
                (tokens, None, tokens, format!("--budget: of {} usable tokens of {id}", of.usable))
            }
            None => {
                let [threshold, target] = [of.threshold, of.target].map(|tokens| number(tokens as u64));
                let source = format!("{id} folds above {threshold} tokens, to {target}");
                (of.threshold, Some(of.threshold), of.target, source)
            }
        };
        Ok(Room { budget, starts, target, window: of.context, source })
    }

    /// What the user should know about a window that is only assumed. `--model` has been answered already.
    fn assumes(&self, counted: &Counted, args: &FoldingArgs) -> Option<Finding> {
        let is_given = matches!(args.budget, Some(BudgetSpec::Tokens(_))) || args.counting.model.is_some();
        counted.model.as_ref().filter(|_| !is_given)?.finding()
    }
}

fn no_room(budget: Option<BudgetSpec>, file: &Input) -> Failure {
    let cause = match budget {
        None => "it names no model, and no budget is given",
        Some(_) => "it names no model, and the budget is a share of a model's window",
    };
    Failure::new(file, cause, "add --budget 16k, or --model with the model it is for, such as --model gpt-4o")
}
