"""Requests that use what real sessions seldom do: every kind of part, long enough to be folded, one request per format.

    features.py FOLDER      writes FOLDER/FORMAT.json

Each turn of a request holds one feature in a call, a result or a message; a turn of plain text and plain calls follows it.
"""
import json, pathlib, sys

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
PICTURE = f"data:image/png;base64,{PIXEL}"


def long(topic):
    return "\n".join(f"{n}: {topic} of line {n} has the value {n * 7919 % 1000} in src/part_{n % 7}.rs" for n in range(60))


def short(topic):
    """What no policy may fold, the user's words above all: little, so that the rest has to be."""
    return f"the {topic}: make it work"


def anthropic():
    def text(topic, words=long): return {"type": "text", "text": words(topic)}
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}
    document = {"type": "document", "title": "t", "context": short("context"), "citations": {"enabled": True},
                "source": {"type": "text", "media_type": "text/plain", "data": long("document")}}
    found = {"type": "search_result", "source": "s", "title": "t", "content": [text("search result")]}
    results = [
        long("plain"), [text("one part")], [text("first"), text("second")], [image], [text("beside an image"), image],
        [image, text("after an image")], [document], [found], [{"type": "tool_reference", "tool_name": "read"}],
        [text("marked") | {"cache_control": {"type": "ephemeral"}}], [], None,
    ]
    messages = [{"role": "user", "content": [text("task", short), image, document]}]
    for n, result in enumerate(results):
        use = {"type": "tool_use", "id": f"toolu_{n}", "name": "read", "input": {"path": f"f{n}", "note": long("input")}}
        thinking = [{"type": "thinking", "thinking": long("thought"), "signature": "c2ln"}] if n % 3 == 0 else []
        redacted = [{"type": "redacted_thinking", "data": "cmVk"}] if n % 3 == 1 else []
        answer = {"type": "tool_result", "tool_use_id": f"toolu_{n}"}
        answer |= {} if result is None else {"content": result}
        messages.append({"role": "assistant", "content": thinking + redacted + [text("plan"), use]})
        messages.append({"role": "user", "content": [answer | {"is_error": n % 2 == 1 and bool(result)}]})
    for n, pair in enumerate([
        ("web_search", {"type": "web_search_tool_result", "content": [
            {"type": "web_search_result", "url": "https://example.org", "title": long("title"), "encrypted_content": "ZW5j"}]}),
        ("web_search", {"type": "web_search_tool_result",
                        "content": {"type": "web_search_tool_result_error", "error_code": "unavailable"}}),
        ("bash_code_execution", {"type": "bash_code_execution_tool_result", "content": {
            "type": "bash_code_execution_result", "stdout": long("stdout"), "stderr": "", "return_code": 0, "content": []}}),
    ]):
        use = {"type": "server_tool_use", "id": f"srvtoolu_{n}", "name": pair[0], "input": {"query": long("query")}}
        cited = {"type": "text", "text": long("cited"), "citations": [
            {"type": "web_search_result_location", "url": "u", "title": "t", "encrypted_index": "aQ==", "cited_text": "c"}]}
        messages.append({"role": "assistant", "content": [use, pair[1] | {"tool_use_id": f"srvtoolu_{n}"}, cited]})
        messages.append({"role": "user", "content": short("go on")})
    return {"model": "claude-sonnet-4-5", "max_tokens": 1000, "system": [text("system", short)], "messages": messages,
            "tools": [{"name": "read", "input_schema": {"type": "object"}},
                      {"type": "web_search_20250305", "name": "web_search"}]}


