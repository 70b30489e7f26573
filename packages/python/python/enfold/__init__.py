"""Enfold folds an agent's history to fit the model's window; every fold can be opened again.

    import enfold

    view = enfold.fold(messages, budget="16k")      # a list of dicts, as the provider takes them
    client.chat.completions.create(messages=view.messages, …)

Request after request, with the prompt cache in mind: `Session`; kept in a database: `StoredSession`. Hooks for frameworks:
`enfold.langchain`, `enfold.openai_agents`, `enfold.pydantic_ai`, `enfold.litellm`, `enfold.anthropic`, `enfold.google_adk`,
`enfold.strands`.
"""

from enfold._account import Dropped, Shortened
from enfold._errors import (
    BadInput,
    BadOption,
    Broken,
    Busy,
    CannotFit,
    EnfoldError,
    EnfoldWarning,
    Reentered,
    StoreError,
    UnknownOption,
)
from enfold._facts import (
    Change,
    Changelog,
    Classified,
    File,
    Files,
    add_intent,
    changelog,
    file_at,
    files,
    model_budget,
    needs_pruning,
    priorities,
    pruning,
)
from enfold._look import (
    Converted,
    convert,
    count,
    count_text,
    fold,
    fold_async,
    inspect,
    ledger,
    validate,
)
from enfold._native import View
from enfold._persist import PersistedFrom
from enfold._session import (
    Event,
    FoldOptions,
    HookOptions,
    Prunable,
    Question,
    Session,
    SessionOptions,
    StoredSession,
)
from enfold._settings import OwnTool, Reserves, Settings

__all__ = [
    "BadInput",
    "BadOption",
    "Broken",
    "Busy",
    "CannotFit",
    "Change",
    "Changelog",
    "Classified",
    "Converted",
    "Dropped",
    "EnfoldError",
    "EnfoldWarning",
    "Event",
    "File",
    "Files",
    "FoldOptions",
    "HookOptions",
    "OwnTool",
    "Prunable",
    "PersistedFrom",
    "Question",
    "Reentered",
    "Reserves",
    "Session",
    "SessionOptions",
    "Settings",
    "Shortened",
    "StoreError",
    "StoredSession",
    "UnknownOption",
    "View",
    "add_intent",
    "changelog",
    "convert",
    "count",
    "count_text",
    "file_at",
    "files",
    "fold",
    "fold_async",
    "inspect",
    "ledger",
    "model_budget",
    "needs_pruning",
    "priorities",
    "pruning",
    "validate",
]
