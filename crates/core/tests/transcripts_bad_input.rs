//! Logs that are cut off or hold values of the wrong type: a reader may find nothing in them, but it returns.

// Helpers of tests may panic as tests do.
#![allow(clippy::unwrap_used)]

use enfold::file;
use enfold::source::Source;
use serde_json::{Value, json};

/// A small log of each format, with everything its reader looks at.
const LOGS: &[(&str, &str)] = &[
    (
        "claude-code",
        r#"{"type":"user","uuid":"1","parentUuid":null,"sessionId":"s","isSidechain":false,"message":{"role":"user","content":"go"}}
{"type":"assistant","uuid":"2","parentUuid":"1","sessionId":"s","message":{"id":"r","model":"m","role":"assistant","content":[{"type":"text","text":"look"},{"type":"tool_use","id":"a","name":"Read","input":{"file_path":"x"}}],"usage":{"input_tokens":1,"cache_read_input_tokens":2,"cache_creation_input_tokens":3,"output_tokens":4}}}
{"type":"user","uuid":"3","parentUuid":"2","sessionId":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"text"},{"type":"text","text":"stop"}]}}
{"type":"system","subtype":"compact_boundary","uuid":"4","parentUuid":null,"logicalParentUuid":"3","sessionId":"s"}
{"type":"user","uuid":"5","parentUuid":"4","sessionId":"s","isCompactSummary":true,"message":{"role":"user","content":"so far"}}
{"type":"attachment","uuid":"6","parentUuid":"5","sessionId":"s","attachment":{"type":"nested_memory","content":{"path":"/A","content":"c"}}}
{"type":"attachment","uuid":"7","parentUuid":"6","sessionId":"s","attachment":{"type":"queued_command","prompt":"wait"}}
{"type":"assistant","uuid":"8","parentUuid":"7","sessionId":"s","message":{"id":"r2","role":"assistant","content":"done"}}"#,
    ),
    (
        "codex",
        r#"{"timestamp":"t","type":"session_meta","payload":{"base_instructions":{"text":"S"}}}
{"timestamp":"t","type":"turn_context","payload":{"model":"m"}}
{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]}}
{"timestamp":"t","type":"event_msg","payload":{"type":"user_message"}}
{"timestamp":"t","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{}","call_id":"c"}}
{"timestamp":"t","type":"response_item","payload":{"type":"function_call_output","call_id":"c","output":"ok"}}
{"timestamp":"t","type":"event_msg","payload":{"type":"token_count","info":{"last_token_usage":{"input_tokens":9}}}}
{"timestamp":"t","type":"compacted","payload":{"message":"","replacement_history":[{"type":"compaction","encrypted_content":"x"}]}}
{"timestamp":"t","type":"response_item","payload":{"type":"tool_call","function":{"name":"ls"},"arguments":{}}}
{"timestamp":"t","type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":1}}"#,
    ),
    (
        "copilot-cli",
        r#"{"type":"session.start","data":{"selectedModel":"m"},"id":"1","timestamp":"t","parentId":null}
{"type":"system.message","data":{"content":"S"},"id":"2","timestamp":"t","parentId":"1"}
{"type":"user.message","data":{"content":"hi","transformedContent":"hi!"},"id":"3","timestamp":"t","parentId":"2"}
{"type":"assistant.message","data":{"content":"","reasoningText":"hm","toolRequests":[{"toolCallId":"c","name":"view","arguments":{"path":"a"}},{"toolCallId":"d","name":"apply_patch","arguments":"***"}]},"id":"4","timestamp":"t","parentId":"3"}
{"type":"tool.execution_complete","data":{"toolCallId":"c","success":true,"result":{"content":"text"}},"id":"5","timestamp":"t","parentId":"4"}"#,
    ),
    (
        "gemini-cli",
        r#"{"sessionId":"s","projectHash":"p","messages":[{"id":"1","type":"user","content":"go"},{"id":"2","type":"gemini","content":"","model":"m","thoughts":[{"subject":"S","description":"D"}],"tokens":{"input":9,"output":1},"toolCalls":[{"id":"c","name":"ls","args":{},"result":[{"functionResponse":{"id":"c","name":"ls","response":{"output":"a"}}}]}]}]}"#,
    ),
    (
        "gemini-cli",
        r#"{"sessionId":"s","projectHash":"p"}
{"id":"1","type":"user","content":[{"text":"go"}]}
{"id":"2","type":"gemini","content":"no"}
{"$rewindTo":"2"}
{"$set":{"messages":[{"id":"3","type":"gemini","content":"yes"},{"id":"4","type":"user","content":"on"}]}}"#,
    ),
    (
        "pi",
        r#"{"type":"session","id":"s","cwd":"/","modelId":"m"}
{"type":"message","id":"a","parentId":null,"timestamp":"t","message":{"role":"user","content":[{"type":"image","data":"AA","mimeType":"image/png"}]}}
{"type":"message","id":"b","parentId":"a","timestamp":"t","message":{"role":"assistant","usage":{"input":1},"content":[{"type":"thinking","thinking":"hm","thinkingSignature":"s"},{"type":"toolCall","id":"c","name":"read","arguments":{}}]}}
{"type":"message","id":"c","parentId":"b","timestamp":"t","message":{"role":"toolResult","toolCallId":"c","content":[{"type":"text","text":"no"}],"isError":true}}
{"type":"message","id":"d","parentId":"c","timestamp":"t","message":{"role":"bashExecution","command":"ls","output":"a"}}
{"type":"compaction","id":"e","parentId":"d","summary":"so far"}"#,
    ),
    (
        "swe-agent",
        r#"{"trajectory":[],"history":[{"role":"user","content":"Task"},{"role":"assistant","content":"c","thought":"t","action":"ls"},{"role":"user","content":"a.py"},{"role":"assistant","content":"x","tool_calls":[{"id":"t1","function":{"name":"bash","arguments":"{}"}}]},{"role":"tool","content":[{"type":"text","text":"a"}],"tool_call_ids":["t1"]}],"replay_config":"{\"agent\":{}}"}"#,
    ),
    (
        "mini-swe-agent",
        r#"{"trajectory_format":"mini-swe-agent-1","info":{"config":{"model":{"model_name":"m"}}},"messages":[{"role":"system","content":"S"},{"role":"assistant","content":"```bash\nls\n```","extra":{"response":{"usage":{"prompt_tokens":1}}}},{"role":"user","content":"<returncode>0</returncode>"}]}"#,
    ),
    (
        "openhands",
        r#"{"instance_id":"i","metadata":{"llm_config":{"model":"m"}},"history":[{"id":0,"timestamp":"t","source":"agent","action":"system","args":{"content":"S","tools":[{}]}},{"id":1,"timestamp":"t","source":"agent","action":"run","args":{"thought":"x"},"tool_call_metadata":{"tool_call_id":"a","function_name":"bash","model_response":{"id":"r","usage":{"prompt_tokens":5},"choices":[{"message":{"content":"go","tool_calls":[{"id":"a","function":{"name":"bash","arguments":"{}"}}]}}]}}},{"id":2,"timestamp":"t","source":"agent","observation":"run","cause":1,"content":"A","tool_call_metadata":{"tool_call_id":"a"}}]}"#,
    ),
    (
        "openhands-sdk",
        r#"{"source":"agent","timestamp":"t","kind":"SystemPromptEvent","system_prompt":{"type":"text","text":"S"},"tools":[{"title":"bash","description":"D"}]}
{"source":"agent","timestamp":"t","kind":"ActionEvent","thought":[{"type":"text","text":"go"}],"thinking_blocks":[{"type":"thinking"}],"tool_call_id":"a","tool_call":{"id":"a","name":"bash","arguments":"{}"},"llm_response_id":"r"}
{"source":"agent","timestamp":"t","kind":"ObservationEvent","tool_name":"bash","tool_call_id":"a","observation":{"content":[{"type":"text","text":"A"}]}}
{"source":"user","timestamp":"t","kind":"MessageEvent","llm_message":{"role":"user","content":[{"type":"text","text":"hi"}]},"extended_content":[]}"#,
    ),
    (
        "tau-bench",
        r#"[{"task_id":1,"traj":[{"role":"system","content":"S"},{"role":"user","content":"hi"},{"role":"assistant","content":"ho"}]},{"task_id":2,"traj":[]}]"#,
    ),
    (
        "flat-rows",
        r#"[{"id":1,"role":"user","content":"hi"},{"id":2,"role":"assistant","content":"[{\"type\":\"text\",\"text\":\"a\"}]"},{"id":3,"role":"assistant","content":"{\"text\":\"b\"}"}]"#,
    ),
];

