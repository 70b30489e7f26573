//! Strings inside the arguments of calls: found and replaced in place, so that the JSON stays valid and everything
//! else of it as it was.

use std::ops::Range;

use crate::json::{Edit, Kind, Raw, quote, splice};

/// Where the string values of a JSON text stand, in order; none if it is not JSON. Keys are not values.
pub(crate) fn strings(arguments: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let Ok(root) = Raw::parse(arguments) else { return found };
    let mut open = vec![root];
    while let Some(value) = open.pop() {
        match value.kind() {
            Kind::String => found.push(value.span_in(arguments)),
            Kind::Array => open.extend(value.elements()),
            Kind::Object => open.extend(value.members().map(|(_, value)| value)),
            Kind::Null | Kind::Bool | Kind::Number => {}
        }
    }
    found.sort_by_key(|span| span.start);
    found
}

/// The arguments with some strings replaced.
pub(crate) fn replace(arguments: &str, strings: Vec<(Range<usize>, String)>) -> String {
    let edits = strings.into_iter().map(|(span, text)| Edit { span, with: quote(&text) });
    splice(arguments, edits.collect())
}
