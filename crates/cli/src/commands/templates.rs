//! `enfold templates`: how summaries are asked for.

use std::path::Path;
use std::sync::Arc;

use enfold::summary::{Section, TEMPLATES, Template, TemplateError};
use serde_json::{Value, json};

use crate::args::TemplatesArgs;
use crate::failure::Failure;
use crate::output;
use crate::report::{self, Stream, Table};

/// Lists them, prints one, or checks the user's own.
pub fn run(args: TemplatesArgs) -> Result<(), Failure> {
    match (&args.name, &args.check) {
        (None, None) => list(args.json),
        (None, Some(path)) => {
            let template = load(path)?;
            output::print(&if args.json { printed(&as_json(&template)) } else { described(&template) })
        }
        (Some(name), _) => {
            let (template, text) = named(name)?;
            output::print(&if args.json { printed(&as_json(&template)) } else { text.to_string() })
        }
    }
}

/// A template of the user's own.
pub fn load(path: &Path) -> Result<Template, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| Failure::file(path, &error))?;
    Template::parse(&text).map_err(|error| faulty(path, &error))
}

fn named(name: &str) -> Result<(Arc<Template>, &'static str), Failure> {
    let template = Template::named(name).map_err(|error| {
        Failure::BadInput(format!(
            "{error} (`enfold templates` lists them; `enfold templates --check FILE` reads a file)"
        ))
    })?;
    let text = TEMPLATES.iter().find(|(known, _)| *known == name).map_or("", |(_, text)| text);
    Ok((template, text))
}

fn list(as_json_list: bool) -> Result<(), Failure> {
    let mut templates = Vec::new();
    for (name, _) in TEMPLATES {
        templates.push(named(name)?.0);
    }
    if as_json_list {
        let templates: Vec<Value> = templates.iter().map(|template| as_json(template)).collect();
        return output::print(&printed(&json!({ "templates": templates })));
    }
    let mut table = Table::new(Stream::Stdout, &["!template", "what it is for", "sections"]);
    for template in &templates {
        let sections: Vec<&str> = template.sections.iter().map(|section| section.heading.as_str()).collect();
        table.row([template.name.clone(), template.about.clone(), sections.join(", ")]);
    }
    output::print(&format!(
        "{}\n`enfold templates NAME` prints one, to start your own from.\n",
        table.render()
    ))
}

fn described(template: &Template) -> String {
    let mut table = Table::new(Stream::Stdout, &["!section", "!required", "asks for"]);
    for section in &template.sections {
        let required = if section.required { "yes" } else { "no" };
        table.row([section.heading.clone(), required.into(), section.asks.trim().to_string()]);
    }
    format!(
        "{}{}\n\n{}\nTemperature {}. It can be used.\n",
        report::heading(Stream::Stdout, &template.name),
        report::clean(&template.about),
        table.render(),
        template.temperature(),
    )
}

fn as_json(template: &Template) -> Value {
    let section = |section: &Section| json!({ "heading": section.heading, "required": section.required, "asks": section.asks });
    json!({
        "template": template.name,
        "about": template.about,
        "temperature": template.temperature(),
        "sections": template.sections.iter().map(section).collect::<Vec<_>>(),
    })
}

fn printed(json: &Value) -> String {
    format!("{json:#}\n")
}

fn faulty(path: &Path, error: &TemplateError) -> Failure {
    let line = error.line.map_or(String::new(), |line| format!(": line {line}"));
    let remedy = "`enfold templates coding` prints one that works";
    Failure::BadInput(format!("{}{line}: {}; {remedy}", path.display(), error.why))
}
