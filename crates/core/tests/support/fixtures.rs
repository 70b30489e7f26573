//! One request per wire format with everything in it, in spellings no writer of ours would choose.

/// Name of the format and the request.
pub const ALL: &[(&str, &str)] = &[
    ("openai-chat", CHAT),
    ("anthropic", ANTHROPIC),
    ("openai-responses", RESPONSES),
    ("ai-sdk", AI_SDK),
    ("gemini", GEMINI),
    ("pi-agent-core", PI_AGENT_CORE),
];

/// The request of that format.
pub fn fixture(format: &str) -> &'static str {
    ALL.iter().find(|(name, _)| *name == format).map(|(_, text)| *text).unwrap()
}

const CHAT: &str = r#"{ "temperature":1.50e+0, "model" : "gpt-x",
  "tools":[{"type":"function","function":{"name":"read","description":"Reads.","parameters":{"type":"object","properties":{"path":{"type":"string"}}}}}],
  "messages" : [
 {"role":"system","content":"Be brief.","name":"rules"} ,
	{"content":"No \u0065moji.","role":"developer"},
 {"role":"user","content":[{"type":"text","text":"What is in a.png?","cache_control":{"type":"ephemeral"}},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo=","detail":"low"}}]},
 {"role":"assistant","reasoning_content":"Look first.","content":"I look.","tool_calls":[
   {"id":"call_1","type":"function","function":{"name":"read","arguments":"{ \"path\": \"a.png\" }"}},
   {"id":"call_2","type":"custom","custom":{"name":"patch","input":"*** Begin"},"x_index":1.0}]},
 {"role":"tool","tool_call_id":"call_2","content":"done"},
 {"role":"tool","tool_call_id":"call_1","content":[{"type":"text","text":"one"},{"type":"text","text":"two"}]},
 {"role":"assistant","content":"It is\ta picture.","refusal":null,"annotations":[]},
 {"role":"user","content":"","x_empty":true},
 {"role":"user","content":"Thanks \ud83d\ude00"}
 ] , "x_unknown":{"a":[1,2.0,-0]}}
"#;

const ANTHROPIC: &str = r#"{"max_tokens":1e3,"system":[{"type":"text","text":"Be brief."},{"type":"text","text":"No emoji.","cache_control":{"type":"ephemeral"}}],
"tools":[{"name":"read","input_schema":{"type":"object"}},{"type":"web_search_20260101","name":"web_search"}],
"messages":[
{"role":"user","content":[{"type":"text","text":"What is in a.pdf?"},{"type":"document","title":"A","source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0="}}]},
{"role":"assistant","content":[{"type":"thinking","thinking":"Look first.","signature":"c2ln"},{"type":"redacted_thinking","data":"b3BhcXVl"},{"type":"text","text":"I look."},
  {"type":"tool_use","id":"toolu_1","name":"read","input":{ "path" : "a.pdf", "n":1.0e2 },"caller":{"type":"direct"}},
  {"type":"tool_use","id":"toolu_2","name":"read","input":{}}]},
{"role":"user","content":[
  {"tool_use_id":"toolu_2","type":"tool_result","is_error":true,"content":"no path"},
  {"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"page 1"},{"type":"image","source":{"type":"url","url":"https://x.org/p.png"}},{"type":"text","text":"page 2"}]},
  {"type":"text","text":"<system-reminder>Go on.</system-reminder>"}]},
{"role":"assistant","content":[{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"q":"a"}},{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[]},{"type":"text","text":"Found.","citations":[{"url":"https://x.org"}]}]},
{"role":"user","content":"And now?"},
{"role":"system","content":"Be briefer.","clear_at":"next_user_message"},
{"role":"assistant","content":[{"type":"tool_use","id":"toolu_3","name":"read","input":{"path":"b"}}]}
]}"#;

const RESPONSES: &str = r#"{"model":"gpt-x","instructions":"Be brief.","store":false,"input":[
{"type":"message","role":"developer","content":[{"type":"input_text","text":"No emoji."}]},
{"role":"user","content":"Fix it."},
{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"Look first."}],"content":null,"encrypted_content":"gAAA"},
{"type":"message","id":"msg_1","status":"completed","phase":"commentary","role":"assistant","content":[{"type":"output_text","text":"I look.","annotations":[]}]},
{"type":"function_call","id":"fc_1","call_id":"call_1","name":"read","namespace":"fs","arguments":"{\"path\":\"a\"}"},
{"type":"custom_tool_call","call_id":"call_2","name":"apply_patch","input":"*** Begin Patch\n"},
{"type":"function_call_output","call_id":"call_1","output":[{"type":"input_text","text":"one"},{"type":"input_image","image_url":"data:image/png;base64,iVBORw0KGgo=","detail":"auto"}]},
{"type":"custom_tool_call_output","call_id":"call_2","output":"Success."},
{"type":"local_shell_call","call_id":"call_3","status":"completed","action":{"type":"exec","command":["ls","-l"]}},
{"type":"local_shell_call_output","call_id":"call_3","output":"a\nb"},
{"type":"web_search_call","id":"ws_1","status":"completed","action":{"query":"x"}},
{"type":"item_reference","id":"msg_0"},
{"type":"compaction","encrypted_content":"gBBB"},
{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Done."},{"type":"refusal","refusal":"Not that."}]},
{"role":"user","content":[{"type":"input_text","text":"And this?"},{"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,JVBERi0="}]}
],"prompt_cache_key":"k"}"#;

