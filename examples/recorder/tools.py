"""The agent's tools, each doing what it says in one working directory."""
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Result:
    text: str
    failed: bool = False
    exit_code: int | None = None
    image: bytes | None = None


class Workshop:
    """A working directory with an environment that says nothing about the machine it is on."""

    def __init__(self, directory, clock):
        self.directory = Path(directory)
        self.clock = clock

    def run(self, call):
        try:
            return getattr(self, call.tool)(**call.args)
        except ToolError as error:
            return Result(f"error: {error}", failed=True)

    def environment(self):
        now = self.clock.now().strftime("%Y-%m-%dT%H:%M:%S+00:00")
        return {
            "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(self.directory.parent), "USER": "dev", "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8", "TZ": "UTC", "PYTHONDONTWRITEBYTECODE": "1", "GIT_PAGER": "cat",
            "GIT_AUTHOR_NAME": "Dev", "GIT_AUTHOR_EMAIL": "dev@example.com", "GIT_AUTHOR_DATE": now,
            "GIT_COMMITTER_NAME": "Dev", "GIT_COMMITTER_EMAIL": "dev@example.com", "GIT_COMMITTER_DATE": now,
            "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull,
        }

    def bash(self, command):
        done = subprocess.run(["bash", "-c", command], cwd=self.directory, env=self.environment(), text=True, errors="replace",
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
        text = done.stdout.rstrip("\n")
        if done.returncode:
            text += f"\n[exit code {done.returncode}]"
        return Result(text.lstrip("\n") or "(no output)", done.returncode != 0, done.returncode)

    def read_file(self, path, offset=1, limit=None):
        lines = self.text_of(path).splitlines()
        shown = lines[offset - 1:][:limit]
        body = "".join(f"{n:6}\t{line}\n" for n, line in enumerate(shown, offset))
        return Result(body + f"(lines {offset}-{offset + len(shown) - 1} of {len(lines)})")

    def write_file(self, path, content):
        target = self.directory / path
        existed = target.exists()
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content)
        return Result(f"{'replaced' if existed else 'created'} {path} ({len(content.splitlines())} lines)")

    def edit_file(self, path, old_string, new_string, intent=""):
        text = self.text_of(path)
        if text.count(old_string) != 1:
            raise ToolError(f"old_string occurs {text.count(old_string)} times in {path}, expected exactly once")
        (self.directory / path).write_text(text.replace(old_string, new_string))
        line = text[:text.index(old_string)].count("\n") + 1
        return Result(f"edited {path} at line {line}: -{len(old_string.splitlines())} +{len(new_string.splitlines())} lines")

    def grep(self, pattern, path="."):
        command = ["grep", "-rnHE", "--exclude-dir=.git", "--exclude-dir=build", "--", pattern, path]
        done = subprocess.run(command, cwd=self.directory, env=self.environment(), text=True, capture_output=True)
        return Result("\n".join(sorted(done.stdout.splitlines(), key=hit_order)) or "no matches")

    def todo(self, items):
        mark = {"completed": "[x]", "in_progress": "[>]", "pending": "[ ]"}
        return Result("\n".join(f"{mark[i['status']]} {i['content']}" for i in items))

    def view_image(self, path):
        if not (self.directory / path).exists():
            raise ToolError(f"no such file: {path}")
        data = (self.directory / path).read_bytes()
        return Result(f"{path}: image, {len(data)} bytes", image=data)

    def apply_patch(self, input):
        """Codex's format, as far as it is used here: `*** Add File`, `*** Update File` with `@@` hunks."""
        changed = []
        for part in input.split("*** ")[1:]:
            head, _, body = part.partition("\n")
            if head.startswith("Add File: "):
                path = head.removeprefix("Add File: ")
                (self.directory / path).write_text("".join(line[1:] + "\n" for line in body.splitlines()))
                changed.append(f"A {path}")
            elif head.startswith("Update File: "):
                path = head.removeprefix("Update File: ")
                text = self.text_of(path)
                for hunk in body.split("@@\n")[1:]:
                    lines = hunk.splitlines()
                    old = "".join(line[1:] + "\n" for line in lines if line[:1] != "+")
                    new = "".join(line[1:] + "\n" for line in lines if line[:1] != "-")
                    if text.count(old) != 1:
                        raise ToolError(f"Failed to find expected lines in {path}:\n{old}")
                    text = text.replace(old, new)
                (self.directory / path).write_text(text)
                changed.append(f"M {path}")
        return Result("Success. Updated the following files:\n" + "\n".join(changed) + "\n", exit_code=0)

    def text_of(self, path):
        try:
            return (self.directory / path).read_text()
        except FileNotFoundError:
            raise ToolError(f"no such file: {path}") from None


class ToolError(Exception):
    pass


def hit_order(hit):
    path, line, _ = hit.split(":", 2)
    return path, int(line)
