"""Matrix products of arrays."""

import ctypes
import threading

from . import _arrays
from . import _library
from ._library import ALPHA, ALPHA_BETA, UNSCALED, check, library

# The shape of the operand that a part of an epilogue reads, by names of sizes.
_PARTS = {"bias": "n", "colscale": "n", "rowbias": "m", "rowscale": "m",
          "scale": "", "residual": "mn", "gate": "mn"}


class _Context:
    """A handle of a device, and its plans."""

    def __init__(self, device):
        self.driver = _library.Driver()
        self.driver.set_device(device)
        self.handle = ctypes.c_void_p()
        check(library.tcgemmCreate(ctypes.byref(self.handle), device))
        self.plans = {}
        self.lock = threading.Lock()

    def plan(self, key):
        """The plan for values of the descriptor's fields, with the bytes of its
        workspace."""
        found = self.plans.get(key)
        if found:
            return found
        desc = _library.MatmulDesc()
        check(library.tcgemmMatmulDescInitSized(ctypes.byref(desc),
                                                ctypes.sizeof(desc)))
        for name, value in key:
            setattr(desc, name, value.encode() if isinstance(value, str) else value)
        plan, size = ctypes.c_void_p(), ctypes.c_size_t()
        check(library.tcgemmPlan(self.handle, ctypes.byref(desc),
                                 ctypes.byref(plan)))
        check(library.tcgemmPlanWorkspaceSize(plan, ctypes.byref(size)))
        with self.lock:
            return self.plans.setdefault(key, (plan, size.value))


_contexts = {}
_lock = threading.Lock()


def _get_context(device):
    with _lock:
        if device not in _contexts:
            _contexts[device] = _Context(device)
    context = _contexts[device]
    context.driver.set_device(device)
    return context


def _fail(name, value, rule):
    raise ValueError("%s must be %s, not %s" % (name, rule, value))


def _describe_factor(view, name):
    """(trans, leading dimension, batch stride) of A or B."""
    if len(view.shape) not in (2, 3):
        _fail("the number of dimensions of " + name, len(view.shape), "2 or 3")
    rows, columns = view.shape[-2:]
    row, column = view.strides[-2:]
    stride = view.strides[0] if len(view.shape) == 3 else 0
    if stride < 0 or row < 0 or column < 0:
        _fail("the strides of " + name, view.strides, "0 or more")
    # The distance along a dimension of one element is of no importance.
    if (column == 1 or columns <= 1) and (row >= columns or rows <= 1):
        return 0, max(row if rows > 1 else columns, columns, 1), stride
    if (row == 1 or rows <= 1) and (column >= rows or columns <= 1):
        return 1, max(column if columns > 1 else rows, rows, 1), stride
    return _fail("the strides of " + name, view.strides,
                 "1 along rows or along columns")


def _describe_result(view, name, shape):
    """(leading dimension, batch stride) of C, D or a matrix of an epilogue."""
    if view.shape != shape:
        _fail("the shape of " + name, view.shape, shape)
    trans, ld, stride = _describe_factor(view, name)
    if trans:
        _fail("the strides of " + name, view.strides, "1 along rows")
    return ld, stride


def _get_batch(a, b):
    sizes = {v.shape[0] for v in (a, b) if len(v.shape) == 3}
    if len(sizes) > 1:
        raise ValueError("a has %d products, but b has %d"
                         % (a.shape[0], b.shape[0]))
    return sizes.pop() if sizes else None


