"""Enfold folds an agent's history to fit the model's window; every fold can be opened again.

    import enfold

    view = enfold.fold(messages, budget="16k")      # a list of dicts, as the provider takes them
    client.chat.completions.create(messages=view.messages, …)

Request after request, with the prompt cache in mind: `Session`; kept in a database: `StoredSession`. Hooks for frameworks:
`enfold.langchain`, `enfold.openai_agents`, `enfold.pydantic_ai`, `enfold.litellm`, `enfold.anthropic`, `enfold.google_adk`,
`enfold.strands`.
"""

from enfold._errors import (
    BadInput,
    BadOption,
    Broken,
    Busy,
    CannotFit,
    EnfoldError,
    Reentered,
    StoreError,
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
    Question,
    Session,
    SessionOptions,
    StoredSession,
)

__all__ = [
    "BadInput",
    "BadOption",
    "Broken",
    "Busy",
    "CannotFit",
    "Converted",
    "EnfoldError",
    "Event",
    "FoldOptions",
    "HookOptions",
    "PersistedFrom",
    "Question",
    "Reentered",
    "Session",
    "SessionOptions",
    "StoreError",
    "StoredSession",
    "View",
    "convert",
    "count",
    "count_text",
    "fold",
    "fold_async",
    "inspect",
    "ledger",
    "validate",
]
