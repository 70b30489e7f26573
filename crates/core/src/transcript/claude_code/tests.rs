//! Each log is written as one line per entry: `kind uuid ← parent: message`.

use super::*;

/// An entry; `more` are further members, `message` the value of `message`.
fn entry(kind: &str, uuid: &str, parent: &str, more: &str, message: &str) -> String {
    let parent = if parent.is_empty() { "null".to_string() } else { format!("\"{parent}\"") };
    format!(
        r#"{{"type":"{kind}","uuid":"{uuid}","parentUuid":{parent},"sessionId":"s","isSidechain":false{more},"message":{message}}}"#
    )
}

fn user(uuid: &str, parent: &str, text: &str) -> String {
    entry("user", uuid, parent, "", &format!(r#"{{"role":"user","content":"{text}"}}"#))
}

fn result(uuid: &str, parent: &str, call: &str) -> String {
    let block = format!(r#"{{"tool_use_id":"{call}","type":"tool_result","content":"of {call}"}}"#);
    entry("user", uuid, parent, "", &format!(r#"{{"role":"user","content":[{block}]}}"#))
}

fn assistant(uuid: &str, parent: &str, id: &str, block: &str) -> String {
    let message = format!(r#"{{"model":"m","id":"{id}","role":"assistant","content":[{block}]}}"#);
    entry("assistant", uuid, parent, "", &message)
}

fn text(text: &str) -> String {
    format!(r#"{{"type":"text","text":"{text}"}}"#)
}

fn call(id: &str) -> String {
    format!(r#"{{"type":"tool_use","id":"{id}","name":"Read","input":{{}}}}"#)
}

fn extract(lines: &[String]) -> Extract {
    let source = Source::from_bytes(lines.join("\n").into_bytes()).unwrap();
    assert!(ClaudeCode.detect(&Sample::of(&source)));
    ClaudeCode.read(&source).unwrap()
}

/// Messages in short: `U hi`, `A text call:c1`, `R c1`.
fn short(extract: &Extract) -> Vec<String> {
    let blocks = |content: Raw| -> Vec<String> {
        let block = |block: Raw| match block.str_at("type").as_deref() {
            Some("tool_use") => format!("call:{}", block.str_at("id").unwrap_or_default()),
            Some("tool_result") => format!("result:{}", block.str_at("tool_use_id").unwrap_or_default()),
            _ => block.str_at("text").unwrap_or_default().into_owned(),
        };
        match content.str() {
            Some(text) => vec![text.into_owned()],
            None => content.elements().map(block).collect(),
        }
    };
    let message = |raw: &bytestring::ByteString| {
        let raw = Raw::parse(raw).unwrap();
        let role = raw.str_at("role").unwrap();
        format!("{}: {}", &role[..1], blocks(raw.get("content").unwrap()).join(" "))
    };
    extract.messages.iter().map(message).collect()
}

fn findings(extract: &Extract) -> Vec<String> {
    extract.findings.iter().map(|finding| finding.to_string()).collect()
}

#[test]
fn lines_of_one_response_are_one_message_and_results_follow_in_call_order() {
    let read = extract(&[
        user("1", "", "go"),
        assistant("2", "1", "r", &text("look")),
        assistant("3", "2", "r", &call("a")),
        result("4", "3", "a"),
        assistant("5", "3", "r", &call("b")),
        result("6", "5", "b"),
        assistant("7", "6", "r2", &text("done")),
    ]);
    assert_eq!(
        short(&read),
        ["u: go", "a: look call:a call:b", "u: result:a result:b", "a: done"],
        "result a hangs beside the chain"
    );
    assert_eq!(findings(&read), [] as [&str; 0]);
    assert_eq!(
        read.messages[2],
        r#"{"role":"user","content":[{"tool_use_id":"a","type":"tool_result","content":"of a"},{"tool_use_id":"b","type":"tool_result","content":"of b"}]}"#
    );
}

#[test]
fn a_branch_the_user_went_back_from_is_left_out_and_counted() {
    let read = extract(&[
        user("1", "", "go"),
        assistant("2", "1", "r1", &text("one")),
        user("3", "2", "wrong"),
        assistant("4", "3", "r2", &text("lost")),
        user("5", "2", "right"),
        assistant("6", "5", "r3", &text("two")),
    ]);
    assert_eq!(short(&read), ["u: go", "a: one", "u: right", "a: two"]);
    assert_eq!(findings(&read), ["note: lines on branches the user went back from, left out: 2"]);
}

#[test]
fn what_stood_before_a_compaction_stays_and_the_summary_is_marked() {
    let boundary = r#"{"type":"system","subtype":"compact_boundary","uuid":"3","parentUuid":null,"logicalParentUuid":"2","sessionId":"s"}"#;
    let summary = entry(
        "user",
        "4",
        "3",
        r#","isCompactSummary":true,"isVisibleInTranscriptOnly":true"#,
        r#"{"role":"user","content":"so far"}"#,
    );
    let log = [
        user("1", "", "go"),
        assistant("2", "1", "r", &text("one")),
        boundary.into(),
        summary.clone(),
        assistant("5", "4", "r2", &text("two")),
    ];
    let read = extract(&log);
    assert_eq!(short(&read), ["u: go", "a: one", "u: so far", "a: two"]);
    assert_eq!(read.summaries, [2]);

    // The chain passes the summary by where the last messages were kept: the next line's parent is one of them.
    let preserved = [&log[..4], &[assistant("5", "2", "r2", &text("two"))]].concat();
    let read = extract(&preserved);
    assert_eq!(short(&read), ["u: go", "a: one", "u: so far", "a: two"]);
    assert_eq!(read.summaries, [2]);

    // And a boundary may name a line that is not in the log.
    let lost = log.iter().map(|line| line.replace(r#"Uuid":"2"#, r#"Uuid":"gone"#)).collect::<Vec<_>>();
    assert_eq!(short(&extract(&lost)), ["u: go", "a: one", "u: so far", "a: two"]);
}

#[test]
fn a_fork_that_wrote_the_history_again_replaces_the_first_copy() {
    let read = extract(&[
        user("1", "", "go"),
        assistant("2", "1", "r1", &call("a")),
        result("3", "2", "a"),
        assistant("4", "3", "r2", &text("lost")),
        user("11", "", "go"),
        assistant("12", "11", "r1", &call("a")),
        result("13", "12", "a"),
        assistant("14", "13", "r3", &text("kept")),
    ]);
    assert_eq!(short(&read), ["u: go", "a: call:a", "u: result:a", "a: kept"]);
    assert_eq!(findings(&read), ["note: lines on branches the user went back from, left out: 4"]);
}

#[test]
fn a_copy_of_a_response_on_a_dead_branch_adds_nothing() {
    let read = extract(&[
        user("1", "", "go"),
        user("2", "1", "both"),
        assistant("3", "2", "r", &text("said")),
        user("4", "1", "half"),
        user("5", "4", "half"),
        assistant("6", "5", "r", &text("said")),
    ]);
    assert_eq!(short(&read), ["u: go", "u: half", "u: half", "a: said"]);
}

#[test]
fn a_later_root_continues_the_session() {
    let read = extract(&[user("1", "", "one"), user("2", "", "two"), user("3", "gone", "three")]);
    assert_eq!(short(&read), ["u: one", "u: two", "u: three"]);
    assert_eq!(
        findings(&read),
        [
            "note: lines that begin anew, taken to continue the session: 1",
            "note: lines whose parent is not in the log, taken to follow the line before them: 1"
        ]
    );
}

#[test]
fn a_sub_agents_own_log_is_a_session() {
    let side = |line: String| line.replace(r#""isSidechain":false"#, r#""isSidechain":true"#);
    let read = extract(&[side(user("1", "", "go")), side(assistant("2", "1", "r", &text("ok")))]);
    assert_eq!(short(&read), ["u: go", "a: ok"]);
    assert_eq!(findings(&read), [] as [&str; 0]);
}

#[test]
fn sub_agents_and_the_clients_own_messages_are_left_out() {
    let inner = user("2", "1", "inner").replace(r#""isSidechain":false"#, r#""isSidechain":true"#);
    let error = assistant("3", "1", "e", &text("API Error"))
        .replace(r#""isSidechain""#, r#""isApiErrorMessage":true,"isSidechain""#);
    let filler = assistant("4", "3", "f", &text("No response requested."))
        .replace(r#""model":"m""#, r#""model":"<synthetic>""#);
    let read = extract(&[user("1", "", "go"), inner, error, filler, user("5", "4", "on")]);
    assert_eq!(short(&read), ["u: go", "u: on"]);
    assert_eq!(
        findings(&read),
        [
            "note: lines of sub-agents, left out (their results are in the session): 1",
            "note: lines the client made up for the screen, left out: 2"
        ]
    );
    assert_eq!(read.model, None);
}

#[test]
fn attachments_with_text_are_sent_and_prompts_among_them_are_prompts() {
    let attachment = |uuid: &str, parent: &str, what: &str| {
        format!(
            r#"{{"type":"attachment","uuid":"{uuid}","parentUuid":"{parent}","sessionId":"s","attachment":{what}}}"#
        )
    };
    let read = extract(&[
        user("1", "", "go"),
        attachment("2", "1", r#"{"type":"nested_memory","content":{"path":"/A.md","content":"a\u0041"}}"#),
        attachment("3", "2", r#"{"type":"deferred_tools_delta","addedNames":["x"]}"#),
        attachment("4", "3", r#"{"type":"queued_command","prompt":"wait"}"#),
        attachment("5", "4", r#"{"type":"hook_additional_context","content":["one","two"]}"#),
        assistant("6", "5", "r", &text("ok")),
    ]);
    assert_eq!(
        short(&read),
        [
            "u: go",
            "u: <system-reminder>\nContents of /A.md:\n\naA\n</system-reminder>",
            "u: wait",
            "u: <system-reminder>\none\n</system-reminder>",
            "u: <system-reminder>\ntwo\n</system-reminder>",
            "a: ok"
        ]
    );
    assert!(read.messages[1].contains(r"a\u0041"), "spelled as in the log");
}

#[test]
fn the_last_line_of_a_response_has_its_usage() {
    let with = |line: String, usage: &str| {
        line.replace(r#""role":"assistant""#, &format!(r#""role":"assistant","usage":{usage}"#))
    };
    let read = extract(&[
        user("1", "", "go"),
        with(assistant("2", "1", "r", &text("a")), r#"{"input_tokens":1,"output_tokens":1}"#),
        with(
            assistant("3", "2", "r", &text("b")),
            r#"{"input_tokens":1,"cache_read_input_tokens":20,"cache_creation_input_tokens":300,"output_tokens":7}"#,
        ),
    ]);
    assert_eq!(read.usage, [Usage { messages: 1, input: 321, cache_read: 20, cache_write: 300, output: 7 }]);
    assert_eq!(read.model.as_deref(), Some("m"));
}

#[test]
fn a_response_that_was_stopped_while_thinking_is_left_out() {
    let read = extract(&[
        user("1", "", "go"),
        assistant("2", "1", "r", r#"{"type":"thinking","thinking":"hm","signature":"x"}"#),
        user("3", "2", "no, this"),
    ]);
    assert_eq!(short(&read), ["u: go", "u: no, this"]);
    assert_eq!(
        findings(&read),
        ["note: responses that say nothing (stopped, or only thinking), left out: 1"]
    );
}

#[test]
fn text_beside_results_stays_in_their_message() {
    let both = r#"{"role":"user","content":[{"type":"text","text":"stop"},{"type":"tool_result","tool_use_id":"a","content":""}]}"#;
    let read = extract(&[
        user("1", "", "go"),
        assistant("2", "1", "r", &call("a")),
        entry("user", "3", "2", "", both),
    ]);
    assert_eq!(short(&read), ["u: go", "a: call:a", "u: result:a stop"], "results come first");
}

#[test]
fn unknown_types_are_named_once_and_a_cycle_of_parents_ends() {
    let tick = r#"{"type":"tick","sessionId":"s"}"#.to_string();
    let read = extract(&[tick.clone(), user("1", "2", "one"), user("2", "1", "two"), tick]);
    assert_eq!(short(&read), ["u: one", "u: two"]);
    assert_eq!(
        findings(&read),
        [
            "note: lines whose parent is not in the log, taken to follow the line before them: 1",
            "note (line 1): 2 entries of unknown kind `tick` were passed over, first here"
        ]
    );
}

#[test]
fn a_hundred_thousand_lines_take_no_time() {
    let lines: Vec<String> =
        (1..=100_000).map(|nth| user(&nth.to_string(), &(nth - 1).to_string(), "x")).collect();
    assert_eq!(extract(&lines).messages.len(), 100_000);
}

#[test]
fn lines_say_when_they_came_and_how_long_the_prompt_was_to_be_kept() {
    let stamp = |second: u32| format!(r#","timestamp":"2026-07-01T00:00:{second:02}.250Z""#);
    let usage = r#"{"input_tokens":1,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":9}}"#;
    let said =
        format!(r#"{{"model":"m","id":"r","role":"assistant","content":[{}],"usage":{usage}}}"#, call("a"));
    let block = r#"{"tool_use_id":"a","type":"tool_result","content":"x"}"#;
    let read = extract(&[
        entry("user", "1", "", &stamp(1), r#"{"role":"user","content":"go"}"#),
        entry("assistant", "2", "1", &stamp(4), &said),
        entry("user", "3", "2", &stamp(9), &format!(r#"{{"role":"user","content":[{block}]}}"#)),
    ]);
    assert_eq!(read.times, [(0, 1_782_864_001), (1, 1_782_864_004), (2, 1_782_864_009)]);
    assert!(read.is_kept_long);
}
