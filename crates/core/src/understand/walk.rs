//! Going through a history call by call, knowing where the session stands.

use super::operation::Operation;
use super::outcome::Outcome;
use super::paths;
use super::tools::{CallText, Standing, understand};
use super::vocabulary::Vocabulary;
use crate::history::History;
use crate::history::{Item, ItemId, ItemKind, Role};
use crate::json::Raw;

/// Reads the answered calls of a history in the order of their results. Going on costs work for new items only.
#[derive(Clone, Debug, Default)]
pub struct Walk {
    vocabulary: Vocabulary,
    standing: Standing,
    next: ItemId,
}

/// A call that has its result.
#[derive(Clone, Debug)]
pub struct Answered {
    /// The call; `None` where only its result is in the history.
    pub call: Option<ItemId>,
    /// The result.
    pub result: ItemId,
    /// The step it belongs to; 0 outside steps.
    pub step: u32,
    /// The turn it belongs to.
    pub turn: u32,
    /// What it does.
    pub operations: Vec<Operation>,
}

impl Walk {
    /// Starts at the beginning of a history.
    pub fn new(vocabulary: Vocabulary) -> Walk {
        Walk { vocabulary, ..Walk::default() }
    }

    /// The calls answered since the last time.
    pub fn advance(&mut self, history: &History) -> Vec<Answered> {
        let from = self.next;
        self.next = history.items().len();
        (from..self.next).filter_map(|id| self.visit(history, id)).collect()
    }

    /// The tools it knows.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Where the session stands.
    pub fn standing(&self) -> &Standing {
        &self.standing
    }

    /// Tells the working directory, where something else has shown it.
    pub fn set_directory(&mut self, directory: &str) {
        self.standing.directory = Some(paths::normalise(directory));
    }

    fn visit(&mut self, history: &History, id: ItemId) -> Option<Answered> {
        let item = &history.items()[id];
        match &item.kind {
            ItemKind::Text if self.standing.directory.is_none() => {
                if history.messages()[item.message].role != Role::Assistant {
                    let stated = item.texts.iter().find_map(|text| stated_directory(&text.value));
                    self.standing.directory = stated.map(paths::normalise);
                }
                None
            }
            ItemKind::Result(_) => Some(self.answered(history, id, item)),
            _ => None,
        }
    }

    fn answered(&mut self, history: &History, id: ItemId, item: &Item) -> Answered {
        let call = history.pair(id);
        let name = history.tool(id).unwrap_or_default();
        let arguments = call.map(|call| history.items()[call].text()).unwrap_or_default();
        let result = item.text();
        let outcome = Outcome::of(&result, item.result().is_some_and(|result| result.is_error));
        self.learn_directory(&arguments);
        if let (None, Some(directory)) = (&self.standing.directory, outcome.directory) {
            self.set_directory(directory);
        }
        let text = CallText { name, arguments: &arguments, result: Some(&result) };
        let understood = understand(&self.vocabulary, text, &self.standing);
        if let Some(directory) = understood.moved_to.filter(|_| outcome.succeeded()) {
            self.standing.directory = Some(directory);
        }
        if let Some(directory) = outcome.directory {
            self.standing.directory = Some(directory.to_string());
            self.standing.open_file = outcome.open_file.map(String::from);
        }
        Answered {
            call,
            result: id,
            step: item.step.unwrap_or(0),
            turn: item.turn,
            operations: understood.operations,
        }
    }

    /// Codex names the directory with each command; its patches are relative to the same one.
    fn learn_directory(&mut self, arguments: &str) {
        if self.standing.directory.is_some() {
            return;
        }
        let directory = Raw::parse(arguments).ok().and_then(|raw| raw.str_at("workdir"));
        self.standing.directory =
            directory.filter(|path| path.starts_with('/')).map(|path| paths::normalise(&path));
    }
}

/// Marks after which harnesses state the working directory.
const STATED: [&str; 3] = ["<cwd>", "\nWorking directory: ", "working directory: "];

fn stated_directory(text: &str) -> Option<&str> {
    STATED.iter().find_map(|mark| {
        let rest = &text[text.find(mark)? + mark.len()..];
        let end = rest.find(['<', '\n', ' ', ')', '`', '"']).unwrap_or(rest.len());
        let path = &rest[..end];
        (path.starts_with('/') && path.len() > 1).then_some(path)
    })
}
