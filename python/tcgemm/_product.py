"""What all kinds of products do with arrays."""

import ctypes
import operator

from . import _arrays
from . import _context
from . import _library
from ._library import ALPHA, ALPHA_BETA, UNSCALED, check, library

# The operand that a part of an epilogue reads: a vector along n or m, a matrix, or
# a number.
_PARTS = {"bias": "n", "colscale": "n", "rowbias": "m", "rowscale": "m",
          "outbias": "n", "outrowbias": "m",
          "scale": "", "residual": "mn", "gate": "mn",
          "groupbias": "gn", "groupscale": "g", "groupcolscale": "gn"}
# Operands whose addresses need no more than the alignment of their elements.
_UNALIGNED = ("offsets", "scaleA", "scaleB", "zeroPoints", "reductions")
# Parts whose vector has the type of the result, not that of the sums.
_OF_RESULT = {"outbias", "outrowbias"}


def fail(name, value, rule):
    raise ValueError("%s must be %s, not %s" % (name, rule, value))


def check_dense(name, view, shape, dtype):
    """Raises ValueError if a view is not a dense array of that shape and type."""
    if view.shape != shape:
        fail("the shape of " + name, view.shape, shape)
    if view.dtype != dtype:
        fail("the type of " + name, view.dtype, dtype)
    dense = _arrays.get_dense_strides(shape)
    if any(size > 1 and stride != expected for size, stride, expected
           in zip(shape, view.strides, dense)):
        fail("the strides of " + name, view.strides, dense)


def get_default_type(dtype):
    """The type of the result for operands of this type."""
    if dtype in ("int8", "uint8"):
        return "int32"
    return "bfloat16" if dtype.startswith("float8") else dtype


