"""An agent of 60 steps through a window of 16,000 tokens, offline: the model is a script that reads file after file.

    python examples/agent.py

What it shows: the loop keeps its whole list; each request is what `prepare` gives; nothing else changes.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import enfold

WINDOW = 16_000
STEPS = 60
Message = dict[str, Any]


def model(messages: list[Message]) -> Message:
    """In place of a provider: asks for the next file until it has seen all of them."""
    errors = [it for it in enfold.validate(messages, format="openai-chat") if it["severity"] == "error"]
    assert errors == [], errors
    assert enfold.count(messages, format="openai-chat") <= WINDOW
    calls = [it["tool_calls"][0]["id"] for it in messages if it.get("tool_calls")]
    step = int(calls[-1][1:]) + 1 if calls else 0
    if step == STEPS:
        return {"role": "assistant", "content": "Done: every file is read."}
    arguments = json.dumps({"path": f"src/module_{step}.py"})
    call = {"id": f"c{step}", "type": "function", "function": {"name": "read_file", "arguments": arguments}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def read_file(path: str) -> str:
    """A file of about 900 tokens."""
    lines = (f"def handler_{nth}(request):  # {path}\n    return request.value_{nth} + {nth}\n" for nth in range(30))
    return "".join(lines)


TOOLS: dict[str, Callable[..., str]] = {"read_file": read_file}


def run() -> None:
    """The loop."""
    messages: list[Message] = [{"role": "user", "content": "Read all modules and say what they do."}]
    session = enfold.Session(budget=WINDOW, format="openai-chat")
    requests = rewritten = 0
    try:
        while True:
            view = session.prepare(messages)
            requests += 1
            rewritten += view.opened is not None
            answer = model(view.messages)
            messages.append(answer)
            if not answer.get("tool_calls"):
                break
            for call in answer["tool_calls"]:
                result = TOOLS[call["function"]["name"]](**json.loads(call["function"]["arguments"]))
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})
    finally:
        session.settle()
    total = enfold.count(messages)
    print(f"{requests} requests, every request valid and within {WINDOW:,} tokens; the history has {total:,}.")
    print(f"{rewritten} of them changed what was sent before: the cache held for the others.")


run()
