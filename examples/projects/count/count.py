"""Counts the words of a text: count.py FILE."""
import sys


def words(text):
    return len(text.split(" "))


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        print(words(file.read()))
