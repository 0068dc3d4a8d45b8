"""Draws one random module of functions on tensors: products, elementwise
operations, reductions, softmax, slices, pads, shapes, loops, branches, calls.

Values stay small and sums are f32, so that results can be compared with those
of a CPU: no operation magnifies the difference of two roundings.
"""

import random

FLOATS = ("f32", "f32", "f16", "bf16")
UNARY = ("math.absf %s : {t}", "math.tanh %s : {t}", "arith.negf %s : {t}",
         "math.sin %s : {t}")
BINARY = ("arith.addf %s, %s : {t}", "arith.subf %s, %s : {t}",
          "arith.mulf %s, %s : {t}", "arith.maximumf %s, %s : {t}",
          "arith.minimumf %s, %s : {t}")
LOW = "0xFF800000"


class Tensor:
    def __init__(self, name, shape, element):
        self.name, self.shape, self.element = name, tuple(shape), element

    @property
    def type(self):
        return tensor_type(self.shape, self.element)


def tensor_type(shape, element):
    return "tensor<%s>" % "x".join([*map(str, shape), element])


def affine(dims, results):
    return "affine_map<(%s) -> (%s)>" % (", ".join(dims), ", ".join(results))


class Function:
    """A function under construction; `values` are the available operands."""

    def __init__(self, rng, name, callees=(), private=False):
        self.rng, self.name, self.callees = rng, name, callees
        self.private = private
        self.lines, self.values, self.arguments = [], [], []
        self.next, self.depth = 0, 0
        for _ in range(rng.randint(1, 3)):
            self.add_argument()

    # Names and text.
    def fresh(self):
        self.next += 1
        return "%%v%d" % self.next

    def emit(self, text):
        self.lines.append("  " * (self.depth + 1) + text)

    def op(self, text, shape, element):
        tensor = Tensor(self.fresh(), shape, element)
        self.emit("%s = %s" % (tensor.name, text))
        return tensor

    def scalar(self, text):
        name = self.fresh()
        self.emit("%s = %s" % (name, text))
        return name

    # Parts.
    def size(self):
        return self.rng.choice((1, 3, 8, 16, 17, 31, 32, 33, 40, 64, 65))

    def shape(self, rank=None):
        rank = rank or self.rng.choice((1, 2, 2, 2, 2, 3))
        return [self.size() for _ in range(rank)]

    def add_argument(self, shape=None, element=None):
        tensor = Tensor("%%a%d" % len(self.arguments),
                        self.shape() if shape is None else shape, element or self.rng.choice(FLOATS))
        self.arguments.append(tensor)
        self.values.append(tensor)
        return tensor

    def pick(self, rank=None):
        """A value, of a rank if it matters."""
        fitting = [v for v in self.values if rank in (None, len(v.shape))]
        if not fitting:
            if self.depth == 0:
                return self.add_argument(self.shape(rank))
            return self.filled(self.shape(rank), "f32", 0.5)
        # Prefers the latest value, so that operations depend on each other.
        return fitting[-1] if self.rng.random() < 0.5 else \
            self.rng.choice(fitting)

    def empty(self, shape, element):
        return self.op("tensor.empty() : " + tensor_type(shape, element),
                       shape, element)

    def constant(self, value, element):
        text = value if isinstance(value, str) else "%e" % value
        return self.scalar("arith.constant %s : %s" % (text, element))

    def filled(self, shape, element, value):
        scalar = self.constant(value, element)
        empty = self.empty(shape, element)
        return self.op("linalg.fill ins(%s : %s) outs(%s : %s) -> %s" %
                       (scalar, element, empty.name, empty.type, empty.type),
                       shape, element)

    def generic(self, inputs, output, dims, iterators, body):
        """`inputs` and `output` are pairs of a tensor and its dims; `body` gets
        the names of the elements and emits text."""
        maps = [affine(dims, d) for _, d in [*inputs, output]]
        tensor = Tensor(self.fresh(), output[0].shape, output[0].element)
        ins = "ins(%s : %s) " % (", ".join(t.name for t, _ in inputs),
                                 ", ".join(t.type for t, _ in inputs)) \
            if inputs else ""
        self.emit("%s = linalg.generic {indexing_maps = [%s], "
                  "iterator_types = [%s]} %souts(%s : %s) {" %
                  (tensor.name, ", ".join(maps),
                   ", ".join('"%s"' % i for i in iterators), ins,
                   output[0].name, output[0].type))
        names = [self.fresh() for _ in range(len(inputs) + 1)]
        self.emit("^bb0(%s):" % ", ".join(
            "%s: %s" % (n, t.element)
            for n, (t, _) in zip(names, [*inputs, output])))
        self.depth += 1
        result = body(names)
        self.emit("linalg.yield %s : %s" % (result, tensor.element))
        self.depth -= 1
        self.emit("} -> " + tensor.type)
        return tensor

    def convert(self, name, source, target):
        """A float as another type."""
        if source == target:
            return name
        if source != "f32":
            name = self.scalar("arith.extf %s : %s to f32" % (name, source))
        if target != "f32":
            name = self.scalar("arith.truncf %s : f32 to %s" % (name, target))
        return name

    def keep(self, tensor):
        self.values.append(tensor)
        return tensor

    # Operations: each adds a value.
    def unary(self):
        x = self.pick()
        element = self.rng.choice(FLOATS)
        dims = ["d%d" % i for i in range(len(x.shape))]
        text = self.rng.choice(UNARY)

        def body(names):
            wide = self.convert(names[0], x.element, "f32")
            return self.convert(self.scalar(text.format(t="f32") % wide),
                                "f32", element)
        self.keep(self.generic([(x, dims)],
                               (self.empty(x.shape, element), dims), dims,
                               ["parallel"] * len(dims), body))

    def binary(self):
        x = self.pick()
        dims = ["d%d" % i for i in range(len(x.shape))]
        # The second operand lacks some of the dimensions, in some order.
        kept = [i for i in range(len(dims)) if self.rng.random() < 0.7]
        self.rng.shuffle(kept)
        shape = [x.shape[i] for i in kept]
        same = [v for v in self.values if list(v.shape) == shape]
        y = self.rng.choice(same) if same else None
        if not y:
            y = self.add_argument(shape) if shape and self.depth == 0 else \
                self.filled(shape, "f32", 0.25)
        text = self.rng.choice(BINARY)

        def body(names):
            a = self.convert(names[0], x.element, "f32")
            b = self.convert(names[1], y.element, "f32")
            r = self.scalar(text.format(t="f32") % (a, b))
            return self.convert(self.scalar("math.tanh %s : f32" % r), "f32",
                                x.element)
        self.keep(self.generic([(x, dims), (y, [dims[i] for i in kept])],
                               (self.empty(x.shape, x.element), dims), dims,
                               ["parallel"] * len(dims), body))

    def reduce(self):
        x = self.pick()
        dims = ["d%d" % i for i in range(len(x.shape))]
        reduced = [self.rng.random() < 0.5 for _ in dims]
        if not any(reduced):
            reduced[-1:] = [True] * bool(reduced)
        kept = [d for d, r in zip(dims, reduced) if not r]
        shape = [s for s, r in zip(x.shape, reduced) if not r]
        count = 1
        for s, r in zip(x.shape, reduced):
            count *= s if r else 1
        isMax = self.rng.random() < 0.5
        out = self.filled(shape, "f32", LOW if isMax else 0.0)

        def body(names):
            v = self.convert(names[0], x.element, "f32")
            if isMax:
                return self.scalar("arith.maximumf %s, %s : f32" %
                                   (v, names[1]))
            scale = self.constant(1.0 / count, "f32")
            v = self.scalar("arith.mulf %s, %s : f32" % (v, scale))
            return self.scalar("arith.addf %s, %s : f32" % (names[1], v))
        self.keep(self.generic(
            [(x, dims)], (out, kept), dims,
            ["reduction" if r else "parallel" for r in reduced], body))

    def softmax(self):
        x = self.pick(2)
        if x.element != "f32":
            return
        self.keep(self.op(
            "linalg.softmax dimension(%d) ins(%s : %s) outs(%s : %s) -> %s" %
            (self.rng.randint(0, 1), x.name, x.type,
             self.empty(x.shape, "f32").name, x.type, x.type), x.shape, "f32"))

    def matmul(self):
        a = self.pick(2)
        transposed = self.rng.random() < 0.5
        k, n = a.shape[1], self.size()
        wanted = (n, k) if transposed else (k, n)
        same = [v for v in self.values
                if v.element == a.element and len(v.shape) == 2
                and v.shape[1 if transposed else 0] == k]
        if same:
            b = self.rng.choice(same)
        elif self.depth == 0:
            b = self.add_argument(wanted, a.element)
        else:
            b = self.filled(wanted, a.element, 0.125)
        n = b.shape[0 if transposed else 1]
        out = self.filled((a.shape[0], n), "f32", 0.0)
        maps = [affine("mnk", "mk"), affine("mnk", "nk" if transposed else
                                            "kn"), affine("mnk", "mn")]
        product = self.op(
            "linalg.matmul indexing_maps = [%s] ins(%s, %s : %s, %s) "
            "outs(%s : %s) -> %s" % (", ".join(maps), a.name, b.name, a.type,
                                     b.type, out.name, out.type, out.type),
            out.shape, "f32")
        self.keep(self.scaled(product, k))

    def scaled(self, product, k):
        """A product divided by its depth, in some type, so that chains of products
        remain small."""
        element = self.rng.choice(FLOATS)
        dims = ["d%d" % i for i in range(len(product.shape))]

        def body(names):
            scale = self.constant(1.0 / k, "f32")
            return self.convert(self.scalar("arith.mulf %s, %s : f32" %
                                            (names[0], scale)), "f32", element)
        return self.generic([(product, dims)],
                            (self.empty(product.shape, element), dims), dims,
                            ["parallel"] * len(dims), body)

    def batch_matmul(self):
        a = self.pick(3)
        batch, m, k = a.shape
        n = self.size()
        b = self.add_argument((batch, k, n), a.element) if self.depth == 0 \
            else self.filled((batch, k, n), a.element, 0.125)
        out = self.filled((batch, m, n), "f32", 0.0)
        product = self.op(
            "linalg.batch_matmul ins(%s, %s : %s, %s) outs(%s : %s) -> %s" %
            (a.name, b.name, a.type, b.type, out.name, out.type, out.type),
            out.shape, "f32")
        self.keep(self.scaled(product, k))

    def transpose(self):
        x = self.pick()
        if not x.shape:  # MLIR 22's verifier crashes on it.
            return
        order = list(range(len(x.shape)))
        self.rng.shuffle(order)
        shape = [x.shape[i] for i in order]
        out = self.empty(shape, x.element)
        self.keep(self.op(
            "linalg.transpose ins(%s : %s) outs(%s : %s) permutation = %s" %
            (x.name, x.type, out.name, out.type, order), shape, x.element))

    def extract_slice(self):
        x = self.pick()
        offsets = [self.rng.randrange(s) for s in x.shape]
        steps = [self.rng.choice((1, 1, 2)) for _ in x.shape]
        sizes = [self.rng.randint(1, (s - o - 1) // t + 1)
                 for s, o, t in zip(x.shape, offsets, steps)]
        self.keep(self.op("tensor.extract_slice %s%s %s %s : %s to %s" %
                          (x.name, offsets, sizes, steps, x.type,
                           tensor_type(sizes, x.element)), sizes, x.element))

    def insert_slice(self):
        source = self.pick()
        shape = [s + self.rng.randint(0, 5) for s in source.shape]
        offsets = [self.rng.randint(0, t - s)
                   for s, t in zip(source.shape, shape)]
        target = self.add_argument(shape, source.element) \
            if self.depth == 0 and self.rng.random() < 0.5 \
            else self.filled(shape, source.element, -0.5)
        self.keep(self.op(
            "tensor.insert_slice %s into %s%s %s %s : %s into %s" %
            (source.name, target.name, offsets, list(source.shape),
             [1] * len(shape), source.type, target.type), shape,
            source.element))

    def pad(self):
        x = self.pick()
        low = [self.rng.randint(0, 3) for _ in x.shape]
        high = [self.rng.randint(0, 3) for _ in x.shape]
        shape = [a + b + c for a, b, c in zip(low, x.shape, high)]
        value = self.constant(0.75, x.element)
        indices = ", ".join("%%i%d_%d: index" % (self.next, i)
                            for i in range(len(shape)))
        result = Tensor(self.fresh(), shape, x.element)
        self.emit("%s = tensor.pad %s low%s high%s {" %
                  (result.name, x.name, low, high))
        self.emit("^bb0(%s):" % indices)
        self.emit("  tensor.yield %s : %s" % (value, x.element))
        self.emit("} : %s to %s" % (x.type, result.type))
        self.keep(result)

    def reshape(self):
        x = self.pick()
        if not x.shape:
            return
        count = 1
        for s in x.shape:
            count *= s
        groups = [list(range(len(x.shape)))]
        flat = self.op("tensor.collapse_shape %s %s : %s into %s" %
                       (x.name, groups, x.type,
                        tensor_type([count], x.element)), [count], x.element) \
            if len(x.shape) > 1 else x
        for factor in (4, 3, 2, 1):
            if count % factor == 0:
                shape = [factor, count // factor]
                break
        self.keep(self.op(
            "tensor.expand_shape %s [[0, 1]] output_shape %s : %s into %s" %
            (flat.name, shape, flat.type, tensor_type(shape, x.element)),
            shape, x.element))

    def concat(self):
        x = self.pick()
        if not x.shape:
            return
        axis = self.rng.randrange(len(x.shape))
        shape = list(x.shape)
        shape[axis] *= 2
        self.keep(self.op("tensor.concat dim(%d) %s, %s : (%s, %s) -> %s" %
                          (axis, x.name, x.name, x.type, x.type,
                           tensor_type(shape, x.element)), shape, x.element))

    def dense(self):
        shape = [self.rng.randint(1, 5), self.rng.randint(1, 5)]
        rows = [[round(self.rng.uniform(-1, 1), 3) for _ in range(shape[1])]
                for _ in range(shape[0])]
        self.keep(self.op("arith.constant dense<%s> : %s" %
                          (rows, tensor_type(shape, "f32")), shape, "f32"))

    def element(self):
        """Reads an element, and writes it elsewhere."""
        x = self.pick()
        at = [self.scalar("arith.constant %d : index" % self.rng.randrange(s))
              for s in x.shape]
        to = [self.scalar("arith.constant %d : index" % self.rng.randrange(s))
              for s in x.shape]
        value = self.scalar("tensor.extract %s[%s] : %s" %
                            (x.name, ", ".join(at), x.type))
        self.keep(self.op("tensor.insert %s into %s[%s] : %s" %
                          (value, x.name, ", ".join(to), x.type), x.shape,
                          x.element))

    def nested(self, steps, start):
        """Operations in a region; returns a value with the shape of the input."""
        outer = list(self.values)
        self.values.append(start)
        self.depth += 1
        for _ in range(steps):
            self.step(self.INNER)
        fitting = [v for v in self.values[len(outer):]
                   if v.shape == start.shape and v.element == start.element]
        self.emit("scf.yield %s : %s" % (fitting[-1].name, start.type))
        self.depth -= 1
        self.values = outer

    def loop(self):
        x = self.pick()
        low, high, step = (self.scalar("arith.constant %d : index" % v)
                           for v in (0, self.rng.randint(0, 3), 1))
        result = Tensor(self.fresh(), x.shape, x.element)
        carried = Tensor(self.fresh(), x.shape, x.element)
        self.emit("%s = scf.for %%i%d = %s to %s step %s iter_args(%s = %s) "
                  "-> (%s) {" % (result.name, self.next, low, high, step,
                                 carried.name, x.name, x.type))
        self.nested(self.rng.randint(1, 3), carried)
        self.emit("}")
        self.keep(result)

    def branch(self):
        # An argument decides, since two roundings of a result may not agree.
        flag = self.arguments[0]
        at = [self.scalar("arith.constant 0 : index") for _ in flag.shape]
        value = self.scalar("tensor.extract %s[%s] : %s" %
                            (flag.name, ", ".join(at), flag.type))
        zero = self.constant(0.0, flag.element)
        condition = self.scalar("arith.cmpf ogt, %s, %s : %s" %
                                (value, zero, flag.element))
        x = self.pick()
        result = Tensor(self.fresh(), x.shape, x.element)
        self.emit("%s = scf.if %s -> (%s) {" %
                  (result.name, condition, x.type))
        self.nested(self.rng.randint(1, 2), x)
        self.emit("} else {")
        self.nested(self.rng.randint(0, 2), x)
        self.emit("}")
        self.keep(result)

    def call(self):
        if not self.callees or self.depth:
            return
        callee = self.rng.choice(self.callees)
        operands = []
        for wanted in callee.arguments:
            fitting = [v for v in self.values if v.type == wanted.type]
            operands.append(self.rng.choice(fitting) if fitting else
                            self.add_argument(wanted.shape, wanted.element))
        result = callee.results[0]
        self.keep(self.op("func.call @%s(%s) : (%s) -> %s" %
                          (callee.name, ", ".join(o.name for o in operands),
                           ", ".join(o.type for o in operands), result.type),
                          result.shape, result.element))

    INNER = ("unary", "binary", "binary", "matmul", "reduce", "element",
             "softmax", "transpose")
    OUTER = INNER + ("matmul", "matmul", "batch_matmul", "softmax", "reduce",
                     "extract_slice", "extract_slice", "insert_slice", "pad",
                     "reshape", "concat", "dense", "loop", "branch", "call")

    def step(self, choices):
        getattr(self, self.rng.choice(choices))()

    def finish(self, steps):
        for _ in range(steps):
            self.step(self.OUTER)
        made = [v for v in self.values if v not in self.arguments]
        if not made:
            self.unary()
            made = self.values[-1:]
        # The last one, and some that others read too.
        self.results = [made[-1]] if self.private else \
            [v for v in made[:-1] if self.rng.random() < 0.2][:2] + [made[-1]]
        return self

    def text(self):
        return "func.func %s@%s(%s) -> (%s) {\n%s\n  return %s : %s\n}\n" % (
            "private " if self.private else "", self.name,
            ", ".join("%s: %s" % (a.name, a.type) for a in self.arguments),
            ", ".join(r.type for r in self.results), "\n".join(self.lines),
            ", ".join(r.name for r in self.results),
            ", ".join(r.type for r in self.results))


def draw_module(seed):
    """The text of a module: some private functions, and some that call them."""
    rng = random.Random(seed)
    callees = [Function(rng, "part%d" % i, private=True).finish(
        rng.randint(1, 3)) for i in range(rng.randint(0, 2))]
    mains = [Function(rng, "main%d" % i, callees).finish(rng.randint(2, 8))
             for i in range(rng.randint(1, 2))]
    return "".join(f.text() for f in callees + mains)


if __name__ == "__main__":
    import sys
    print(draw_module(int(sys.argv[1])), end="")