class _Product:
    """A call of matmul."""

    def __init__(self, a, b, stream):
        self.stream = stream
        self.a = _arrays.view(a, "a", stream)
        self.b = _arrays.view(b, "b", stream)
        self.views = {"a": self.a, "b": self.b}
        self.fields = {"typeA": _arrays.TYPES[self.a.dtype],
                       "typeB": _arrays.TYPES[self.b.dtype]}
        for name, view in (("A", self.a), ("B", self.b)):
            trans, ld, stride = _describe_factor(view, name.lower())
            self.fields.update({"trans" + name: trans, "ld" + name.lower(): ld,
                                "stride" + name: stride})
        self.batch = _get_batch(self.a, self.b)
        m, k = self.a.shape[-2:]
        if self.b.shape[-2] != k:
            raise ValueError("a has %d columns, but b has %d rows"
                             % (k, self.b.shape[-2]))
        n = self.b.shape[-1]
        self.sizes = {"m": m, "n": n}
        self.fields.update(m=m, n=n, k=k, batch=1 if self.batch is None
                           else self.batch)
        self.shape = (m, n) if self.batch is None else (self.batch, m, n)

    def set_out(self, out):
        view = _arrays.view(out, "out", self.stream)
        ld, stride = _describe_result(view, "out", self.shape)
        self.views["d"] = view
        self.fields.update(typeD=_arrays.TYPES[view.dtype], ldd=ld,
                           strideD=stride)

    def set_scalars(self, alpha, beta, c):
        self.alpha, self.beta = alpha, beta
        self.fields["scaling"] = (ALPHA_BETA if c is not None
                                  else ALPHA if alpha != 1 else UNSCALED)
        if c is None:
            if beta:
                raise ValueError("beta is %s, but there is no c" % beta)
            return
        view = _arrays.view(c, "c", self.stream)
        ld, stride = _describe_result(view, "c", self.shape)
        if view.dtype != self.views["d"].dtype:
            _fail("the type of c", view.dtype,
                  "that of the result, " + self.views["d"].dtype)
        self.views["c"] = view
        self.fields.update(ldc=ld, strideC=stride)

    def set_epilogue(self, words, operands):
        """The operands are those of the parts that read one, in their order."""
        self.fields["epilogue"] = "_".join(words) or "none"
        parts = [word for word in words if word in _PARTS]
        if len(parts) != len(operands):
            raise ValueError("epilogue %s reads %d operands, but there are %d"
                             % (self.fields["epilogue"], len(parts),
                                len(operands)))
        for i, (part, operand) in enumerate(zip(parts, operands)):
            view = _arrays.view(operand, part, self.stream)
            self.check_operand(part, view)
            self.views["epilogue%d" % i] = view

    def check_operand(self, part, view):
        if _PARTS[part] == "mn":
            d = self.views["d"]
            if (view.shape, view.strides, view.dtype) != (d.shape, d.strides,
                                                          d.dtype):
                _fail("the shape, strides and type of " + part,
                      (view.shape, view.strides, view.dtype),
                      "those of the result, %s"
                      % ((d.shape, d.strides, d.dtype),))
            return
        shape = tuple(self.sizes[size] for size in _PARTS[part])
        if view.shape != shape:
            _fail("the shape of " + part, view.shape, shape)
        sums = self.get_sum_type()
        if view.dtype != sums:
            _fail("the type of " + part, view.dtype, sums)
        if shape and shape[0] > 1 and view.strides != (1,):
            _fail("the stride of " + part, view.strides[0], 1)

    def get_sum_type(self):
        if self.fields.get("precision") == "f16":
            return "float16"
        return "float64" if self.a.dtype == "float64" else "float32"

    def get_device(self, device):
        """The number of the device that all arrays are on."""
        devices = {v.device for v in self.views.values() if v.device is not None}
        if device is not None:
            devices.add(device)
        if len(devices) > 1:
            raise ValueError("the arrays are on devices %s, but must be on one"
                             % sorted(devices))
        hosts = {name for name, v in self.views.items() if v.on_host}
        if hosts and hosts != set(self.views):
            raise ValueError("%s are NumPy arrays, but the others are not"
                             % ", ".join(sorted(hosts)))
        return devices.pop() if devices else 0

    def run(self, context):
        """Runs the product on arrays of the device."""
        if self.views["a"].on_host:
            self.run_on_copies(context)
        else:
            self.launch(context, {name: view.address
                                  for name, view in self.views.items()})

    def run_on_copies(self, context):
        driver, addresses = context.driver, {}
        try:
            for name, view in self.views.items():
                addresses[name] = driver.allocate(view.extent, self.stream)
            driver.synchronize(self.stream)
            for name, view in self.views.items():
                # The gaps between the rows of the result are copied, too.
                driver.upload(addresses[name], view.address, view.extent)
            self.launch(context, addresses)
            driver.synchronize(self.stream)
            d = self.views["d"]
            driver.download(d.address, addresses["d"], d.extent)
        finally:
            for address in addresses.values():
                driver.free(address, self.stream)

    def launch(self, context, addresses):
        bits = 16
        for address in addresses.values():
            bits |= address
        self.fields["alignment"] = bits & -bits
        plan, size = context.plan(tuple(sorted(self.fields.items())))
        operands = _library.Operands()
        check(library.tcgemmOperandsInitSized(ctypes.byref(operands),
                                              ctypes.sizeof(operands)))
        for name, address in addresses.items():
            if name.startswith("epilogue"):
                operands.epilogue[int(name[len("epilogue"):])] = address
            else:
                setattr(operands, name, address)
        operands.alpha, operands.beta = self.alpha, self.beta
        workspace = context.driver.allocate(size, self.stream) if size else 0
        try:
            check(library.tcgemmRunOperands(plan, ctypes.byref(operands),
                                            workspace or None, size, self.stream))
        finally:
            if workspace:
                context.driver.free(workspace, self.stream)


