"""The page of each framework runs, where the framework is installed."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

import pages

PAGES = {
    "langchain": "langchain",
    "openai-agents": "agents.run",
    "pydantic-ai": "pydantic_ai",
    "litellm": "litellm",
    "anthropic": "anthropic",
    "google-adk": "google.adk.plugins.base_plugin",
    "strands": "strands.middleware",
}


def is_installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


@pytest.mark.parametrize("page", PAGES)
def test_a_page_runs(page: str) -> None:
    if not is_installed(PAGES[page]):
        pytest.skip(f"{page} is not installed here")
    assert pages.run(pages.ROOT / "docs" / "python" / f"{page}.md") == 1
