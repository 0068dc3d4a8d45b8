"""Rows of a CSV file that a program adds one after the other. A second run of the program
continues where the first one ended. Needs no package."""

import csv
import math
import os


class Table:
    """A CSV file whose first columns, `keys`, name a measurement."""

    def __init__(self, path, columns, keys):
        self.path, self.columns, self.keys = path, columns, keys

    def read(self):
        """[{column: text}]; none if there is no file. A torn last line is left out."""
        if not os.path.exists(self.path):
            return []
        with open(self.path, newline="", encoding="utf-8") as file:
            return [row for row in csv.DictReader(file) if None not in row.values()]

    def read_keys(self):
        return {tuple(row[key] for key in self.columns[:self.keys])
                for row in self.read()}

    def add(self, *rows):
        is_new = not os.path.exists(self.path)
        with open(self.path, "a", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            if is_new:
                writer.writerow(self.columns)
            writer.writerows(rows)


def find_mean(ratios):
    """The geometric mean."""
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def parse_list(parser, text, option, convert, legal):
    """The values of an option with a list; ends the program for others than `legal`."""
    try:
        values = [convert(part) for part in text.split(",")]
    except ValueError:
        values = [None]
    if any(value not in legal for value in values):
        parser.error("--%s=%s: it must be one or more of %s, separated by commas"
                     % (option, text, ", ".join(map(str, legal))))
    return values


def check_least(parser, options, *limits):
    """Ends the program for an option, (name, least), that is below its least value."""
    for name, least in limits:
        if getattr(options, name) < least:
            parser.error("--%s=%s: it must be at least %d"
                         % (name.replace("_", "-"), getattr(options, name), least))
