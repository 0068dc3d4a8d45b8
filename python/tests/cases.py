"""Random cases whose properties follow from a number."""

import random
import sys

import numpy


class Case:
    """A product. Subclasses have a method that runs it."""

    def __init__(self, number):
        self.choose = random.Random(number)
        self.numbers = numpy.random.default_rng(number)

    def draw(self, shape, least=-3, most=3):
        return self.numbers.integers(least, most + 1, shape)

    def run(self):
        """Returns whether the results are right."""
        raise NotImplementedError


def run_cases(kind):
    """Runs the cases of a subclass that the words SEED and COUNT of the command name,
    and returns the exit status. The number of a wrong case repeats it: the SEED is
    that number divided by 1000."""
    seed, count = (int(word) for word in sys.argv[1:])
    wrong = 0
    for number in range(seed * 1000, seed * 1000 + count):
        case = kind(number)
        if not case.run():
            print("case %d is wrong: %s" % (number, case))
            wrong += 1
    print("%d cases, %d wrong" % (count, wrong))
    return wrong != 0
