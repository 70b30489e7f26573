//! A shell command as it is written, reduced to what tells which files it touches.
//!
//! Whether a command of a list runs depends on the ones before it, and that cannot be known; so what joins commands
//! (`;`, `&&`, `||`, `&`, a line end) is left out, and so is what decides between branches. Everything borrows from the
//! command's text.

use std::cell::Cell;
use std::rc::Rc;

/// A text, read.
#[derive(Debug)]
pub(super) struct Script<'a> {
    pub(super) list: List<'a>,
    /// Whether all of it was understood. Where not, it may do more than the list says.
    pub(super) whole: bool,
}

/// Pipelines one after the other.
pub(super) type List<'a> = Vec<Pipeline<'a>>;

/// Commands that feed each other.
pub(super) type Pipeline<'a> = Vec<Command<'a>>;

#[derive(Debug)]
pub(super) struct Command<'a> {
    pub(super) kind: Kind<'a>,
    pub(super) redirects: Vec<Redirect<'a>>,
}

#[derive(Debug)]
pub(super) enum Kind<'a> {
    /// `NAME=value program argument`
    Simple { assignments: Vec<Assignment<'a>>, words: Vec<RawWord<'a>> },
    /// `{ … }`, `if`, `while`, `until`, `case`: all that may run, in the order it is written.
    Group(List<'a>),
    /// `( … )`
    Subshell(List<'a>),
    /// `for name in values; do body; done`, and `select`.
    For { name: &'a str, values: Vec<RawWord<'a>>, body: List<'a> },
    /// `[[ … ]]` and `(( … ))`: nothing runs but the commands inside their words.
    Test(Vec<RawWord<'a>>),
    /// The definition of a function, which runs nothing.
    Function,
}

/// `name=value`
#[derive(Debug)]
pub(super) struct Assignment<'a> {
    pub(super) name: &'a str,
    pub(super) value: RawWord<'a>,
    /// Whether the value is all there is to the variable: it is no list, no element of one, and nothing it is added to.
    pub(super) is_whole: bool,
}

#[derive(Debug)]
pub(super) enum Redirect<'a> {
    /// `< path`
    Input(RawWord<'a>),
    /// `> path`, `>> path`, `2> path`, `&> path`
    Output { path: RawWord<'a>, append: bool, errors_only: bool },
    /// `<<< text`
    Text(RawWord<'a>),
    /// `<< mark`
    Document(Rc<Document<'a>>),
}

/// A here-document.
#[derive(Debug)]
pub(super) struct Document<'a> {
    /// Its text. A cell, because the text comes lines after the redirection that asks for it.
    pub(super) text: Cell<&'a str>,
    /// Whether variables in it are put in: its mark is not quoted.
    pub(super) expands: bool,
    /// `<<-`: tabs at the start of its lines are taken off.
    pub(super) indented: bool,
}

/// A word with its quotes understood and its variables still to be put in.
#[derive(Debug, Default)]
pub(super) struct RawWord<'a> {
    pub(super) parts: Vec<Part<'a>>,
    /// Whether it begins with a quote.
    pub(super) quoted: bool,
}

#[derive(Debug)]
pub(super) enum Part<'a> {
    /// Text, with its quotes and backslashes off.
    Text(&'a str),
    /// The text of `$'…'`, whose escapes stand for other characters.
    Escaped(String),
    /// `$name`, `${name}`
    Variable { name: &'a str, written: &'a str, quoted: bool },
    /// `$( … )`
    Command { list: List<'a>, written: &'a str },
    /// A command between backquotes, its backslashes off.
    Backquoted { command: String, written: &'a str },
    /// `<( … )`, `>( … )`
    Process { list: List<'a>, written: &'a str },
    /// What only a shell can work out, `${x%.c}`, `$((1 + 2))`, and the commands in it.
    Open { inner: Vec<Part<'a>>, written: &'a str },
}

impl Part<'_> {
    /// The text, where nothing is put in.
    pub(super) fn written(&self) -> &str {
        match self {
            Part::Text(text) => text,
            Part::Escaped(text) => text,
            Part::Variable { written, .. }
            | Part::Command { written, .. }
            | Part::Backquoted { written, .. }
            | Part::Process { written, .. }
            | Part::Open { written, .. } => written,
        }
    }
}
