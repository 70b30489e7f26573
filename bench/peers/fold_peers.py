"""Folds a session (chat messages, one per line) with other libraries; prints name, what it does, median CPU seconds and
the exact tokens of what is left. Only the fold is timed, on the library's own message objects, counted its own way."""
import asyncio, functools, json, statistics, sys, time, warnings

import tiktoken

warnings.filterwarnings("ignore")
path, budget, runs = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
with open(path, encoding="utf-8") as lines:
    messages = [json.loads(line) for line in lines]
encoding = tiktoken.get_encoding("o200k_base")
rows = []


def exact(text):
    return len(encoding.encode_ordinary(text)) if text else 0


def measure(name, does, fold, texts_of):
    """`texts_of` gives, per message that is left, the text and the number of calls in it."""
    times = []
    for _ in range(runs):
        start = time.process_time()
        left = fold()
        times.append(time.process_time() - start)
    tokens = sum(4 + exact(text) + 4 * calls for text, calls in map(texts_of, left))
    rows.append({"name": name, "does": does, "seconds": statistics.median(times), "tokens": tokens})


def langchain():
    import langchain_core
    from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage, trim_messages
    from langchain_core.messages.utils import count_tokens_approximately

    def convert(message):
        text = message.get("content") or ""
        if message["role"] == "system":
            return SystemMessage(text)
        if message["role"] == "user":
            return HumanMessage(text)
        if message["role"] == "tool":
            return ToolMessage(text, tool_call_id=message["tool_call_id"])
        calls = message.get("tool_calls") or []
        return AIMessage(text, tool_calls=[
            {"id": call["id"], "name": call["function"]["name"], "args": arguments(call)} for call in calls])

    def arguments(call):
        try:
            value = json.loads(call["function"]["arguments"])
        except ValueError:
            value = None
        return value if isinstance(value, dict) else {"value": value}

    def said(message):
        calls = getattr(message, "tool_calls", None) or []
        spoken = "".join(call["name"] + json.dumps(call["args"]) for call in calls)
        return (message.content if isinstance(message.content, str) else "") + spoken, len(calls)

    @functools.lru_cache(maxsize=None)
    def remembered(text):
        return exact(text)

    def exactly(some):
        return sum(4 + remembered(text) + 4 * calls for text, calls in map(said, some))

    def trim(counter):
        return lambda: trim_messages(own, max_tokens=budget, strategy="last", token_counter=counter,
                                     start_on=("human", "ai"), include_system=True)

    def trim_exactly():
        remembered.cache_clear()
        return trim(exactly)()

    own = [convert(message) for message in messages]
    version = langchain_core.__version__
    measure(f"langchain-core {version} `trim_messages`, approximate", "drops the oldest; guesses tokens from characters",
            trim(count_tokens_approximately), said)
    measure(f"langchain-core {version} `trim_messages`, tiktoken", "drops the oldest; counts each text once, exactly",
            trim_exactly, said)


def pydantic_ai():
    from importlib.metadata import version
    from pydantic_ai.messages import (ModelRequest, ModelResponse, SystemPromptPart, TextPart, ToolCallPart,
                                      ToolReturnPart, UserPromptPart)
    from pydantic_ai.models.test import TestModel
    from pydantic_ai_harness.compaction import ClearToolResults, SlidingWindowCompaction, TieredCompaction, compact_now

    names = {}

    def convert(message):
        text = message.get("content") or ""
        if message["role"] == "system":
            return ModelRequest(parts=[SystemPromptPart(text)])
        if message["role"] == "user":
            return ModelRequest(parts=[UserPromptPart(text)])
        if message["role"] == "tool":
            id = message["tool_call_id"]
            return ModelRequest(parts=[ToolReturnPart(tool_name=names.get(id, "tool"), content=text, tool_call_id=id)])
        parts = [TextPart(text)] if text else []
        for call in message.get("tool_calls") or []:
            name = call["function"]["name"]
            names[call["id"]] = name
            parts.append(ToolCallPart(tool_name=name, args=call["function"]["arguments"], tool_call_id=call["id"]))
        return ModelResponse(parts=parts)

    def said(message):
        text, calls = "", 0
        for part in message.parts:
            if isinstance(part, ToolCallPart):
                calls += 1
                text += part.tool_name + (part.args if isinstance(part.args, str) else json.dumps(part.args))
            else:
                text += part.content if isinstance(part.content, str) else str(part.content)
        return text, calls

    def fold():
        tiers = [ClearToolResults(max_tokens=1, keep_pairs=3), SlidingWindowCompaction(max_tokens=1, keep_tokens=budget)]
        return asyncio.run(compact_now(TieredCompaction(tiers=tiers, target_tokens=budget), list(own), model=TestModel()))

    own = [convert(message) for message in messages]
    measure(f"pydantic-ai-harness {version('pydantic-ai-harness')} `TieredCompaction`",
            "clears old results, then drops the oldest; guesses tokens from characters", fold, said)


for peer in (langchain, pydantic_ai):
    try:
        peer()
    except Exception as error:  # a peer that changed its interface is left out, and said so
        print(f"{peer.__name__} left out: {error!r}", file=sys.stderr)
print(json.dumps(rows))
