"""Writes the inputs of the contract: the same small session in every wire format, and part of a session with all its variety."""

import json
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "python" / "tests"))

import histories  # noqa: E402
from histories import FORMATS  # noqa: E402


def write(name: str, case: dict, messages: list) -> None:
    """One message per line, written as every package writes it: compact, and nothing escaped that need not be."""
    compact = [json.dumps(message, ensure_ascii=False, separators=(",", ":")) for message in messages]
    head = json.dumps(case, ensure_ascii=False)[:-1]
    lines = ",\n".join(compact)
    (HERE / "cases" / f"{name}.json").write_text(f'{head}, "messages": [\n{lines}\n]}}\n')


def main() -> None:
    histories.LINES = 12
    odd = {"role": "user", "content": 'Quotes " \\ /, a tab\t, é 中 😀 \u2028 and \x7f.', "x_own": {"n": [7, -1, True, None]}}
    for format, session in FORMATS.items():
        messages = session(14)
        write(f"fold-{format}", {"call": "fold", "options": {"budget": 1600}}, messages)
        ends = list(range(1, len(messages) + 1, 2))
        options = {"budget": 2000, "format": format}
        write(f"session-{format}", {"call": "session", "options": options, "ends": ends}, messages)
    write("look-openai-chat", {"call": "look", "options": {}, "to": "anthropic"}, FORMATS["openai-chat"](3))
    write("fold-texts-as-they-are", {"call": "fold", "options": {"budget": "1k"}}, [odd])
    tools = [{"name": "bash", "description": "Runs a command.", "input_schema": {"type": "object", "properties": {}}}]
    options = {"budget": "2.5k", "model": "claude-sonnet-4-5", "system": "Be brief.", "tools": tools}
    write("fold-system-and-tools", {"call": "fold", "options": options}, FORMATS["anthropic"](10))
    lines = (HERE.parents[1] / "examples" / "sessions" / "long.jsonl").read_text().splitlines()
    long = [json.loads(line) for line in lines[:44]]
    ends = [3, 10, 18, 24, 32, 44]
    ends = [end for end in ends if end <= len(long)]
    options = {"budget": "9k", "policy": "balanced", "name": "tally"}
    write("session-long", {"call": "session", "options": options, "ends": ends}, long)
    write("fold-priority", {"call": "fold", "options": {"budget": "8k", "policy": "priority"}}, long)
    facts(long)


def facts(long: list) -> None:
    """What is known without folding, of a whole session; and settings of each policy."""
    own = {"own_tools": [{"name": "peek", "does": "read", "path": "where"}], "modified": ["README.md"]}
    asked = {
        "changelog": ({}, {}),
        "files": (own, {"max_age": 8, "preview": 40}),
        "file_at": ({}, {"path": "tests/test_money.c", "turn": 1}),
        "priorities": ({"preserve_recent_turns": 3, "tokenizer": "heuristic"}, {}),
        "pruning": ({"prune_protect": 4000, "prune_minimum": 1000, "min_turns_to_keep": 1}, {}),
        "count": ({"tokenizer": "heuristic"}, {}),
    }
    for call, (options, beside) in asked.items():
        write(f"facts-{call.replace('_', '-')}", {"call": call, "options": options, "with": beside}, long)
    settings = {
        "retention": {"max_file_reads": 3, "bash_truncate": 2000, "keep_all_edits": True, "keep_listings": 5},
        "microcompact": {"hot_zone_tokens": 2000, "window": 9000, "categories": {"read_file": "ephemeral"}},
        "prune": {"prune_protect": 3000, "prune_minimum": 500, "min_turns_to_keep": 0},
        "summarize": {"recent_messages_to_keep": 6, "summary_tokens": 300, "summary_template": "cms"},
        "age": {"preserve_recent_turns": 0, "keep_all_edits": False},
    }
    for policy, options in settings.items():
        write(f"settings-{policy}", {"call": "fold", "options": {"budget": "7k", "policy": policy, **options}}, long)
    tokens = {"model": "gpt-4o", "reserves": {"output": "model", "safety": 1000}, "threshold": 0.7, "target": 0.5}
    write("model-budget", {"call": "model_budget", "options": tokens, "with": {"tokens": 70000}}, [])
    schema = {"type": "object", "properties": {"path": {"type": "string"}}}
    tools = [{"name": name, "input_schema": schema} for name in ("edit_file", "read_file")]
    write("add-intent", {"call": "add_intent", "options": {}, "with": {"tools": tools}}, [])
    about = {"toolCallId": "c1", "toolName": "read"}
    old = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [{"type": "tool-call", **about, "args": {"path": "a"}}]},
        {"role": "tool", "content": [{"type": "tool-result", **about, "result": {"a": 1}}]},
    ]
    write("convert-version-4", {"call": "convert", "options": {}, "with": {"to": "ai-sdk"}}, old)


main()
