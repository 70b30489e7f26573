//! What a tool call does, in one vocabulary for all agents.

/// One thing a tool call does. A shell command may do several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// What is done.
    pub verb: Verb,
    /// The file or directory it is done to; a URL for [`Verb::Fetch`]. Joined with the directory the call names, as
    /// far as the call shows it.
    pub path: Option<String>,
    /// Where it goes, for [`Verb::Move`] and [`Verb::Copy`].
    pub to: Option<String>,
    /// The lines asked for; `None` means all of them, or that there are none.
    pub lines: Option<Lines>,
    /// The command line, for [`Verb::Run`] and what was found inside a shell command.
    pub command: Option<String>,
    /// How a file changes, as far as the call says it.
    pub change: Change,
    /// Whether the call's result is the text of the file.
    pub shown: Shown,
    /// Whether files that the call does not name may change too.
    pub effect: Effect,
    /// What kind of thing the path names, as far as the call tells.
    pub target: Target,
}

/// What kind of thing a path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A file, or nothing tells that it is none.
    File,
    /// A directory.
    Directory,
    /// A file or a directory with all that is in it.
    Tree,
}

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verb {
    /// A file is read.
    Read,
    /// A file is written whole.
    Create,
    /// A file is changed.
    Edit,
    /// A file or directory is removed.
    Delete,
    /// A file or directory is moved to another path.
    Move,
    /// A file or directory is copied to another path.
    Copy,
    /// A directory is made.
    MakeDirectory,
    /// Text or names are searched for.
    Search,
    /// A directory is listed.
    List,
    /// A program is run.
    Run,
    /// Something is fetched from the network.
    Fetch,
    /// Another agent is asked.
    Subagent,
    /// The list of things to do is changed.
    Todo,
    /// The user is asked something.
    Ask,
    /// Anything else.
    Other,
}

/// Lines of a file, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    /// From the first to the last, both included; to the end of the file where there is no last.
    Span {
        /// The first line.
        first: usize,
        /// The last line.
        last: Option<usize>,
    },
    /// So many at the end of the file.
    Last(usize),
}

/// How a file changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Not at all.
    None,
    /// To exactly this text.
    Whole(String),
    /// By this text at its end.
    Append(String),
    /// By these replacements, in order.
    Replace(Vec<Replacement>),
    /// By text put after a line (0: before the first).
    Insert {
        /// The line.
        after: usize,
        /// The text.
        text: String,
    },
    /// By text in place of lines.
    Lines {
        /// The first line that goes.
        first: usize,
        /// The last line that goes.
        last: usize,
        /// What comes instead; nothing removes the lines.
        text: Option<String>,
    },
    /// By the hunks of a patch.
    Patch(Vec<super::patch::Hunk>),
    /// By taking back the change before.
    Undo,
    /// In a way the call does not show.
    Unknown,
}

/// A text put in place of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// What is searched.
    pub old: String,
    /// What is put there.
    pub new: String,
    /// How many of its occurrences are meant.
    pub occurrences: Occurrences,
}

/// Which occurrences of a text are replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occurrences {
    /// The only one; the tool refuses where there are more.
    Single,
    /// All of them.
    All,
    /// The first on each line, as `sed` does.
    FirstOfEachLine,
}

/// Whether the result of a call shows the text of the file it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// No, or mixed with other text, or filtered.
    No,
    /// Line by line as it stands in the file.
    Plain,
    /// Line by line, each with its number in front.
    Numbered,
    /// Line by line, with or without numbers: the tool's result says which.
    Either,
}

/// Whether files that a call does not name may change through it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Only what the operation says changes.
    Stated,
    /// Any file may have changed.
    Anything,
}

impl Operation {
    /// An operation without path.
    pub fn new(verb: Verb) -> Operation {
        Operation {
            verb,
            path: None,
            to: None,
            lines: None,
            command: None,
            change: Change::None,
            shown: Shown::No,
            effect: Effect::Stated,
            target: Target::File,
        }
    }

    /// An operation on a path.
    pub fn on(verb: Verb, path: impl Into<String>) -> Operation {
        Operation { path: Some(path.into()), ..Operation::new(verb) }
    }

    /// Adds the lines.
    pub fn lines(mut self, lines: Option<Lines>) -> Operation {
        self.lines = lines;
        self
    }

    /// Adds how the file changes.
    pub fn change(mut self, change: Change) -> Operation {
        self.change = change;
        self
    }

    /// Adds whether the result shows the file.
    pub fn shown(mut self, shown: Shown) -> Operation {
        self.shown = shown;
        self
    }

    /// Adds where it goes.
    pub fn to(mut self, to: impl Into<String>) -> Operation {
        self.to = Some(to.into());
        self
    }
}

impl Verb {
    /// Whether a file is different afterwards.
    pub fn writes(self) -> bool {
        matches!(self, Verb::Create | Verb::Edit | Verb::Delete | Verb::Move | Verb::Copy)
    }

    /// Whether the text of files is read or changed.
    pub fn touches_files(self) -> bool {
        self.writes() || matches!(self, Verb::Read | Verb::MakeDirectory)
    }

    /// The word for it, in tables and traces.
    pub fn name(self) -> &'static str {
        match self {
            Verb::Read => "read",
            Verb::Create => "create",
            Verb::Edit => "edit",
            Verb::Delete => "delete",
            Verb::Move => "move",
            Verb::Copy => "copy",
            Verb::MakeDirectory => "mkdir",
            Verb::Search => "search",
            Verb::List => "list",
            Verb::Run => "run",
            Verb::Fetch => "fetch",
            Verb::Subagent => "subagent",
            Verb::Todo => "todo",
            Verb::Ask => "ask",
            Verb::Other => "other",
        }
    }
}

/// A line number in a command or an argument; numbers no file reaches are no line numbers.
pub(super) fn line_number(text: &str) -> Option<usize> {
    text.trim().parse().ok().filter(|number| *number <= MAX_LINE)
}

/// More lines than any file has, and little enough to calculate with.
pub(super) const MAX_LINE: usize = 1 << 40;

impl Lines {
    /// From `first` to `last`.
    pub fn span(first: usize, last: usize) -> Lines {
        Lines::Span { first, last: Some(last) }
    }

    /// From `first` to the end.
    pub fn from(first: usize) -> Lines {
        Lines::Span { first, last: None }
    }

    /// What remains when these lines of an earlier selection are taken.
    pub fn of(self, earlier: Option<Lines>) -> Option<Lines> {
        match (earlier, self) {
            (None, lines) => Some(lines),
            (Some(Lines::Span { first, last }), Lines::Span { first: from, last: to }) => {
                let (first, from) = (first.max(1), from.max(1));
                let end = to.map(|to| (first + to).saturating_sub(1));
                let last = match (last, end) {
                    (Some(a), Some(b)) => Some(a.min(b)),
                    (a, b) => a.or(b),
                };
                Some(Lines::Span { first: first + from - 1, last })
            }
            (Some(Lines::Span { first, last: Some(last) }), Lines::Last(n)) => {
                Some(Lines::span(first.max((last + 1).saturating_sub(n)), last))
            }
            (Some(Lines::Span { .. }), Lines::Last(n)) => Some(Lines::Last(n)),
            (Some(Lines::Last(n)), Lines::Last(m)) => Some(Lines::Last(n.min(m))),
            (Some(lines @ Lines::Last(_)), Lines::Span { .. }) => Some(lines),
        }
    }
}
