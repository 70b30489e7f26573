//! What a case of the contract calls, by name, and what comes back as JSON: as the runners of the packages have it.

use enfold_bindings::{
    Cache, Error, Given, Message, Options, Origin, Session, View, add_intent, check, convert, count,
    count_text, facts, fold, fold_bytes, inspect, ledger, model_budget,
};
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// What the call gives, or what is wrong.
pub(crate) fn answer(case: &Value, messages: &[Box<RawValue>]) -> Value {
    let messages: Vec<Message> = messages.iter().map(|message| Message::written(message.get())).collect();
    let none = json!({});
    let given = |key: &str| case.get(key).filter(|value| !value.is_null()).unwrap_or(&none);
    let (options, beside) = (given("options"), given("with"));
    called(case["call"].as_str().unwrap(), &messages, options, beside)
        .unwrap_or_else(|error| json!({ "error": error.code.name(), "text": error.to_string() }))
}

fn called(call: &str, messages: &[Message], options: &Value, beside: &Value) -> Result<Value, Error> {
    let (said, given) = (Options::parse(&options.to_string())?, Given::Messages(messages));
    let text = |key: &str| beside[key].as_str().unwrap_or_default().to_string();
    Ok(match call {
        "fold" => folded(&fold(messages, &said)?),
        "fold_text" => folded(&fold_bytes(text("text").into_bytes(), &said)?),
        "fold_again" => {
            let once = fold(messages, &said)?;
            let again: Vec<Message> =
                once.messages.iter().map(|text| Message::written(text.clone())).collect();
            let mut options = options.clone();
            options["name"] = "again".into();
            let again = fold(&again, &Options::parse(&options.to_string())?)?;
            json!({ "once": folded(&once), "again": folded(&again) })
        }
        "session" => in_session(messages, said, beside)?,
        "convert" => {
            let made = convert(given, &text("to"), &said)?;
            let messages: Vec<Value> = made.messages.iter().map(|text| read(text)).collect();
            json!({ "messages": messages, "losses": read(&made.losses), "text": &*made.text })
        }
        "count" => read(&count(given, &said)?)["tokens"].clone(),
        "count_text" => count_text(&text("text"), &said)?.into(),
        "inspect" => read(&inspect(given, &said)?),
        "validate" => read(&check(given, &said)?)["findings"].clone(),
        "ledger" => read(&ledger(given, &said, beside["tokens"].as_u64().unwrap_or(1_500) as usize)?),
        "model_budget" => read(&model_budget(&said, beside["tokens"].as_u64().map(|it| it as usize))?),
        "add_intent" => {
            let names = beside["names"].as_array().into_iter().flatten();
            let names: Vec<String> = names.map(|name| name.as_str().unwrap().to_string()).collect();
            read(&add_intent(&beside["tools"].to_string(), &names)?)
        }
        asked => read(&facts(asked, &beside.to_string(), given, &said)?),
    })
}

fn in_session(messages: &[Message], options: Options, beside: &Value) -> Result<Value, Error> {
    let list = |key: &str| beside[key].as_array().cloned().unwrap_or_default();
    let mut session = Session::new(options)?;
    let (mut views, mut last) = (Vec::new(), None);
    for (nth, end) in list("ends").iter().enumerate() {
        for path in list("modified") {
            session.mark_modified(path.as_str().unwrap());
        }
        let cache = if list("cold").contains(&nth.into()) { Cache::Cold } else { Cache::Warm };
        session.sync(&messages[..end.as_u64().unwrap() as usize])?;
        let view = session.prepare(cache)?;
        views.push(folded(&view));
        last = Some(view);
    }
    let key = last.as_ref().and_then(View::question);
    let window = beside["window"].as_u64().map(|window| window as usize);
    let question = key.zip(window).and_then(|(key, window)| session.question(key, window));
    let question = question.map_or(Value::Null, |question| read(&question));
    if let (Some(key), Some(answer)) = (question["key"].as_str(), beside["answer"].as_str()) {
        session.answer(key, answer, "stop")?;
        views.push(folded(&session.prepare(Cache::Warm)?));
    }
    let pruning = read(&session.pruning());
    let settled = if beside["settle"] == true { session.settle() } else { None };
    Ok(json!({
        "views": views,
        "question": question,
        "pruning": pruning,
        "needs_pruning": pruning["is_worth_it"],
        "settled": settled.as_ref().map(folded),
    }))
}

/// Everything about a view.
fn folded(view: &View) -> Value {
    let account = read(&view.account());
    let origins = view.origins.iter().map(|origin| match origin {
        Origin::Same(nth) => json!(["same", nth]),
        Origin::Changed(nth) => json!(["changed", nth]),
        Origin::New => json!(["new", null]),
    });
    let originals = view.originals.iter().map(|(key, text)| (key.clone(), json!(&**text)));
    json!({
        "format": view.format,
        "tokens": view.tokens,
        "epoch": view.epoch,
        "opened": view.opened(),
        "question": view.question(),
        "unchanged": view.unchanged,
        "messages": view.messages.iter().map(|text| read(text)).collect::<Vec<_>>(),
        "texts": view.messages.iter().map(|text| text.to_string()).collect::<Vec<_>>(),
        "origins": origins.collect::<Vec<_>>(),
        "originals": originals.collect::<serde_json::Map<_, _>>(),
        "dropped": account["dropped"],
        "shortened": account["shortened"],
        "report": read(&view.report()),
    })
}

fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}
