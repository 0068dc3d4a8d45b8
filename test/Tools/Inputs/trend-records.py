"""Prints records of several versions and devices, derived from one of a sweep.

usage: trend-records.py FILE.jsonl

The times of the second and third version follow from FACTORS.
"""

import json
import sys

# By problem: the time of each version over that of the first; None is a failure.
FACTORS = {
    "512x512x512": (1, 1.01, 1.05),
    "1024x512x512": (1, 1, 0.93),
    "2048x512x512": (1, 1, 1.004),
    "4096x512x512": (1, 1, None),
}
VERSIONS = ("0.1.0+aaaa1111", "0.1.0+bbbb2222", "0.2.0+cccc3333")
SPREAD = (0, 4, -3, 1, 5, -1, -4, 3, -2, 2, -5)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        base = next(record for record in map(json.loads, file)
                    if record["outcome"] == "success")
    for device in ("NVIDIA H200", "NVIDIA A100"):
        for at, version in enumerate(VERSIONS):
            for sizes, factors in FACTORS.items():
                # The third version is not on the second device.
                if device == "NVIDIA A100" and at == 2:
                    continue
                record = dict(base, device=device, tcgemm=version, sizes=sizes,
                              timestamp=1764000000 + 86400 * at, stage="final")
                if factors[at] is None:
                    record.update(outcome="runtime", stage="none", microseconds=0,
                                  low=0, high=0, samples=[], message="a fault")
                else:
                    time = 20 * factors[at]
                    record.update(
                        microseconds=time, low=time * 0.999, high=time * 1.001,
                        samples=[time * (1 + 0.0003 * part) for part in SPREAD])
                print(json.dumps(record))


if __name__ == "__main__":
    main()
