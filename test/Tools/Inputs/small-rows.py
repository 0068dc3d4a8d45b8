"""Rows of gemmkernels.py with small matrices for time-rows.py, and their kernels:
small-rows.py UTILS_BENCH TOOLS OUT. Ends with 1 if a kernel fails."""

import argparse
import json
import sys

bench, tools, out = sys.argv[1:]
sys.path.insert(0, bench)
import gemmkernels  # noqa: E402
from rows import gemmkernels as paper  # noqa: E402
from rows.operators import list_numbers, list_structured  # noqa: E402

SIZE = 64
matrix = ["f16", [SIZE, SIZE]]
diagonal = paper.make_row(
    "diagonal", {"d": ["f16", [SIZE]], "B": matrix, "D": matrix},
    [paper.make_contender("tcgemm", [paper.give_module("modules/diagonal", "d", "B", "D")],
                          "D"),
     paper.make_contender("cuBLAS", [paper.give_call("diagonal-mm", "d", "B", "D")], "D"),
     paper.make_contender("rows", [paper.give_call("scale-rows", "d", "B", "D")], "D")],
    {}, {"modules/diagonal": paper.write_diagonal(SIZE)}, clock=True)
contraction = paper.make_contraction(
    "adb,cd->cba", "f16", {"a": 8, "b": 8, "c": 16, "d": 16}, 1, with_cutensor=True)
numbers = [row for row in list_numbers(SIZE)
           if row.name.startswith(("complex f16, interleaved", "dual f16, rows"))]
dual = paper.make_numbers_row(
    "dual, three products", ("dual", "f16", "", "planes"), SIZE,
    [paper.make_contender("cuBLAS", [paper.give_call("dual-mm", "A", "B", "D")], "D")])
products = [row for row in paper.list_table2(SIZE) if row.name.startswith("TN")]
triangle = next(list_structured(2 * SIZE))
rows = [*products, diagonal, contraction, *numbers, dual, triangle]
compiler = gemmkernels.Compiler(argparse.Namespace(out=out, tools=tools, chip="sm_90a",
                                                   jobs=2))
compiler.compile_all(rows)
with open(out + "/rows.jsonl", "w", encoding="utf-8") as file:
    for row in rows:
        file.write(json.dumps({"name": row.name, "operands": row.operands,
                               "contenders": row.contenders, **row.rest}) + "\n")
sys.exit(bool(compiler.failed))
