"""What can go wrong. Every exception has a `code`; `message_index` is the place of the message that is to blame."""

from __future__ import annotations

import warnings


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


class UnknownOption(BadOption, TypeError):
    """There is no option of that name."""


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


class EnfoldWarning(UserWarning):
    """Something that you should know although everything is in order: that a model is unknown, for one."""


def warn(text: str) -> None:
    """Warns whoever called a function of ours."""
    warnings.warn(text, EnfoldWarning, stacklevel=3)


_KINDS: dict[str, type[EnfoldError]] = {
    kind.code: kind for kind in (BadInput, BadOption, CannotFit, StoreError, Busy, Reentered, Broken)
}


def of(code: str, message_index: int | None, text: str) -> EnfoldError:
    """The exception for an error of the native part."""
    if text.startswith("there is no option "):
        return UnknownOption(text)
    return _KINDS.get(code, EnfoldError)(text, message_index)
