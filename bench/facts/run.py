#!/usr/bin/env python3
"""Which facts a successor must know still stand in a view.

The facts were written by hand from thirty real sessions, before any view was looked at (sessions/*.toml): what the user wants
and on what conditions, what was decided, how each file stands, what failed and why, what was ruled out, what comes next.
Every other session (by name) is held out: nothing is tuned by it. Sessions whose system prompt, task and newest message take more
than half of a budget are left out at that budget.

usage: run.py DATA --system NAME=COMMAND [...] [--peers FILE] [--budget N ...] [--lost NAME] [--half tuned|held-out]

DATA is a folder with the sessions as JSON lines. COMMAND reads a history on standard input and writes a view; {budget} in it is
replaced. --peers names a Python file whose PEERS are functions of (messages, budget). --lost prints the facts a system lost.
"""
import argparse, collections, importlib.util, json, pathlib, re, subprocess, sys, tomllib

HERE = pathlib.Path(__file__).resolve().parent
KINDS = ["request", "constraint", "decision", "file", "failure", "ruled_out", "next", "environment"]


def plain(text):
    return re.sub(r"\s+", " ", text.lower())


def strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)


def words(message):
    """What a model reads of a message."""
    content = message.get("content")
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        yield from (part.get("text") or "" for part in content if isinstance(part, dict))
    for call in message.get("tool_calls") or []:
        arguments = call["function"]["arguments"]
        try:
            yield from strings(json.loads(arguments))
        except ValueError:
            yield arguments


def holds(view, fact):
    return all(any(plain(way) in view for way in group) for group in fact["needs"])


def tokens(message):
    return sum(len(text) for text in words(message)) // 4


def leaves_room(messages, budget):
    """Whether what any system must keep (system prompts, the first and the newest user message) leaves half of the budget."""
    users = [message for message in messages if message.get("role") == "user"]
    must = [message for message in messages if message.get("role") == "system"] + users[:1] + users[1:][-1:]
    return sum(map(tokens, must)) <= budget / 2


def by_command(command):
    def fold(messages, budget):
        lines = "".join(json.dumps(message, ensure_ascii=False) + "\n" for message in messages)
        run = subprocess.run(command.replace("{budget}", str(budget)), shell=True, input=lines.encode(), capture_output=True)
        if run.returncode:
            raise RuntimeError(run.stderr.decode()[:300])
        return [json.loads(line) for line in run.stdout.decode().splitlines() if line.strip()]
    return fold


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--system", action="append", default=[])
    parser.add_argument("--peers")
    parser.add_argument("--budget", type=int, action="append")
    parser.add_argument("--lost")
    parser.add_argument("--half", choices=["tuned", "held-out"])
    options = parser.parse_args()
    systems = dict((name, by_command(command)) for name, command in (system.split("=", 1) for system in options.system))
    if options.peers:
        sys.path.insert(0, str(pathlib.Path(options.peers).parent))
        spec = importlib.util.spec_from_file_location("peers", options.peers)
        peers = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(peers)
        systems |= peers.PEERS
    files = sorted((HERE / "sessions").glob("*.toml"))
    half = {None: files, "tuned": files[::2], "held-out": files[1::2]}[options.half]
    for budget in options.budget or [8000, 16000, 32000]:
        kept = {name: collections.Counter() for name in systems}
        all_facts, sessions = collections.Counter(), 0
        for file in half:
            asset = tomllib.loads(file.read_text())
            source = options.data / asset["session"]
            messages = [json.loads(line) for line in source.read_text().splitlines() if line.strip()][: asset["cut"]]
            if not leaves_room(messages, budget):
                continue
            sessions += 1
            for fact in asset["fact"]:
                all_facts[fact["kind"]] += 1
            for name, fold in systems.items():
                try:
                    view = plain("\n".join(text for message in fold(messages, budget) for text in words(message)))
                except Exception as error:  # A system that fails keeps nothing.
                    print(f"{name}: {asset['session']}: {error}", file=sys.stderr)
                    continue
                for fact in asset["fact"]:
                    if holds(view, fact):
                        kept[name][fact["kind"]] += 1
                    elif name == options.lost:
                        print(f"lost at {budget}: {asset['session'][:40]} [{fact['from']}] {fact['kind']}: {fact['says']}  {fact['needs']}")
        print(f"\nbudget {budget}: {sessions} sessions, {sum(all_facts.values())} facts")
        print(f"{'system':24} {'all':>6} " + " ".join(f"{kind:>11}" for kind in KINDS))
        for name, counts in kept.items():
            share = lambda kind: f"{counts[kind] / all_facts[kind]:11.2f}" if all_facts[kind] else f"{'–':>11}"
            print(f"{name:24} {sum(counts.values()) / sum(all_facts.values()):6.3f} " + " ".join(map(share, KINDS)), flush=True)


main()
