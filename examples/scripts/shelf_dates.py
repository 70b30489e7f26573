"""A session that works in the shell and with patches, compacted once: the way of Codex."""
from recorder.script import Compact, bash, patch, say, step, user

PROJECT = "shelf"
COMMITS = [("A list of books", ".")]
SYSTEM = "You are a coding agent. You share a workspace with the user. Use the shell to look, apply_patch to change files, and run the tests before you say that something works."

EVENTS = [
    user("`shelf.py stats` prints the years in a strange order, and there is a line without a year. Fix both; a book that is not read yet should not count."),
    step("I'll reproduce it and read the code that makes the numbers.", bash("python3 shelf.py stats"), bash("sed -n '1,30p' shelf.py"), bash("cat books.json"),
         thinking="Reproduce, then read."),
    step("The unread book has an empty date, and the counter keeps the order of the file. Are the tests green as they are?", bash("python3 -m unittest -v")),
    step("Tests first: one for the order, one for the unread book.", patch("""
*** Begin Patch
*** Update File: test_shelf.py
@@
         self.assertEqual(shelf.pages_by_year([book(pages=1), book(pages=2)]), {"2024": 3})
+
+    def test_years_in_order(self):
+        years = shelf.pages_by_year([book(read="2025-01-01"), book(read="2023-01-01")])
+        self.assertEqual(list(years), ["2023", "2025"])
+
+    def test_an_unread_book_does_not_count(self):
+        self.assertEqual(shelf.pages_by_year([book(read="")]), {})
*** End Patch
""")),
    step("", bash("python3 -m unittest")),
    step("Both fail as they should.", patch("""
*** Begin Patch
*** Update File: shelf.py
@@
     for book in books:
-        pages[book["read"][:4]] += book["pages"]
-    return dict(pages)
+        if book["read"]:
+            pages[book["read"][:4]] += book["pages"]
+    return dict(sorted(pages.items()))
*** End Patch
""")),
    step("", bash("python3 -m unittest && python3 shelf.py stats")),
    step("", bash("git commit -qam 'Years in order, unread books left out' && git log --oneline")),
    say("The years come in order, and Agnes Grey, not read yet, no longer makes a line of its own. Two tests, one commit."),
    Compact("""Task: fix `shelf.py stats` (order of years, line without a year). Done and committed: `pages_by_year` in shelf.py skips books whose `read` is empty and sorts the years; test_shelf.py has two tests for it. All 5 tests pass. Nothing is pending."""),
    user("Thanks. `list` sorts \"Honoré de Balzac\" under B, that's right, but please show unread books with a star in front."),
    step("The listing, and what it prints now:", bash("sed -n '12,24p' shelf.py && python3 shelf.py list")),
    step("", patch("""
*** Begin Patch
*** Update File: shelf.py
@@
 def listing(books):
-    return [f"{b['author']}: {b['title']} ({b['year']}, {b['pages']} pages)" for b in sorted(books, key=key)]
+    return [line(b) for b in sorted(books, key=key)]
*** End Patch
""")),
    step("I quoted the line from memory; it says `p.`, not `pages`. Once more, with the real text.", patch("""
*** Begin Patch
*** Update File: shelf.py
@@
-def listing(books):
-    return [f"{b['author']}: {b['title']} ({b['year']}, {b['pages']} p.)" for b in sorted(books, key=key)]
+def line(book):
+    star = "" if book["read"] else "* "
+    return f"{star}{book['author']}: {book['title']} ({book['year']}, {book['pages']} p.)"
+
+
+def listing(books):
+    return [line(book) for book in sorted(books, key=key)]
*** Update File: test_shelf.py
@@
 class Stats(unittest.TestCase):
+    def test_an_unread_book_has_a_star(self):
+        self.assertTrue(shelf.listing([book(read="")])[0].startswith("* "))
+
*** End Patch
""")),
    step("", bash("python3 -m unittest && python3 shelf.py list && git commit -qam 'A star for books not read yet' && git log --oneline")),
    say("Unread books have a star now; the order is unchanged. One thing I left: the new test landed in the class `Stats`, it would be better off in `Listing`."),
]
