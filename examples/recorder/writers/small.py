"""Short files of other agents: Copilot CLI, Gemini CLI, pi, and flat rows of a chat table."""
import datetime

from .common import Ids, User, compact_json, estimate, spoken, stamp, write_json, write_lines
from .requests import ai_sdk_messages


def copilot_cli(script, path):
    ids, rows = Ids(path.name), []
    model, interaction, turn = "gpt-5.1", ids.uuid(), 0

    def row(at, kind, **data):
        parent = rows[-1]["id"] if rows else None
        rows.append({"type": kind, "data": data, "id": ids.uuid(), "timestamp": stamp(at), "parentId": parent})

    start = script.EVENTS[0].at
    row(start, "session.start", sessionId=ids.uuid(), version=1, producer="copilot-agent", copilotVersion="1.0.72", startTime=stamp(start),
        context={"cwd": script.DIRECTORY, "gitRoot": script.DIRECTORY, "branch": "main"})
    row(start, "session.model_change", newModel=model, reasoningEffort="medium")
    row(start, "system.message", role="system", content=script.SYSTEM)
    for event in spoken(script.EVENTS):
        if isinstance(event, User):
            sent = f"<current_datetime>{stamp(event.at)}</current_datetime>\n\n{event.text}"
            row(event.at, "user.message", content=event.text, transformedContent=sent, attachments=[], interactionId=interaction)
            continue
        about = {"model": model, "interactionId": interaction, "turnId": str(turn)}
        calls = [(ids.text("call_", 24), call) for call in event.calls]
        row(event.at, "assistant.turn_start", turnId=str(turn), model=model, interactionId=interaction)
        requests = [{"toolCallId": id, "name": call.tool, "arguments": call.args, "type": "function"} for id, call in calls]
        row(event.at, "assistant.message", messageId=ids.uuid(), content=event.text, toolRequests=requests, reasoningOpaque=ids.opaque(),
            outputTokens=estimate(event.text) + 40 * len(calls), **about)
        for id, call in calls:
            row(event.at, "tool.execution_start", toolCallId=id, toolName=call.tool, arguments=call.args, model=model, turnId=str(turn))
            # The shell tool succeeds even if the command did not: the exit code stands in the text.
            text = exited(call)
            row(event.done, "tool.execution_complete", toolCallId=id, success=True, result={"content": text, "detailedContent": text}, **about)
        row(event.done, "assistant.turn_end", turnId=str(turn), model=model)
        turn += 1
    write_lines(path, rows)


def exited(call):
    body = call.result.text.rsplit("\n[exit code", 1)[0]
    return f"{body}\n<exited with exit code {call.result.exit_code}>"


def gemini_cli(script, path):
    ids, messages, context = Ids(path.name), [], 9000
    for event in spoken(script.EVENTS):
        if isinstance(event, User):
            messages.append({"id": ids.uuid(), "timestamp": stamp(event.at), "type": "user", "content": event.text})
            continue
        out = estimate(event.text) + 20
        row = {"id": ids.uuid(), "timestamp": stamp(event.at), "type": "gemini", "content": event.text, "thoughts": [],
               "tokens": {"input": context, "output": out, "cached": context // 2, "thoughts": 0, "tool": 0, "total": context + out},
               "model": "gemini-2.5-flash"}
        if event.thinking:
            row["thoughts"].append({"subject": "Plan", "description": event.thinking, "timestamp": stamp(event.at)})
        if event.calls:
            row["toolCalls"] = [gemini_call(script, ids, event, call) for call in event.calls]
        messages.append(row)
        context += out + sum(estimate(c.result.text) for c in event.calls)
    write_json(path, {
        "sessionId": ids.uuid(), "projectHash": ids.uuid().replace("-", "") * 2, "startTime": stamp(script.EVENTS[0].at),
        "lastUpdated": stamp(script.EVENTS[-1].at), "messages": messages})


def gemini_call(script, ids, event, call):
    id = f"run_shell_command-{int(event.at.timestamp() * 1000)}-{ids.text('', 12).lower()}"
    body = call.result.text.rsplit("\n[exit code", 1)[0]
    output = f"Command: {call.args['command']}\nDirectory: (root)\nOutput: {body}\nError: (none)\nExit Code: {call.result.exit_code}\nSignal: 0"
    response = {"functionResponse": {"id": id, "name": "run_shell_command", "response": {"output": output}}}
    return {"id": id, "name": "run_shell_command", "args": {"command": call.args["command"]}, "result": [response], "status": "success",
            "timestamp": stamp(event.done), "resultDisplay": body, "displayName": "Shell", "renderOutputAsMarkdown": False}


def pi(script, path):
    ids = Ids(path.name)
    start = script.EVENTS[0].at
    rows = [{"type": "session", "id": ids.uuid(), "timestamp": stamp(start), "cwd": script.DIRECTORY, "provider": "anthropic",
             "modelId": "claude-sonnet-4-5", "thinkingLevel": "low"}]

    def message(at, **fields):
        rows.append({"type": "message", "timestamp": stamp(at), "message": fields | {"timestamp": int(at.timestamp() * 1000)}})

    for event in spoken(script.EVENTS):
        if isinstance(event, User):
            message(event.at, role="user", content=[{"type": "text", "text": event.text}])
            continue
        content = []
        if event.thinking:
            content.append({"type": "thinking", "thinking": event.thinking, "thinkingSignature": ids.opaque(96)})
        content.append({"type": "text", "text": event.text})
        calls = [(ids.text("toolu_01", 22), call) for call in event.calls]
        content += [{"type": "toolCall", "id": id, "name": call.tool, "arguments": call.args} for id, call in calls]
        cost = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0}
        usage = {"input": 3, "output": estimate(event.text) + 30, "cacheRead": 1700, "cacheWrite": 240, "cost": cost}
        message(event.at, role="assistant", content=content, api="anthropic-messages", provider="anthropic", model="claude-sonnet-4-5",
                usage=usage, stopReason="toolUse" if calls else "stop")
        for id, call in calls:
            message(event.done, role="toolResult", toolCallId=id, toolName=call.tool, content=[{"type": "text", "text": call.result.text}],
                    isError=call.result.failed)
    write_lines(path, rows)


def legacy_rows(script, path):
    """A chat table of old: one row per message, its parts as a JSON string; a plain text is not JSON."""
    ids, rows = Ids(path.name), []
    at = script.EVENTS[0].at
    for message in ai_sdk_messages(script, ids):
        content = message["content"]
        if message["role"] == "user":
            content = content[0]["text"]
        rows.append({"id": ids.uuid(), "role": message["role"], "content": content if isinstance(content, str) else compact_json(content),
                     "created_at": stamp(at)})
        at += datetime.timedelta(seconds=20)
    write_json(path, rows)
