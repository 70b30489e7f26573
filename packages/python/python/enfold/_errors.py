"""What can go wrong. Every exception has a `code`; `message_index` is the place of the message that is to blame."""

from __future__ import annotations


class EnfoldError(Exception):
    """Anything Enfold refuses or cannot do."""

    code = "error"

    def __init__(self, text: str, message_index: int | None = None) -> None:
        super().__init__(text)
        self.message_index = message_index


class BadInput(EnfoldError, ValueError):
    """A message, or a whole input, is none. You can mend it."""

    code = "bad_input"


class BadOption(EnfoldError, ValueError):
    """An option is wrong. You can mend it."""

    code = "bad_option"


class CannotFit(EnfoldError):
    """What must stay is larger than the budget. Allow more."""

    code = "cannot_fit"


class StoreError(EnfoldError):
    """The database failed; nothing was written."""

    code = "store"


class Busy(EnfoldError):
    """Another process compacts the session. Try again later."""

    code = "busy"


class Reentered(EnfoldError):
    """A session was called from inside one of its own events."""

    code = "reentered"


class Broken(EnfoldError):
    """A call before this one failed inside Enfold. Begin a new session, and please report it."""

    code = "broken"


_KINDS: dict[str, type[EnfoldError]] = {
    kind.code: kind for kind in (BadInput, BadOption, CannotFit, StoreError, Busy, Reentered, Broken)
}


def of(code: str, message_index: int | None, text: str) -> EnfoldError:
    """The exception for an error of the native part."""
    return _KINDS.get(code, EnfoldError)(text, message_index)
