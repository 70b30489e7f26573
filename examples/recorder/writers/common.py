"""What the writers share: ids that look right and never change, timestamps, invented usage."""
import hashlib
import json
import uuid

from ..script import Compact, Delegate, Step, User

ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz123456789"


class Ids:
    """Ids derived from a name and a counter: recording twice gives the same ones."""

    def __init__(self, name):
        self.name, self.count = name, 0

    def seed(self):
        self.count += 1
        return f"{self.name}/{self.count}"

    def uuid(self):
        return str(uuid.uuid5(uuid.NAMESPACE_URL, self.seed()))

    def text(self, prefix, length):
        digest = hashlib.shake_256(self.seed().encode()).digest(length)
        return prefix + "".join(ALPHABET[b % len(ALPHABET)] for b in digest)

    def opaque(self, length=64):
        """Stands for a signature or encrypted content: nobody can open it, us included."""
        return self.text("", length - 2) + "=="


def stamp(moment):
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03}Z"


def estimate(text):
    """Invented usage numbers grow with the text; they are not a tokenizer's."""
    return len(text) // 4


def compact_json(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def write_lines(path, rows):
    path.write_text("".join(compact_json(row) + "\n" for row in rows))


def write_json(path, value):
    path.write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def spoken(events):
    """The events that a plain conversation has: users and steps."""
    return [e for e in events if isinstance(e, (User, Step))]


__all__ = ["Compact", "Delegate", "Ids", "Step", "User", "compact_json", "estimate", "spoken", "stamp", "write_json", "write_lines"]
