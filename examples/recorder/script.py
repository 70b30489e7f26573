"""The words in which a session is scripted: what the user says, what the agent says, which tools it calls."""
from dataclasses import dataclass, field


@dataclass
class User:
    text: str


@dataclass
class Call:
    tool: str
    args: dict
    result: object = None  # tools.Result, filled in by the recorder


@dataclass
class Step:
    """One assistant message; without calls it ends the turn."""
    text: str
    calls: list
    thinking: str = ""


@dataclass
class Compact:
    """The agent's own compaction: what follows sees only this summary."""
    summary: str


@dataclass
class Abandoned:
    """A user message and its answers that were rewound: they happened, but the session went on from before them."""
    events: list = field(default_factory=list)


@dataclass
class Delegate:
    """A sub-agent: its prompt, its own steps, and the report that becomes the result of the call."""
    title: str
    prompt: str
    steps: list
    report: str
    tool: str = "task"
    result: object = None


def user(text):
    return User(text.strip())


def step(text, *calls, thinking=""):
    return Step(text.strip(), list(calls), thinking.strip())


def say(text, thinking=""):
    return step(text, thinking=thinking)


def bash(command):
    return Call("bash", {"command": command.strip("\n")})


def read(path, offset=None, limit=None):
    window = {"offset": offset, "limit": limit}
    return Call("read_file", {"path": path} | {k: v for k, v in window.items() if v is not None})


def write(path, content):
    return Call("write_file", {"path": path, "content": content.lstrip("\n")})


def edit(path, old, new, intent):
    return Call("edit_file", {"path": path, "old_string": old.strip("\n"), "new_string": new.strip("\n"), "intent": intent})


def grep(pattern, path="."):
    return Call("grep", {"pattern": pattern, "path": path})


def todo(*items):
    """Items are written "x done", "> in progress", "- pending"."""
    status = {"x": "completed", ">": "in_progress", "-": "pending"}
    return Call("todo", {"items": [{"content": i[2:], "status": status[i[0]]} for i in items]})


def view_image(path):
    return Call("view_image", {"path": path})


def patch(text):
    return Call("apply_patch", {"input": text.strip("\n") + "\n"})