const AI_SDK: &str = r#"[
{"role":"system","content":"Be brief.","providerOptions":{"anthropic":{"cacheControl":{"type":"ephemeral"}}}},
{"role":"user","content":[{"type":"text","text":"What is this?"},{"type":"image","image":"iVBORw0KGgo=","mediaType":"image/png"},{"type":"file","data":"https://x.org/a.pdf","mediaType":"application/pdf","filename":"a.pdf"}]},
{"role":"assistant","content":[{"type":"reasoning","text":"Look first.","providerOptions":{"anthropic":{"signature":"c2ln"}}},{"type":"text","text":"I look."},
  {"type":"tool-call","toolCallId":"c1","toolName":"read","input":{"path":"a"}},
  {"type":"tool-call","toolCallId":"c2","toolName":"read","args":{"path":"b"}},
  {"type":"tool-call","toolCallId":"c3","toolName":"shot","input":{}},
  {"type":"tool-call","toolCallId":"c4","toolName":"rm","input":{"path":"c"}}]},
{"role":"tool","content":[
  {"type":"tool-result","toolCallId":"c1","toolName":"read","output":{"type":"text","value":"one"}},
  {"type":"tool-result","toolCallId":"c2","toolName":"read","result":{"ok" : true}},
  {"type":"tool-result","toolCallId":"c3","toolName":"shot","output":{"type":"content","value":[{"type":"text","text":"a shot"},{"type":"image-data","data":"iVBORw0KGgo=","mediaType":"image/png"}]}},
  {"type":"tool-result","toolCallId":"c4","toolName":"rm","output":{"type":"execution-denied","reason":"no"}},
  {"type":"tool-approval-response","approvalId":"x","approved":false}]},
{"role":"assistant","content":"Done."},
{"role":"user","content":"More."},
{"id":"u1","role":"assistant","parts":[{"type":"step-start"},{"type":"text","text":"Again.","state":"done"},{"type":"tool-read","toolCallId":"c5","state":"output-available","input":{"path":"d"},"output":"four"},{"type":"dynamic-tool","toolName":"mcp","toolCallId":"c6","state":"output-error","input":{},"errorText":"broken"}]},
{"id":"u2","role":"assistant","content":"","toolInvocations":[{"state":"result","toolCallId":"c7","toolName":"read","args":{"path":"e"},"result":"five"}]},
{"role":"user","content":"Bye."}
]"#;

const GEMINI: &str = r#"{"systemInstruction":{"parts":[{"text":"Be brief."}]},"generationConfig":{"temperature":0.20},
"tools":[{"functionDeclarations":[{"name":"read","parameters":{"type":"OBJECT"}}]},{"googleSearch":{}}],
"contents":[
{"role":"user","parts":[{"text":"What is this?"},{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}},{"fileData":{"fileUri":"https://x.org/a.pdf","mimeType":"application/pdf"}}]},
{"role":"model","parts":[{"text":"Look first.","thought":true},{"text":"I look."},{"functionCall":{"name":"read","args":{ "path" : "a" }},"thoughtSignature":"c2ln"},{"functionCall":{"name":"list","args":{}}},{"functionCall":{"name":"read","args":{"path":"b"}}}]},
{"role":"user","parts":[{"functionResponse":{"name":"read","response":{"output":"one"}}},{"functionResponse":{"name":"list","response":{"files":["a","b"],"n":2.0}}},{"function_response":{"name":"read","response":{"error":"no such file"},"parts":[{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}}]}}]},
{"role":"model","parts":[{"executableCode":{"language":"PYTHON","code":"1+1"}},{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"2"}},{"text":"Two."}]},
{"parts":[{"text":"And?"}]},
{"role":"model","parts":[{"functionCall":{"id":"f1","name":"read","args":{"path":"c"}}}]},
{"role":"function","parts":[{"functionResponse":{"id":"f1","name":"read","response":{"result":["x","y"]}}}]}
]}"#;

const PI_AGENT_CORE: &str = r#"{ "systemPrompt":"Be brief.","tools":[{"name":"read","description":"Reads.","parameters":{"type":"object"}}],
"messages" : [
 {"role":"user","content":[{"type":"text","text":"What is in \u0061.png?"},{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}],"timestamp":1.714e12},
 {"role":"assistant","content":[{"type":"thinking","thinking":"Look first.","thinkingSignature":"c2ln"},{"type":"text","text":"I look."},
   {"type":"toolCall","id":"call_1","name":"read","arguments":{ "path" : "a.png", "n":1.0e2 }},
   {"type":"toolCall","id":"call_2","name":"read","arguments":{},"thoughtSignature":"c2ln"}],
  "api":"anthropic-messages","provider":"anthropic","model":"claude-x","usage":{"input":1,"output":2,"cacheRead":0,"cacheWrite":0,"totalTokens":3,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":1.50}},"stopReason":"toolUse","timestamp":1714000000001},
 {"role":"toolResult","toolCallId":"call_2","toolName":"read","content":[{"type":"text","text":"no path"}],"isError":true,"timestamp":1714000000002},
 {"toolName":"read","role":"toolResult","toolCallId":"call_1","content":[{"type":"text","text":"one"},{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"},{"type":"text","text":"two"}],"details":{"lines":[1,2.0,-0]},"isError":false,"timestamp":1714000000003},
 {"role":"assistant","content":[{"type":"text","text":"It is\ta picture.","textSignature":"msg_1"}],"stopReason":"stop","timestamp":1714000000004},
 {"role":"bashExecution","command":"ls","output":"a.png\n","exitCode":0,"cancelled":false,"truncated":false,"timestamp":1714000000005},
 {"role":"user","content":"","x_empty":true},
 {"role":"user","content":"Thanks \ud83d\ude00","timestamp":1714000000006}
 ] }
"#;
