"""What the source documents ask, row by row: `docs/documents.md` names each. `packages/contract/README.md` says how rows look."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from calls import answer, found, holds

ROWS = Path(__file__).parents[2] / "contract" / "rows"
READ = {path.name: json.loads(path.read_text()) for path in sorted(ROWS.glob("*.json"))}
NAMED = {row["name"]: (row, file["sessions"]) for file in READ.values() for row in file["rows"]}


@pytest.mark.parametrize("name", NAMED)
def test_a_row_of_the_documents(name: str) -> None:
    row, sessions = NAMED[name]
    came: Any = answer(row, sessions[row["session"]] if "session" in row else [])
    assert row["checks"], "a row without a check says nothing"
    for check in row["checks"]:
        assert holds(found(came, check["at"]), check), f"{check}: {found(came, check['at'])!r}"


def test_there_are_rows() -> None:
    assert len(NAMED) >= 100
