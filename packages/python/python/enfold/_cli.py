"""The command `enfold`, from inside the package."""

from __future__ import annotations

import signal
import sys

from enfold import _native


def main() -> None:
    """Runs the command line and leaves with its exit code."""
    # Python would only hear of Ctrl-C when the command has returned.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(_native.run(["enfold", *sys.argv[1:]]))
