//! Document 003: older messages of the AI SDK are written as version 6 wants them.

use enfold::file;
use enfold::file::convert::convert_to_current;
use enfold::finding::Severity;
use enfold::validate::validate;
use enfold::wire::AiSdk;

/// What becomes of a list of messages, which must then be valid.
fn today(messages: &str) -> String {
    let document = file::read_bytes_as("ai-sdk", messages.as_bytes().to_vec()).unwrap();
    let text = convert_to_current(&document, &AiSdk, None).text;
    let written = file::read_bytes_as("ai-sdk", text.as_bytes().to_vec()).unwrap();
    let faults: Vec<String> = validate("ai-sdk", &written.request())
        .iter()
        .filter(|finding| finding.severity > Severity::Note)
        .map(ToString::to_string)
        .collect();
    assert_eq!(faults, [""; 0], "{text}");
    text.to_string()
}

const TODAY: &str = r#"[{"role":"user","content":"go"},
{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c1","toolName":"read","input":{"path":"a"}}]},
{"role":"tool","content":[{"type":"tool-result","toolCallId":"c1","toolName":"read","output":{"type":"text","value":"x"}}]},
{"role":"assistant","content":"done"}]
"#;

#[test]
fn args_and_result_of_version_4_become_input_and_output() {
    let written = today(
        r#"[{"role":"user","content":"go"},
        {"role":"assistant","content":[{"type":"tool-call","toolCallId":"c1","toolName":"read","args":{"path":"a"}}]},
        {"role":"tool","content":[{"type":"tool-result","toolCallId":"c1","toolName":"read","result":"x"}]},
        {"role":"assistant","content":"done"}]"#,
    );
    assert_eq!(written, TODAY);
}

#[test]
fn calls_beside_the_content_become_parts() {
    let written = today(
        r#"[{"role":"user","content":"go"},
        {"role":"assistant","content":"","toolCalls":[{"toolCallId":"c1","toolName":"read","args":{"path":"a"}}]},
        {"role":"tool","content":[{"type":"tool-result","toolCallId":"c1","toolName":"read","result":"x"}]},
        {"role":"assistant","content":"done"}]"#,
    );
    assert_eq!(written, TODAY);
}

#[test]
fn the_parts_of_ui_messages_become_messages_of_their_own() {
    let of_version_4 = today(
        r#"[{"id":"m1","role":"user","content":"go","parts":[{"type":"text","text":"go"}]},
        {"id":"m2","role":"assistant","content":"done","parts":[{"type":"step-start"},{"type":"tool-invocation","toolInvocation":{"state":"result","step":0,"toolCallId":"c1","toolName":"read","args":{"path":"a"},"result":"x"}},{"type":"text","text":"done"}]}]"#,
    );
    let of_version_5 = today(
        r#"[{"id":"m1","role":"user","parts":[{"type":"text","text":"go"}]},
        {"id":"m2","role":"assistant","parts":[{"type":"step-start"},{"type":"tool-read","toolCallId":"c1","state":"output-available","input":{"path":"a"},"output":"x"},{"type":"step-start"},{"type":"text","text":"done"}]}]"#,
    );
    assert_eq!((of_version_4.as_str(), of_version_5.as_str()), (TODAY, TODAY));
}

#[test]
fn what_is_written_as_today_comes_out_byte_for_byte() {
    let text = TODAY.replace(r#""content":"go""#, r#""content":  "go", "id": 1.0"#);
    assert_eq!(today(&text), text);
}
