"""Codex's rollout file: {timestamp, type, payload}, the model's items mirrored by events for the screen."""
import json

from .common import Compact, Ids, User, compact_json, estimate, stamp, write_lines

MODEL, WINDOW = "gpt-5.1-codex", 272000


def write(script, path):
    rollout = Rollout(script, path)
    for event in script.EVENTS:
        if isinstance(event, User):
            rollout.user(event)
        elif isinstance(event, Compact):
            rollout.compacted(event)
        else:
            rollout.step(event)
    write_lines(path, rollout.rows)


class Rollout:
    def __init__(self, script, path):
        self.script, self.ids, self.rows = script, Ids(path.name), []
        self.turn, self.context, self.total = None, 2100, [0, 0, 0]
        self.users = []
        start = script.EVENTS[0].at
        self.row(start, "session_meta", {
            "id": self.ids.uuid(), "timestamp": stamp(start), "cwd": script.DIRECTORY, "originator": "codex_cli_rs", "cli_version": "0.58.0",
            "source": "cli", "model_provider": "openai", "base_instructions": {"text": script.SYSTEM}, "git": {"branch": "main"}})
        environment = f"<environment_context>\n  <cwd>{script.DIRECTORY}</cwd>\n  <shell>bash</shell>\n</environment_context>"
        self.item(start, message("user", "input_text", environment))

    def row(self, at, kind, payload):
        self.rows.append({"timestamp": stamp(at), "type": kind, "payload": payload})

    def item(self, at, payload):
        self.row(at, "response_item", payload)

    def event(self, at, kind, **fields):
        self.row(at, "event_msg", {"type": kind, **fields})

    def user(self, event):
        self.turn = self.ids.uuid()
        self.users.append(event.text)
        self.event(event.at, "task_started", turn_id=self.turn, model_context_window=WINDOW)
        self.row(event.at, "turn_context", {
            "turn_id": self.turn, "cwd": self.script.DIRECTORY, "approval_policy": "on-request",
            "sandbox_policy": {"type": "workspace-write", "network_access": False}, "model": MODEL, "effort": "medium", "summary": "auto"})
        self.item(event.at, message("user", "input_text", event.text))
        self.event(event.at, "user_message", message=event.text, images=[])

    def step(self, event):
        summary = [{"type": "summary_text", "text": event.thinking}] if event.thinking else []
        self.item(event.at, {"type": "reasoning", "summary": summary, "content": None, "encrypted_content": self.ids.opaque(96)})
        if event.text:
            phase = "commentary" if event.calls else "final_answer"
            self.item(event.at, message("assistant", "output_text", event.text) | {"phase": phase})
            self.event(event.at, "agent_message", message=event.text, phase=phase)
        calls = [(self.ids.text("call_", 24), call) for call in event.calls]
        for id, call in calls:
            self.item(event.at, self.call(id, call))
        for id, call in calls:
            self.item(event.done, self.output(id, call))
        self.usage(event)
        if not event.calls:
            self.event(event.done, "task_complete", turn_id=self.turn, last_agent_message=event.text)

    def call(self, id, call):
        if call.tool == "apply_patch":
            return {"type": "custom_tool_call", "status": "completed", "call_id": id, "name": "apply_patch", "input": call.args["input"]}
        arguments = {"cmd": call.args["command"], "workdir": self.script.DIRECTORY, "yield_time_ms": 10000}
        return {"type": "function_call", "name": "exec_command", "arguments": compact_json(arguments), "call_id": id}

    def output(self, id, call):
        if call.tool == "apply_patch":
            failed = int(call.result.failed)
            output = json.dumps({"output": call.result.text, "metadata": {"exit_code": failed, "duration_seconds": 0.0}}, ensure_ascii=False)
            return {"type": "custom_tool_call_output", "call_id": id, "output": output}
        text = call.result.text
        body = text.rsplit("\n[exit code", 1)[0] if call.result.failed else text
        head = f"Chunk ID: {self.ids.text('', 6).lower()}\nWall time: 0.0510 seconds\nProcess exited with code {call.result.exit_code}\n"
        return {"type": "function_call_output", "call_id": id, "output": f"{head}Original token count: {estimate(body)}\nOutput:\n{body}\n"}

    def usage(self, event):
        fresh = sum(estimate(c.result.text) for c in event.calls) + estimate(event.text)
        out = estimate(event.text) + 30 * len(event.calls) + 20
        last = usage(self.context, self.context - fresh // 2, out)
        self.total = [self.total[0] + last["input_tokens"], self.total[1] + last["cached_input_tokens"], self.total[2] + out]
        self.context += fresh + out
        info = {"total_token_usage": usage(*self.total), "last_token_usage": last, "model_context_window": WINDOW}
        self.event(event.done, "token_count", info=info, rate_limits=None)

    def compacted(self, event):
        """What follows is sent after the replacement history, not after the items above."""
        kept = [message("user", "input_text", text) for text in self.users]
        summary = message("user", "input_text", "Summary of the work so far:\n" + event.summary)
        self.row(event.at, "compacted", {"message": event.summary, "replacement_history": [*kept, summary]})
        self.event(event.at, "context_compacted")
        self.context = 2600


def message(role, kind, text):
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def usage(given, cached, out):
    cached = max(0, min(cached, given))
    return {"input_tokens": given, "cached_input_tokens": cached, "output_tokens": out, "reasoning_output_tokens": out // 3,
            "total_tokens": given + out}