def matmul(a, b, out=None, *, bias=None, epilogue=None, operands=(), alpha=1.0,
           beta=0.0, c=None, out_dtype=None, precision="ieee", config=None,
           stream=None, device=None):
    """Returns epilogue(alpha * a @ b + beta * c).

    Arrays are on a GPU (torch, CuPy and others with DLPack or
    `__cuda_array_interface__`), or all of them are NumPy arrays, which are copied
    to the device and back.

    Args:
      a: shape (m, k) or (batch, m, k), with a stride of 1 along its rows or
        columns. Types: float16, bfloat16, float32, float64, int8, uint8,
        float8_e4m3fn, float8_e5m2.
      b: shape (k, n) or (batch, k, n). An array without batch is used for all
        products.
      out: shape (m, n) or (batch, m, n), with a stride of 1 along its rows. A new
        array of a's package if it is left out.
      bias: shape (n,), of the type of the sums: float64 for operands of float64,
        else float32. It is added first.
      epilogue: names of parts that follow the bias, joined by "_": relu, gelu,
        gelutanh, silu, or those that read an operand: bias, colscale (n,),
        rowbias, rowscale (m,), scale (), residual, gate (as the result).
      operands: the operands of the epilogue's parts, in their order. Vectors have
        the type of the sums, matrices shape, strides and type of the result.
      alpha, beta: numbers.
      c: shape and type of the result; it may be `out`.
      out_dtype: type of the result, if there is no `out`: "float32" and so on.
        a's type by default; int32 for operands of 8-bit integers, bfloat16 for
        those of FP8.
      precision: "ieee", or how products of float32 are computed: "tf32",
        "tf32x3", "bf16x3", "bf16x6". With "f16" sums of float16 are float16.
      config: parameters of the kernel instead of chosen ones, as text.
      stream: the number of a CUDA stream; the default stream if left out.
      device: the number of the device, for arrays that do not tell it.

    Errors:
      TypeError: an array of another kind or type.
      ValueError: shapes, strides or devices that do not fit.
      tcgemm.Error: an error of the library, with the name of its status.
    """
    product = _Product(a, b, stream)
    product.fields["precision"] = precision
    if config is not None:
        product.fields["config"] = config
    if out is None:
        out = _arrays.empty(a, product.shape,
                            out_dtype or _get_default_type(product.a.dtype))
    product.set_out(out)
    product.set_scalars(alpha, beta, c)
    words = [] if epilogue in (None, "none") else epilogue.split("_")
    if bias is not None:
        words, operands = ["bias"] + words, (bias, *operands)
    product.set_epilogue(words, operands)
    product.run(_get_context(product.get_device(device)))
    return out


def _get_default_type(dtype):
    if dtype in ("int8", "uint8"):
        return "int32"
    return "bfloat16" if dtype.startswith("float8") else dtype