class Product:
    """A call.

    Attributes:
      kind:   that of the descriptor.
      fields: values of the descriptor's fields.
      dtypes: the types of elements of "a" and "b". Two of some are in a byte.
      views:  of all arrays, by the names of operands in the C library.
      shape:  of the result.
      vectors: the shapes of the epilogue's vectors, by "n" and "m".
      out:    the result.
      results: the names of the operands that are written.
      make_workspace: a function that returns memory of a number of bytes, as an
              object with `data_ptr()`; the driver's memory if it is None.
    """

    kind = None
    make_workspace = None

    def __init__(self, a, b, config, stream, device):
        self.stream, self.device = stream, device
        self.a = _arrays.view(a, "a", stream)
        self.b = _arrays.view(b, "b", stream)
        self.views = {"a": self.a, "b": self.b}
        self.dtypes = {name: view.dtype for name, view in self.views.items()}
        self.fields = {"typeA": self.get_type(self.a, "a"),
                       "typeB": self.get_type(self.b, "b")}
        self.results = ["d"]
        if config is not None:
            self.fields["config"] = config
        self.alpha, self.beta, self.vectors = 1.0, 0.0, {}

    def get_type(self, view, name):
        """The number of tcgemmType. Errors: TypeError for a type that the products
        do not have."""
        return _arrays.get_type(view, name)

    def get_result_type(self):
        """The type of a new result. Beside elements of 4 bits, the other operand
        decides it."""
        narrow = self.dtypes["a"] in _arrays.PACKED_TYPES
        return get_default_type((self.b if narrow else self.a).dtype)

    def describe_result(self, view, name, letter):
        """Adds the strides of `c` or `d` to the fields; checks the shape."""
        raise NotImplementedError

    def set_precision(self, precision):
        self.fields["precision"] = precision

    def set_out(self, out, like, out_dtype):
        """The result is a new array unless there is one."""
        if out is None:
            out = _arrays.empty(like, self.shape,
                                out_dtype or self.get_result_type())
        view = _arrays.view(out, "out", self.stream)
        if view.is_read_only:
            raise ValueError("out is read-only")
        self.describe_result(view, "out", "d")
        self.views["d"] = view
        self.fields["typeD"] = self.get_type(view, "out")
        self.out = out

    def set_scalars(self, alpha, beta, c):
        self.alpha, self.beta = alpha, beta
        self.fields["scaling"] = (ALPHA_BETA if c is not None
                                  else ALPHA if alpha != 1 else UNSCALED)
        if c is None:
            if beta:
                raise ValueError("beta is %s, but there is no c" % beta)
            return
        if not beta:
            raise ValueError("there is a c, but beta is 0")
        view = _arrays.view(c, "c", self.stream)
        self.describe_result(view, "c", "c")
        if view.dtype != self.views["d"].dtype:
            fail("the type of c", view.dtype,
                 "that of the result, " + self.views["d"].dtype)
        self.views["c"] = view

    def set_epilogue(self, epilogue, body, operands, bias=None):
        """The operands are those of the parts that read one, in their order. The
        bias precedes them."""
        if body is not None:
            if not body:
                raise ValueError("epilogue_body is empty")
            self.fields["epilogueBody"] = body
        words = [] if epilogue in (None, "none") else epilogue.split("_")
        if bias is not None:
            dtype = _arrays.view(bias, "bias", self.stream).dtype
            of_result = (dtype == self.views["d"].dtype
                         and dtype != self.get_sum_type())
            words = ["outbias" if of_result else "bias"] + words
            operands = (bias, *operands)
        self.fields["epilogue"] = "_".join(words) if words else "none"
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
                fail("the shape, strides and type of " + part,
                     (view.shape, view.strides, view.dtype),
                     "those of the result, %s"
                     % ((d.shape, d.strides, d.dtype),))
            return
        letters = _PARTS[part]
        if letters and letters not in self.vectors:
            raise ValueError("%s reads values of groups, but the product has no groups"
                             % part)
        shape = self.vectors[letters] if letters else ()
        check_dense(part, view, shape, self.views["d"].dtype
                    if part in _OF_RESULT else self.get_sum_type())

    def get_sum_type(self):
        dtype = _arrays.COMPONENTS.get(self.a.dtype, self.a.dtype)
        return "float64" if dtype == "float64" else "float32"

    def find_device(self, device):
        """The number of the device that all arrays are on."""
        devices = {v.device for v in self.views.values() if v.device is not None}
        if device is not None:
            number = operator.index(device)
            if number < 0:
                fail("device", device, "0 or more")
            devices.add(number)
        if len(devices) > 1:
            raise ValueError("the arrays are on devices %s, but must be on one"
                             % sorted(devices))
        hosts = {name for name, v in self.views.items() if v.on_host}
        if hosts and hosts != set(self.views):
            raise ValueError("%s are NumPy arrays, but the others are not"
                             % ", ".join(sorted(hosts)))
        return devices.pop() if devices else 0

    def get_context(self):
        return _context.get_context(self.find_device(self.device))

    def run(self):
        """Runs the product, and returns the result."""
        context = self.get_context()
        with context.make_current():
            if self.views["a"].on_host:
                self.run_on_copies(context)
            else:
                self.wait_for_writers(context)
                self.launch(context, self.get_addresses())
        return self.out

    def wait_for_writers(self, context):
        """Waits for the streams that arrays name, which may still write them."""
        streams = {v.stream for v in self.views.values()}
        for stream in streams - {None, self.stream or _arrays.DEFAULT_STREAM}:
            context.driver.synchronize(stream)

    def get_addresses(self):
        return {name: view.address for name, view in self.views.items()}

    def get_plan(self, context, addresses):
        """The plan for arrays at these addresses, with the bytes of its
        workspace."""
        bits = 16
        for name, address in addresses.items():
            bits |= 0 if name.startswith(_UNALIGNED) else address
        self.fields["alignment"] = bits & -bits
        return context.plan(self.kind, self.fields)

    def explain(self):
        """The text about the plan. Copies on the device are aligned."""
        on_host = self.views["a"].on_host
        plan, _ = self.get_plan(self.get_context(),
                                {} if on_host else self.get_addresses())
        text = ctypes.c_char_p()
        check(library.tcgemmPlanExplain(plan, ctypes.byref(text)))
        return text.value.decode()

    def tune(self):
        """Tunes the product; following calls have the tuned kernel."""
        context, on_host = self.get_context(), self.views["a"].on_host
        plan, _ = self.get_plan(context, {} if on_host else self.get_addresses())
        check(library.tcgemmTunePlan(context.handle, plan))
        # A new plan may have a larger workspace.
        context.forget(self.kind, self.fields)
        return self.explain()

    def run_on_copies(self, context):
        driver, addresses = context.driver, {}
        try:
            for name, view in self.views.items():
                addresses[name] = driver.allocate(view.extent, self.stream)
            driver.synchronize(self.stream)
            for name, view in self.views.items():
                # The gaps between the rows of the result are copied, too.
                driver.upload(addresses[name], view.address, view.extent)
            # The copies are in the default stream.
            driver.synchronize(None)
            self.launch(context, addresses)
            driver.synchronize(self.stream)
            for name in self.results:
                view = self.views[name]
                driver.download(view.address, addresses[name], view.extent)
        finally:
            for address in addresses.values():
                driver.free(address, self.stream)

    def launch(self, context, addresses):
        plan, size = self.get_plan(context, addresses)
        operands = _library.Operands()
        check(library.tcgemmOperandsInitSized(ctypes.byref(operands),
                                              ctypes.sizeof(operands)))
        for name, address in addresses.items():
            list_name = name.rstrip("0123456789")
            if list_name in ("epilogue", "reductions"):
                getattr(operands, list_name)[int(name[len(list_name):])] = address
            else:
                setattr(operands, name, address)
        operands.alpha, operands.beta = self.alpha, self.beta
        self.run_plan(context, plan, operands, size)

    def run_plan(self, context, plan, operands, size):
        def run(workspace):
            check(library.tcgemmRunOperands(plan, ctypes.byref(operands),
                                            workspace, size, self.stream))
        if not size:
            return run(None)
        if self.make_workspace:
            memory = self.make_workspace(size)
            return run(memory.data_ptr())
        workspace = context.driver.allocate(size, self.stream)
        try:
            return run(workspace)
        finally:
            context.driver.free(workspace, self.stream)
