//! `enfold policies`: what policies there are, and what each does in which order and why.

use enfold::count::budget::Share;
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
    let percent = |of: Share| format!("{:.0} %", 100.0 * share(of).unwrap_or_default());
    let epoch = &policy.epoch;
    let epoch = format!(
        "In a session, a view that takes more than {} of the limit is folded to {}; one that the provider has \
         forgotten, from {} on.",
        percent(epoch.above),
        percent(epoch.target),
        percent(epoch.cold_above),
    );
    format!(
        "{}{}\n\n{}\n{epoch}\n{fits}\n",
        report::heading(Stream::Stdout, &policy.name),
        report::clean(&policy.about),
        table.render()
    )
}

fn when(step: &PolicyPass) -> &'static str {
    match step.when {
        When::Epoch => "epoch",
        When::Arrival => "arrival",
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
        "epoch": { "above": share(policy.epoch.above), "target": share(policy.epoch.target), "cold_above": share(policy.epoch.cold_above) },
        "passes": policy.passes.iter().map(pass).collect::<Vec<_>>(),
    })
}

fn share(share: Share) -> Option<f64> {
    share.to_string().parse().ok()
}
