"""Requests as they go over the wire: Anthropic Messages, OpenAI Responses, Gemini, and the AI SDK's messages."""
import base64

from .common import Ids, User, compact_json, spoken, write_json
from .schemas import used_by


def anthropic(script, path):
    ids = Ids(path.name)
    messages = []
    for event in spoken(script.EVENTS):
        if isinstance(event, User):
            messages.append({"role": "user", "content": event.text})
            continue
        blocks, results = [], []
        if event.thinking:
            blocks.append({"type": "thinking", "thinking": event.thinking, "signature": ids.opaque(160)})
        if event.text:
            blocks.append({"type": "text", "text": event.text})
        for call in event.calls:
            id = ids.text("toolu_01", 22)
            blocks.append({"type": "tool_use", "id": id, "name": call.tool, "input": call.args})
            result = {"type": "tool_result", "tool_use_id": id, "content": [{"type": "text", "text": call.result.text}]}
            if call.result.image:
                source = {"type": "base64", "media_type": "image/png", "data": base64_of(call)}
                result["content"].append({"type": "image", "source": source})
            if call.result.failed:
                result["is_error"] = True
            results.append(result)
        messages.append({"role": "assistant", "content": blocks})
        if results:
            messages.append({"role": "user", "content": results})
    # A request ends with the user; the answer to it is not part of it.
    messages.pop()
    last = messages[-1]
    last["content"] = [{"type": "text", "text": last["content"], "cache_control": {"type": "ephemeral"}}]
    tools = [{"name": name, "description": text, "input_schema": schema} for name, text, schema in used_by(script.EVENTS)]
    write_json(path, {
        "model": "claude-sonnet-4-5-20250929", "max_tokens": 8192, "thinking": {"type": "enabled", "budget_tokens": 2048},
        "system": [{"type": "text", "text": script.SYSTEM, "cache_control": {"type": "ephemeral"}}], "tools": tools, "messages": messages})


def responses(script, path):
    ids = Ids(path.name)
    items = []
    for event in spoken(script.EVENTS):
        if isinstance(event, User):
            items.append({"type": "message", "role": "user", "content": [{"type": "input_text", "text": event.text}]})
            continue
        summary = [{"type": "summary_text", "text": event.thinking}] if event.thinking else []
        items.append({"type": "reasoning", "id": ids.text("rs_", 32), "summary": summary, "encrypted_content": ids.opaque(96)})
        if event.text:
            content = [{"type": "output_text", "text": event.text, "annotations": []}]
            items.append({"type": "message", "id": ids.text("msg_", 32), "role": "assistant", "status": "completed", "content": content})
        outputs = []
        for call in event.calls:
            id = ids.text("call_", 24)
            free_text = call.tool == "apply_patch"
            kind = "custom_tool_call" if free_text else "function_call"
            given = {"input": call.args["input"]} if free_text else {"arguments": compact_json(call.args)}
            prefix = "ctc_" if free_text else "fc_"
            items.append({"type": kind, "id": ids.text(prefix, 32), "call_id": id, "name": call.tool, **given, "status": "completed"})
            outputs.append({"type": kind + "_output", "call_id": id, "output": call.result.text})
        items += outputs
    while items[-1]["type"] in ("message", "reasoning"):
        items.pop()
    tools = [{"type": "custom", "name": name, "description": text} if name == "apply_patch" else
             {"type": "function", "name": name, "description": text, "parameters": schema, "strict": False}
             for name, text, schema in used_by(script.EVENTS)]
    write_json(path, {
        "model": "gpt-5.1-codex", "instructions": script.SYSTEM, "input": items, "tools": tools, "tool_choice": "auto",
        "parallel_tool_calls": True, "reasoning": {"effort": "medium", "summary": "auto"}, "store": False, "stream": True,
        "include": ["reasoning.encrypted_content"], "prompt_cache_key": ids.uuid()})


def gemini(script, path):
    ids = Ids(path.name)
    contents = []
    for event in spoken(script.EVENTS):
        if isinstance(event, User):
            contents.append({"role": "user", "parts": [{"text": event.text}]})
            continue
        parts, results = [], []
        if event.thinking:
            parts.append({"text": event.thinking, "thought": True})
        if event.text:
            parts.append({"text": event.text})
        for call in event.calls:
            part = {"functionCall": {"name": call.tool, "args": call.args}}
            if not results:  # only the first call of a step carries the signature
                part["thoughtSignature"] = ids.opaque(88)
            parts.append(part)
            key = "error" if call.result.failed else "output"
            response = {"name": call.tool, "response": {key: call.result.text}}
            if call.result.image:
                response["parts"] = [{"inlineData": {"mimeType": "image/png", "data": base64_of(call)}}]
            results.append({"functionResponse": response})
        contents.append({"role": "model", "parts": parts})
        if results:
            contents.append({"role": "user", "parts": results})
    contents.pop()
    tools = [{"name": name, "description": text, "parametersJsonSchema": schema} for name, text, schema in used_by(script.EVENTS)]
    write_json(path, {
        "systemInstruction": {"parts": [{"text": script.SYSTEM}]}, "contents": contents, "tools": [{"functionDeclarations": tools}],
        "generationConfig": {"temperature": 1, "thinkingConfig": {"includeThoughts": True}}})


def ai_sdk(script, path):
    write_json(path, ai_sdk_messages(script, Ids(path.name)))


def ai_sdk_messages(script, ids):
    messages = [{"role": "system", "content": script.SYSTEM}]
    for event in spoken(script.EVENTS):
        if isinstance(event, User):
            messages.append({"role": "user", "content": [{"type": "text", "text": event.text}]})
            continue
        parts, results = [], []
        if event.thinking:
            signature = {"anthropic": {"signature": ids.opaque(120)}}
            parts.append({"type": "reasoning", "text": event.thinking, "providerOptions": signature})
        if event.text:
            parts.append({"type": "text", "text": event.text})
        for call in event.calls:
            id = ids.text("toolu_01", 22)
            parts.append({"type": "tool-call", "toolCallId": id, "toolName": call.tool, "input": call.args})
            results.append({"type": "tool-result", "toolCallId": id, "toolName": call.tool, "output": ai_sdk_output(call)})
        messages.append({"role": "assistant", "content": parts})
        if results:
            messages.append({"role": "tool", "content": results})
    return messages


def ai_sdk_output(call):
    if call.result.failed:
        return {"type": "error-text", "value": call.result.text}
    if call.result.image:
        picture = {"type": "image-data", "data": base64_of(call), "mediaType": "image/png"}
        return {"type": "content", "value": [{"type": "text", "text": call.result.text}, picture]}
    return {"type": "text", "value": call.result.text}


def base64_of(call):
    return base64.b64encode(call.result.image).decode()
