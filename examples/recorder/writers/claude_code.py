"""Claude Code's session file: a tree of lines, one content block each."""
from ..script import Abandoned, Compact, Delegate, User
from .common import Ids, estimate, stamp, write_lines

MODEL, VERSION = "claude-sonnet-4-5-20250929", "2.0.76"
NAMES = {"bash": "Bash", "read_file": "Read", "edit_file": "Edit", "write_file": "Write", "grep": "Grep", "todo": "TodoWrite"}


def write(script, path):
    Transcript(script, path).write(path)


class Transcript:
    def __init__(self, script, path):
        self.ids, self.directory, self.rows, self.todos = Ids(path.name), script.DIRECTORY, [], []
        self.session, self.leaf, self.cached = self.ids.uuid(), None, 14000
        self.rows.append({"type": "summary", "summary": "Report a single year", "leafUuid": self.ids.uuid()})
        self.events(script.EVENTS)

    def write(self, path):
        write_lines(path, self.rows)

    def events(self, events, sidechain=False):
        for event in events:
            if isinstance(event, Abandoned):
                leaf = self.leaf
                self.events(event.events)
                self.leaf = leaf
            elif isinstance(event, Compact):
                self.compact(event)
            elif isinstance(event, User):
                self.line(event.at, sidechain, type="user", message={"role": "user", "content": event.text})
                if not sidechain:
                    self.snapshot(event)
            else:
                self.step(event, sidechain)

    def line(self, at, sidechain, parent="leaf", **fields):
        uuid = self.ids.uuid()
        self.rows.append({
            "parentUuid": self.leaf if parent == "leaf" else parent, "isSidechain": sidechain, "userType": "external",
            "cwd": self.directory, "sessionId": self.session, "version": VERSION, "gitBranch": "main", **fields,
            "uuid": uuid, "timestamp": stamp(at)})
        self.leaf = uuid
        return uuid

    def snapshot(self, event):
        state = {"messageId": self.leaf, "trackedFileBackups": {}, "timestamp": stamp(event.at)}
        self.rows.append({"type": "file-history-snapshot", "messageId": self.leaf, "snapshot": state, "isSnapshotUpdate": False})

    def step(self, event, sidechain):
        blocks = []
        if event.thinking:
            blocks.append({"type": "thinking", "thinking": event.thinking, "signature": self.ids.opaque(120)})
        if event.text:
            blocks.append({"type": "text", "text": event.text})
        uses = [self.use(call) for call in event.calls]
        message, request = self.ids.text("msg_01", 22), self.ids.text("req_011C", 20)
        usage = self.usage(event)
        owners = []
        for block in blocks + uses:
            body = {"model": MODEL, "id": message, "type": "message", "role": "assistant", "content": [block],
                    "stop_reason": None, "stop_sequence": None, "usage": usage}
            owners.append(self.line(event.at, sidechain, message=body, requestId=request, type="assistant"))
        for use, call, owner in zip(uses, event.calls, owners[len(blocks):]):
            if isinstance(call, Delegate):
                self.subagent(call)
            self.result(event, use, call, owner, sidechain)

    def use(self, call):
        return {"type": "tool_use", "id": self.ids.text("toolu_01", 22), "name": NAMES.get(call.tool, "Task"), "input": self.input(call)}

    def input(self, call):
        if isinstance(call, Delegate):
            return {"description": call.title, "prompt": call.prompt, "subagent_type": "Explore"}
        args = dict(call.args)
        if call.tool == "todo":
            return {"todos": [item | {"activeForm": item["content"]} for item in args["items"]]}
        if call.tool == "grep":
            return {"pattern": args["pattern"], "path": args["path"], "output_mode": "content", "-n": True}
        if "path" in args:
            args = {"file_path": f"{self.directory}/{args.pop('path')}"} | args
        args.pop("intent", None)
        return args

    def result(self, event, use, call, owner, sidechain):
        """The parent of a result is the line of its own call, which makes parallel calls a tree."""
        text = shown(use, call)
        failed = call.result.failed
        block = {"tool_use_id": use["id"], "type": "tool_result", "content": text}
        if isinstance(call, Delegate):
            block["content"] = [{"type": "text", "text": text}]
        if failed:
            block["is_error"] = True
        self.line(event.done, sidechain, parent=owner, type="user", message={"role": "user", "content": [block]},
                  toolUseResult=f"Error: {text}" if failed else self.structured(use, call, text), sourceToolAssistantUUID=owner)

    def structured(self, use, call, text):
        if isinstance(call, Delegate):
            return {"status": "completed", "prompt": call.prompt, "content": [{"type": "text", "text": text}],
                    "totalDurationMs": 9120, "totalTokens": 5230, "totalToolUseCount": sum(len(s.calls) for s in call.steps)}
        if use["name"] == "Read":
            lines = [line.partition("\t")[2] for line in call.result.text.splitlines()[:-1]]
            total = int(call.result.text.rstrip(")").rsplit(" ", 1)[1])
            return {"type": "text", "file": {"filePath": use["input"]["file_path"], "content": "\n".join(lines), "numLines": len(lines),
                                             "startLine": call.args.get("offset", 1), "totalLines": total}}
        if use["name"] == "Edit":
            return {"filePath": use["input"]["file_path"], "oldString": call.args["old_string"], "newString": call.args["new_string"],
                    "structuredPatch": [], "userModified": False, "replaceAll": False}
        if use["name"] == "TodoWrite":
            before, self.todos = self.todos, use["input"]["todos"]
            return {"oldTodos": before, "newTodos": self.todos}
        if use["name"] == "Grep":
            return {"mode": "content", "numFiles": 0, "filenames": [], "content": text, "numLines": len(text.splitlines())}
        return {"stdout": text, "stderr": "", "interrupted": False, "isImage": False}

    def subagent(self, call):
        """Its lines stand in the same file, marked as a sidechain, with a root of their own."""
        leaf = self.leaf
        first = call.steps[0]
        self.line(first.at, True, parent=None, type="user", message={"role": "user", "content": call.prompt})
        self.events(call.steps, sidechain=True)
        self.leaf = leaf

    def compact(self, event):
        boundary = self.leaf
        self.line(event.at, False, parent=None, logicalParentUuid=boundary, type="system", subtype="compact_boundary",
                  content="Conversation compacted", isMeta=False, level="info",
                  compactMetadata={"trigger": "auto", "preTokens": self.cached})
        text = ("This session is being continued from a previous conversation. "
                "Its summary:\n" + event.summary)
        self.line(event.at, False, type="user", message={"role": "user", "content": text}, isVisibleInTranscriptOnly=True,
                  isCompactSummary=True)
        self.cached = 14000

    def usage(self, event):
        new = estimate(event.text) + sum(estimate(c.result.text) for c in event.calls) + 40
        usage = {"input_tokens": 4, "cache_creation_input_tokens": new, "cache_read_input_tokens": self.cached,
                 "cache_creation": {"ephemeral_5m_input_tokens": new, "ephemeral_1h_input_tokens": 0},
                 "output_tokens": estimate(event.text) + 60 * len(event.calls) + 5, "service_tier": "standard"}
        self.cached += new
        return usage


def shown(use, call):
    """The text as Claude Code's tools word it."""
    text = call.result.text
    if use["name"] == "Read" and not call.result.failed:
        return "\n".join(line.replace("\t", "→", 1) for line in text.splitlines()[:-1])
    if use["name"] == "Edit" and not call.result.failed:
        return f"The file {use['input']['file_path']} has been updated successfully."
    if use["name"] == "TodoWrite":
        return "Todos have been modified successfully."
    return text
