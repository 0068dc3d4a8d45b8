"""The rows of the tables and figures of T. Faingnaert, T. Besard and B. De Sutter,
"Flexible Performant GEMM Kernels on GPUs" (2022).

A row is one of time-rows.py. Its packs and modules have what compiles them: the flags of
tcgemm-run, or a module's text. Needs no package."""

import collections

# `operands` and `contenders` are those of time-rows.py. `packs` has the flags of tcgemm-run
# for each folder; `{config:FOLDER}` in a flag is the configuration of another pack.
# `modules` has the MLIR for each folder. `targets` has a comparison and a limit for
# contenders: the contender's time over tcgemm's must keep it. `work` counts the operations
# of tcgemm's product, or what `unit` in `rest` says. `size` is the N of a figure. `rest` has
# other keys for time-rows.py.
Row = collections.namedtuple(
    "Row", ["name", "operands", "contenders", "packs", "modules", "targets", "work",
            "size", "rest"])


def make_row(name, operands, contenders, packs, modules=None, targets=None, work=0,
             size=0, **rest):
    return Row(name, operands, contenders, packs, modules or {}, targets or {}, work,
               size, rest)


def make_contender(name, steps, result=None):
    made = {"name": name, "steps": steps}
    if result:
        made["result"] = result
    return made


def give_pack(folder, *arguments):
    return {"pack": folder, "arguments": list(arguments)}


def give_call(call, *arguments, **options):
    return {"call": call, "arguments": list(arguments), **options}


def give_module(folder, *arguments):
    return {"module": folder, "arguments": list(arguments)}


def give_sizes(m, n, k):
    return ["--m=%d" % m, "--n=%d" % n, "--k=%d" % k, "--size-hint=%dx%dx%d" % (m, n, k)]


def find_shapes(layout, m, n, k):
    """The memory of A and B in a layout of BLAS."""
    return ([m, k] if layout[0] == "t" else [k, m],
            [n, k] if layout[1] == "n" else [k, n])


# Modules -----------------------------------------------------------------------------

ELEMENTWISE = """#same = affine_map<(m, n) -> (m, n)>
#along = affine_map<(m, n) -> (n)>
func.func @elementwise(%x: MATRIX, %v: VECTOR) -> MATRIX {
  %empty = tensor.empty() : MATRIX
  %d = linalg.generic {indexing_maps = [#same, #along, #same], iterator_types = ["parallel", "parallel"]}
      ins(%x, %v : MATRIX, VECTOR) outs(%empty : MATRIX) {
  ^bb0(%e: bf16, %b: f32, %o: bf16):
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %0 = arith.extf %e : bf16 to f32
BODY    linalg.yield %narrow : bf16
  } -> MATRIX
  return %d : MATRIX
}
"""
OPERATIONS = {"bias": "addf %{0}, %b", "relu": "maximumf %{0}, %zero",
              "add1": "addf %{0}, %one"}


def write_elementwise(size, functions):
    """Functions of a matrix of bf16, one after the other, as one kernel. The vector of
    f32, the bias, is an argument of all and is read where it is used."""
    body = ""
    for number, function in enumerate(functions):
        body += "    %%%d = arith.%s : f32\n" % (
            number + 1, OPERATIONS[function].format(number))
    body += "    %%narrow = arith.truncf %%%d : f32 to bf16\n" % len(functions)
    return ELEMENTWISE.replace("MATRIX", "tensor<%dx%dxbf16>" % size).replace(
        "VECTOR", "tensor<%dxf32>" % size[1]).replace("BODY", body)


def write_diagonal(size):
    """diag(d)·B, whose element (m, k) of the left operand is d[k] where m = k."""
    matrix = "tensor<%dx%dx" % (size, size)
    return """#vector = affine_map<(m, n, k) -> (k)>
#right = affine_map<(m, n, k) -> (k, n)>
#result = affine_map<(m, n, k) -> (m, n)>
#same = affine_map<(m, n) -> (m, n)>
func.func @diagonal(%d: tensor<SIZExf16>, %b: MATRIXf16>) -> MATRIXf16> {
  %none = arith.constant 0.0 : f16
  %zero = arith.constant 0.0 : f32
  %sums = tensor.empty() : MATRIXf32>
  %start = linalg.fill ins(%zero : f32) outs(%sums : MATRIXf32>) -> MATRIXf32>
  %product = linalg.generic {indexing_maps = [#vector, #right, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%d, %b : tensor<SIZExf16>, MATRIXf16>) outs(%start : MATRIXf32>) {
  ^bb0(%x: f16, %y: f16, %sum: f32):
    %m = linalg.index 0 : index
    %k = linalg.index 2 : index
    %inside = arith.cmpi eq, %m, %k : index
    %left = arith.select %inside, %x, %none : f16
    %u = arith.extf %left : f16 to f32
    %v = arith.extf %y : f16 to f32
    %term = arith.mulf %u, %v : f32
    %next = arith.addf %sum, %term : f32
    linalg.yield %next : f32
  } -> MATRIXf32>
  %empty = tensor.empty() : MATRIXf16>
  %r = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%product : MATRIXf32>) outs(%empty : MATRIXf16>) {
  ^bb0(%x: f32, %o: f16):
    %narrow = arith.truncf %x : f32 to f16
    linalg.yield %narrow : f16
  } -> MATRIXf16>
  return %r : MATRIXf16>
}
""".replace("MATRIX", matrix).replace("SIZE", str(size))


