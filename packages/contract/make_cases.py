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


main()
