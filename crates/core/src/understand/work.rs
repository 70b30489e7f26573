//! What an answered call did, in the few words that passes need.

use super::categories::{Categories, Category};
use super::operation::Verb;
use super::walk::Answered;
use crate::history::ItemId;

/// What one answered call did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Work {
    /// The call; `None` where only its result is in the history.
    pub call: Option<ItemId>,
    /// The step; 0 outside steps.
    pub step: u32,
    /// What was done, in order.
    pub verbs: Vec<Verb>,
    /// The files it was done to, each once.
    pub paths: Vec<String>,
    /// The command line, where there was one.
    pub command: Option<String>,
    /// How the result could be had again.
    pub category: Option<Category>,
}

impl Work {
    /// The work of a call to a tool of that name.
    pub(crate) fn of(answered: &Answered, tool: &str, categories: &Categories) -> Work {
        let mut paths = Vec::new();
        for path in answered.operations.iter().filter_map(|operation| operation.path.as_ref()) {
            if !paths.contains(path) {
                paths.push(path.clone());
            }
        }
        Work {
            call: answered.call,
            step: answered.step,
            verbs: answered.operations.iter().map(|operation| operation.verb).collect(),
            paths,
            command: answered.operations.iter().find_map(|operation| operation.command.clone()),
            category: categories.of(tool, &answered.operations),
        }
    }

    /// Whether the call ran a command.
    pub fn is_command(&self) -> bool {
        self.command.is_some() || self.verbs.contains(&Verb::Run)
    }

    /// Whether the call changed a file, as far as it says.
    pub fn writes(&self) -> bool {
        self.verbs.iter().any(|verb| verb.writes())
    }

    /// The one file that the call read and nothing else.
    pub fn read_file(&self) -> Option<&str> {
        match (&self.verbs[..], &self.paths[..]) {
            ([Verb::Read], [path]) => Some(path),
            _ => None,
        }
    }
}
