#!/usr/bin/env python3
"""Writes a year of invented expenses: sample.py [ENTRIES] > FILE. The same file every time."""
import csv
import datetime
import sys

PLACES = {
    "food": ["groceries", "bakery", "lunch, canteen", "market", "pizza with Ana"],
    "rent": ["flat"],
    "transport": ["tram", "train to Graz", "bike repair", "taxi, late"],
    "books": ["\"Middlemarch\"", "maps", "atlas, used"],
    "health": ["pharmacy", "dentist", "glasses"],
    "home": ["light bulbs", "paint", "shelf, oak", "curtains"],
    "clothes": ["boots", "raincoat", "socks"],
    "gifts": ["flowers", "birthday, Jo"],
    "phone": ["monthly plan"],
    "power": ["electricity"],
    "sport": ["climbing hall", "shoes", "swim card"],
    "travel": ["hostel", "night train", "museum"],
}
BASE = {"rent": 84000, "power": 6150, "phone": 1290}


class Dice:
    """A small generator of its own, so that the file never depends on a Python version."""

    def __init__(self, seed):
        self.state = seed

    def roll(self, sides):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % sides


def rows(count):
    dice = Dice(2025)
    first = datetime.date(2025, 1, 1)
    for month in range(1, 13):
        for category in BASE:
            yield datetime.date(2025, month, 1), BASE[category], category, PLACES[category][0]
    names = [n for n in PLACES if n not in BASE]
    for _ in range(count - 36):
        category = names[dice.roll(len(names))]
        places = PLACES[category]
        day = first + datetime.timedelta(days=dice.roll(365))
        amount = 150 + dice.roll(400) * dice.roll(30)
        if dice.roll(25) == 0:
            yield day, -min(amount, 50 + dice.roll(2000)), category, "refund, " + places[dice.roll(len(places))]
        else:
            yield day, amount, category, places[dice.roll(len(places))]


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 240
    out = csv.writer(sys.stdout, lineterminator="\n")
    for day, cents, category, note in sorted(rows(count)):
        sign = "-" if cents < 0 else ""
        out.writerow([day.isoformat(), f"{sign}{abs(cents) // 100}.{abs(cents) % 100:02}", category, note])


if __name__ == "__main__":
    main()