def openai_chat():
    def text(topic, words=long): return {"type": "text", "text": words(topic)}
    image = {"type": "image_url", "image_url": {"url": PICTURE, "detail": "low"}}
    sound = {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}}
    file = {"type": "file", "file": {"filename": "f.pdf", "file_data": "data:application/pdf;base64,JVBERg=="}}
    messages = [{"role": "developer", "content": [text("system", short)]},
                {"role": "user", "name": "someone", "content": [text("task", short), image, sound, file]}]
    for n in range(12):
        call = {"id": f"call_{n}", "type": "function", "function": {"name": "read", "arguments": json.dumps({"path": long("path")})}}
        if n % 4 == 1:
            call = {"id": f"call_{n}", "type": "custom", "custom": {"name": "patch", "input": long("patch")}}
        said = [{"content": None}, {"content": [text("plan")]}, {"content": ""}, {}][n % 4]
        messages.append({"role": "assistant"} | said | {"tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"call_{n}", "content": long("plain") if n % 2 else [text("one"), text("two")]})
    for said in [{"content": [{"type": "refusal", "refusal": long("refusal")}]}, {"content": None, "refusal": long("refusal")},
                 {"audio": {"id": "audio_1"}}, {"content": long("text"), "name": "one"}]:
        messages += [{"role": "assistant"} | said, {"role": "user", "content": [text("go on", short), image]}]
    return {"model": "gpt-5", "messages": messages, "tools": [{"type": "function", "function": {"name": "read"}}]}


def openai_responses():
    def text(topic, words=long): return {"type": "input_text", "text": words(topic)}
    image = {"type": "input_image", "image_url": PICTURE, "detail": "auto"}
    file = {"type": "input_file", "filename": "f.pdf", "file_data": "data:application/pdf;base64,JVBERg=="}
    items = [{"type": "message", "role": "developer", "content": [text("rules", short)]},
             {"role": "user", "content": [text("task", short), image, file]}, {"role": "user", "content": short("more")}]
    for n, output in enumerate([long("plain"), [text("one")], [text("one"), text("two")], [image], [text("beside"), image], [file]] * 2):
        items.append({"type": "reasoning", "id": f"rs_{n}", "summary": [{"type": "summary_text", "text": long("summary")}],
                      "encrypted_content": "ZW5j", "content": [{"type": "reasoning_text", "text": long("thought")}]})
        kind = "function_call" if n < 6 else "custom_tool_call"
        given = {"arguments": json.dumps({"path": long("path")})} if n < 6 else {"input": long("patch")}
        items.append({"type": kind, "id": f"fc_{n}", "call_id": f"call_{n}", "name": "read"} | given)
        items.append({"type": kind + "_output", "call_id": f"call_{n}", "output": output})
    action = {"type": "exec", "command": ["cat", long("file")], "env": {}}
    items += [
        {"type": "local_shell_call", "id": "ls_1", "call_id": "call_ls", "action": action, "status": "completed"},
        {"type": "local_shell_call_output", "id": "ls_2", "call_id": "call_ls", "output": long("output"), "status": "completed"},
        {"type": "shell_call", "call_id": "call_sh", "action": {"commands": [long("command")]}},
        {"type": "shell_call_output", "call_id": "call_sh", "output": [
            {"stdout": long("stdout"), "stderr": long("stderr"), "outcome": {"type": "exit", "exit_code": 0}}]},
        {"type": "apply_patch_call", "call_id": "call_ap", "status": "completed",
         "operation": {"type": "update_file", "path": "f", "diff": long("diff")}},
        {"type": "apply_patch_call_output", "call_id": "call_ap", "status": "completed", "output": long("output")},
        {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": long("query")}},
        {"type": "file_search_call", "id": "fs_1", "status": "completed", "queries": ["q"],
         "results": [{"file_id": "f", "filename": "f", "score": 0.5, "text": long("result")}]},
        {"type": "code_interpreter_call", "id": "ci_1", "status": "completed", "code": long("code"), "container_id": "c",
         "outputs": [{"type": "logs", "logs": long("logs")}]},
        {"type": "image_generation_call", "id": "ig_1", "status": "completed", "result": PIXEL},
        {"type": "mcp_call", "id": "mcp_1", "name": "n", "server_label": "s", "arguments": "{}", "output": long("output")},
        {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
         "content": [{"type": "output_text", "text": long("said"), "annotations": []}]},
        {"type": "message", "id": "msg_2", "role": "assistant", "status": "completed",
         "content": [{"type": "refusal", "refusal": long("refusal")}]},
        {"role": "user", "content": short("go on")},
    ]
    return {"model": "gpt-5", "instructions": short("instructions"), "store": False, "input": items,
            "tools": [{"type": "function", "name": "read", "parameters": {"type": "object"}, "strict": False}]}


def gemini():
    def text(topic, words=long): return {"text": words(topic)}
    image = {"inlineData": {"mimeType": "image/png", "data": PIXEL}}
    contents = [{"role": "user", "parts": [text("task", short), image, {"fileData": {"fileUri": "gs://b/f", "mimeType": "text/plain"}}]}]
    for n, response in enumerate([{"output": long("output")}, {"error": long("error")}, {"result": {"rows": [long("row")] * 3}},
                                  {"lines": long("line").splitlines()}, {}, {"a": long("a"), "b": long("b")}] * 2):
        call = {"functionCall": {"name": "read", "args": {"path": long("path")}} | ({"id": f"c{n}"} if n % 2 else {})}
        signed = {"thoughtSignature": "c2ln"} if n % 3 == 0 else {}
        thought = [text("thought") | {"thought": True}] if n % 3 == 1 else []
        pictures = {"parts": [image]} if n % 4 == 3 else {}
        answer = {"name": "read", "response": response} | ({"id": f"c{n}"} if n % 2 else {}) | pictures
        contents.append({"role": "model", "parts": thought + [text("plan"), call | signed]})
        contents.append({"role": "user", "parts": [{"functionResponse": answer}]})
    contents.append({"role": "model", "parts": [
        {"executableCode": {"language": "PYTHON", "code": long("code")}},
        {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": long("output")}}, text("said")]})
    contents.append({"role": "user", "parts": [text("go on", short)]})
    return {"systemInstruction": {"parts": [text("system", short)]}, "contents": contents,
            "tools": [{"functionDeclarations": [{"name": "read", "parametersJsonSchema": {"type": "object"}}]}]}


def ai_sdk():
    def text(topic, words=long): return {"type": "text", "text": words(topic)}
    options = {"providerOptions": {"anthropic": {"signature": "c2ln"}}}
    outputs = [
        {"type": "text", "value": long("plain")}, {"type": "error-text", "value": long("error")},
        {"type": "json", "value": {"rows": [long("row")] * 3}}, {"type": "json", "value": long("a string")}, {"type": "json", "value": None},
        {"type": "error-json", "value": [long("error")]}, {"type": "execution-denied", "reason": long("reason")}, {"type": "execution-denied"},
        {"type": "content", "value": [text("one"), text("two")]},
        {"type": "content", "value": [text("beside"), {"type": "media", "data": PIXEL, "mediaType": "image/png"}]},
        {"type": "content", "value": [{"type": "image-data", "data": PIXEL, "mediaType": "image/png"}]},
        {"type": "content", "value": [{"type": "image-url", "url": "https://example.org/i.png"}, {"type": "file-id", "fileId": "f"}]},
        {"type": "content", "value": [{"type": "file-data", "data": "JVBERg==", "mediaType": "application/pdf", "filename": "f"}]},
        {"type": "content", "value": [{"type": "custom", "providerOptions": {"anthropic": {"type": "tool-reference", "toolName": "t"}}}]},
        {"type": "content", "value": []},
    ]
    messages = [{"role": "system", "content": short("system")},
                {"role": "user", "content": [text("task", short), {"type": "image", "image": PICTURE},
                                             {"type": "file", "data": PIXEL, "mediaType": "image/png", "filename": "f"}]}]
    for n, output in enumerate(outputs):
        thought = [{"type": "reasoning", "text": long("thought")} | options] if n % 3 == 0 else []
        call = {"type": "tool-call", "toolCallId": f"c{n}", "toolName": "read", "input": {"path": long("path")} if n % 4 else long("input")}
        approval = n % 5 == 4
        ask = [{"type": "tool-approval-request", "approvalId": f"a{n}", "toolCallId": f"c{n}"}] if approval else []
        grant = [{"type": "tool-approval-response", "approvalId": f"a{n}", "approved": True}] if approval else []
        messages.append({"role": "assistant", "content": thought + [text("plan"), call] + ask})
        messages.append({"role": "tool", "content": grant + [
            {"type": "tool-result", "toolCallId": f"c{n}", "toolName": "read", "output": output}]})
    messages.append({"role": "assistant", "content": [
        {"type": "tool-call", "toolCallId": "p", "toolName": "web_search", "input": {}, "providerExecuted": True},
        {"type": "tool-result", "toolCallId": "p", "toolName": "web_search", "output": {"type": "json", "value": [long("result")]}},
        {"type": "file", "data": PIXEL, "mediaType": "image/png"}, text("said")]})
    messages.append({"role": "user", "content": short("go on")})
    return {"messages": messages}


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for write in (openai_chat, anthropic, openai_responses, ai_sdk, gemini):
        name = write.__name__.replace("_", "-")
        (folder / f"{name}.json").write_text(json.dumps(write()))