# Table 1 -----------------------------------------------------------------------------

def list_table1():
    for size in (4096, 16384):
        module, pack = "modules/diagonal-%d" % size, "packs/dense-%d" % size
        square = ["f16", [size, size]]
        yield make_row(
            "diagonal, N = %d" % size,
            {"d": ["f16", [size]], "A": square, "B": square, "D": square},
            [make_contender("tcgemm", [give_module(module, "d", "B", "D")], "D"),
             make_contender("tcgemm, dense", [give_pack(pack, "A", "B", "D")]),
             make_contender("cuBLAS, diagonal as a matrix", [
                 give_call("diagonal-mm", "d", "B", "D")], "D"),
             make_contender("PyTorch, rows by numbers", [
                 give_call("scale-rows", "d", "B", "D")], "D"),
             make_contender("PyTorch, copy", [give_call("copy", "B", "D")])],
            {pack: ["--type=f16", "--layout=tt", *give_sizes(size, size, size)]},
            {module: write_diagonal(size)}, {"tcgemm, dense": (">=", 8)},
            work=4 * size * size + 2 * size, unit="bytes")


# Table 2 -----------------------------------------------------------------------------

# The name of a row; --epilogue; functions of A, B and C; the limit of its time over that
# of A B + C.
TABLE2 = (("A·B + C", "none", "", "", "", 0),
          ("ReLU on D", "relu", "", "", "", 1.01),
          ("bias", "bias", "", "", "", 1.01),
          ("bias, ReLU on D", "bias_relu", "", "", "", 1.01),
          ("bias, ReLU on C and D", "bias_relu", "", "", "relu", 1.01),
          ("addition on A", "none", "add1", "", "", 1.05),
          ("bias, ReLU on C and D, addition on A and B", "bias_relu", "add1", "add1",
           "relu", 1.18))


def list_cublas_steps(layout, epilogue, functions, size):
    """cuBLAS and the kernels that it needs: one for each function of an operand, and one
    for all that follows the product. Returns its modules, too."""
    modules, steps, names = {}, [], ["A", "B"]

    def run(functions, source, target):
        folder = "modules/%s-%d" % ("-".join(functions), size)
        modules[folder] = write_elementwise((size, size), functions)
        steps.append(give_module(folder, source, "bias", target))

    for i, function in enumerate(functions[:2]):
        if function:
            run([function], "AB"[i], "AB"[i] + "2")
            names[i] += "2"
    if functions[2]:
        run([functions[2]], "Y", "Y")
    steps.append(give_call("addmm", *names, "Y", layout=layout))
    if epilogue != "none":
        run(epilogue.split("_"), "Y", "Y")
    return steps, modules


def list_table2(size=4096):
    square = ["bf16", [size, size]]
    for layout in ("tn", "nt"):
        plain = "packs/table2-%s-0" % layout
        common = ["--type=bf16", "--layout=" + layout, "--beta=1",
                  *give_sizes(size, size, size)]
        for number, (name, epilogue, a, b, c, limit) in enumerate(TABLE2):
            pack = "packs/table2-%s-%d" % (layout, number)
            flags = ["--epilogue=" + epilogue] if epilogue != "none" else []
            flags += ["--transform-%s=%s" % pair for pair in zip("abc", (a, b, c))
                      if pair[1]]
            bias = ["bias"] if "bias" in epilogue else []
            arguments = ["A", "B", "C", *bias, 1.0, "D"]
            steps, modules = list_cublas_steps(layout, epilogue, (a, b, c), size)
            contenders = [make_contender("tcgemm", [give_pack(pack, *arguments)], "D")]
            packs, targets = {plain: common, pack: common + flags}, {}
            if limit:
                contenders.append(make_contender(
                    "tcgemm, A·B + C", [give_pack(plain, "A", "B", "C", 1.0, "D")]))
                targets["tcgemm, A·B + C"] = (">=", 1 / limit)
            if c and not a:
                contenders.append(make_contender(
                    "tcgemm, configuration of A·B + C",
                    [give_pack(pack + "-plain", *arguments)], "D"))
                packs[pack + "-plain"] = common + flags + ["--config={config:%s}" % plain]
            contenders.append(make_contender("cuBLAS", steps, "Y"))
            targets["cuBLAS"] = (">=", 1)
            yield make_row(
                "%s: %s" % (layout.upper(), name),
                {"A": square, "B": square, "C": square, "bias": ["f32", [size]],
                 "D": square, "Y": ["bf16", [size, size], "C"],
                 **{key: square for key, function in (("A2", a), ("B2", b))
                    if function}},
                contenders, packs, modules, targets, work=2 * size ** 3)


