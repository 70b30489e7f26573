//! What is lost when a tool's result goes: categories of tools.

use std::collections::BTreeMap;

use super::operation::{Effect, Operation, Verb};

/// How a tool's result can be had again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Category {
    /// By asking again: files, listings, searches.
    Rereadable,
    /// Not at all: the world has moved on.
    NonReproducible,
    /// It need not be: what mattered was said elsewhere.
    Ephemeral,
    /// By computing it again.
    Computational,
}

impl Category {
    /// Its name in policy files.
    pub fn name(self) -> &'static str {
        match self {
            Category::Rereadable => "rereadable",
            Category::NonReproducible => "non-reproducible",
            Category::Ephemeral => "ephemeral",
            Category::Computational => "computational",
        }
    }
}

/// The categories of tools: built-in ones, and yours, which win.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Categories {
    custom: BTreeMap<String, Category>,
}

impl Categories {
    /// The built-in categories.
    pub fn new() -> Categories {
        Categories::default()
    }

    /// Puts a tool into a category. Names are compared without case.
    pub fn set(&mut self, tool: &str, category: Category) {
        self.custom.insert(tool.to_ascii_lowercase(), category);
    }

    /// What was put into categories beside the built-in ones, in the order of the names.
    pub fn own(&self) -> impl Iterator<Item = (&str, Category)> {
        self.custom.iter().map(|(tool, category)| (tool.as_str(), *category))
    }

    /// The category of a call by its tool's name and what it does; `None` where nothing is lost or known
    /// (edits, plans, questions, unknown tools).
    ///
    /// A shell command that only looks at files is as rereadable as a tool made for it.
    pub fn of(&self, tool: &str, operations: &[Operation]) -> Option<Category> {
        if !self.custom.is_empty()
            && let Some(category) = self.custom.get(&tool.to_ascii_lowercase())
        {
            return Some(*category);
        }
        operations.iter().map(of_operation).reduce(heavier).flatten()
    }
}

fn of_operation(operation: &Operation) -> Option<Category> {
    match operation.verb {
        Verb::Read | Verb::Search | Verb::List => Some(Category::Rereadable),
        Verb::Fetch => Some(Category::NonReproducible),
        Verb::Run if operation.effect == Effect::Stated && operation.command.is_none() => {
            Some(Category::Computational)
        }
        Verb::Run => Some(Category::NonReproducible),
        Verb::Subagent => Some(Category::Ephemeral),
        Verb::Create
        | Verb::Edit
        | Verb::Delete
        | Verb::Move
        | Verb::Copy
        | Verb::MakeDirectory
        | Verb::Todo
        | Verb::Ask
        | Verb::Other => None,
    }
}

/// Of two things one call does, what is harder to have again counts.
fn heavier(a: Option<Category>, b: Option<Category>) -> Option<Category> {
    let weight = |category: Option<Category>| match category {
        None => 0,
        Some(Category::Ephemeral) => 1,
        Some(Category::Rereadable) => 2,
        Some(Category::Computational) => 3,
        Some(Category::NonReproducible) => 4,
    };
    if weight(b) > weight(a) { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::understand::tools::{CallText, Standing, understand};
    use crate::understand::vocabulary::Vocabulary;

    fn category(categories: &Categories, name: &str, arguments: &str) -> Option<Category> {
        let call = CallText { name, arguments, result: None };
        categories.of(name, &understand(&Vocabulary::new(), call, &Standing::default()).operations)
    }

    #[test]
    fn tools_are_where_their_authors_put_them() {
        let categories = Categories::new();
        for (name, arguments, wanted) in [
            ("Read", r#"{"file_path":"a"}"#, Some(Category::Rereadable)),
            ("Glob", r#"{"pattern":"*"}"#, Some(Category::Rereadable)),
            ("Grep", r#"{"pattern":"x"}"#, Some(Category::Rereadable)),
            ("Bash", r#"{"command":"make deploy"}"#, Some(Category::NonReproducible)),
            ("Bash", r#"{"command":"sed -n 1,5p a.rs"}"#, Some(Category::Rereadable)),
            ("WebFetch", r#"{"url":"https://x"}"#, Some(Category::NonReproducible)),
            ("SubAgent", "{}", Some(Category::Ephemeral)),
            ("TaskOutput", "{}", Some(Category::Ephemeral)),
            ("Edit", r#"{"file_path":"a","old_string":"x","new_string":"y"}"#, None),
            ("get_weather", "{}", None),
        ] {
            assert_eq!(category(&categories, name, arguments), wanted, "{name} {arguments}");
        }
    }

    #[test]
    fn yours_win() {
        let mut categories = Categories::new();
        categories.set("Get_Weather", Category::Computational);
        assert_eq!(category(&categories, "get_weather", "{}"), Some(Category::Computational));
    }
}
