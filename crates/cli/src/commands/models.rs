//! `enfold models`: the windows, prices and cache rules we know, and the budget that follows.

use enfold::count::budget::{Budget, Rules};
use enfold::count::models::{Found, Model, Prices, Resolved, TABLE_DATE, Table as Models};
use serde_json::{Value, json};

use crate::args::ModelsArgs;
use crate::failure::Failure;
use crate::policies::load;
use crate::report::{self, Stream, Table};
use crate::{counting, output};

/// Prints one model in full, or the list.
pub fn run(args: ModelsArgs) -> Result<(), Failure> {
    let models = counting::table(&args.models)?;
    let mut rules = load(&args.policy)?.0.budget;
    args.reserves.apply(&mut rules);
    let words: Vec<String> = args.words.iter().map(|word| word.to_lowercase()).collect();
    if let [word] = args.words.as_slice() {
        let resolved = models.resolve(word);
        let listed = matching(&models, &words);
        // A word that is no model's name may still be part of many.
        if !matches!(resolved.found, Found::Unknown { .. }) || listed.is_empty() {
            return print_one(&resolved, rules, args.json);
        }
    }
    let listed = matching(&models, &words);
    if listed.is_empty() {
        let words = args.words.join(" ");
        return Err(Failure::new(
            format!("models `{words}`"),
            "no model has all of these words in its name",
            "`enfold models` lists all",
        ));
    }
    print_list(&listed, args.json)
}

/// A model and its budget as JSON.
pub fn told(resolved: &Resolved, rules: Rules) -> Value {
    one_as_json(resolved, Budget::of(&resolved.model, rules).as_ref().ok())
}

fn matching<'m>(models: &'m Models, words: &[String]) -> Vec<&'m Model> {
    let fits = |model: &&Model| {
        let name = format!("{} {} {}", model.provider, model.id, model.family).to_lowercase();
        words.iter().all(|word| name.contains(word))
    };
    models.models().iter().filter(fits).collect()
}

fn print_list(models: &[&Model], as_json: bool) -> Result<(), Failure> {
    if as_json {
        let list: Vec<Value> = models.iter().map(|model| facts(model)).collect();
        return output::print(&format!("{:#}\n", json!({ "date": TABLE_DATE, "models": list })));
    }
    let mut table = Table::new(
        Stream::Stdout,
        &["model", "provider", "#context", "#output", "#in $", "#out $", "#cached $"],
    );
    for model in models {
        let price = |of: fn(&Prices) -> f64| model.prices.map_or("–".into(), |prices| dollars(of(&prices)));
        table.line([
            model.id.clone(),
            model.provider.clone(),
            report::about(model.context as u64),
            model.max_output.map_or("–".into(), |most| report::about(most as u64)),
            price(|prices| prices.input),
            price(|prices| prices.output),
            price(|prices| prices.cache_read),
        ]);
    }
    let count = models.len();
    output::print(&format!(
        "{}\n{count} models, as of {TABLE_DATE}; prices per million tokens\n",
        table.render()
    ))
}

fn print_one(resolved: &Resolved, rules: Rules, as_json: bool) -> Result<(), Failure> {
    if let Some(finding) = resolved.finding() {
        output::note(&format!("{finding}\n"));
    }
    let budget = Budget::of(&resolved.model, rules);
    if as_json {
        return output::print(&format!("{:#}\n", one_as_json(resolved, budget.as_ref().ok())));
    }
    let model = &resolved.model;
    let mut text = report::heading(Stream::Stdout, &model.id);
    text += &described(resolved);
    text += &match budget {
        Ok(budget) => numbers(&budget),
        Err(error) => format!("\nbudget: {error}\n"),
    };
    output::print(&text)
}

fn described(resolved: &Resolved) -> String {
    let model = &resolved.model;
    let mut facts = Vec::new();
    let mut fact = |name, value: String| facts.push((name, value));
    fact("provider", if model.provider.is_empty() { "unknown".into() } else { model.provider.clone() });
    fact("found as", found(&resolved.found).into());
    fact("counted with", counted_with(model));
    fact("max output", model.max_output.map_or("unknown".into(), |most| report::number(most as u64)));
    fact("prices", prices(model));
    if let Some(cliff) = model.prices.and_then(|prices| prices.cliff) {
        let over = report::number(cliff.over as u64);
        fact(
            "price cliff",
            format!(
                "{} $/M for all input of a request over {over} tokens, {} for its output",
                dollars(cliff.input),
                dollars(cliff.output)
            ),
        );
    }
    fact("cache", cache(model));
    fact("source", format!("{} ({TABLE_DATE})", model.source));
    Table::facts(Stream::Stdout, &facts)
}

