"""Writes the rows of the documents (`rows/`): for each what is called, on which session, and what must be so of what comes back.

`python packages/contract/make_rows.py`; what it writes is committed, and every language runs it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from documents import five

HERE = Path(__file__).parent


def write(name: str, sessions: dict[str, list[Any]], rows: list[dict[str, Any]]) -> None:
    """One message and one row per line. Messages are compact, as every package writes them."""

    def compact(value: Any) -> str:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    listed = [
        f"{json.dumps(title)}: [\n" + ",\n".join(compact(message) for message in messages) + "\n]"
        for title, messages in sessions.items()
    ]
    told = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    text = '{"sessions": {\n' + ",\n".join(listed) + '\n},\n"rows": [\n' + told + "\n]}\n"
    (HERE / "rows" / f"{name}.json").write_text(text)


for name, (sessions, rows) in five().items():
    write(name, sessions, rows)
