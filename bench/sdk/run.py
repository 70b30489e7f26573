"""A second opinion: do the official SDKs' own types accept every view of a session whose request they accepted?

    run.py ENFOLD HOME [--every N] [--only TEXT] [--budgets 8k,32k]

ENFOLD is the command line tool, HOME the folder that the packages are installed into. Sessions are those of
`ENFOLD_SESSIONS` (`dev/*`, `native/*/*`, `faults/*`), the examples of the repository, and those of `features.py`. Each is
converted to each wire format and folded by each policy into each budget; `check.py` and `check.mjs` look at both.

Folding may hand on what was refused before, and must not add to it: a view is refused if there is a complaint about it
that the session did not have, wherever it stands. A request with unknown fields and nothing else against it counts as
accepted. Fails if a view is refused, by the types or by Enfold itself (exit 4), or if folding breaks; that a session
cannot fit (exit 3) is no failure.

`--every N` takes each N-th view, spread over everything; `--only` the sessions with this text in their path.
"""
import argparse, collections, concurrent.futures, glob, json, os, pathlib, re, subprocess, sys, threading, zlib

HERE = pathlib.Path(__file__).parent
FORMATS = ["openai-chat", "anthropic", "openai-responses", "ai-sdk", "gemini"]
PYTHON_PACKAGES = ["anthropic", "google-genai", "openai"]
NODE_PACKAGE = "ai@6"
MESSAGES = {"openai-responses": "input", "gemini": "contents"}
CANNOT_FIT, REFUSED = 3, 4
UNKNOWN = "unknown field"


def main():
    options = arguments()
    home = pathlib.Path(options.home).resolve()
    install(home)
    policies = [line.split()[0] for line in run(options.enfold, "policies").stdout.decode().splitlines()[1:]
                if line and line[0] not in " `"]
    node = Checker(["node", HERE / "check.mjs", home])
    python = Checker([home / "venv/bin/python", HERE / "check.py"])
    tables = {format: Table() for format in FORMATS}

    def look(session, format):
        views = [(policy, budget) for policy in policies for budget in options.budgets.split(",")
                 if zlib.crc32(f"{name(session)} {format} {policy} {budget}".encode()) % options.every == 0]
        if views:
            checker = node if format == "ai-sdk" else python
            look_at(options.enfold, session, format, views, checker, tables[format])

    pairs = [(session, format) for session in sessions(home, options.only) for format in FORMATS]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda pair: look(*pair), pairs))
    report(tables)
    sys.exit(any(table.refused or table.exit_4 or table.broken for table in tables.values()))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("enfold")
    parser.add_argument("home")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--budgets", default="8k,32k")
    return parser.parse_args()


def install(home):
    """What is not there yet."""
    home.mkdir(parents=True, exist_ok=True)
    if not (home / "node_modules/ai").exists():
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--prefix", home, NODE_PACKAGE], check=True)
    done = home / "venv/installed"
    if not done.exists():
        subprocess.run(["python3", "-m", "venv", home / "venv"], check=True)
        subprocess.run([home / "venv/bin/pip", "install", "--quiet", *PYTHON_PACKAGES], check=True)
        done.touch()


def sessions(home, only):
    subprocess.run([sys.executable, HERE / "features.py", home / "features"], check=True)
    found = sorted(glob.glob(str(home / "features/*"))) + sorted(glob.glob(str(HERE.parent.parent / "examples/sessions/*")))
    root = os.environ.get("ENFOLD_SESSIONS")
    if not root:
        print("SKIPPED: real sessions; set ENFOLD_SESSIONS to a folder of them to check these too")
    for pattern in ("dev/*", "native/*/*", "faults/*") if root else ():
        found += sorted(glob.glob(os.path.join(root, pattern)))
    return [path for path in found if only in path and os.path.basename(path) not in ("README.md", "SOURCE.txt")]


def name(session):
    return "/".join(pathlib.Path(session).parts[-2:])


