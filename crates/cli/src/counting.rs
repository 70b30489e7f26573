//! How to count: which model, which tokenizer.

use std::path::Path;
use std::sync::Arc;

use enfold::count::media::ImageRule;
use enfold::count::models::{Resolved, Table};
use enfold::count::{Counter, Encoding, Heuristic, Tally};
use enfold::file::document::Document;
use serde::Serialize;

use crate::args::{CountingArgs, ModelsArg, TokenizerArg};
use crate::failure::Failure;
use crate::output;
use crate::progress::Progress;

/// What the command line says about counting, looked up once.
pub struct Counting {
    table: Table,
    model: Option<Resolved>,
    tokenizer: Option<Arc<dyn Counter>>,
}

/// A session's counts.
pub struct Counted {
    /// The model they are for, where one is known.
    pub model: Option<Resolved>,
    /// Tokens per item and message.
    pub tally: Tally,
    /// Tokens of what the model reads beside the messages: tool definitions, schemas of its answer.
    pub tools: usize,
}

/// What counted.
#[derive(Debug, Serialize)]
pub struct CounterName {
    pub name: String,
    /// Whether it is the model's own tokenizer.
    pub exact: bool,
    /// What its numbers are worth, in a few words.
    #[serde(skip)]
    pub label: String,
}

impl Counting {
    /// Reads what has to be read: the user's models, the user's tokenizer. Starts loading the vocabulary that most
    /// sessions need, so that it is there when the session has been read.
    pub fn new(args: &CountingArgs) -> Result<Counting, Failure> {
        let table = table(&args.models)?;
        let model = args.model.as_ref().map(|id| table.resolve(id));
        if let Some(finding) = model.as_ref().and_then(Resolved::finding) {
            output::note(&format!("{finding}\n"));
        }
        let tokenizer = args.tokenizer.as_ref().map(tokenizer).transpose()?;
        if args.tokenizer.is_none() {
            std::thread::spawn(|| Encoding::O200k.load());
        }
        Ok(Counting { table, model, tokenizer })
    }

    /// For this model, or for the one a session names; with this counter instead of its own, if one is given.
    pub fn of_model(model: Option<&str>, tokenizer: Option<Arc<dyn Counter>>) -> Counting {
        let table = Table::shipped().clone();
        let model = model.map(|id| table.resolve(id));
        Counting { table, model, tokenizer }
    }

    /// The model of a session, and how it is counted: what is named on the command line, else what the session was made with.
    pub fn of_session(&self, document: &Document) -> (Option<Resolved>, Arc<dyn Counter>) {
        let own = document.model.as_ref().map(|id| self.table.resolve(id));
        let model = self.model.clone().or(own);
        let counter = self.counter(model.as_ref());
        (model, counter)
    }

    /// Counts a session: for the model named on the command line, else the one it was made with, else in o200k.
    pub fn count(&self, document: &Document) -> Counted {
        self.count_to_fit(document, usize::MAX)
    }

    /// The same for a session that is about to be folded to so many tokens.
    pub fn count_to_fit(&self, document: &Document, budget: usize) -> Counted {
        let _progress = Progress::spinner("counting");
        let (model, counter) = self.of_session(document);
        let image = model.as_ref().map_or_else(ImageRule::default, |resolved| resolved.model.image);
        let tools = document.count_beside(&document.around(), &*counter);
        Counted { model, tally: Tally::to_fit(&document.history, budget, counter, image), tools }
    }

    /// The counter for a text that belongs to no session.
    pub fn text_counter(&self) -> Arc<dyn Counter> {
        self.counter(self.model.as_ref())
    }

    /// Whether the command line names a model.
    pub fn has_model(&self) -> bool {
        self.model.is_some()
    }

    fn counter(&self, model: Option<&Resolved>) -> Arc<dyn Counter> {
        match (&self.tokenizer, model) {
            (Some(tokenizer), _) => tokenizer.clone(),
            (None, Some(resolved)) => resolved.model.counter(),
            (None, None) => Arc::new(Encoding::O200k),
        }
    }
}

impl Counted {
    /// Everything: messages with their overhead, and the tool definitions.
    pub fn total(&self) -> usize {
        self.tally.total() + self.tools
    }

    /// What the numbers are worth, in a few words.
    pub fn label(&self) -> String {
        label(self.tally.counter(), self.model.is_some())
    }

    /// The id of the model, where one is known.
    pub fn model_id(&self) -> Option<String> {
        self.model.as_ref().map(|resolved| resolved.model.id.clone())
    }

    /// What counted.
    pub fn counter_name(&self) -> CounterName {
        let counter = self.tally.counter();
        CounterName { name: counter.name(), exact: counter.is_exact(), label: self.label() }
    }
}

/// `o200k, exact`; `o200k x 1.6, estimated`.
pub fn label(counter: &dyn Counter, has_model: bool) -> String {
    match (counter.is_exact(), has_model) {
        (true, true) => format!("{}, exact", counter.name()),
        (true, false) => format!("{}, exact for models that use it; no model is named", counter.name()),
        (false, _) => format!("{}, estimated", counter.name()),
    }
}

/// The shipped models, with the user's own in front.
pub fn table(own: &ModelsArg) -> Result<Table, Failure> {
    let shipped = Table::shipped();
    let Some(path) = &own.models else { return Ok(shipped.clone()) };
    let text = std::fs::read_to_string(path).map_err(|error| Failure::file(path, &error))?;
    let is_csv = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
    let table = if is_csv { shipped.with_csv(&text) } else { shipped.with_toml(&text) };
    table.map_err(|error| Failure::BadInput(format!("{}: {error}", path.display())))
}

fn tokenizer(named: &TokenizerArg) -> Result<Arc<dyn Counter>, Failure> {
    Ok(match named {
        TokenizerArg::Bpe(encoding) => Arc::new(*encoding),
        TokenizerArg::Heuristic => Arc::new(Heuristic),
        TokenizerArg::File(path) => tokenizer_file(path)?,
    })
}

fn tokenizer_file(path: &Path) -> Result<Arc<dyn Counter>, Failure> {
    let bytes = std::fs::read(path).map_err(|error| Failure::file(path, &error))?;
    tokenizer_json(path, &bytes)
}

#[cfg(feature = "tokenizer-json")]
fn tokenizer_json(path: &Path, bytes: &[u8]) -> Result<Arc<dyn Counter>, Failure> {
    let tokenizer = enfold::count::TokenizerJson::parse(&path.display().to_string(), bytes);
    Ok(Arc::new(tokenizer.map_err(|error| Failure::BadInput(error.to_string()))?))
}

#[cfg(not(feature = "tokenizer-json"))]
fn tokenizer_json(path: &Path, _: &[u8]) -> Result<Arc<dyn Counter>, Failure> {
    Err(Failure::new(
        path.display(),
        "this enfold was built without the part that reads a tokenizer.json",
        "build one that has it: cargo install --path crates/cli --features tokenizer-json",
    ))
}
