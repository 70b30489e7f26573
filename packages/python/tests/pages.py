"""Runs the snippets of a page, one after the other, as a reader would."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]


def run(page: Path) -> int:
    """How many snippets there were. Each may use what those before it defined."""
    snippets = re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE)
    names: dict[str, object] = {"__name__": "page"}
    for snippet in snippets:
        exec(compile(snippet, str(page), "exec"), names)
    return len(snippets)
