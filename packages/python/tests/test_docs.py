"""What the pages say is true."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pages


def test_the_page_runs() -> None:
    assert pages.run(pages.ROOT / "docs" / "python.md") == 10


def test_the_readme_runs() -> None:
    assert pages.run(pages.ROOT / "packages" / "python" / "README.md") == 1


def test_the_example_agent_runs_offline() -> None:
    agent = Path(__file__).parents[1] / "examples" / "agent.py"
    ran = subprocess.run([sys.executable, str(agent)], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "every request valid and within 16,000 tokens" in ran.stdout