class Checker:
    """One of the two scripts, running; a request goes in and its complaints come out."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.lock = threading.Lock()

    def complaints(self, format, request):
        line = json.dumps({"format": format, "request": request}).encode()
        with self.lock:
            self.process.stdin.write(line + b"\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        if not answer:
            sys.exit(f"{self.process.args[1]} ended without an answer; what it said is above")
        return json.loads(answer)


class Table:
    """What was found in one format."""

    def __init__(self):
        self.counts = collections.Counter()
        self.refused, self.exit_4, self.broken = [], [], []
        self.before = collections.Counter()


def look_at(enfold, session, format, views, checker, table):
    converted = run(enfold, "convert", session, "--to", format, "--report", "none")
    if converted.returncode:
        table.counts["not read"] += 1
        return
    complaints = checker.complaints(format, as_request(format, converted.stdout))
    kinds, was_accepted = set(map(kind, complaints)), is_accepted(complaints)
    table.before.update(kinds)
    table.counts["sessions"] += 1
    table.counts["sessions accepted"] += was_accepted
    for policy, budget in views:
        case = f"{name(session)} {policy} {budget}"
        folded = run(enfold, "fold", session, "--to", format, "-p", policy, "-b", budget)
        if folded.returncode == CANNOT_FIT:
            table.counts["cannot fit"] += 1
        elif folded.returncode == REFUSED:
            table.exit_4.append((case, " ".join(folded.stderr.decode().split())))
        elif folded.returncode:
            table.broken.append((case, folded.returncode, folded.stderr.decode()[:200]))
        elif folded.stdout == converted.stdout:
            table.counts["fits"] += 1
        else:
            table.counts["views"] += 1
            # A file in this format keeps what stands around its messages, which need not be a request.
            view = run(enfold, "convert", "-", "--to", format, "--report", "none", stdin=folded.stdout)
            complaints = checker.complaints(format, as_request(format, view.stdout or folded.stdout))
            table.counts["views accepted"] += is_accepted(complaints)
            added = [complaint for complaint in complaints if kind(complaint) not in kinds]
            if added:
                table.refused.append((case, was_accepted, added))


def run(*command, stdin=None):
    return subprocess.run(command, capture_output=True, input=stdin)


def as_request(format, text):
    """A request object as it is; an array of messages, or one message per line, in a request."""
    key = MESSAGES.get(format, "messages")
    try:
        value = json.loads(text)
    except ValueError:
        value = [message(line) for line in text.split(b"\n") if line.strip()]
    if isinstance(value, dict) and key in value:
        return value
    return {key: value if isinstance(value, list) else [value]}


def message(line):
    """A line that is no JSON, as sessions that were cut off have it, is for the types to refuse."""
    try:
        return json.loads(line)
    except ValueError:
        return repr(line)


def kind(complaint):
    """The complaint, wherever in the history it stands and whatever the value is."""
    path, reason = complaint
    return re.sub(r"\.\d+", ".*", path), re.sub(r"[\w-]*\d[\w-]*", "…", reason.split(":")[0])


def is_accepted(complaints):
    return all(reason == UNKNOWN for _, reason in complaints)


def report(tables):
    columns = ["sessions", "sessions accepted", "views", "views accepted", "fits", "cannot fit", "not read"]
    print("| format | " + " | ".join(columns) + " | refused after folding | exit 4 |")
    print("|---" * (len(columns) + 3) + "|")
    for format, table in tables.items():
        figures = [table.counts[column] for column in columns] + [len(table.refused), len(table.exit_4)]
        print(f"| {format} | " + " | ".join(map(str, figures)) + " |")
    for format, table in tables.items():
        unknown = []
        for (path, reason), times in table.before.most_common():
            if reason == UNKNOWN:
                unknown.append(f"{path} ({times})")
            else:
                print(f"{format}: {times} sessions refused before folding: {path}: {reason}")
        if unknown:
            print(f"{format}: unknown fields, before folding: {', '.join(unknown)}")
    for format, table in tables.items():
        for case, was_accepted, added in table.refused:
            path, reason = added[0]
            before = "accepted" if was_accepted else "refused for something else"
            print(f"{format}: {case}: REFUSED after folding ({before} before): {path}: {reason}")
        for case, said in table.exit_4:
            print(f"{format}: {case}: exit 4: {said}")
        for case, code, said in table.broken:
            print(f"{format}: {case}: exit {code}: {said}")


if __name__ == "__main__":
    main()
