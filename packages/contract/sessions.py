"""Small sessions as OpenAI Chat has them, from which the rows of the documents are made."""

from __future__ import annotations

import json
from typing import Any

Message = dict[str, Any]


class Talk:
    """A session on its way: each method appends."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.calls = 0

    def system(self, text: str) -> Talk:
        self.messages.append({"role": "system", "content": text})
        return self

    def user(self, text: str) -> Talk:
        self.messages.append({"role": "user", "content": text})
        return self

    def said(self, text: str) -> Talk:
        self.messages.append({"role": "assistant", "content": text})
        return self

    def step(self, tool: str, arguments: dict[str, Any], result: str) -> Talk:
        """A call and its result."""
        self.calls += 1
        name = f"c{self.calls}"
        written = json.dumps(arguments, ensure_ascii=False, separators=(",", ":"))
        call = {"id": name, "type": "function", "function": {"name": tool, "arguments": written}}
        self.messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        self.messages.append({"role": "tool", "tool_call_id": name, "content": result})
        return self

    def read(self, path: str, result: str) -> Talk:
        return self.step("read_file", {"path": path}, result)

    def run(self, command: str, result: str) -> Talk:
        return self.step("bash", {"command": command}, result)

    def edit(self, path: str, old: str, new: str, intent: str | None = None) -> Talk:
        why = {} if intent is None else {"intent": intent}
        return self.step("edit_file", {"path": path, "old_string": old, "new_string": new, **why}, "done")


def lines(word: str, count: int) -> str:
    """So many lines that are all different."""
    return "".join(f"{word} {nth}: the value of {word}_{nth} is {nth * 7919 % 1009}\n" for nth in range(1, count + 1))
