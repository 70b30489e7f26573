//! `enfold intent`: tool definitions in which a model can say why it changes something.

use enfold::json::Raw;
use enfold::understand::intent::add_intents;
use enfold::understand::vocabulary::Vocabulary;

use crate::args::IntentArgs;
use crate::failure::Failure;
use crate::{input, output};

/// Writes the definitions with the field.
pub fn run(args: IntentArgs) -> Result<(), Failure> {
    let bytes = input::read_bytes(&args.file)?;
    let text = String::from_utf8(bytes).map_err(|_| not_json(&args, "it is not UTF-8"))?;
    Raw::parse(&text).map_err(|error| not_json(&args, &error.to_string()))?;
    let vocabulary = Vocabulary::new();
    let is_named = |name: &str| args.tool.iter().any(|tool| tool == name);
    let is_meant = |name: &str| if args.tool.is_empty() { vocabulary.edits(name) } else { is_named(name) };
    let (with, found) = add_intents(&text, is_meant);
    if found == 0 {
        let cause = "none of its tools is known to change files";
        return Err(Failure::new(&args.file, cause, "name the ones that do with --tool NAME"));
    }
    output::write(args.output.as_deref(), &with)
}

fn not_json(args: &IntentArgs, cause: &str) -> Failure {
    let remedy = "give it a tool definition, a list of them or a request, as JSON";
    Failure::new(&args.file, cause, remedy)
}
