"""OpenAI Chat: one message per line."""
from .common import Ids, User, compact_json, spoken, write_lines


def write(script, path):
    ids = Ids(path.name)
    rows = [{"role": "system", "content": script.SYSTEM}]
    for event in spoken(script.EVENTS):
        if isinstance(event, User):
            rows.append({"role": "user", "content": event.text})
            continue
        message = {"role": "assistant", "content": event.text or None}
        results = []
        for call in event.calls:
            id = ids.text("call_", 24)
            function = {"name": call.tool, "arguments": compact_json(call.args)}
            message.setdefault("tool_calls", []).append({"id": id, "type": "function", "function": function})
            results.append({"role": "tool", "tool_call_id": id, "content": call.result.text})
        rows += [message, *results]
    write_lines(path, rows)