# Table 3 -----------------------------------------------------------------------------

def list_table3():
    sizes = {"a": 64, "b": 32, "c": 2048, "d": 2048}
    for index, kind, limit in (("adb,cd->cba", "f16", 1.49), ("adb,cd->cba", "bf16", 1.49),
                               ("bda,dc->abc", "bf16", 1.66)):
        yield make_contraction(index, kind, sizes, limit, with_cutensor=kind == "f16")


def make_contraction(index, kind, sizes, limit, with_cutensor=False):
    inputs, output = index.split("->")
    operands = {name: [kind, [sizes[letter] for letter in letters]]
                for name, letters in zip("ABD", inputs.split(",") + [output])}
    name = "%s %s" % (kind, index)
    pack = "packs/einsum-%s-%s" % (kind, index.replace(",", "-").replace("->", "-"))
    contenders = [
        make_contender("tcgemm", [give_pack(pack, "A", "B", "D")], "D"),
        make_contender("torch.einsum", [give_call("einsum", "A", "B", "D", index=index)],
                       "D")]
    if with_cutensor:
        contenders += [make_contender("cuTENSOR " + algorithm, [
            give_call("cutensor", "A", "B", "D", index=index, algorithm=algorithm)], "D")
                       for algorithm in ("TTGT", "GETT")]
    work = 2
    for letter in set(index) - set(",->"):
        work *= sizes[letter]
    return make_row(name, operands, contenders, {pack: [
        "--einsum=" + index, "--type=" + kind,
        "--sizes=" + ",".join("%s=%d" % item for item in sizes.items())]},
                    targets={"torch.einsum": (">=", limit)}, work=work)


# Figures 8 and 9 ---------------------------------------------------------------------

def list_figure8():
    for layout in ("nn", "nt", "tn", "tt"):
        for size in (256, 512, 1024, 2048, 4096, 8192):
            a, b = find_shapes(layout, size, size, size)
            pack = "packs/figure8-%s-%d" % (layout, size)
            yield make_row(
                "%s, N = %d" % (layout.upper(), size),
                {"A": ["f16", a], "B": ["f16", b], "D": ["f16", [size, size]]},
                [make_contender("tcgemm", [give_pack(pack, "A", "B", "D")], "D"),
                 make_contender("cuBLAS", [
                     give_call("mm", "A", "B", "D", layout=layout)], "D")],
                {pack: ["--type=f16", "--layout=" + layout,
                        *give_sizes(size, size, size)]},
                work=2 * size ** 3, size=size)


def make_numbers(name, kind, precision, components, size):
    """The pack of a product of numbers with two components: its folder, what compiles
    it, and an operand."""
    pack = "packs/%s-%s%s-%s-%d" % (name, kind, precision, components, size)
    flags = ["--algebra=" + name, "--components=" + components, "--type=" + kind,
             "--m=%d" % size, "--n=%d" % size, "--k=%d" % size]
    if precision:
        flags.append("--precision=" + precision)
    shape = {"interleaved": [size, size, 2], "rows": [size, 2, size],
             "planes": [2, size, size]}[components]
    return pack, {pack: flags}, [kind, shape]


def make_numbers_row(title, numbers, size, others=(), operands=None, packs=None,
                     targets=None):
    """A row of numbers and of other contenders, which may have operands of their own."""
    pack, own, operand = make_numbers(*numbers, size)
    # Products of real numbers, as all of them are counted: a dual number has three.
    work = {"complex": 8, "dual": 6}[numbers[0]] * size ** 3
    return make_row(title, {"A": operand, "B": operand, "D": operand, **(operands or {})},
                    [make_contender("tcgemm", [give_pack(pack, "A", "B", "D")], "D"),
                     *others], {**own, **(packs or {})}, targets=targets, work=work,
                    size=size)


def list_figure9():
    for size in (256, 512, 1024, 2048, 4096):
        yield make_numbers_row("complex f16, N = %d" % size,
                               ("complex", "f16", "", "interleaved"), size)
        yield make_numbers_row(
            "complex f32 by tf32, N = %d" % size,
            ("complex", "f32", "tf32", "interleaved"), size,
            [make_contender("cuBLAS", [
                give_call("complex-mm", "A", "B", "D", tf32=True)], "D")])
        yield make_numbers_row(
            "dual f16, N = %d" % size, ("dual", "f16", "", "planes"), size,
            [make_contender("cuBLAS, three products", [
                give_call("dual-mm", "A", "B", "D")], "D")])


EXPERIMENTS = {"table1": list_table1, "table2": list_table2, "table3": list_table3,
               "figure8": list_figure8, "figure9": list_figure9}
