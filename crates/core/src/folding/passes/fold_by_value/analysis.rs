//! The history, cut into what is kept or left out together, and what is worth what.
//!
//! Everything here depends on the history alone, not on the price, so it is done once per fold.

mod builder;

use std::ops::Range;

use self::builder::Builder;
use super::horizon::Far;
use super::unchanged::News;
use super::verbatim::Verbatim;
use super::weights::Weights;
use super::worth::Id;
use crate::folding::groups::together_beside;
use crate::folding::passes::{Cx, Tells};
use crate::folding::stretches::Held;
use crate::folding::telling::Weight;
use crate::history::{ItemId, MessageId, Role};
use crate::text::shape::Noise;
use crate::view::View;

/// The history, cut into what is kept or left out together.
pub(super) struct Analysis {
    pub(super) weights: Weights,
    pub(super) groups: Vec<Group>,
    pub(super) parts: Vec<Part>,
    pub(super) lines: Vec<Line>,
    /// Names of lines, back to back; each line knows its range.
    pub(super) line_names: Vec<Id>,
    /// Commands and paths of groups that may leave.
    pub(super) verbatim: Vec<Verbatim>,
    /// Value of showing a name once.
    pub(super) name_value: Vec<f64>,
    /// Value of showing it once more, farther from where it was used last.
    pub(super) echo_value: Vec<f64>,
    /// Value of showing a line as a line.
    pub(super) key_value: Vec<f64>,
    /// Names and lines that stand in what is never folded.
    pub(super) given_names: Vec<Id>,
    pub(super) given_keys: Vec<Id>,
    /// The directory that most files stand in; told paths are relative to it.
    pub(super) root: Option<String>,
}

/// A step, or a message outside steps.
pub(super) struct Group {
    pub(super) messages: Vec<MessageId>,
    /// Responses of the model since.
    pub(super) age: f64,
    /// Whether something of it is kept at any price: it holds what must stay as it is, or the model goes on from there.
    pub(super) stays: bool,
    /// Whether the model speaks in it.
    speaks: bool,
    /// Tokens that come with the group however its parts are folded.
    pub(super) overhead: f64,
    pub(super) parts: Range<usize>,
    /// What was said in it.
    pub(super) pages: Range<usize>,
    /// Names and lines in what is never folded of it: short arguments, tool names.
    pub(super) small_names: Vec<Id>,
    pub(super) small_keys: Vec<Id>,
    /// Factor on the names of its lines: how much it looks like the last steps.
    pub(super) likeness: f64,
    /// What its calls are worth in their place, whatever they name.
    pub(super) own_worth: f64,
    /// At a higher price it is left out, whatever else the view shows.
    pub(super) leaves_above: f64,
    /// What says that it happened, where it leaves.
    pub(super) telling: Option<Telling>,
    /// What its calls were made with.
    pub(super) verbatim: Range<usize>,
    /// What it held, if it is a stretch beyond the horizon: it leaves at any price. Its messages are then the first and the last.
    pub(super) far: Option<Held>,
}

/// A step in a line.
pub(super) struct Telling {
    /// The line; empty where there is nothing to tell but what was said.
    pub(super) line: String,
    pub(super) cost: f64,
    pub(super) worth: f64,
    weight: Weight,
    /// Names that stand in it.
    pub(super) names: Vec<Id>,
}

/// A text that can be folded line by line.
pub(super) struct Part {
    pub(super) place: Place,
    pub(super) voice: Voice,
    pub(super) lines: Range<usize>,
    /// Factor on what its lines are worth: whether they show a file as it stands.
    pub(super) currency: f64,
    /// What of it the model wrote anew.
    pub(super) news: News,
    /// The result of the newest change to the file that it shows, where that is newer.
    pub(super) outdated_by: Option<ItemId>,
    /// So few tokens that it is not cut: the marker would say less and cost about as much.
    pub(super) is_small: bool,
}

/// Where a part stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) item: ItemId,
    pub(super) text: usize,
    /// The string literal inside a call's arguments; `None` for the whole text.
    pub(super) argument: Option<Range<usize>>,
}

/// Who says a part, as far as its worth goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Voice {
    User,
    /// A harness, in the user's name.
    Harness,
    Assistant,
    Argument,
    Tool,
}

