"""The parts that random_kernels.py composes epilogues of."""


class Body:
    """The inputs and the text of one linalg.generic under construction."""

    def __init__(self, kernel, source, source_type):
        self.kernel, self.lines, self.next = kernel, [], 0
        self.inputs = []  # (value, type, dims, name in the body)
        name = self.add_input(source, source_type, kernel.dims)
        self.current = name if source_type == "f32" else self.op(
            "arith.extf %s : %s to f32" % (name, source_type))

    def add_input(self, value, element, dims):
        name = "%%e%d" % len(self.inputs)
        self.inputs.append((value, element, dims, name))
        return name

    def tensor(self, element, dims, name):
        """A new argument of the function; its element, in f32."""
        value = self.kernel.add_argument(name, element, dims)
        part = self.add_input(value, element, dims)
        if element == "f32":
            return part
        return self.op("arith.extf %s : %s to f32" % (part, element))

    def op(self, text):
        self.next += 1
        name = "%%v%d" % self.next
        self.lines.append("%s = %s" % (name, text))
        return name

    def binary(self, name, *operands):
        return self.op("arith.%s %s : f32" % (name, ", ".join(operands)))

    def unary(self, name, operand):
        return self.op("%s %s : f32" % (name, operand))

    def constant(self, value):
        return self.op("arith.constant %s : f32" % value)

    def index(self, letter):
        self.kernel.uses_index = True
        return self.op("linalg.index %d : index" %
                       self.kernel.loops.index(letter))


# Each adds its operations to a Body; those after the comment are not exact.
def add_alpha(b, rng):
    alpha = b.kernel.add_argument("alpha", "f32", None)
    b.current = b.binary("mulf", *rng.sample([b.current, alpha], 2))


def add_beta(b, rng):
    c = b.tensor(rng.choice(["f32", "f16", "bf16"]), b.kernel.dims, "c")
    beta = b.kernel.add_argument("beta", "f32", None)
    scaled = b.binary("mulf", *rng.sample([c, beta], 2))
    b.current = b.binary("addf", *rng.sample([b.current, scaled], 2))


def add_vector(b, rng, letter):
    dims = letter
    if "b" in b.kernel.dims and rng.random() < 0.3:
        dims = "b" + letter
    bias = b.tensor(rng.choice(["f32", "f16", "bf16"]), dims, "bias")
    name = rng.choice(["addf", "addf", "subf"])
    b.current = b.binary(name, b.current, bias)


def add_residual(b, rng):
    dims = b.kernel.dims
    if rng.random() < 0.3:
        dims = dims.replace("b", "")
    if rng.random() < 0.4:
        dims = dims.replace("mn", "nm")
    residual = b.tensor(rng.choice(["f32", "f16", "bf16"]), dims, "residual")
    b.current = b.binary("addf", b.current, residual)


def add_relu(b, rng):
    b.current = b.binary(rng.choice(["maximumf", "maxnumf"]), b.current,
                         b.constant("0.0"))


def add_clamp(b, rng):
    low = b.binary("maximumf", b.current, b.constant("-20.0"))
    b.current = b.binary("minimumf", low, b.constant("33.0"))


def add_leaky(b, rng):
    test = b.op("arith.cmpf ogt, %s, %s : f32" % (b.current, b.constant("0.0")))
    half = b.binary("mulf", b.current, b.constant("0.5"))
    b.current = b.op("arith.select %s, %s, %s : f32" % (test, b.current, half))


def add_mask(b, rng):
    test = b.op("arith.cmpi ule, %s, %s : index" % (b.index("n"), b.index("m")))
    b.current = b.op("arith.select %s, %s, %s : f32" %
                     (test, b.current, b.constant("-7.0")))


def add_ramp(b, rng):
    letter = rng.choice(b.kernel.dims)
    number = b.op("arith.index_cast %s : index to i32" % b.index(letter))
    b.current = b.binary("addf", b.current,
                         b.op("arith.sitofp %s : i32 to f32" % number))


