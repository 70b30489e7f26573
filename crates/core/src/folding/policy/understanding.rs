//! What a policy file adds to the understanding of a history.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::text::nearest;
use crate::understand::categories::Category;
use crate::understand::facts::Understanding;
use crate::understand::operation::Verb;
use crate::understand::vocabulary::{Tool, ToolKind};

/// The word by which a policy file names a kind of tool.
pub(crate) fn word_for(kind: ToolKind) -> &'static str {
    KINDS.iter().find(|(_, known)| *known == kind).map_or("other", |(word, _)| word)
}

/// The table `understand` of a policy file.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Written {
    /// Texts by which injected agent instructions are known, beside the usual ones.
    instruction_marks: Vec<String>,
    recent_steps: Option<u32>,
    recent_turns: Option<u32>,
    /// Tool → category.
    categories: BTreeMap<String, String>,
    tool: Vec<WrittenTool>,
    /// Files that count as changed by the session.
    modified: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenTool {
    name: String,
    does: String,
    /// The argument that holds the path, where it is none of the usual ones.
    path: Option<String>,
}

const CATEGORIES: [Category; 4] =
    [Category::Rereadable, Category::NonReproducible, Category::Ephemeral, Category::Computational];

const KINDS: [(&str, ToolKind); 17] = [
    ("read", ToolKind::Read),
    ("write", ToolKind::Write),
    ("replace", ToolKind::Replace),
    ("rewrite", ToolKind::Rewrite),
    ("insert", ToolKind::Insert),
    ("append", ToolKind::Append),
    ("editor", ToolKind::Editor),
    ("patch", ToolKind::Patch),
    ("shell", ToolKind::Shell),
    ("python", ToolKind::Python),
    ("delete", ToolKind::Plain(Verb::Delete)),
    ("search", ToolKind::Plain(Verb::Search)),
    ("list", ToolKind::Plain(Verb::List)),
    ("fetch", ToolKind::Plain(Verb::Fetch)),
    ("subagent", ToolKind::Plain(Verb::Subagent)),
    ("todo", ToolKind::Plain(Verb::Todo)),
    ("other", ToolKind::Plain(Verb::Other)),
];

impl Written {
    pub(super) fn read(self) -> Result<Understanding, String> {
        let mut understanding = Understanding { modified: self.modified, ..Understanding::default() };
        let priorities = &mut understanding.priorities;
        priorities.instruction_marks.extend(self.instruction_marks);
        priorities.recent_steps = self.recent_steps.unwrap_or(priorities.recent_steps);
        priorities.recent_turns = self.recent_turns.unwrap_or(priorities.recent_turns);
        for (name, word) in self.categories {
            understanding.categories.set(&name, category(&word)?);
        }
        for it in self.tool {
            understanding.vocabulary.add(tool(it.name, &it.does, it.path)?);
        }
        Ok(understanding)
    }
}

/// The category of this name.
pub(super) fn category(word: &str) -> Result<Category, String> {
    pick(&CATEGORIES.map(|it| (it.name(), it)), "category", word)
}

/// A tool that does what this word says.
pub(super) fn tool(name: String, does: &str, path_argument: Option<String>) -> Result<Tool, String> {
    Ok(Tool { name, kind: pick(&KINDS, "kind of tool", does)?, path_argument })
}

fn pick<T: Copy>(known: &[(&str, T)], what: &str, word: &str) -> Result<T, String> {
    let found = known.iter().find(|(name, _)| *name == word).map(|(_, value)| *value);
    found.ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        let hint = nearest(word, names.iter().copied());
        format!("`{word}` is no {what}{hint} ({})", names.join(", "))
    })
}
