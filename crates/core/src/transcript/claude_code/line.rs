//! One line of a Claude Code log, as far as finding the session needs it.

use crate::json::Raw;

use super::super::Object;
use super::super::builder::Entry;

/// One line.
#[derive(Debug)]
pub(super) struct Line<'a> {
    /// The entry it stands in.
    pub(super) entry: Entry<'a>,
    /// What it is.
    pub(super) kind: Kind,
    /// The message or the attachment it carries.
    pub(super) body: Option<Raw<'a>>,
    /// Its own id.
    pub(super) uuid: Option<String>,
    /// The id of the line before it.
    pub(super) parent: Option<String>,
    /// Whether it says that no line comes before it.
    pub(super) is_root: bool,
    /// At a compaction: the id of the line before it in the full history.
    pub(super) logical_parent: Option<String>,
    /// The id of the model's response it is part of.
    pub(super) message_id: Option<String>,
    /// Ids of the calls it makes.
    pub(super) calls: Vec<String>,
    /// Ids of the calls it answers.
    pub(super) answers: Vec<String>,
    /// When it was written.
    pub(super) stamp: Option<Raw<'a>>,
    /// Whether a sub-agent wrote it.
    is_sidechain: bool,
}

/// What a line is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A user message: a prompt, or results.
    User,
    /// A piece of a response.
    Assistant,
    /// A summary that took the place of what came before.
    Summary,
    /// Context that the client put in.
    Attachment,
    /// A message the client made up for the screen; it was never sent.
    NeverSent,
    /// Known, and nothing for the model.
    Silent,
    /// Not known.
    Unknown(String),
}

/// Types of lines that carry nothing for the model.
const SILENT: &[&str] = &[
    "system",
    "progress",
    "summary",
    "file-history-snapshot",
    "queue-operation",
    "last-prompt",
    "custom-title",
    "ai-title",
    "agent-name",
    "agent-color",
    "agent-setting",
    "tag",
    "pr-link",
    "mode",
    "permission-mode",
    "worktree-state",
    "content-replacement",
    "marble-origami-commit",
    "marble-origami-snapshot",
    "attribution-snapshot",
    "speculation-accept",
    "task-summary",
    "result",
    "stream_event",
    "rate_limit_event",
];

impl<'a> Line<'a> {
    pub(super) fn of(entry: Entry<'a>) -> Line<'a> {
        let mut line = Line {
            entry,
            kind: Kind::Silent,
            body: None,
            uuid: None,
            parent: None,
            is_root: false,
            logical_parent: None,
            message_id: None,
            calls: Vec::new(),
            answers: Vec::new(),
            stamp: None,
            is_sidechain: false,
        };
        let text = |value: Raw| value.str().map(|text| text.into_owned());
        let is_true = |value: Raw| value.bool() == Some(true);
        let mut kind = String::new();
        let (mut is_summary, mut is_screen_only) = (false, false);
        // One pass: lines can be megabytes long, and every look-up of a key costs one.
        for (key, value) in entry.raw.members() {
            match &*key {
                "type" => kind = text(value).unwrap_or_default(),
                "uuid" => line.uuid = text(value),
                "parentUuid" => {
                    line.parent = text(value);
                    line.is_root = value.is_null();
                }
                "timestamp" => line.stamp = Some(value),
                "logicalParentUuid" => line.logical_parent = text(value),
                "isSidechain" => line.is_sidechain |= is_true(value),
                "parent_tool_use_id" => line.is_sidechain |= !value.is_null(),
                "message" | "attachment" => line.body = Some(value),
                "isCompactSummary" => is_summary = is_true(value),
                "isApiErrorMessage" | "isVisibleInTranscriptOnly" => is_screen_only |= is_true(value),
                _ => {}
            }
        }
        line.kind = match (&*kind, line.body) {
            ("user", Some(_)) if is_summary => Kind::Summary,
            ("user" | "assistant", Some(_)) if is_screen_only => Kind::NeverSent,
            ("user", Some(_)) => Kind::User,
            ("assistant", Some(_)) => Kind::Assistant,
            ("attachment", Some(_)) => Kind::Attachment,
            (known, _) if SILENT.contains(&known) => Kind::Silent,
            (kind, _) => Kind::Unknown(kind.to_string()),
        };
        line.look_into_message();
        line
    }

    fn look_into_message(&mut self) {
        let Some(message) = self.body.filter(|_| self.has_message()).map(Object::of) else { return };
        if message.str_at("model").as_deref() == Some("<synthetic>") {
            self.kind = Kind::NeverSent;
        }
        if self.kind == Kind::Assistant {
            self.message_id = message.str_at("id").map(|id| id.into_owned());
        }
        for block in message.list("content").map(Object::of) {
            let id = |key: &str| block.str_at(key).unwrap_or_default().into_owned();
            match block.str_at("type").as_deref() {
                Some("tool_use") => self.calls.push(id("id")),
                Some("tool_result") => self.answers.push(id("tool_use_id")),
                _ => {}
            }
        }
    }

    /// Takes a sub-agent's line for the session's own, in a log that is the sub-agent's own.
    pub(super) fn make_main(&mut self) {
        self.is_sidechain = false;
    }

    /// Not of a sub-agent.
    pub(super) fn is_main(&self) -> bool {
        !self.is_sidechain
    }

    /// Whether it carries something of the conversation.
    pub(super) fn has_message(&self) -> bool {
        matches!(self.kind, Kind::User | Kind::Assistant | Kind::Summary | Kind::NeverSent)
    }

    /// Whether other lines can follow it.
    pub(super) fn is_linked(&self) -> bool {
        self.has_message() || self.uuid.is_some()
    }
}
