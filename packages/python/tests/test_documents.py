"""What the design in Python that Enfold takes from asks, as its author would write it: run from an empty folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "examples" / "documents"


def printed(name: str, empty: Path) -> list[str]:
    script = FOLDER / name
    assert len(script.read_text().splitlines()) <= 40
    ran = subprocess.run(
        [sys.executable, str(script)], cwd=empty, env=os.environ, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.splitlines()


def test_tool_history(tmp_path: Path) -> None:
    assert printed("002_tool_history.py", tmp_path) == [
        "reads that are whole: 4",
        "edits that are there: 8",
        "output keeps its ends: True",
        "intent for the tool: ['intent']",
        "changelog: - step 2: edit (+1 −1): Release 1",
        "after step 3: ['VERSION = 1']",
    ]
