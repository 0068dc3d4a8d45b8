"""Checks the file of tcgemm-run --trace, and prints a summary.

usage: check-trace.py FILE

The rules of the format are those of Chrome's trace viewer for the object form: complete
events (ph X) have a name, times and numbers of process and thread; metadata events (ph M)
name these. Spans of a thread are apart or one inside the other. Then the rules of the
kernels: a producer waits for a stage before it copies to it; a consumer waits for a stage
before its products; as many stages are multiplied as are copied; an epilogue follows the
products of its tile.

The summary has a line for each thread: its name, and the number of spans of each name.
"""

import collections
import json
import math
import sys

EMPTY, COPIES = "wait for an empty stage", "copies of a stage"
FULL, PRODUCTS = "wait for a full stage", "products of a stage"
EPILOGUE = "epilogue"
# Times have 17 digits, of microseconds.
ROUNDING = 1e-9


def fail(what, event=None):
    sys.exit("%s%s" % (what, ": %s" % event if event else ""))


def check_metadata(event):
    if event.get("name") not in ("process_name", "thread_name", "process_sort_index",
                                 "thread_sort_index"):
        fail("unknown metadata", event)
    key = "name" if event["name"].endswith("_name") else "sort_index"
    if set(event["args"]) != {key}:
        fail("metadata without " + key, event)


def check_span(event):
    for key in ("ts", "dur"):
        value = event.get(key)
        if isinstance(value, bool) or not isinstance(value, (int, float)) \
                or not math.isfinite(value) or value < 0:
            fail(key + " is no time", event)
    if not event.get("name") or not isinstance(event["name"], str):
        fail("a span without a name", event)
    if not all(isinstance(v, int) for v in event.get("args", {}).values()):
        fail("args that are no integers", event)


def read(path):
    """Names of processes and threads, and the spans of each thread."""
    with open(path) as file:
        trace = json.load(file)
    if trace["displayTimeUnit"] not in ("ns", "ms"):
        fail("displayTimeUnit is " + trace["displayTimeUnit"])
    if not all(isinstance(v, str) for v in trace["otherData"].values()):
        fail("otherData that are no texts")
    names, threads = {}, collections.defaultdict(list)
    for event in trace["traceEvents"]:
        for key in ("pid", "tid"):
            if not isinstance(event.get(key), int):
                fail("no " + key, event)
        place = (event["pid"], event["tid"])
        if event.get("ph") == "M":
            check_metadata(event)
            if event["name"] == "process_name":
                names[event["pid"]] = event["args"]["name"]
            if event["name"] == "thread_name":
                names[place] = event["args"]["name"]
        elif event.get("ph") == "X":
            check_span(event)
            threads[place].append(event)
        else:
            fail("an event that is neither X nor M", event)
    for place in threads:
        if place not in names or place[0] not in names:
            fail("thread %d of process %d has no name" % (place[1], place[0]))
    return trace, names, threads


def get_end(span):
    return span["ts"] + span["dur"]


def check_nesting(spans):
    open_spans = []
    for span in spans:
        while open_spans and get_end(open_spans[-1]) <= span["ts"] + ROUNDING:
            open_spans.pop()
        if open_spans and get_end(span) > get_end(open_spans[-1]) + ROUNDING:
            fail("spans overlap", (open_spans[-1], span))
        open_spans.append(span)


def check_order(spans, first, second):
    """Each span `second` starts when the span `first` of the same number has ended."""
    waits = [s for s in spans if s["name"] == first]
    works = [s for s in spans if s["name"] == second]
    if len(waits) != len(works):
        fail("%d of '%s', but %d of '%s'" % (len(waits), first, len(works), second))
    for wait, work in zip(waits, works):
        if wait["args"]["number"] != work["args"]["number"]:
            fail("the numbers differ", (wait, work))
        if work["ts"] + ROUNDING < get_end(wait):
            fail("'%s' starts before its wait ends" % second, (wait, work))
    return len(works)


def check_measured(names, threads, process, is_whole):
    """By CTA: stages that are copied, and those that consumers multiply. A trace that is
    not whole lacks the last events of some roles."""
    copied, multiplied = collections.Counter(), collections.Counter()
    for place, spans in threads.items():
        if place[0] != process:
            continue
        cta = names[place].split(",")[0]
        if not is_whole:
            continue
        if "producer" in names[place]:
            copied[cta] += check_order(spans, EMPTY, COPIES)
        else:
            multiplied[cta] += check_order(spans, FULL, PRODUCTS)
            kinds = [s["name"] for s in spans if s["name"] in (PRODUCTS, EPILOGUE)]
            if kinds and kinds[-1] != EPILOGUE:
                fail("the last products have no epilogue")
    return copied, multiplied


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    trace, names, threads = read(sys.argv[1])
    for spans in threads.values():
        check_nesting(spans)
    for process in sorted(p for p in names if isinstance(p, int)):
        print(names[process])
        if names[process].startswith("measured"):
            is_whole = trace["otherData"]["missing_events"] == "0"
            copied, multiplied = check_measured(names, threads, process, is_whole)
            if copied != multiplied:
                fail("stages copied %s, multiplied %s" % (copied, multiplied))
        for place in sorted(p for p in threads if p[0] == process):
            counts = collections.Counter(s["name"] for s in threads[place])
            print("  %s: %s" % (names[place], ", ".join(
                "%d %s" % (counts[name], name) for name in sorted(counts))))


if __name__ == "__main__":
    main()