def add_gelu(b, rng):
    scaled = b.binary("mulf", b.current, b.constant("0.70710678118654752"))
    total = b.binary("addf", b.unary("math.erf", scaled), b.constant("1.0"))
    half = b.binary("mulf", b.current, b.constant("0.5"))
    b.current = b.binary("mulf", half, total)


def add_gelu_tanh(b, rng):
    x = b.current
    cube = b.binary("mulf", b.binary("mulf", x, x), x)
    inner = b.binary("addf", x, b.binary("mulf", cube, b.constant("0.044715")))
    scaled = b.binary("mulf", inner, b.constant("0.79788456080286536"))
    total = b.binary("addf", b.unary("math.tanh", scaled), b.constant("1.0"))
    b.current = b.binary("mulf", b.binary("mulf", x, b.constant("0.5")), total)


def add_silu(b, rng):
    power = b.unary("math.exp", b.unary("arith.negf", b.current))
    b.current = b.binary("divf", b.current,
                         b.binary("addf", power, b.constant("1.0")))


def add_tanh(b, rng):
    b.current = b.unary("math.tanh", b.current)


def add_cast(b, rng):
    element = rng.choice(["f16", "bf16"])
    narrow = b.op("arith.truncf %s : f32 to %s" % (b.current, element))
    b.current = b.op("arith.extf %s : %s to f32" % (narrow, element))


EXACT = {"alpha": add_alpha, "beta": add_beta, "residual": add_residual,
         "bias_n": lambda b, rng: add_vector(b, rng, "n"),
         "bias_m": lambda b, rng: add_vector(b, rng, "m"),
         "relu": add_relu, "clamp": add_clamp, "leaky": add_leaky,
         "mask": add_mask, "ramp": add_ramp}
INEXACT = {"gelu": add_gelu, "gelu_tanh": add_gelu_tanh, "silu": add_silu,
           "tanh": add_tanh, "cast": add_cast}

# Reductions of f32: combiner, initial value, function of the element.
REDUCTIONS = {"max": ("maximumf", "0xFF800000", "%x"),
              "maxnum": ("maxnumf", "0xFF800000", "%x"),
              "min": ("minimumf", "0x7F800000", "%x"),
              "minnum": ("minnumf", "3.0", "%x"),
              "sum": ("addf", "0.0", "%x"),
              "sum_from": ("addf", "-5.0", "%x"),
              "sumsq": ("addf", "0.0", "arith.mulf %x, %x : f32"),
              "amax": ("maximumf", "0.0", "math.absf %x : f32")}


# Reductions of f32 with several results: the type and the initial value of each, which
# of them is taken, and the body for the element x and the results so far, t0 and
# following. LOOP is the number of the loop that is reduced.
STATES = {
    "argmax": ([("f32", "0xFF800000"), ("i32", "0")], 1, [
        "%i = linalg.index LOOP : index",
        "%j = arith.index_cast %i : index to i32",
        "%g = arith.cmpf ugt, %x, %t0 : f32",
        "%o = arith.cmpf ord, %t0, %t0 : f32",
        "%c = arith.andi %g, %o : i1",
        "%u0 = arith.maximumf %x, %t0 : f32",
        "%u1 = arith.select %c, %j, %t1 : i32"]),
    "argmaxnum": ([("i64", "-1"), ("f32", "0xFF800000")], 0, [
        "%i = linalg.index LOOP : index",
        "%j = arith.index_cast %i : index to i64",
        "%c = arith.cmpf ogt, %x, %t1 : f32",
        "%u0 = arith.select %c, %j, %t0 : i64",
        "%u1 = arith.select %c, %x, %t1 : f32"]),
    "sumexp": ([("f32", "0xFF800000"), ("f32", "0.0")], 1, [
        "%u0 = arith.maximumf %x, %t0 : f32",
        "%d = arith.subf %t0, %u0 : f32", "%e = math.exp %d : f32",
        "%f = arith.mulf %e, %t1 : f32",
        "%g = arith.subf %x, %u0 : f32", "%h = math.exp %g : f32",
        "%u1 = arith.addf %f, %h : f32"]),
    "variance": ([("f32", "0.0")] * 3, 2, [
        "%one = arith.constant 1.0 : f32", "%u0 = arith.addf %t0, %one : f32",
        "%d = arith.subf %x, %t1 : f32", "%e = arith.divf %d, %u0 : f32",
        "%u1 = arith.addf %t1, %e : f32", "%f = arith.subf %x, %u1 : f32",
        "%g = arith.mulf %d, %f : f32", "%h = arith.subf %g, %t2 : f32",
        "%o = arith.divf %h, %u0 : f32", "%u2 = arith.addf %t2, %o : f32"])}
