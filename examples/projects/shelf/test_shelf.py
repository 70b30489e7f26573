import unittest

import shelf


def book(author="A B", title="T", year=1900, pages=100, read="2024-01-01"):
    return dict(author=author, title=title, year=year, pages=pages, read=read)


class Listing(unittest.TestCase):
    def test_authors_by_last_name(self):
        lines = shelf.listing([book("Zoe Ames"), book("Ann Zola")])
        self.assertEqual([line.split(":")[0] for line in lines], ["Zoe Ames", "Ann Zola"])

    def test_titles_of_one_author_by_name(self):
        lines = shelf.listing([book(title="b"), book(title="a")])
        self.assertEqual([line.split(": ")[1][0] for line in lines], ["a", "b"])


class Stats(unittest.TestCase):
    def test_pages_add_up_in_the_year_they_were_read(self):
        self.assertEqual(shelf.pages_by_year([book(pages=1), book(pages=2)]), {"2024": 3})


if __name__ == "__main__":
    unittest.main()
