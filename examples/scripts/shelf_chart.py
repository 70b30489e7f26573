"""A session with a picture: the agent draws a chart, looks at it, and mends it."""
from recorder.script import bash, edit, read, say, step, user, view_image, write

PROJECT = "shelf"
COMMITS = [("A list of books", ".")]
SYSTEM = "You are a coding agent in a small Python project. Use the tools; look at what you make; be brief."

EVENTS = [
    user("Add `chart.py`: a PNG with one bar per year, pages read. Standard library only, please."),
    step("I'll see what `stats` offers.", read("shelf.py"), bash("python3 shelf.py stats"),
         thinking="pages_by_year already has the numbers. A PNG needs zlib and struct, nothing else."),
    step("The numbers are there, out of order and with one nameless year; the chart has to sort and skip. A PNG is a header, zlib-packed rows and three checksums.",
         write("chart.py", '''
"""Draws the pages read per year: chart.py OUT.png."""
import struct
import sys
import zlib

import shelf

WIDTH, HEIGHT, GAP = 64, 40, 4
PAPER, INK = b"\\xff\\xff\\xff", b"\\x2b\\x6c\\xb0"


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(rows):
    head = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 2, 0, 0, 0)
    body = b"".join(b"\\0" + b"".join(row) for row in rows)
    return b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(body, 9)) + chunk(b"IEND", b"")


def bars(values):
    wide = (WIDTH - GAP) // len(values) - GAP
    rows = [[PAPER] * WIDTH for _ in range(HEIGHT)]
    for i, value in enumerate(values):
        left = GAP + i * (wide + GAP)
        for y in range(value * (HEIGHT - GAP) // max(values)):
            rows[y][left:left + wide] = [INK] * wide
    return rows


if __name__ == "__main__":
    years = shelf.pages_by_year(shelf.load())
    with open(sys.argv[1], "wb") as out:
        out.write(png(bars([years[y] for y in sorted(years) if y])))
'''),
         bash("python3 chart.py chart.png && python3 chart.py"),
         thinking="Bars grow from row 0: is that the top? In PNG it is. I will look at the picture."),
    step("It writes a file; without an argument it fails with a traceback, which I'll mend. First the picture itself.", view_image("chart.png"),
         thinking="The exit code is that of the second call. The file exists; whether it is right only the eye can say."),
    step("The bars hang from the top: row 0 of a PNG is the upper edge. They have to be filled from below.",
         edit("chart.py", "rows[y][left:left + wide]", "rows[HEIGHT - 1 - y][left:left + wide]", "bars stand on the lower edge"),
         edit("chart.py", """
    years = shelf.pages_by_year(shelf.load())
""", """
    if len(sys.argv) != 2:
        sys.exit("usage: chart.py OUT.png")
    years = shelf.pages_by_year(shelf.load())
""", "a usage line instead of a traceback"),
         bash("python3 chart.py; python3 chart.py chart.png && file chart.png 2>/dev/null || head -c 8 chart.png | od -c | head -1"),
         thinking="y counts from the top, so the fill has to count from HEIGHT - 1 down."),
    step("", view_image("chart.png"), bash("python3 -m unittest 2>&1 | tail -3; rm chart.png; git add chart.py; git commit -qm 'Draw the pages read per year'; git log --oneline"),
         thinking="Look again, then the tests, then commit without the picture."),
    say("`chart.py OUT.png` draws one bar per year, oldest on the left, standing on the lower edge; a book without a date is left out. Standard library only, committed.",
        thinking="It stands, it is sorted, it is committed."),
    user("Could you also describe the picture in one sentence, for a caption?"),
    say("Pages read per year from 2023 to 2025: each year taller than the one before, from 754 over 1,572 to 1,595.",
        thinking="The three bars, left to right; the numbers are those of `stats`."),
    user("Nice. Draw the newest year in another colour, and write a test for the bars, please."),
    step("The function as it stands:", read("chart.py", 22, 20), thinking="bars() decides the colour; the newest is the last value."),
    step("Test first. A bar's colour and height can be read off the rows, no PNG needed.", write("test_chart.py", '''
import unittest

import chart


def column(rows, x):
    return [row[x] for row in rows]


class Bars(unittest.TestCase):
    def setUp(self):
        self.rows = chart.bars([10, 20])
        self.left, self.right = column(self.rows, chart.GAP), column(self.rows, chart.WIDTH - chart.GAP - 1)

    def test_bars_stand_on_the_lower_edge(self):
        self.assertEqual(self.left[-1], chart.INK)
        self.assertEqual(self.left[0], chart.PAPER)

    def test_the_tallest_leaves_a_gap_above(self):
        self.assertEqual(self.right.count(chart.PAPER), chart.GAP)

    def test_the_newest_year_has_its_own_colour(self):
        self.assertEqual(self.right[-1], chart.NEWEST)


if __name__ == "__main__":
    unittest.main()
'''), bash("python3 -m unittest test_chart"),
         thinking="Three properties: they stand, they leave a gap, the last one is different. The last must fail now."),
    step("Only the colour fails, as it should.",
         edit("chart.py", """
PAPER, INK = b"\\xff\\xff\\xff", b"\\x2b\\x6c\\xb0"
""", """
PAPER, INK, NEWEST = b"\\xff\\xff\\xff", b"\\x2b\\x6c\\xb0", b"\\xdd\\x6b\\x20"
""", "a colour for the newest year"),
         edit("chart.py", "[INK] * wide", "[NEWEST if i == len(values) else INK] * wide", "use it"),
         bash("python3 -m unittest test_chart"), thinking="Two edits: the constant, and the choice."),
    step("Off by one: the last index is `len(values) - 1`.",
         edit("chart.py", "i == len(values)", "i == len(values) - 1", "the last bar is the newest"),
         bash("python3 -m unittest"), thinking="enumerate starts at 0."),
    step("", view_image("chart.png"), thinking="See it before saying so."),
    step("I removed the picture before the last commit; it has to be drawn again.", bash("python3 chart.py chart.png"), view_image("chart.png"),
         thinking="The error is right: no such file."),
    step("", bash("rm chart.png && git add -A && git commit -qm 'The newest year in its own colour' && git status --short && git log --oneline"),
         thinking="Blue, blue, orange: as asked. Commit."),
    say("The newest year is orange, the others stay blue, and `test_chart.py` checks where the bars stand, how high they go and the colour.",
        thinking="Done; say what changed."),
    user("Which years does the chart show if I have read nothing this year?"),
    say("Only years in which a book was finished: a year without one has no bar, and the newest of the others is the orange one.",
        thinking="pages_by_year has no entry for a year without books, so there is a hole rather than an empty bar."),
]