fn numbers(budget: &Budget) -> String {
    let mut table = Table::new(Stream::Stdout, &["number", "#tokens", "formula"]);
    for line in budget.explain() {
        table.row([line.name.into(), report::number(line.tokens as u64), line.formula]);
    }
    format!("\n{}", table.render())
}

fn counted_with(model: &Model) -> String {
    let counter = model.counter();
    format!("{} ({})", counter.name(), if counter.is_exact() { "exact" } else { "estimated" })
}

fn prices(model: &Model) -> String {
    let Some(prices) = model.prices else { return "unknown".into() };
    format!(
        "input {}, output {}, cache read {}, cache write {} $ per million tokens",
        dollars(prices.input),
        dollars(prices.output),
        dollars(prices.cache_read),
        dollars(prices.cache_write)
    )
}

fn cache(model: &Model) -> String {
    let rules = &model.cache;
    let mut said = Vec::new();
    said.extend(rules.read.map(|share| format!("reads cost {}", times(share))));
    said.extend(rules.write.map(|share| format!("writes {}", times(share))));
    said.extend(rules.ttl.map(|seconds| format!("kept {}", duration(seconds))));
    if let (Some(seconds), Some(share)) = (rules.long_ttl, rules.long_write) {
        said.push(format!("or {} for writes at {}", duration(seconds), times(share)));
    }
    said.extend(rules.min_tokens.map(|tokens| format!("from {} tokens on", report::number(tokens as u64))));
    said.extend(rules.block.map(|tokens| format!("in blocks of {}", report::number(tokens as u64))));
    if said.is_empty() { "unknown".into() } else { said.join(", ") }
}

fn found(found: &Found) -> &'static str {
    match found {
        Found::Override => "your own entry",
        Found::Exact => "itself",
        Found::Alias => "another spelling",
        Found::Unknown { .. } => "unknown; everything here is assumed",
    }
}

/// `3`, `0.25`, `0.125`: no more decimals than there are.
fn dollars(price: f64) -> String {
    let text = format!("{price:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

fn times(share: f64) -> String {
    format!("{} x input", dollars(share))
}

fn duration(seconds: u32) -> String {
    match seconds {
        seconds if seconds % 3600 == 0 => format!("{} h", seconds / 3600),
        seconds if seconds % 60 == 0 => format!("{} min", seconds / 60),
        seconds => format!("{seconds} s"),
    }
}

fn facts(model: &Model) -> Value {
    json!({
        "id": model.id,
        "provider": model.provider,
        "family": model.family,
        "context": model.context,
        "max_input": model.max_input,
        "max_output": model.max_output,
        "tokenizer": { "name": model.counter().name(), "exact": model.counter().is_exact() },
        "prices_per_million": model.prices.map(|prices| json!({
            "input": prices.input,
            "output": prices.output,
            "cache_read": prices.cache_read,
            "cache_write": prices.cache_write,
            "cliff": prices.cliff.map(|cliff| json!({ "over": cliff.over, "input": cliff.input, "output": cliff.output })),
        })),
        "cache": {
            "read": model.cache.read,
            "write": model.cache.write,
            "ttl": model.cache.ttl,
            "long_ttl": model.cache.long_ttl,
            "long_write": model.cache.long_write,
            "min_tokens": model.cache.min_tokens,
            "block": model.cache.block,
        },
        "source": model.source,
    })
}

fn one_as_json(resolved: &Resolved, budget: Option<&Budget>) -> Value {
    let mut value = facts(&resolved.model);
    value["known"] = json!(!matches!(resolved.found, Found::Unknown { .. }));
    value["budget"] = json!(budget.map(budget_json));
    value
}

/// Every number of a budget with its formula.
pub fn budget_json(budget: &Budget) -> Value {
    let lines = budget.explain();
    let entries = lines.iter().map(|line| {
        let formula = Some(&line.formula).filter(|formula| !formula.is_empty());
        (line.name.replace(' ', "_"), json!({ "tokens": line.tokens, "formula": formula }))
    });
    Value::Object(entries.collect())
}
