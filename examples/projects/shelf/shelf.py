#!/usr/bin/env python3
"""Keeps a list of books: shelf.py list | shelf.py stats, over books.json."""
import collections
import json
import sys


def load(path="books.json"):
    with open(path) as file:
        return json.load(file)


def key(book):
    """Authors are sorted by their last name."""
    return book["author"].split()[-1], book["title"]


def listing(books):
    return [f"{b['author']}: {b['title']} ({b['year']}, {b['pages']} p.)" for b in sorted(books, key=key)]


def pages_by_year(books):
    pages = collections.Counter()
    for book in books:
        pages[book["read"][:4]] += book["pages"]
    return dict(pages)


def main(arguments):
    books = load()
    if arguments == ["list"]:
        print("\n".join(listing(books)))
    elif arguments == ["stats"]:
        for year, pages in pages_by_year(books).items():
            print(year, pages)
    else:
        sys.exit("usage: shelf.py list | stats")


if __name__ == "__main__":
    main(sys.argv[1:])
