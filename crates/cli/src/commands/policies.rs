//! `enfold policies`: what policies there are, and what each does in which order and why.

use enfold::count::budget::{OutputReserve, Rules, Share};
use enfold::folding::policy::{POLICIES, Policy, PolicyPass, When};
use serde_json::{Map, Value, json};

use crate::args::{PoliciesArgs, PolicyArg};
use crate::failure::Failure;
use crate::output;
use crate::policies::{load, value};
use crate::report::{self, Stream, Table};

/// Lists them, or describes one.
pub fn run(args: PoliciesArgs) -> Result<(), Failure> {
    let Some(named) = &args.policy else { return list(args.json) };
    let (policy, text) = load(named)?;
    match (args.toml, args.json) {
        (true, _) => output::print(&text),
        (false, true) => output::print(&format!("{:#}\n", as_json(&policy))),
        (false, false) => output::print(&described(&policy)),
    }
}

fn list(as_json_list: bool) -> Result<(), Failure> {
    let mut policies = Vec::new();
    for (name, _) in POLICIES {
        policies.push(load(&PolicyArg::Named(name.to_string()))?.0);
    }
    if as_json_list {
        let policies: Vec<Value> = policies.iter().map(as_json).collect();
        return output::print(&format!("{:#}\n", json!({ "policies": policies })));
    }
    let mut table = Table::new(Stream::Stdout, &["!policy", "what it is for", "passes"]);
    for policy in &policies {
        let passes: Vec<&str> = policy.passes.iter().map(|step| step.pass.name()).collect();
        table.row([policy.name.clone(), policy.about.clone(), passes.join(", ")]);
    }
    output::print(&format!("{}\n`enfold policies NAME` describes one.\n", table.render()))
}

fn described(policy: &Policy) -> String {
    let mut table = Table::new(Stream::Stdout, &["!pass", "!when", "options", "why"]);
    for step in &policy.passes {
        let options = step.options.iter().map(|(option, set)| format!("{option} = {set}"));
        let options: Vec<String> = options.collect();
        let options = if options.is_empty() { "defaults".into() } else { options.join(", ") };
        table.row([step.pass.name().into(), when(step).into(), options, step.why.clone()]);
    }
    let fits = match policy.fits {
        true => "If the passes are not enough, the oldest steps are left out until the view fits.",
        false => "If the passes are not enough, there is no view.",
    };
    let epoch = &policy.epoch;
    let epoch = format!(
        "In a session, a view that takes more than {} of the limit is folded to {}{}; one that the provider has \
         forgotten, from {} on.",
        percent(epoch.above),
        percent(epoch.target),
        match epoch.lasts {
            0 => String::new(),
            lasts => format!(", deeper where {lasts} more requests would not fit beside it"),
        },
        percent(epoch.cold_above),
    );
    format!(
        "{}{}\n\n{}\n{}\n{epoch}\n{fits}\n\n{}",
        report::heading(Stream::Stdout, &policy.name),
        report::clean(&policy.about),
        table.render(),
        budget(&policy.budget),
        understood(policy),
    )
}

/// How much of a model's window it uses.
fn budget(rules: &Rules) -> String {
    let output = match rules.output_reserve {
        OutputReserve::Tokens(tokens) => report::number(tokens as u64),
        OutputReserve::ModelMax => "the model's most".into(),
    };
    let at_most = rules.threshold_at_most.map_or(String::new(), |most| format!(", at most {most} tokens"));
    format!(
        "Of a model's window {output} tokens are kept for the answer, {} for a system prompt, {} for what counting gets \
         wrong; from {} of the rest on{at_most} a session is folded to {}.",
        report::number(rules.system_reserve as u64),
        report::number(rules.safety as u64),
        percent(rules.threshold),
        percent(rules.target),
    )
}

/// What it takes for recent, for instructions, and for what kind of tool.
fn understood(policy: &Policy) -> String {
    let understanding = &policy.understanding;
    let priorities = &understanding.priorities;
    let mut facts = vec![
        (
            "recent",
            format!("the last {} steps, the last {} turns", priorities.recent_steps, priorities.recent_turns),
        ),
        ("instructions", priorities.instruction_marks.join(", ")),
        ("categories", categories(policy)),
    ];
    let tools = policy.own_tools().map(|(name, does, path)| match path {
        Some(path) => format!("{name} ({does}, path in `{path}`)"),
        None => format!("{name} ({does})"),
    });
    let tools: Vec<String> = tools.collect();
    facts.push((
        "tools",
        if tools.is_empty() { "those of the known agents".into() } else { tools.join(", ") },
    ));
    if !understanding.modified.is_empty() {
        facts.push(("changed files", understanding.modified.join(", ")));
    }
    Table::facts(Stream::Stdout, &facts)
}

fn categories(policy: &Policy) -> String {
    let usual =
        "reads, listings and searches rereadable; commands and fetches non-reproducible; subagents ephemeral";
    let own =
        policy.understanding.categories.own().map(|(tool, category)| format!("{tool} {}", category.name()));
    std::iter::once(usual.to_string()).chain(own).collect::<Vec<_>>().join("; ")
}

fn percent(of: Share) -> String {
    format!("{:.0} %", 100.0 * share(of).unwrap_or_default())
}

fn when(step: &PolicyPass) -> &'static str {
    match step.when {
        When::Epoch => "epoch",
        When::Arrival => "arrival",
        When::End => "end",
    }
}

fn as_json(policy: &Policy) -> Value {
    let pass = |step: &PolicyPass| {
        let options: Map<String, Value> =
            step.options.iter().map(|(option, set)| (option.clone(), value(set))).collect();
        json!({ "pass": step.pass.name(), "when": when(step), "options": options, "why": step.why })
    };
    json!({
        "policy": policy.name,
        "about": policy.about,
        "fits": policy.fits,
        "epoch": { "above": share(policy.epoch.above), "target": share(policy.epoch.target), "lasts": policy.epoch.lasts, "cold_above": share(policy.epoch.cold_above) },
        "budget": budget_json(&policy.budget),
        "understand": understood_json(policy),
        "passes": policy.passes.iter().map(pass).collect::<Vec<_>>(),
    })
}

fn share(share: Share) -> Option<f64> {
    share.to_string().parse().ok()
}

fn budget_json(rules: &Rules) -> Value {
    let output = match rules.output_reserve {
        OutputReserve::Tokens(tokens) => json!(tokens),
        OutputReserve::ModelMax => json!("model"),
    };
    json!({
        "system_reserve": rules.system_reserve,
        "output_reserve": output,
        "safety": rules.safety,
        "threshold": share(rules.threshold),
        "threshold_at_most": rules.threshold_at_most,
        "approaching": share(rules.approaching),
        "target": share(rules.target),
        "scales": rules.scales,
    })
}

fn understood_json(policy: &Policy) -> Value {
    let understanding = &policy.understanding;
    let categories: Map<String, Value> =
        understanding.categories.own().map(|(tool, it)| (tool.into(), json!(it.name()))).collect();
    let tool = |(name, does, path)| json!({ "name": name, "does": does, "path": path });
    json!({
        "recent_steps": understanding.priorities.recent_steps,
        "recent_turns": understanding.priorities.recent_turns,
        "instruction_marks": understanding.priorities.instruction_marks,
        "categories": categories,
        "tool": policy.own_tools().map(tool).collect::<Vec<Value>>(),
        "modified": understanding.modified,
    })
}
