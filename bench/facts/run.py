#!/usr/bin/env python3
"""Which facts a successor must know still stand in a view.

The facts were written by hand from thirty real sessions, before any view was looked at (sessions/*.toml): what the user wants
and on what conditions, what was decided, how each file stands, what failed and why, what was ruled out, what comes next.
Every other session (by name) is held out: nothing is tuned by it; the columns `tuned` and `held-out` are the halves of `all`. Sessions
whose system prompt, task and newest message take more than half of a budget are left out at that budget.

usage: run.py DATA --system NAME=COMMAND [...] [--peers FILE] [--budget N ...] [--lost NAME] [--half tuned|held-out]

DATA is a folder with the sessions as JSON lines. COMMAND reads a history on standard input and writes a view; {budget} in it is
replaced. --peers names a Python file whose PEERS are functions of (messages, budget), with judge.py beside it, which counts tokens for
them; a peer is only asked where the history is over the budget, and then a view over the budget, anybody's, keeps nothing (`over`
counts those). --lost prints the facts a system lost.
"""
import argparse, collections, importlib.util, json, pathlib, re, subprocess, sys, tomllib

HERE = pathlib.Path(__file__).resolve().parent
KINDS = ["request", "constraint", "decision", "file", "failure", "ruled_out", "next", "environment"]
HALVES = ["tuned", "held-out"]


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


def load_peers(file):
    """The peers, and how tokens are counted for them. They expect the counting among their own names."""
    sys.path.insert(0, str(pathlib.Path(file).resolve().parent))
    import judge
    spec = importlib.util.spec_from_file_location("peers", file)
    peers = importlib.util.module_from_spec(spec)
    peers.count, peers.tokens_of = judge.count, judge.tokens_of
    spec.loader.exec_module(peers)
    size = lambda messages: sum(map(judge.tokens_of, messages))

    def where_over(fold):
        """Some peers would clear results of a history that fits; nobody uses them so."""
        return lambda messages, budget: fold([dict(m) for m in messages], budget) if size(messages) > budget else messages
    return {name: where_over(fold) for name, fold in peers.PEERS.items()}, size


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
    size = None
    if options.peers:
        peers, size = load_peers(options.peers)
        systems = peers | systems
    files = sorted((HERE / "sessions").glob("*.toml"))
    half_of = {file: HALVES[nth % 2] for nth, file in enumerate(files)}
    for budget in options.budget or [8000, 16000, 32000]:
        kept = {name: collections.Counter() for name in systems}
        all_facts, over, sessions = collections.Counter(), collections.Counter(), 0
        for file in files:
            half = half_of[file]
            if options.half not in (None, half):
                continue
            asset = tomllib.loads(file.read_text())
            source = options.data / asset["session"]
            messages = [json.loads(line) for line in source.read_text().splitlines() if line.strip()][: asset["cut"]]
            if not leaves_room(messages, budget):
                continue
            sessions += 1
            for fact in asset["fact"]:
                all_facts.update(("all", half, fact["kind"]))
            for name, fold in systems.items():
                try:
                    folded = fold(messages, budget)
                except Exception as error:  # A system that fails keeps nothing.
                    print(f"{name}: {asset['session']}: {error}", file=sys.stderr)
                    continue
                if size and size(folded) > budget:
                    over[name] += 1
                    continue
                view = plain("\n".join(text for message in folded for text in words(message)))
                for fact in asset["fact"]:
                    if holds(view, fact):
                        kept[name].update(("all", half, fact["kind"]))
                    elif name == options.lost:
                        print(f"lost at {budget}: {asset['session'][:40]} [{fact['from']}] {fact['kind']}: {fact['says']}  {fact['needs']}")
        print(f"\nbudget {budget}: {sessions} sessions, {all_facts['all']} facts ({all_facts['tuned']} tuned, {all_facts['held-out']} held out)")
        print(f"{'system':24} {'all':>6} {'tuned':>6} {'held-out':>8} {'over':>5} " + " ".join(f"{kind:>11}" for kind in KINDS))
        for name, counts in kept.items():
            def share(of, width, digits):
                return f"{counts[of] / all_facts[of]:{width}.{digits}f}" if all_facts[of] else f"{'–':>{width}}"
            print(f"{name:24} {share('all', 6, 3)} {share('tuned', 6, 3)} {share('held-out', 8, 3)} {over[name] if size else '–':>5} "
                  + " ".join(share(kind, 11, 2) for kind in KINDS), flush=True)


main()