/// Reads in the format detected and in the format named; both must return.
fn read(format: &str, text: &[u8]) {
    if let Ok(source) = Source::from_bytes(text.to_vec()) {
        let _ = file::read(source.clone());
        let _ = file::read_as(format, source);
    }
}

#[test]
fn each_log_reads_as_its_format() {
    for (format, log) in LOGS {
        let document = file::read(Source::from_bytes(log.as_bytes().to_vec()).unwrap()).unwrap();
        assert_eq!(document.format, *format);
        assert!(document.history.messages().len() >= 3 || *format == "codex", "{format}");
    }
}

#[test]
fn a_log_can_be_cut_anywhere() {
    for (format, log) in LOGS {
        for end in 0..log.len() {
            read(format, &log.as_bytes()[..end]);
        }
    }
}

#[test]
fn every_value_can_be_of_any_type() {
    let others =
        [Value::Null, json!(true), json!(-1.5), json!(""), json!("x"), json!([]), json!([[]]), json!({})];
    for (format, log) in LOGS {
        let values: Vec<Value> =
            serde_json::Deserializer::from_str(log).into_iter().map(Result::unwrap).collect();
        for (nth, value) in values.iter().enumerate() {
            for path in paths(value) {
                for other in &others {
                    let mut changed = values.clone();
                    *changed[nth].pointer_mut(&path).unwrap() = other.clone();
                    let lines: Vec<String> = changed.iter().map(Value::to_string).collect();
                    read(format, lines.join("\n").as_bytes());
                }
            }
        }
    }
}

/// JSON pointers to every value inside a value, and to itself.
fn paths(value: &Value) -> Vec<String> {
    let mut found = vec![String::new()];
    let children: Vec<(String, &Value)> = match value {
        Value::Array(list) => list.iter().enumerate().map(|(nth, value)| (nth.to_string(), value)).collect(),
        Value::Object(map) => map.iter().map(|(key, value)| (key.clone(), value)).collect(),
        _ => Vec::new(),
    };
    for (key, child) in children {
        found.extend(paths(child).into_iter().map(|path| format!("/{key}{path}")));
    }
    found
}
