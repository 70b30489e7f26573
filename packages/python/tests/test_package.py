"""What the package promises about itself: stubs that are true, types that check, the command."""

from __future__ import annotations

import ast
import inspect
import json
import subprocess
import sys
from pathlib import Path

import pytest
from histories import chat

import enfold
from enfold import _native

PACKAGE = Path(enfold.__file__).parent


def stubs() -> dict[str, dict[str, list[str]] | list[str]]:
    """What the stubs say: functions with their parameters, classes with their methods."""
    said: dict[str, dict[str, list[str]] | list[str]] = {}
    for node in ast.parse((PACKAGE / "_native.pyi").read_text()).body:
        if isinstance(node, ast.FunctionDef):
            said[node.name] = parameters(node)
        elif isinstance(node, ast.ClassDef):
            said[node.name] = {it.name: parameters(it) for it in node.body if isinstance(it, ast.FunctionDef)}
    return said


def parameters(node: ast.FunctionDef) -> list[str]:
    defaults = [ast.unparse(default) for default in node.args.defaults]
    names = [argument.arg for argument in node.args.args if argument.arg not in ("self", "cls")]
    plain = len(names) - len(defaults)
    return names[:plain] + [f"{name}={default}" for name, default in zip(names[plain:], defaults)]


def signature(thing: object) -> list[str]:
    if not callable(thing):
        return []
    found = inspect.signature(thing).parameters.values()
    names = [(it.name, it.default) for it in found if it.name != "self"]
    return [name if default is inspect.Parameter.empty else f"{name}={default!r}" for name, default in names]


def real() -> dict[str, dict[str, list[str]] | list[str]]:
    """What the module has."""
    there: dict[str, dict[str, list[str]] | list[str]] = {}
    for name, thing in vars(_native).items():
        if name.startswith("__"):
            continue
        if isinstance(thing, type):
            members = {key: it for key, it in vars(thing).items() if key in KEPT or not key.startswith("__")}
            there[name] = {key: [] if key == "__len__" else signature(it) for key, it in members.items()}
            if "__new__" in members:
                there[name]["__new__"] = signature(thing)  # type: ignore[call-overload]
        elif callable(thing):
            there[name] = signature(thing)
    return there


KEPT = ("__new__", "__len__")


def normalised(said: dict[str, dict[str, list[str]] | list[str]]) -> str:
    return json.dumps(said, indent=1, sort_keys=True).replace("\\\"", "'").replace('"stop"', "'stop'")


def test_the_stubs_say_what_the_module_has() -> None:
    assert normalised(stubs()) == normalised(real())


def test_everything_public_is_documented() -> None:
    undocumented = [name for name in enfold.__all__ if not (getattr(enfold, name).__doc__ or "").strip()]
    assert undocumented == []


def test_the_types_check() -> None:
    """The package without its hooks, whose frameworks are not installed here; the tests; the example."""
    pytest.importorskip("mypy", reason="mypy is not installed here")
    here = Path(__file__).parent
    hooks = ("anthropic", "google_adk", "langchain", "litellm", "openai_agents", "pydantic_ai", "strands")
    own = [path.stem for path in PACKAGE.glob("*.py") if path.stem not in ("__init__", "__main__", *hooks)]
    modules = ["-m", "enfold", *(word for name in sorted(own) for word in ("-m", f"enfold.{name}"))]
    files = [str(path) for folder in (here, here.parent / "examples") for path in sorted(folder.glob("*.py"))]
    for checked in (modules, files):
        mypy = subprocess.run(
            [sys.executable, "-m", "mypy", "--strict", *checked], capture_output=True, text=True, check=False
        )
        assert mypy.returncode == 0, mypy.stdout


def test_the_command_comes_with_the_package(tmp_path: Path) -> None:
    session = tmp_path / "session.jsonl"
    session.write_text("\n".join(json.dumps(message, separators=(",", ":")) for message in chat(30)))

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "enfold", *words], capture_output=True, text=True, check=False
        )

    folded = run("fold", str(session), "--budget", "6k", "--report", "none")
    assert folded.returncode == 0, folded.stderr
    assert folded.stdout.rstrip("\n").split("\n") == enfold.fold(session.read_text(), budget=6_000).texts
    assert run("fold", str(session), "--budget", "1").returncode == 3
    assert run("nonsense").returncode == 2
    assert "enfold" in run("--version").stdout