STATES["mean"] = (STATES["variance"][0], 1, STATES["variance"][2])
INDICES = ("argmax", "argmaxnum")


def write_states(name, kind, source, source_type, get_type, maps, loops,
                 sizes):
    """The lines of a linalg.generic with several results, of which one is taken,
    that result, and its type. `get_type` makes the type of a result from that of
    its elements."""
    parts, taken, body = STATES[kind]
    types = [get_type(element) for element, _ in parts]
    lines = []
    for i, ((element, initial), result) in enumerate(zip(parts, types)):
        own = "%s_%d" % (name, i)
        lines += [
            "%s_c = arith.constant %s : %s" % (own, initial, element),
            "%s_e = tensor.empty(%s) : %s" % (own, sizes, result),
            "%s_i = linalg.fill ins(%s_c : %s) outs(%s_e : %s) -> %s" %
            (own, own, element, own, result, result)]
    lines += [
        "%s:%d = linalg.generic {indexing_maps = [%s], iterator_types = [%s]}" %
        (name, len(parts), ", ".join([maps[0]] + [maps[1]] * len(parts)),
         ", ".join('"%s"' % loop for loop in loops)),
        "    ins(%s : %s) outs(%s : %s) {" %
        (source, source_type,
         ", ".join("%s_%d_i" % (name, i) for i in range(len(parts))),
         ", ".join(types)),
        "^bb0(%x: f32, " + ", ".join(
            "%%t%d: %s" % (i, element)
            for i, (element, _) in enumerate(parts)) + "):"]
    number = loops.index("reduction") if "reduction" in loops else 0
    lines += ["  " + line.replace("LOOP", str(number)) for line in body]
    lines += ["  linalg.yield %s : %s" % (
        ", ".join("%%u%d" % i for i in range(len(parts))),
        ", ".join(element for element, _ in parts)),
        "} -> (%s)" % ", ".join(types)]
    return lines, "%s#%d" % (name, taken), types[taken]


def write_reduction(name, kind, source, source_type, result_type, maps, loops,
                    sizes):
    """The lines of a linalg.generic that reduces `source`."""
    combiner, initial, function = REDUCTIONS[kind]
    value = "%x" if function == "%x" else "%y"
    return [
        "%s_c = arith.constant %s : f32" % (name, initial),
        "%s_e = tensor.empty(%s) : %s" % (name, sizes, result_type),
        "%s_i = linalg.fill ins(%s_c : f32) outs(%s_e : %s) -> %s" %
        (name, name, name, result_type, result_type),
        "%s = linalg.generic {indexing_maps = [%s], iterator_types = [%s]}" %
        (name, ", ".join(maps), ", ".join('"%s"' % loop for loop in loops)),
        "    ins(%s : %s) outs(%s_i : %s) {" %
        (source, source_type, name, result_type),
        "^bb0(%x: f32, %t: f32):"] + (
            [] if value == "%x" else ["  %y = " + function]) + [
        "  %%u = arith.%s %%t, %s : f32" % (combiner, value),
        "  linalg.yield %u : f32", "} -> " + result_type]
