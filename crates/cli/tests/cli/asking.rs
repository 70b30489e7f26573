//! `enfold fold --summarizer`: a model on loopback is asked for the summary.

use enfold_script::{Model, Reply};
use serde_json::Value;

use crate::agent::{history, narrative};
use crate::support::{Ran, arg, enfold, file};

const FOLD: [&str; 7] = ["fold", "--policy", "summarize", "--budget", "6k", "--summarizer", "openai:small"];

const TOO_LONG: &str =
    r#"{"error":{"message":"maximum context length is 8192 tokens","code":"context_length_exceeded"}}"#;

fn fold(model: &Model, more: &[&str]) -> Ran {
    let session = history(40).join("\n");
    enfold(&[&FOLD, &["--summarizer-url", model.url()][..], more].concat(), session)
}

#[test]
fn what_the_model_tells_stands_in_the_view() {
    let model = Model::start(|_| Reply::Text(narrative()));
    let ran = fold(&model, &["--report", "json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let report: Value = serde_json::from_str(&ran.stderr).unwrap();
    assert_eq!(report["summary"]["by_model"], true);
    assert!(ran.stdout.contains("tabs count as one column"), "{}", ran.stdout);
    assert_eq!((model.requests().len(), model.refused()), (1, Vec::new()));
    let more = history(80)[81..].join("\n");
    let words = [&FOLD[..], &["--summarizer-url", model.url()]].concat();
    let again = enfold(&words, format!("{}\n{more}", ran.stdout.trim_end()));
    assert!(again.stdout.contains("enfold-summary round=\\\"2\\\""), "{}{}", again.stdout, again.stderr);
    let asked = &model.requests()[1].body;
    assert!(asked.contains("tabs count as one column"), "it is given the narrative before: {asked}");
}

#[test]
fn every_api_is_spoken() {
    for api in ["anthropic:small", "openai:small", "openai-responses:small"] {
        let model = Model::start(|_| Reply::Text(narrative()));
        let words = [&FOLD[..6], &[api, "--summarizer-url", model.url()]].concat();
        let ran = enfold(&words, history(40).join("\n"));
        assert!(ran.stdout.contains("tabs count as one column"), "{api}: {}", ran.stderr);
        assert_eq!(model.refused(), Vec::<String>::new(), "{api}");
    }
}

#[test]
fn an_answer_that_cannot_be_used_is_asked_for_once_more_and_then_the_ledger_speaks_alone() {
    let model = Model::start(|_| Reply::Text("Sure! Here is what happened.".into()));
    let ran = fold(&model, &[]);
    assert_eq!((ran.code, model.requests().len()), (0, 2), "{}", ran.stderr);
    assert!(model.requests()[1].body.contains("An earlier answer could not be used"));
    assert!(ran.stdout.contains("<enfold-ledger>") && !ran.stdout.contains("<enfold-narrative>"));
    assert!(
        ran.stderr.contains("note: the summary is the ledger alone, no model's: small gave 2 answers"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_question_that_the_server_finds_too_long_is_put_again_in_less_room() {
    let mut first = None;
    let model = Model::start(move |request| {
        let most = *first.get_or_insert(request.body.len()) * 6 / 10;
        match request.body.len() > most {
            true => Reply::status(400, TOO_LONG),
            false => Reply::Text(narrative()),
        }
    });
    let ran = fold(&model, &[]);
    assert!(ran.stdout.contains("tabs count as one column"), "{}", ran.stderr);
    assert_eq!(model.requests().len(), 3, "all of it, three quarters, half");
}

#[test]
fn a_server_that_finds_every_question_too_long_is_not_asked_forever() {
    let model = Model::start(|_| Reply::status(400, TOO_LONG));
    let ran = fold(&model, &[]);
    assert_eq!((ran.code, model.requests().len()), (0, 4), "{}", ran.stderr);
    assert!(ran.stdout.contains("<enfold-ledger>"), "{}", ran.stdout);
    assert!(ran.stderr.contains("the request is too long: maximum context length"), "{}", ran.stderr);
}

#[test]
fn a_model_that_fails_costs_the_narrative_and_not_the_view() {
    let model = Model::start(|_| Reply::status(401, r#"{"error":{"message":"no such key"}}"#));
    let ran = fold(&model, &[]);
    assert_eq!(ran.code, 0);
    assert!(ran.stdout.contains("<enfold-ledger>"), "{}", ran.stdout);
    assert!(ran.stderr.contains("no such key") && ran.stderr.contains("check the key in"), "{}", ran.stderr);
}

#[test]
fn nobody_is_asked_where_no_summary_is_wanted() {
    let model = Model::start(|_| Reply::Text(narrative()));
    let ran = fold(&model, &["--budget", "100k"]);
    assert_eq!(ran.code, 2, "the budget twice: {}", ran.stderr);
    let words = ["fold", "--budget", "6k", "--summarizer", "openai:small", "--summarizer-url", model.url()];
    let ran = enfold(&words, history(40).join("\n"));
    assert_eq!((ran.code, model.requests().len()), (0, 0), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("note: no model was asked: policy `balanced` makes no summary"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_template_of_ones_own_is_asked_for() {
    let own = "+++\nname = \"short\"\nabout = \"Where things stand.\"\n\
               sections = [{ heading = \"State of Affairs\", asks = \"- What is in progress.\" }]\n+++\n\
               You keep the record.\n---\nWrite at most {tokens} tokens:\n\n{sections}\n";
    let (_folder, path) = file("short.md", own);
    let model =
        Model::start(|_| Reply::Text(format!("## State of Affairs\n{}", narrative().replace("## ", "- "))));
    let ran = fold(&model, &["--template", arg(&path)]);
    assert!(model.requests()[0].body.contains("State of Affairs"));
    assert!(ran.stdout.contains("## State of Affairs"), "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn a_summarizer_that_is_no_model_is_refused() {
    for (typed, said) in [
        ("gpt", "expected anthropic:MODEL"),
        ("openai", "write openai:MODEL"),
        ("openai:", "write openai:MODEL"),
    ] {
        let ran = enfold(&["fold", "--budget", "6k", "--summarizer", typed], "");
        assert_eq!(ran.code, 2);
        assert!(ran.stderr.contains(said), "{typed}: {}", ran.stderr);
    }
}