/// One line of a part.
pub(super) struct Line {
    /// In the part's text (decoded, for arguments).
    pub(super) span: Range<usize>,
    pub(super) cost: f64,
    /// What it is worth as a line, as long as it does not stand in the view yet.
    pub(super) worth: f64,
    pub(super) names: Range<u32>,
    pub(super) key: Id,
    /// So short that it may stand in the view twice.
    pub(super) is_short: bool,
    /// The line of the part that says what it belongs to.
    pub(super) head: Option<u32>,
    /// The head of the definition it belongs to, with the head itself belonging to its own; `None` outside.
    pub(super) block: Option<u32>,
    pub(super) is_border: bool,
    pub(super) noise: Noise,
    /// Stands in what an edit replaced as well.
    pub(super) is_unchanged: bool,
}

impl Part {
    /// Whether its lines can be folded where they stand; otherwise they are told or stay with all of their call.
    pub(super) fn folds_in(&self, group: &Group) -> bool {
        self.voice != Voice::Argument || group.stays
    }

    /// Whether its lines are told where the step leaves: what the model said and wrote.
    pub(super) fn is_own(&self) -> bool {
        matches!(self.voice, Voice::Assistant | Voice::Argument) && self.news != News::Nothing
    }
}

impl Group {
    fn new(messages: Vec<MessageId>, age: f64, stays: bool, speaks: bool) -> Group {
        Group {
            messages,
            age,
            stays,
            speaks,
            overhead: 0.0,
            parts: 0..0,
            pages: 0..0,
            small_names: Vec::new(),
            small_keys: Vec::new(),
            likeness: 1.0,
            own_worth: 0.0,
            leaves_above: f64::INFINITY,
            telling: None,
            verbatim: 0..0,
            far: None,
        }
    }

    /// What leaves whole.
    fn beyond(far: &Far) -> Group {
        let messages = &far.messages;
        let last = messages.end.previous().filter(|last| *last > messages.start);
        Group {
            leaves_above: 0.0,
            far: Some(far.held.clone()),
            ..Group::new([messages.start].into_iter().chain(last).collect(), f64::INFINITY, false, true)
        }
    }

    /// Whether, being kept, it stands between two runs of steps that left. What a person said does not: it stays where it
    /// is, and one line tells the steps around it.
    pub(super) fn parts_runs(&self) -> bool {
        self.speaks || !self.stays
    }
}

impl Line {
    /// Its names, in the names of all lines.
    pub(super) fn names(&self) -> Range<usize> {
        self.names.start as usize..self.names.end as usize
    }
}

impl Analysis {
    /// Analyses all messages of a view but for those that leave whole.
    pub(super) fn of(view: &View, cx: &Cx, far: &[Far], weights: Weights) -> Analysis {
        let beside: Vec<_> = far.iter().map(|far| far.messages.clone()).collect();
        Analysis::of_groups(view, cx, MessageId::FIRST, together_beside(view, cx, &beside), far, weights)
    }

    /// Analyses the messages of a view from one on, to tell what lines of those are worth that were never sent. Names that
    /// stand in what was sent are worth as much as ever: they say what the agent is after.
    pub(super) fn near(view: &View, cx: &Cx, from: MessageId) -> Analysis {
        let messages = MessageId::each(from..view.history().next_message());
        let groups = messages.filter(|id| !view.changes().is_dropped(*id)).map(|id| vec![id]).collect();
        // Nothing leaves, so there is nothing to tell.
        let mut analysis = Analysis::of_groups(
            view,
            &Cx { tells: Tells::Not, ..*cx },
            from,
            groups,
            &[],
            Weights::at(cx.limit),
        );
        analysis.given_names.clear();
        analysis
    }

    fn of_groups(
        view: &View,
        cx: &Cx,
        from: MessageId,
        groups: Vec<Vec<MessageId>>,
        far: &[Far],
        weights: Weights,
    ) -> Analysis {
        let speaks = |id: &MessageId| view.history().message(*id).role == Role::Assistant;
        let responses = groups.iter().filter(|group| group.iter().any(speaks)).count();
        let responses = responses + far.iter().map(|far| far.held.responses).sum::<usize>();
        let near = far.last().map_or(from, |far| far.messages.end);
        let mut builder = Builder::new(view, cx, near, weights);
        builder.make_room(&groups);
        let mut so_far = 0;
        let mut far = far.iter().peekable();
        for messages in groups {
            while let Some(before) = far.next_if(|far| far.messages.start < messages[0]) {
                so_far += before.held.responses;
                builder.add_far(before);
            }
            let speaks = messages.iter().any(speaks);
            so_far += usize::from(speaks);
            let age = responses - so_far;
            let must_stay = |id: &MessageId| *id < cx.first_unsent || cx.is_protected_message(view, *id);
            let stays = messages.iter().any(must_stay) || age == 0;
            builder.add_group(Group::new(messages, age as f64, stays, speaks));
        }
        far.for_each(|far| builder.add_far(far));
        builder.finish()
    }
}
