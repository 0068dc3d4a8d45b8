"""Reads exported files as other programs do, and says what is wrong.

  check_exports.py schema SCHEMA FILE...
  check_exports.py kernel-tuner FILE RECORDS     as the dashboard of Kernel Tuner reads a
                                                 cache
  check_exports.py t4 FILE RECORDS
  check_exports.py t1 FILE COUNT                 how many points are allowed
  check_exports.py cutlass FILE RECORDS
  check_exports.py same RECORDS RECORDS          equal, but for rounding

Written from the formats' descriptions: it shares nothing with the exporter.
RECORDS are the same records as JSON lines. Schemas are checked by the package
jsonschema where it is installed, else by the few rules of it that ours use.
"""

import csv
import itertools
import json
import math
import re
import sys

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool}


def is_type(value, name):
    if name in ("number", "integer"):
        kinds = (int, float) if name == "number" else int
        return isinstance(value, kinds) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def find_violation(schema, value, path="$"):
    """The first broken rule, or None."""
    def fail(what):
        return "%s: %s" % (path, what)

    names = schema.get("type", [])
    names = [names] if isinstance(names, str) else names
    if names and not any(is_type(value, name) for name in names):
        return fail("is no %s" % " or ".join(names))
    if "const" in schema and value != schema["const"]:
        return fail("is not %r" % schema["const"])
    if "enum" in schema and value not in schema["enum"]:
        return fail("is none of %s" % schema["enum"])
    if "anyOf" in schema and all(find_violation(s, value) for s in schema["anyOf"]):
        return fail("is none of the alternatives")
    if "pattern" in schema and not re.search(schema["pattern"], value):
        return fail("does not match %s" % schema["pattern"])
    for name in schema.get("required", []):
        if name not in value:
            return fail("has no %s" % name)
    inner = []
    if isinstance(value, dict):
        known = schema.get("properties", {})
        rest = schema.get("additionalProperties", {})
        inner = [(known.get(k, rest), v, "%s.%s" % (path, k)) for k, v in value.items()]
    elif isinstance(value, list):
        inner = [(schema.get("items", {}), v, "%s[%d]" % (path, i))
                 for i, v in enumerate(value)]
    return next(filter(None, (find_violation(*each) for each in inner)), None)


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def load_records(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def check_schema(schema_path, *files):
    schema = load(schema_path)
    for path in files:
        value = load(path)
        violation = find_violation(schema, value)
        try:
            import jsonschema
            jsonschema.validate(value, schema)
        except ImportError:
            pass
        except jsonschema.ValidationError as error:
            violation = violation or error.message
        if violation:
            sys.exit("%s: %s" % (path, violation))
    print("valid: %d" % len(files))


def expect(condition, what):
    if not condition:
        sys.exit("wrong: " + what)


def is_near(a, b, relative=1e-9):
    return math.isclose(a, b, rel_tol=relative)


def parse_config(text):
    """The configuration of a record as {name: text}."""
    return dict(pair.split(" = ") for pair in re.split(r", (?=[a-z][a-z0-9_]* =)", text))


# Parameters that a record's text leaves out while they have these values.
LEFT_OUT = {"promote_sums": False, "math": "fma", "row_copies_a": 1, "row_copies_b": 1,
            "loads": "registers", "dependent_steps": False,
            "representation": "fragments", "early_inputs": False,
            "stream_epilogue": False}


def matches(config, parameters):
    """Whether flat parameters say the same as a record's configuration."""
    flat = dict(LEFT_OUT)
    for name, text in config.items():
        if text.startswith("["):
            flat.update(zip((name + "_m", name + "_n", name + "_k"),
                            map(int, text[1:-1].split(","))))
        else:
            flat[name] = {"true": True, "false": False}.get(
                text, int(text) if re.fullmatch(r"-?\d+", text) else text)
    return flat == parameters


def find_record(records, parameters):
    found = [r for r in records if matches(parse_config(r["config"]), parameters)]
    expect(len(found) == 1, "%d records are of %s" % (len(found), parameters))
    return found[0]


def check_kernel_tuner(path, records_path):
    cache, records = load(path), load_records(records_path)
    keys, rows = cache["tune_params_keys"], list(cache["cache"].items())
    expect(set(keys) == set(cache["tune_params"]), "keys of tune_params")
    expect(len(rows) == len(records), "%d rows" % len(rows))
    # The dashboard's version of November 2025 appends these characters to a file that
    # does not end with them.
    with open(path, encoding="utf-8") as file:
        expect(file.read().strip().endswith("}\n}"), "end of the file")
    expect(isinstance(cache["objective"], str), "objective")
    # It leaves out failures, whose objective is a text, and then makes a table of the
    # first row's members that are no arrays: parameters with several values, and
    # results. Each is an axis and a colour, so it must be a number or a text.
    results = [row for _, row in rows if not isinstance(row[cache["objective"]], str)]
    expect(results, "no row is a result")
    columns = {k for k, v in results[0].items() if not isinstance(v, list)}
    for row in results:
        wrong = [k for k in columns if not isinstance(row[k], (int, float, str))]
        expect(not wrong, "%s are no scalars" % wrong)
        expect(all(isinstance(row[k], str) == isinstance(results[0][k], str) for k in columns),
               "types of columns")
    expect(isinstance(results[0][cache["objective"]], float), "the first row is no result")
    # A parameter's values are sorted, and are the categories of an axis.
    for name, values in cache["tune_params"].items():
        expect(len({type(value) for value in values}) == 1, "types of %s" % name)
        expect(values == sorted(values) and len(values) == len(set(values)),
               "values of %s" % name)
    # It draws this one at first.
    expect("GFLOP/s" in columns, "GFLOP/s")
    valid = 0
    for key, row in rows:
        values = [row[name] for name in keys]
        expect(key == ",".join(map(str, values)), "key '%s'" % key)
        for name, value in zip(keys, values):
            expect(any(value is v or value == v for v in cache["tune_params"][name]),
                   "%s = %s is no value" % (name, value))
        record = find_record(records, dict(zip(keys, values)))
        if "__error__" in row:
            expect(row["time"] == row["__error__"], "time of a failure")
            expect(record["outcome"] != "success", "a failure that was none")
            continue
        valid += 1
        expect(columns <= set(row), "columns %s" % (columns - set(row)))
        expect(is_near(row["time"], record["microseconds"] / 1000), "time")
        expect(all(map(is_near, row["times"], (s / 1000 for s in record["samples"])))
               and len(row["times"]) == len(record["samples"]), "times")
        m, n, k = cache["problem_size"][:3]
        expect(is_near(row["GFLOP/s"], 2 * m * n * k / row["time"] / 1e6), "GFLOP/s")
        expect(row["compile_time"] == record["compile_ms"], "compile_time")
    print("kernel-tuner: %d rows, %d valid, %d columns" % (len(rows), valid, len(columns)))


def check_t4(path, records_path):
    results, records = load(path)["results"], load_records(records_path)
    expect(len(results) == len(records), "%d results" % len(results))
    counts = {}
    for result in results:
        record = find_record(records, result["configuration"])
        kind = result["invalidity"]
        counts[kind] = counts.get(kind, 0) + 1
        expect((kind == "correct") == (record["outcome"] == "success"), "invalidity")
        expect(result["correctness"] == (1 if kind == "correct" else 0), "correctness")
        measured = {m["name"]: m for m in result["measurements"]}
        expect(set(result["objectives"]) <= set(measured) or kind != "correct", "objectives")
        if kind == "correct":
            expect(is_near(measured["time"]["value"], record["microseconds"] / 1000), "time")
            expect(measured["time"]["unit"] == "ms", "unit")
    print("t4: " + ", ".join("%d %s" % (n, kind) for kind, n in sorted(counts.items())))


def check_t1(path, count):
    problem = load(path)
    space = problem["ConfigurationSpace"]
    kinds = {"int": int, "bool": bool, "string": str}
    names, lists = [], []
    for parameter in space["TuningParameters"]:
        values = eval(parameter["Values"], {"__builtins__": {}})
        expect(all(type(v) is kinds[parameter["Type"]] for v in values),
               "type of %s" % parameter["Name"])
        names.append(parameter["Name"])
        lists.append(values)
    conditions = []
    for condition in space["Conditions"]:
        expect(set(condition["Parameters"]) <= set(names), "parameters of a condition")
        conditions.append(compile(condition["Expression"], path, "eval"))
    scope = {"__builtins__": {}, "int": int, "min": min, "max": max}
    points = [dict(zip(names, point)) for point in itertools.product(*lists)]
    allowed = [p for p in points if all(eval(c, scope, p) for c in conditions)]
    expect(len(allowed) == int(count), "%d points are allowed, not %s" % (len(allowed), count))
    for size in ("GlobalSize", "LocalSize"):
        sizes = {eval(problem["KernelSpecification"][size]["X"], scope, p) for p in allowed}
        expect(sizes and all(isinstance(s, int) and s > 0 for s in sizes), size)
    print("t1: %d of %d points" % (len(allowed), len(points)))


def check_cutlass(path, records_path):
    records = load_records(records_path)
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    expect(len(rows) == len(records), "%d rows" % len(rows))
    for row, record in zip(rows, records):
        m, n, k = (int(row[name]) for name in ("m", "n", "k"))
        expect("%dx%dx%d" % (m, n, k) == record["sizes"], "sizes")
        expect(int(row["Flops"]) == 2 * m * n * k, "Flops")
        expect(int(row["Bytes"]) == 2 * (m * k + n * k + m * n), "Bytes")
        expect(None not in row and None not in row.values(), "a row of another length")
        passed = record["outcome"] == "success"
        expect((row["Disposition"] == "passed") == passed, "Disposition")
        if not passed:
            continue
        runtime = float(row["Runtime"])
        expect(is_near(runtime, record["microseconds"] / 1000, 1e-5), "Runtime")
        expect(is_near(float(row["GFLOPs"]), 2 * m * n * k / runtime / 1e6, 1e-5), "GFLOPs")
        expect(is_near(float(row["GB/s"]), int(row["Bytes"]) / 2**30 / runtime * 1e3, 1e-5),
               "GB/s")
        config = parse_config(record["config"])
        cta = config["cta"]
        expect(json.loads(cta) == [int(row["cta_" + d]) for d in "mnk"], "cta")
        expect(row["swizzle_size"] == config["raster_group"], "swizzle_size")
        expect(row["stages"] == config["stages"], "stages")
        expect(row["use_pdl"] in ("true", "false"), "use_pdl")
        expect({row["cluster_%s_fallback" % d] for d in "mnk"} == {"0"}, "fallback")
    print("cutlass: %d rows, %d problems" % (len(rows), len({r["Problem"] for r in rows})))


def check_same(path, other_path):
    def key(record):
        return record["kernel"], record["sizes"], record["config"]

    def is_same(a, b):
        if isinstance(a, list):
            return len(a) == len(b) and all(map(is_near, a, b))
        return is_near(a, b) if isinstance(a, float) else a == b

    records, others = ({key(r): r for r in load_records(p)} for p in (path, other_path))
    expect(set(records) == set(others), "%d records and %d" % (len(records), len(others)))
    for name, record in records.items():
        different = [k for k in record if not is_same(record[k], others[name][k])]
        expect(not different and len(record) == len(others[name]), "%s of %s" % (different, name))
    print("same: %d" % len(records))


def main():
    checks = {"schema": check_schema, "kernel-tuner": check_kernel_tuner,
              "t4": check_t4, "t1": check_t1, "cutlass": check_cutlass,
              "same": check_same}
    if len(sys.argv) < 3 or sys.argv[1] not in checks:
        sys.exit(__doc__)
    checks[sys.argv[1]](*sys.argv[2:])


if __name__ == "__main__":
    main()
