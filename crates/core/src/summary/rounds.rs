//! The summaries of a session, round after round, and what is asked for the next.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Question, Template, TemplateError};
use crate::history::MessageId;

/// A summary of the beginning of a history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// 1 for the first of a session.
    pub round: u32,
    /// It tells about the messages before this one, as far as they have left the view.
    pub through: MessageId,
    /// What a model wrote; without it the ledger speaks alone.
    pub narrative: Option<String>,
    /// The narrative tells about the messages before this one, which is `through` or, where nobody answered for a round
    /// or more, an earlier one.
    #[serde(default)]
    pub narrated: MessageId,
    /// Messages before `narrated` that it does not tell about, because they stood in the view. In order. When they leave,
    /// the next question is about them too.
    #[serde(default)]
    pub stayed: Vec<MessageId>,
}

/// The summaries of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summaries {
    /// The one that the view shows.
    pub shown: Option<Summary>,
    /// One that no view has shown yet.
    pub ready: Option<Summary>,
    /// Whether somebody can be asked for narratives.
    pub asks: bool,
}

impl Summary {
    /// Whether the narrative tells about a message.
    pub(crate) fn tells(&self, message: MessageId) -> bool {
        message < self.narrated && self.stayed.binary_search(&message).is_err()
    }
}

impl Summaries {
    /// The newest.
    pub fn newest(&self) -> Option<&Summary> {
        self.ready.as_ref().or(self.shown.as_ref())
    }

    /// Forgets what tells about messages from this one on. True if there was something.
    pub(crate) fn truncate(&mut self, message: MessageId) -> bool {
        let is_past = |summary: &mut Summary| summary.through > message;
        self.shown.take_if(is_past).is_some() | self.ready.take_if(is_past).is_some()
    }
}

/// What the next summary is written from.
#[derive(Clone, Copy, Default)]
pub(crate) struct SummaryCx<'a> {
    /// Those before it, and whether somebody can be asked for its narrative. `None` where nobody keeps them.
    pub(crate) known: Option<&'a Summaries>,
    /// Templates of the user's own.
    pub(crate) templates: &'a [Arc<Template>],
}

impl<'a> SummaryCx<'a> {
    /// The newest of those before it.
    pub(crate) fn newest(self) -> Option<&'a Summary> {
        self.known.and_then(Summaries::newest)
    }

    /// Whether somebody can be asked for its narrative.
    pub(crate) fn asks(self) -> bool {
        self.known.is_some_and(|known| known.asks)
    }

    /// The template of this name: the user's own, or one that ships.
    pub(crate) fn template(self, name: &str) -> Result<Arc<Template>, TemplateError> {
        let own = self.templates.iter().find(|template| template.name == name).cloned();
        own.map_or_else(|| Template::named(name), Ok)
    }
}

/// A question and what its answer is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// What to ask.
    pub question: Question,
    /// The answer tells about the messages before this one.
    pub through: MessageId,
    /// Messages before `through` that it does not tell about, because they stay in the view. In order.
    pub stays: Vec<MessageId>,
    /// Tokens of what it tells about.
    pub replaces: usize,
}

impl Asked {
    /// The summary that a good answer makes.
    pub fn answered(&self, narrative: String) -> Summary {
        Summary {
            round: self.question.round,
            through: self.through,
            narrative: Some(narrative),
            narrated: self.through,
            stayed: self.stays.clone(),
        }
    }
}
