#!/usr/bin/env python3
"""Prints the results of a build's lit suites and lists the skipped tests.

usage: summarize-tests.py BUILD_DIR

Skipped tests are grouped by the missing feature, so that a run without a GPU is not
mistaken for a run of the whole suite.
"""

import glob
import json
import os
import re
import sys

REASONS = {
    "cuda": "need a GPU (feature 'cuda')",
    "browser": "need a browser: apt-get install chromium",
    "cuda-headers": "need cuda.h, from NVIDIA's CUDA toolkit",
    "emulated-driver": "need a build without sanitizers",
    "ptxas": "need ptxas, from NVIDIA's CUDA toolkit",
    "plugin": "need the mlir-opt plugin (TCGEMM_BUILD_PLUGIN)",
    "static": "need static tools, without sanitizers",
}


def missing_features(output):
    match = re.search(r"unavailable features: (.*)", output or "")
    return [f.strip() for f in match.group(1).split(",")] if match else []


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    passed, failed, skipped = 0, [], {}
    for path in sorted(glob.glob(os.path.join(sys.argv[1], "*-results.json"))):
        with open(path) as file:
            tests = json.load(file)["tests"]
        for test in tests:
            code = test["code"]
            if code in ("PASS", "FLAKYPASS", "XFAIL"):
                passed += 1
            elif code in ("UNSUPPORTED", "SKIPPED", "EXCLUDED"):
                features = missing_features(test.get("output"))
                needs_gpu = any(re.match(r"cuda|sm_\d", f) for f in features)
                key = "cuda" if needs_gpu else (features or ["other"])[0]
                skipped.setdefault(key, []).append(test["name"])
            else:
                failed.append(test["name"])
    count = sum(len(names) for names in skipped.values())
    for key in sorted(skipped):
        reason = REASONS.get(key, "need '%s'" % key)
        print("skipped: %d tests %s" % (len(skipped[key]), reason))
        for name in sorted(skipped[key]):
            print("  " + name)
    for name in failed:
        print("failed:  " + name)
    print("lit: %d passed, %d failed, %d skipped" % (passed, len(failed), count))


if __name__ == "__main__":
    main()
