//! `enfold passes`: what passes there are, and the manual page of each.

use enfold::folding::passes::{Entry, PASSES};
use enfold::text::nearest;
use serde_json::{Value, json};

use crate::args::PassesArgs;
use crate::failure::Failure;
use crate::output;
use crate::policies::value;
use crate::report::{self, Stream, Table};

/// Lists them, or describes one.
pub fn run(args: PassesArgs) -> Result<(), Failure> {
    match (&args.name, args.json) {
        (None, false) => output::print(&list()),
        (None, true) => {
            let passes: Vec<Value> = PASSES.iter().map(as_json).collect();
            output::print(&format!("{:#}\n", json!({ "passes": passes })))
        }
        (Some(name), true) => output::print(&format!("{:#}\n", as_json(find(name)?))),
        (Some(name), false) => output::print(&manual(find(name)?)),
    }
}

fn find(name: &str) -> Result<&'static Entry, Failure> {
    Entry::find(name).ok_or_else(|| {
        let hint = nearest(name, PASSES.iter().map(|entry| entry.name));
        Failure::BadInput(format!(
            "pass `{name}`: there is none of that name{hint} (`enfold passes` lists them)"
        ))
    })
}

fn list() -> String {
    let mut table = Table::new(Stream::Stdout, &["!pass", "what it does"]);
    for entry in PASSES {
        table.row([entry.name.into(), entry.about()]);
    }
    format!("{}\n`enfold passes NAME` prints the manual page of one.\n", table.render())
}

/// The manual page, and the options as a table instead of the list that the page may have.
fn manual(entry: &Entry) -> String {
    let page = entry.manual();
    let (page, options_said) = page.split_once("# Options\n").unwrap_or((&page, ""));
    let said = options_said.lines().take_while(|line| !line.starts_with("- "));
    let said: String = said.map(|line| format!("{line}\n")).collect();
    let mut text = report::heading(Stream::Stdout, entry.name) + page + "# Options\n" + &said;
    let options = entry.options();
    if !options.is_empty() {
        let mut table = Table::new(Stream::Stdout, &["!option", "!default", "meaning"]);
        for (option, default) in &options {
            let meaning = entry.meaning(option).unwrap_or_default();
            table.row([option.clone(), default.clone(), meaning]);
        }
        text += &table.render();
    }
    text
}

fn as_json(entry: &Entry) -> Value {
    let options = entry.options().into_iter().map(|(option, default)| {
        let meaning = entry.meaning(&option);
        json!({ "option": option, "default": value(&default), "meaning": meaning })
    });
    json!({
        "pass": entry.name,
        "about": entry.about(),
        "manual": entry.manual(),
        "options": options.collect::<Vec<_>>(),
    })
}
