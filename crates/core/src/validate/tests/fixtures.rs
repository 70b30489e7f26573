//! Every rule that can be checked offline, broken once and mended once.

mod ai_sdk;
mod anthropic;
mod gemini;
mod openai_chat;
mod openai_responses;
mod pi_agent_core;

use super::*;
use crate::validate::Checked;

/// A request that breaks a rule and its mended twin. A list of messages is put into the wire's ordinary request.
struct Case {
    rule: &'static str,
    severity: Severity,
    broken: String,
    mended: String,
}

fn error(rule: &'static str, broken: impl Into<String>, mended: impl Into<String>) -> Case {
    Case { rule, severity: Severity::Error, broken: broken.into(), mended: mended.into() }
}

fn warning(rule: &'static str, broken: impl Into<String>, mended: impl Into<String>) -> Case {
    Case { severity: Severity::Warning, ..error(rule, broken, mended) }
}

fn note(rule: &'static str, broken: impl Into<String>, mended: impl Into<String>) -> Case {
    Case { severity: Severity::Note, ..error(rule, broken, mended) }
}

/// The request around a list of messages.
fn request(wire: &str, text: &str) -> String {
    if text.starts_with('{') {
        return text.to_string();
    }
    match wire {
        "anthropic" => format!(
            r#"{{"model":"claude-opus-4-5","max_tokens":1,"tools":[{{"name":"read","input_schema":{{"type":"object"}}}}],"messages":{text}}}"#
        ),
        "openai-chat" => format!(r#"{{"model":"gpt-4o","messages":{text}}}"#),
        "openai-responses" => format!(r#"{{"model":"gpt-5","input":{text}}}"#),
        "gemini" => {
            format!(r#"{{"model":"gemini-3-pro-preview","generationConfig":{{}},"contents":{text}}}"#)
        }
        _ => format!(r#"{{"messages":{text}}}"#),
    }
}

#[test]
fn every_offline_rule_is_broken_by_a_fixture_and_kept_by_its_mended_twin() {
    for wire in WIRES {
        let cases = cases(wire);
        for rule in rules(wire).iter().filter(|rule| rule.checked == Checked::Offline) {
            assert!(cases.iter().any(|case| case.rule == rule.number), "no fixture for {}", rule.number);
        }
        for case in cases {
            let broken = request(wire, &case.broken);
            let found = findings(wire, &broken);
            assert!(
                found
                    .iter()
                    .any(|finding| finding.rule == Some(case.rule) && finding.severity == case.severity),
                "{} should be a {}:\n{}\n{found:#?}",
                case.rule,
                case.severity,
                &broken[..broken.len().min(2000)]
            );
            let mended = request(wire, &case.mended);
            let found = findings(wire, &mended);
            let again = found.iter().find(|finding| finding.rule == Some(case.rule));
            assert_eq!(
                again,
                None,
                "{} is still reported:\n{}",
                case.rule,
                &mended[..mended.len().min(2000)]
            );
            assert_eq!(errors(&found), [""; 0], "{}: {}", case.rule, &mended[..mended.len().min(2000)]);
        }
    }
}

#[test]
fn every_finding_of_a_fixture_names_a_rule_of_the_catalogue_a_place_and_a_cause() {
    for wire in WIRES {
        for case in cases(wire) {
            for finding in findings(wire, &request(wire, &case.broken)) {
                let rule = finding.rule.unwrap();
                assert!(rules(wire).iter().any(|known| known.number == rule), "{finding}");
                assert!(finding.place.field.is_some() && !finding.what.is_empty(), "{finding}");
                assert!(finding.severity < Severity::Warning || !finding.remedy.is_empty(), "{finding}");
            }
        }
    }
}

fn cases(wire: &str) -> Vec<Case> {
    match wire {
        "anthropic" => anthropic::cases(),
        "openai-chat" => openai_chat::cases(),
        "openai-responses" => openai_responses::cases(),
        "ai-sdk" => ai_sdk::cases(),
        "pi-agent-core" => pi_agent_core::cases(),
        _ => gemini::cases(),
    }
}

#[test]
fn findings_come_in_the_order_of_their_places() {
    let blocks = (0..12).map(|_| r#"{"type":"text","text":""}"#).collect::<Vec<_>>().join(",");
    let text = format!(
        r#"{{"model":"claude-opus-4-5","max_tokens":"many","messages":[{{"role":"user","content":[{blocks}]}},{{"role":"x","content":"a"}}]}}"#
    );
    let places: Vec<String> =
        findings("anthropic", &text).into_iter().filter_map(|finding| finding.place.field).collect();
    let wanted = (0..12).map(|nth| format!("messages.0.content.{nth}"));
    let wanted: Vec<String> = std::iter::once("max_tokens".to_string())
        .chain(wanted)
        .chain(["messages.1.role".to_string()])
        .collect();
    assert_eq!(places, wanted);
}

#[test]
fn a_finding_reads_as_a_sentence_with_its_place_and_remedy() {
    let text = r#"[{"role":"user","content":"go"},{"role":"tool","tool_call_id":"c1","content":"x"}]"#;
    insta::assert_snapshot!(lines("openai-chat", text), @"error C2 (message 2, messages[1].role): a `tool` message that answers no assistant message with `tool_calls`; remove it, or restore its call before it");
}

#[test]
fn a_bare_list_is_not_blamed_for_what_stands_around_it() {
    let call = r#"{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"read","input":{}}]}"#;
    let text = format!(
        r#"[{{"role":"user","content":"go"}},{call},{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t1"}}]}},{{"role":"assistant","content":"so"}}]"#
    );
    insta::assert_snapshot!(lines("anthropic", &text), @"note A15 (message 4, messages.3): the session ends with the assistant; append a user message before sending it");
}
